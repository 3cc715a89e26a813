#include "solvers/cluster/rounds/round_stepper.h"

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

// Times are differences of moments: their last digits must not leave a step undone that trails after a job.
std::int64_t whole_steps(double steps) {
  constexpr double last_digits = 1e-3;
  return static_cast<std::int64_t>(steps + last_digits);
}

}  // namespace

void RoundStepper::clear() {
  active_.clear(), running_.clear(), gone_.clear();
  round_ = {}, begun_ = 0, gpus_ = options_->gpus;
  all_s_ = last_reset_s_ = busy_gpu_s_ = 0.0, changed_ = false;
}

void RoundStepper::end_round() {
  // The last to finish is told first, as in the published simulator: sums are rounded in this order.
  std::sort(running_.begin(), running_.end(), [](const MicroTask& a, const MicroTask& b) {
    return a.finish_s != b.finish_s ? a.finish_s > b.finish_s : a.place < b.place;
  });
  gone_.clear();
  for (const MicroTask& task : running_) finish(task);
  running_.clear();
  std::erase_if(active_, [](const ActiveJob& job) { return job.over; });
  for (ActiveJob& job : active_) job.state.look();
  if (planner_ != nullptr && begun_ > 0) planner_->round_ended();
}

RoundStepper::Work RoundStepper::work_of(const ActiveJob& job, const MicroTask& task) const {
  Work out{.ran_s = task.finish_s - round_.start_s, .steps = task.steps};
  // Where checkpoints are written in rounds it was known before how many steps there is time for.
  if (task.restored && !options_->writes())
    out.steps =
        static_cast<std::int64_t>(static_cast<double>(out.steps) * ((out.ran_s - options_->restore_s) / out.ran_s));
  if (task.restored) out.ran_s -= options_->restore_s;
  out.failed = out.steps <= 0 && out.ran_s <= 0.0;
  out.failures = out.failed ? job.failures + 1 : 0;
  AdaptingJob state = job.state;
  double used_s = job.used_s;
  if (!out.failed) state.run(out.steps), used_s += out.ran_s;
  out.over = out.failures >= options_->most_failures ||
             (!out.failed && (state.left() <= 0 || used_s > std::floor(1.5 * job.state.job().listed_duration_s)));
  if (options_->as_published) return out;
  state.adapt();
  out.over = out.over || state.left() <= 0;
  return out;
}

void RoundStepper::finish(const MicroTask& task) {
  ActiveJob& job = active_[task.place];
  const Work work = work_of(job, task);
  job.last_round = begun_ - 1, job.failures = work.failures;
  if (work.failed) changed_ = true;
  const int batch = job.state.batch_size();
  if (!work.failed) {
    job.state.run(work.steps);
    job.had_s += work.ran_s, job.used_s += work.ran_s, all_s_ += work.ran_s;
    job.outcome.busy_s += work.ran_s, busy_gpu_s_ += work.ran_s * job.gpus;
    round_.busy_gpu_s += work.ran_s * job.gpus;
  }
  job.outcome.removed = job.failures >= options_->most_failures;
  job.state.adapt();
  if (!work.over) {
    if (planner_ != nullptr)
      planner_->ran(job.number, {begun_, work.ran_s > 0.0 ? static_cast<double>(work.steps) / work.ran_s : 0.0, batch,
                                 job.state.epochs_done()});
    return;
  }
  job.over = changed_ = true;
  job.outcome.finish_s = task.finish_s, job.outcome.epochs = static_cast<double>(job.state.epochs_begun());
  gone_.push_back({job.number, job.outcome});
  if (planner_ != nullptr) planner_->left(job.number);
}

std::optional<double> RoundStepper::interrupt(std::uint32_t number, double now_s) {
  const auto task = std::find_if(running_.begin(), running_.end(),
                                 [&](const MicroTask& one) { return active_[one.place].number == number; });
  if (task == running_.end() || task->finish_s <= now_s) return std::nullopt;
  ActiveJob& job = active_[task->place];
  const double worked_s = std::max(0.0, now_s - round_.start_s - (task->restored ? options_->restore_s : 0.0));
  const JobAttempt tried = attempt(job, task->steps);
  const double speed = job.state.steps_per_s();
  const auto saved = whole_steps(tried.saved_s(worked_s) * speed);
  const double saved_s = static_cast<double>(saved) / speed, lost_s = std::max(0.0, tried.done_s(worked_s) - saved_s);
  job.state.run(saved);
  // GPUs were had for what is lost; the duration that a trace lists is of what is done.
  job.had_s += worked_s, all_s_ += worked_s, job.used_s += saved_s;
  job.outcome.busy_s += worked_s, job.outcome.lost_s += lost_s, ++job.outcome.restarts;
  busy_gpu_s_ += worked_s * job.gpus, round_.busy_gpu_s += worked_s * job.gpus;
  job.lost_host = true, job.last_round = -1;
  if (planner_ != nullptr && worked_s > 0.0)
    planner_->ran(number, {begun_, speed, job.state.batch_size(), job.state.epochs_done()});
  running_.erase(task);
  round_.end_s = now_s;
  for (const MicroTask& one : running_) round_.end_s = std::max(round_.end_s, one.finish_s);
  return lost_s;
}

void RoundStepper::set_gpus(int gpus) {
  if (gpus == gpus_) return;
  gpus_ = gpus, changed_ = true;
  if (planner_ != nullptr) planner_->set_gpus(gpus);
}

std::vector<RoundStepper::Gone> RoundStepper::outcomes() const {
  std::vector<Gone> out;
  for (const ActiveJob& job : active_) out.push_back({job.number, job.outcome});
  return out;
}

std::vector<RoundStepper::End> RoundStepper::ends() const {
  std::vector<End> out;
  for (const MicroTask& task : running_)
    if (const ActiveJob& job = active_[task.place]; work_of(job, task).over) out.push_back({job.number, task.finish_s});
  return out;
}

void RoundStepper::admit(std::uint32_t number, const RoundJob& job, const Throughputs& speeds, double now_s) {
  active_.push_back(
      {.number = number, .gpus = job.gpus, .state = AdaptingJob(job, speeds), .had_s = options_->round_s / 2.0});
  changed_ = true;
  if (planner_ != nullptr) planner_->arrived(number, job, speeds, now_s);
}

double RoundStepper::begin_round(double now_s, double next_arrival_s) {
  if (gpus_ <= 0) return std::max(now_s, next_arrival_s);
  if (active_.empty()) return idle_until(now_s, next_arrival_s);
  std::vector<std::size_t> taken;
  if (planner_ != nullptr) taken = planned();
  else {
    if (changed_ && (now_s >= last_reset_s_ + options_->reset_interval_s || last_reset_s_ == 0.0))
      compute_shares(now_s);
    taken = in_order_of_priority();
  }
  if (taken.empty()) return idle_until(now_s, next_arrival_s);
  round_ = {};
  round_.start_s = round_.end_s = now_s, round_.active = static_cast<std::uint32_t>(active_.size());
  for (const std::size_t place : taken) start(place);
  for (const MicroTask& task : running_) round_.end_s = std::max(round_.end_s, task.finish_s);
  ++begun_;
  return round_.end_s;
}

void RoundStepper::start(std::size_t place) {
  ActiveJob& job = active_[place];
  const double speed = job.state.steps_per_s();
  const auto most = static_cast<std::int64_t>(speed * options_->round_s);
  std::int64_t steps = std::min(most, job.state.left());
  double time_s = static_cast<double>(steps) / speed;
  // What ends early does not restore: else a few steps would trail after a job for rounds.
  constexpr double early_s = 5.0;
  bool restored = job.last_round != begun_ - 1 && begun_ != 0;
  if (options_->writes() && steps > 0) {
    const JobAttempt all = attempt(job, job.state.left());
    restored = restored && all.time_s() > options_->round_s - early_s;
    const double restore_s = restored ? options_->restore_s : 0.0, room_s = options_->round_s - restore_s;
    time_s = restore_s + all.time_s();
    // The end of the round may fall into a checkpoint, which it saves the writing of, but not the time until then.
    if (all.time_s() > room_s) steps = whole_steps(all.done_s(room_s) * speed), time_s = options_->round_s;
  }
  const double finish_s = std::max(round_.start_s, round_.start_s + time_s);
  if (!options_->writes() || steps <= 0) restored = restored && finish_s - round_.start_s > options_->round_s - early_s;
  running_.push_back({place, finish_s, steps, restored});
  if (job.outcome.rounds++ == 0) job.outcome.start_s = round_.start_s;
  else if (job.last_round != begun_ - 1 && !job.lost_host) ++job.outcome.preemptions;
  job.lost_host = false;
  round_.jobs.push_back(job.number), round_.gpus += job.gpus;
}

// Until a job comes, or shares may be computed again.
double RoundStepper::idle_until(double now_s, double next_arrival_s) const {
  double until_s = next_arrival_s;
  if (planner_ == nullptr && changed_ && !active_.empty())
    until_s = std::min(until_s, last_reset_s_ + options_->reset_interval_s);
  return std::max(now_s, until_s);
}

std::vector<std::size_t> RoundStepper::planned() const {
  std::vector<std::size_t> out;
  for (const std::uint32_t number : planner_->next_round()) {
    const auto at = std::lower_bound(active_.begin(), active_.end(), number,
                                     [](const ActiveJob& job, std::uint32_t n) { return job.number < n; });
    if (at != active_.end() && at->number == number) out.push_back(static_cast<std::size_t>(at - active_.begin()));
  }
  return out;
}

std::vector<std::size_t> RoundStepper::in_order_of_priority() {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    ActiveJob& job = active_[i];
    const double fraction = job.had_s / all_s_;
    job.priority = !job.has_share ? 0.0 : fraction == 0.0 ? 1e9 * job.share : job.share / fraction;
    order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const ActiveJob &a = active_[i], &b = active_[j];
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.deficit_s != b.deficit_s) return a.deficit_s > b.deficit_s;
    return a.share > b.share;
  });
  std::vector<std::size_t> out;
  int free = gpus_;
  for (const std::size_t i : order) {
    if (active_[i].gpus > free) continue;
    free -= active_[i].gpus;
    if (active_[i].has_share) out.push_back(i);
  }
  return out;
}

void RoundStepper::compute_shares(double now_s) {
  std::vector<SharedJob> shared;
  for (ActiveJob& job : active_) {
    const double half = options_->round_s / 2.0;
    job.deficit_s += job.share * (now_s - last_reset_s_) - (job.had_s - half);
    job.had_s = half;
    const auto left = static_cast<double>(job.state.left());
    if (job.isolated_rate > 0.0) job.isolated_s += (job.left_before - left) / job.isolated_rate;
    job.left_before = left;
    shared.push_back(
        {now_s - job.state.job().arrival_s, job.state.steps_per_s(), left, job.gpus, job.isolated_s, job.share});
  }
  all_s_ = static_cast<double>(active_.size()) * options_->round_s / 2.0;
  last_reset_s_ = now_s;
  changed_ = false;
  const std::vector<double> shares = shares_of(shared);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    active_[i].share = shares[i], active_[i].has_share = true;
    active_[i].isolated_rate = isolated_rate(shared[i], shared.size(), gpus_);
  }
}

std::vector<double> RoundStepper::shares_of(const std::vector<SharedJob>& jobs) const {
  switch (options_->policy) {
    case RoundPolicy::max_sum:
      return max_sum_shares(jobs, gpus_);
    case RoundPolicy::gandiva_fair:
      return equal_shares(jobs, gpus_);
    case RoundPolicy::allox:
      return allox_shares(jobs, gpus_, options_->allox_considered);
    case RoundPolicy::ossp:
      return min_total_shares(jobs, gpus_);
    case RoundPolicy::themis:
      return finish_time_shares(jobs, gpus_);
    case RoundPolicy::max_min:
    case RoundPolicy::shockwave:
      return max_min_shares(jobs, gpus_);
  }
  return {};
}

}  // namespace ergode
