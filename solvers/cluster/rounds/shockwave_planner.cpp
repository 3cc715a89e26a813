#include "solvers/cluster/rounds/shockwave_planner.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "solvers/cluster/rounds/runtime_predictor.h"

namespace ergode {

/// What the planner knows of a job.
struct ShockwavePlanner::Tracked {
  std::uint32_t number = 0;
  int gpus = 1;
  double samples = 1.0;  ///< of an epoch
  std::vector<int> batch;
  std::vector<double> profiled_s, epoch_s;  ///< as profiled, and scaled to what was measured
  std::int64_t progress = 0;
  double submitted_s = 0.0, remaining_s = 0.0;
  /// Samples that a job would have seen had it always run as it did when it was measured last.
  double measured_samples = 0.0;
  std::int64_t measured_from = 0, measured_until = 0;
  /// Estimates of when it would end with a fair share, each with the round in which it was made.
  struct FairEnd {
    std::int64_t round = 0;
    double at_s = 0.0;
    template <typename Archive>
    void archive(Archive& a) {
      a(round, at_s);
    }
  };
  std::vector<FairEnd> fair_ends;

  template <typename Archive>
  void archive(Archive& a) {
    a(number, gpus, samples, batch, profiled_s, epoch_s, progress, submitted_s, remaining_s, measured_samples);
    a(measured_from, measured_until, fair_ends);
  }

  void calibrate(double round_s);
  double fair_end(std::int64_t round) const;
  double mean_epoch_s() const {
    const auto seen = static_cast<std::size_t>(std::min<std::int64_t>(progress + 1, std::ssize(epoch_s)));
    return std::accumulate(epoch_s.begin(), epoch_s.begin() + static_cast<std::ptrdiff_t>(seen), 0.0) /
           static_cast<double>(seen);
  }
};

void ShockwavePlanner::Tracked::calibrate(double round_s) {
  const double elapsed = round_s * static_cast<double>(measured_until - measured_from);
  if (elapsed <= 0.0) return;
  double time = 0.0, profiled = 0.0;
  std::size_t e = 0;
  for (; e < profiled_s.size() && time + profiled_s[e] <= elapsed; ++e) time += profiled_s[e], profiled += samples;
  profiled += samples * (elapsed - time) / profiled_s[std::min(e, profiled_s.size() - 1)];
  constexpr double let_pass = 0.4;
  if (measured_samples <= 0.0 || std::fabs(measured_samples - profiled) / profiled <= let_pass) return;
  for (std::size_t i = 0; i < epoch_s.size(); ++i) epoch_s[i] = profiled_s[i] * profiled / measured_samples;
}

double ShockwavePlanner::Tracked::fair_end(std::int64_t round) const {
  // Each estimate counts for as many rounds as it was the last one.
  double weighted = 0.0, weights = 0.0;
  for (std::size_t i = 0; i < fair_ends.size(); ++i) {
    const std::int64_t until = i + 1 < fair_ends.size() ? fair_ends[i + 1].round : round;
    const auto weight = static_cast<double>(until - fair_ends[i].round);
    weighted += weight * fair_ends[i].at_s, weights += weight;
  }
  const double last = fair_ends.back().at_s, mean = weights > 0.0 ? weighted / weights : last;
  constexpr double momentum = 0.9;
  return momentum * mean + (1.0 - momentum) * last;
}

ShockwavePlanner::ShockwavePlanner(const PlanOptions& options, int replan_rounds, Clock clock, std::size_t logged)
    : options_(options), all_gpus_(options.gpus), replan_rounds_(replan_rounds), clock_(clock), logged_(logged) {}

ShockwavePlanner::~ShockwavePlanner() = default;

void ShockwavePlanner::clear(std::size_t logged) {
  log_ = {}, logged_ = logged, options_.gpus = all_gpus_;
  present_.clear(), all_.clear(), plan_.clear();
  round_ = planned_at_ = 0, since_plan_ = 0;
  resolve_ = estimate_ = true, ended_ = false;
}

void ShockwavePlanner::arrived(std::uint32_t number, const RoundJob& what, const Throughputs& speeds, double now_s) {
  auto job = std::make_unique<Tracked>();
  job->number = number, job->gpus = what.gpus;
  const TrainingModel& model = training_model(what.model);
  job->samples = model.known()
                     ? static_cast<double>(model.samples)
                     : static_cast<double>(what.total_steps) * what.batch_size / static_cast<double>(what.epochs);
  JobProfile profile = profile_of(what, speeds);
  job->batch = std::move(profile.batch);
  for (const double s : profile.epoch_s) job->profiled_s.push_back(std::max(1.0, std::nearbyint(s)));
  job->epoch_s = job->profiled_s;
  job->submitted_s = clock_ == Clock::rounds ? options_.round_s * static_cast<double>(round_) : now_s;
  present_.push_back(job.get());
  all_[number] = std::move(job);
  resolve_ = estimate_ = true;
}

void ShockwavePlanner::ran(std::uint32_t job, const Ran& what) {
  Tracked& one = *all_.at(job);
  one.progress = std::min<std::int64_t>(what.epochs, std::ssize(one.batch));
  // Published plans hold what was measured against the time since the first round of all, not of the job.
  if (clock_ == Clock::rounds && one.measured_until == 0) one.measured_from = one.measured_until = what.round - 1;
  const double time = options_.round_s * static_cast<double>(what.round - one.measured_until);
  one.measured_samples += what.batch_size * what.steps_per_s * time;
  one.measured_until = what.round;
}

void ShockwavePlanner::left(std::uint32_t job) {
  std::erase(present_, all_.at(job).get());
  all_.erase(job);
  resolve_ = estimate_ = ended_ = true;
}

// A fair share is another one from now on.
void ShockwavePlanner::set_gpus(int gpus) {
  options_.gpus = gpus;
  resolve_ = estimate_ = true;
}

void ShockwavePlanner::round_ended() {
  ++round_, ++since_plan_;
  if (!ended_ && since_plan_ < replan_rounds_) return;
  ended_ = false, resolve_ = true, since_plan_ = 0;
}

double ShockwavePlanner::remaining_of(const Tracked& job) const {
  return remaining_runtime(job.batch, job.epoch_s, job.progress);
}

void ShockwavePlanner::estimate_fair_ends() {
  const double share = std::min(1.0, options_.gpus / static_cast<double>(present_.size()));
  for (Tracked* job : present_) {
    const auto done = job->epoch_s.begin() + static_cast<std::ptrdiff_t>(job->progress);
    const double elapsed = std::accumulate(job->epoch_s.begin(), done, 0.0);
    job->fair_ends.push_back({round_, job->submitted_s + (elapsed + job->remaining_s) / share});
  }
  estimate_ = false;
}

void ShockwavePlanner::predict() {
  const bool logged = logs();
  for (Tracked* job : present_) {
    job->calibrate(options_.round_s);
    job->remaining_s = remaining_of(*job);
    if (logged) log_.predictions.push_back({job->number, round_, job->remaining_s});
  }
}

// Who wants more GPUs than are up is not in the plan: it is made anew when they are back.
void ShockwavePlanner::plan() {
  const bool logged = logs();
  predict();
  if (estimate_) estimate_fair_ends();
  std::vector<Tracked*> fitting;
  for (Tracked* job : present_)
    if (job->gpus <= options_.gpus) fitting.push_back(job);
  planned_at_ = round_, resolve_ = false;
  if (fitting.empty()) return plan_.assign(1, {});
  std::vector<PlannedJob> jobs;
  for (const Tracked* job : fitting)
    jobs.push_back({job->gpus, static_cast<double>(job->batch.size()), static_cast<double>(job->progress),
                    job->mean_epoch_s(), job->remaining_s, job->fair_end(round_)});
  const auto fair = fair_rounds(jobs, options_, round_);
  const std::vector<double> priorities =
      fair ? std::vector<double>(jobs.size(), 1.0) : late_priorities(jobs, options_, round_);
  const RoundCounts counts =
      planned_counts(jobs, priorities, options_, fair ? *fair : std::vector<int>(jobs.size(), 0));
  PlacedRounds placed = place_rounds(jobs, priorities, options_, counts.rounds);
  ++log_.plans, log_.relaxed += fair ? 0 : 1, log_.incomplete += placed.whole ? 0 : 1;
  if (counts.method == PlanMethod::heuristic || placed.method == PlanMethod::heuristic) ++log_.heuristic;
  for (auto& round : placed.jobs) {
    for (std::uint32_t& job : round) job = fitting[job]->number;
    conserve(round);
  }
  plan_ = std::move(placed.jobs);
  if (logged) hold_against_market(fitting, priorities);
}

void ShockwavePlanner::hold_against_market(const std::vector<Tracked*>& fitting,
                                           const std::vector<double>& priorities) {
  if (options_.rounds > most_market_rounds) return;
  std::vector<MarketJob> jobs;
  for (std::size_t i = 0; i < fitting.size(); ++i) {
    const Tracked& job = *fitting[i];
    MarketJob& one = jobs.emplace_back(MarketJob{.number = job.number, .gpus = job.gpus, .weight = priorities[i]});
    one.epochs = epochs_ahead(job.epoch_s, job.progress, options_.round_s, options_.rounds);
    for (std::size_t t = 0; t < plan_.size(); ++t)
      if (std::find(plan_[t].begin(), plan_[t].end(), job.number) != plan_[t].end()) one.planned += one.epochs[t];
  }
  if (auto market = plan_market(jobs, options_.gpus, round_)) log_.markets.push_back(std::move(*market));
  else ++log_.no_market;
}

/// GPUs that are left go to those with most left to run.
void ShockwavePlanner::conserve(std::vector<std::uint32_t>& round) const {
  int free = options_.gpus;
  for (const std::uint32_t job : round) free -= all_.at(job)->gpus;
  if (free == 0) return;
  std::vector<const Tracked*> others;
  for (const Tracked* job : present_)
    if (std::find(round.begin(), round.end(), job->number) == round.end()) others.push_back(job);
  std::stable_sort(others.begin(), others.end(),
                   [](const Tracked* a, const Tracked* b) { return a->remaining_s > b->remaining_s; });
  for (const Tracked* job : others) {
    if (job->gpus > free) continue;
    free -= job->gpus;
    round.push_back(job->number);
  }
}

std::vector<std::uint32_t> ShockwavePlanner::next_round() {
  if (present_.empty() || options_.gpus <= 0) return {};
  if (resolve_ || round_ - planned_at_ >= std::ssize(plan_)) plan();
  return plan_[static_cast<std::size_t>(round_ - planned_at_)];
}

template <typename Archive>
void ShockwavePlanner::archive(Archive& a) {
  a(options_.gpus, plan_, round_, planned_at_, since_plan_, resolve_, estimate_, ended_);
}

void ShockwavePlanner::save(ByteWriter& into) const {
  const_cast<ShockwavePlanner*>(this)->archive(into);  // writing changes nothing
  into(static_cast<std::uint64_t>(present_.size()));
  for (const Tracked* job : present_) into(*job);
}

void ShockwavePlanner::restore(ByteReader& from) {
  clear(0);
  archive(from);
  std::uint64_t jobs = 0;
  from(jobs);
  for (; jobs > 0 && from.ok(); --jobs) {
    auto job = std::make_unique<Tracked>();
    from(*job);
    present_.push_back(job.get());
    all_[job->number] = std::move(job);
  }
}

}  // namespace ergode
