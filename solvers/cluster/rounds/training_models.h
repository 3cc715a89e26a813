#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "solvers/cluster/rounds/round_job.h"

namespace ergode {

/// What is known of a model that is trained: how much data an epoch is, and which batch sizes it can have.
struct TrainingModel {
  std::string name;
  std::int64_t samples = 0;  ///< of an epoch
  int least_batch = 1, most_batch = 1;
  /// Of the models of which it is not known a job has as many epochs as it says, and its batch size never changes.
  bool known() const { return samples > 0; }
};

/// The five models of Shockwave's traces by name, else one that is not known. Static, O(1).
/// Zheng, Pan, Khandelwal, Akella and Venkataraman, Shockwave: Fair and efficient cluster scheduling for dynamic
/// adaptation in machine learning, NSDI 2023, and its artifact (MIT licence).
const TrainingModel& training_model(const std::string& name);

/// Steps of one epoch, the last of which may be smaller: ceil(samples / batch).
inline std::int64_t steps_of_epoch(const TrainingModel& model, int batch_size) {
  return (model.samples + batch_size - 1) / batch_size;
}

/// Whether epoch `epoch` >= 0 is one in which Accordion keeps the first batch size.
bool critical_epoch(const TrainingModel& model, int first_batch, std::int64_t epoch);

/// The batch size that the gradient noise scale allows in this epoch: doubled at epochs that were measured, by model,
/// first batch size and number of GPUs; what was not measured never changes.
int gns_batch(const TrainingModel& model, int first_batch, int gpus, std::int64_t epoch);

/// A job as its profile tells it before it runs.
struct JobProfile {
  std::vector<int> batch;       ///< by epoch; not empty
  std::vector<double> epoch_s;  ///< how long each takes on the job's GPUs without interruption
  double exclusive_s = 0.0;     ///< the sum
  /// "10x11|20x10": batch sizes and for how many epochs, in turn.
  std::string schedule() const;
};
/// @param job  one without problems_of(). A batch size without a throughput is not changed to.
/// O(epochs log entries)
JobProfile profile_of(const RoundJob& job, const Throughputs& speeds);

}  // namespace ergode
