#pragma once
#include <cstdint>

#include "solvers/cluster/rounds/round_job.h"
#include "solvers/cluster/rounds/training_models.h"

namespace ergode {

/// Steps, batch size and speed of a job while it runs.
class AdaptingJob {
 public:
  /// @param job, speeds  outlive it
  AdaptingJob(const RoundJob& job, const Throughputs& speeds);

  double steps_per_s() const { return steps_per_s_; }
  int batch_size() const { return batch_; }
  std::int64_t done() const { return done_; }
  /// Below 0 where a change of the batch size has counted more than there was.
  std::int64_t left() const { return total_ - done_; }
  /// Whole epochs done, and those begun too.
  std::int64_t epochs_done() const { return done_ / steps_of_epoch_; }
  std::int64_t epochs_begun() const { return (done_ + steps_of_epoch_ - 1) / steps_of_epoch_; }

  void run(std::int64_t steps) { done_ += steps; }
  /// Looks at the epoch that it is in, and asks for another batch size where its mode wants one.
  void look();
  /// Changes to the batch size asked for, if one is and its speed is known: epochs done and epochs in all stay the
  /// same.
  void adapt();

 private:
  enum class Wish { none, most, first, twice };
  const RoundJob* job_;
  const Throughputs* speeds_;
  const TrainingModel* model_;
  int batch_;
  std::int64_t total_, done_ = 0, steps_of_epoch_;
  double steps_per_s_;
  Wish wish_ = Wish::none;
};

}  // namespace ergode
