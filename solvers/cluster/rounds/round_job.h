#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace ergode {

/// How a training job changes its batch size while it runs.
/// Accordion: Agarwal, Wang, Lee, Venkataraman and Papailiopoulos, Accordion: Adaptive gradient communication via
/// critical learning regime identification, MLSys 2021. GNS: McCandlish, Kaplan, Amodei and OpenAI, An empirical model
/// of large-batch training, arXiv 1812.06162, 2018.
enum class BatchMode { fixed, accordion, gns };

/// A training job as a trace tells it.
struct RoundJob {
  std::string model;   ///< "ResNet-18"
  int batch_size = 1;  ///< samples a step, at the beginning; >= 1
  int gpus = 1;        ///< all of them or none; >= 1
  BatchMode mode = BatchMode::fixed;
  std::int64_t total_steps = 1;  ///< with the first batch size; >= 1
  double arrival_s = 0.0;        ///< finite, >= 0
  /// A job that has run for one and a half times as long is over. Infinite where the trace has none.
  double listed_duration_s = std::numeric_limits<double>::infinity();
  /// Of a job whose throughput no table has, on all its GPUs: > 0. 0: it is the table's.
  double steps_per_s = 0.0;
  /// Of a model of which it is not known how long its epochs are: so many, all alike; >= 1.
  std::int64_t epochs = 1;

  template <typename Archive>
  void archive(Archive& a) {
    auto is = static_cast<int>(mode);
    a(model, batch_size, gpus, is, total_steps, arrival_s, listed_duration_s, steps_per_s, epochs);
    mode = static_cast<BatchMode>(is);
  }
};

/// Steps per second of models by batch size and number of GPUs, measured with nothing else running.
class Throughputs {
 public:
  /// @param steps_per_s  > 0; the last one counts
  void set(const std::string& model, int batch_size, int gpus, double steps_per_s) {
    steps_per_s_[{model, batch_size, gpus}] = steps_per_s;
  }
  /// Nothing where it was not measured. O(log entries)
  std::optional<double> of(const std::string& model, int batch_size, int gpus) const {
    const auto found = steps_per_s_.find({model, batch_size, gpus});
    return found == steps_per_s_.end() ? std::nullopt : std::optional<double>(found->second);
  }
  std::size_t size() const { return steps_per_s_.size(); }

 private:
  std::map<std::tuple<std::string, int, int>, double> steps_per_s_;
};

/// Steps per second with its first batch size; nothing where neither the job nor the table says it.
inline std::optional<double> first_speed(const RoundJob& job, const Throughputs& speeds) {
  return job.steps_per_s > 0.0 ? job.steps_per_s : speeds.of(job.model, job.batch_size, job.gpus);
}

}  // namespace ergode
