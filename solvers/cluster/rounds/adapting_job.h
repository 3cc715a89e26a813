#pragma once
#include <cstdint>

#include "solvers/cluster/rounds/round_job.h"
#include "solvers/cluster/rounds/training_models.h"

namespace ergode {

/// Steps, batch size and speed of a job while it runs.
class AdaptingJob {
 public:
  /// Of nobody, to be read into.
  AdaptingJob() = default;
  /// @param job     without problems_of()
  /// @param speeds  outlive it
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

  const RoundJob& job() const { return job_; }
  /// Throughputs are not in it: rebind() after reading.
  template <typename Archive>
  void archive(Archive& a) {
    auto wish = static_cast<int>(wish_);
    a(job_, batch_, total_, done_, steps_of_epoch_, steps_per_s_, wish);
    wish_ = static_cast<Wish>(wish);
  }
  void rebind(const Throughputs& speeds) { speeds_ = &speeds, model_ = &training_model(job_.model); }

 private:
  enum class Wish { none, most, first, twice };
  RoundJob job_;
  const Throughputs* speeds_ = nullptr;
  const TrainingModel* model_ = nullptr;
  int batch_ = 1;
  std::int64_t total_ = 0, done_ = 0, steps_of_epoch_ = 1;
  double steps_per_s_ = 0.0;
  Wish wish_ = Wish::none;
};

}  // namespace ergode
