#include "solvers/cluster/rounds/adapting_job.h"

namespace ergode {

AdaptingJob::AdaptingJob(const RoundJob& job, const Throughputs& speeds)
    : job_(job),
      speeds_(&speeds),
      model_(&training_model(job.model)),
      batch_(job.batch_size),
      total_(job.total_steps),
      steps_of_epoch_(model_->known() ? ergode::steps_of_epoch(*model_, batch_)
                                      : (job.total_steps + job.epochs - 1) / job.epochs),
      steps_per_s_(first_speed(job, speeds).value_or(0.0)) {}

void AdaptingJob::look() {
  if (!model_->known() || job_.mode == BatchMode::fixed) return;
  const std::int64_t epoch = epochs_begun();
  const int first = job_.batch_size;
  if (job_.mode == BatchMode::gns) {
    const bool grows = gns_batch(*model_, first, job_.gpus, epoch + 1) > batch_;  // never less than at `epoch`
    if (grows && batch_ < model_->most_batch) wish_ = Wish::twice;
    return;
  }
  const bool critical = critical_epoch(*model_, first, epoch);
  if (batch_ == first && !critical && batch_ < model_->most_batch) wish_ = Wish::most;
  if (batch_ != first && critical && batch_ > model_->least_batch) wish_ = Wish::first;
}

void AdaptingJob::adapt() {
  const Wish wish = wish_;
  wish_ = Wish::none;
  if (wish == Wish::none) return;
  const int next = wish == Wish::most ? model_->most_batch : wish == Wish::first ? job_.batch_size : 2 * batch_;
  const auto speed = speeds_->of(job_.model, next, job_.gpus);
  if (!speed) return;
  const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t epochs = up(total_, steps_of_epoch_), begun = epochs_begun();
  const std::int64_t steps = ergode::steps_of_epoch(*model_, next);
  // Rounding to whole steps must not add or lose an epoch.
  total_ = up(total_ * batch_, next);
  if (up(total_, steps) != epochs) total_ = epochs * steps;
  done_ = begun * steps;
  batch_ = next, steps_of_epoch_ = steps, steps_per_s_ = *speed;
}

}  // namespace ergode
