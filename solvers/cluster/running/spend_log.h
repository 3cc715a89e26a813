#pragma once
#include <mutex>
#include <vector>

#include "core/results/result_table.h"
#include "solvers/cluster/model/rental_model.h"

namespace ergode {

/// What rentals spend in the first history of a run, for the table `spend`: written by the thread that runs it, read
/// when the run is over. Keeps at most 500 moments of each rental, as evenly over time as they come; costs count all.
class SpendLog {
 public:
  /// A history that is written down begins. Whoever wrote before is forgotten.
  void begin(const void* writer, std::size_t rentals);
  /// From this moment on [s] a rental has these GPUs by tariff, of reserved ones those in use, and spends so much
  /// [USD/s]; so many more that are reserved, or so many of a cluster, are paid for nobody (`idle`). Of others than the
  /// last who began nothing is written. Amortised O(1).
  void note(const void* writer, std::size_t rental, double now_s, const double (&gpus)[3], double idle,
            double spend_per_s, double power_w);
  /// The history is over [s]: what was last so was so until then.
  void end(const void* writer, double end_s);
  /// Tables `spend` and `bill` for each rental whose budget is money, that is not on demand, or that keeps a cluster,
  /// and that costs anything; `spend` too where its GPUs draw power; none where nothing was written.
  std::vector<ResultTable> tables(const RentalModel& model, const std::string& solver) const;

 private:
  static constexpr std::size_t most_rows = 500;
  struct Row {
    double at_s = 0.0;
    double gpus[3] = {0.0, 0.0, 0.0};
    double idle = 0.0, spend_per_s = 0.0, cost = 0.0, power_w = 0.0, joules = 0.0;
    double gpu_s[3] = {0.0, 0.0, 0.0};  ///< until then, by tariff; of reserved GPUs those in use
    double idle_s = 0.0;                ///< until then, of GPUs
    Row later(double now_s) const;
    /// A table shows the same of both from their moments on.
    bool looks_like(const Row& other) const;
  };
  struct Rental {
    std::vector<Row> rows;
    Row last;
    double gap_s = 0.0;
    bool any = false;
  };
  static ResultTable bill_of(const RentalModel::Rental& rental, const Row& end);

  mutable std::mutex mutex_;
  const void* writer_ = nullptr;
  std::vector<Rental> rentals_;
};

}  // namespace ergode
