#include "solvers/cluster/running/running_rounds.h"

#include <algorithm>
#include <tuple>

#include "solvers/cluster/running/handed_over.h"

namespace ergode {

RunningRounds::RunningRounds(const RoundPart& part, World& world, CostLog& log, HistoryEnd& history_end)
    : part_(part),
      world_(world),
      log_(log),
      end_(history_end),
      first_(world.add_timers(static_cast<std::uint32_t>(part.model.schedulers.size()))),
      next_(part.model.schedulers.size()) {}

// Not where it is made: plans may take seconds, and nobody could stop them there.
void RunningRounds::make_schedules() {
  if (made_ != nullptr) return;
  made_ = &part_.schedules(give_up_);
  for (std::uint32_t i = 0; i < next_.size(); ++i) {
    steps_.push_back(steps_of(i));
    std::vector<double>& sums = busy_gpu_s_.emplace_back();
    double sum_s = 0.0;
    for (const Round& one : (*made_)[i].run.rounds) sums.push_back(sum_s += one.busy_gpu_s);
  }
}

void RunningRounds::restore(ByteReader& from, std::uint64_t) {
  make_schedules();
  from(next_, begun_);
  logs_ = false;
}

std::vector<RunningRounds::Step> RunningRounds::steps_of(std::uint32_t scheduler) const {
  std::vector<Step> out;
  if (!part_.model.schedulers[scheduler].played()) return out;
  const ScheduledTrace& made = (*made_)[scheduler];
  const auto& jobs = part_.model.schedulers[scheduler].workload->jobs;
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    out.push_back({jobs[i].arrival_s, What::job_comes, i});
    out.push_back({made.run.jobs[i].finish_s, What::job_ends, i});
  }
  for (std::uint32_t r = 0; r < made.run.rounds.size(); ++r) {
    out.push_back({made.run.rounds[r].start_s, What::round_begins, r});
    out.push_back({made.run.rounds[r].end_s, What::round_ends, r});
  }
  std::sort(out.begin(), out.end(), [](const Step& a, const Step& b) {
    return std::tuple(a.at_s, a.what, a.number) < std::tuple(b.at_s, b.what, b.number);
  });
  return out;
}

void RunningRounds::start(std::uint64_t replication) {
  make_schedules();
  logs_ = replication == 0;
  if (logs_) end_.begin(this), log_.begin(this, next_.size());
  begun_ = false;
  for (std::uint32_t i = 0; i < next_.size(); ++i) {
    next_[i] = 0;
    if (!steps_[i].empty()) world_.timers.schedule(first_ + i, steps_[i].front().at_s);
  }
}

bool RunningRounds::settle() {
  if (begun_) return false;
  begun_ = true;
  // Idle GPUs draw power before anybody comes.
  for (std::uint32_t i = 0; i < next_.size(); ++i)
    if (const RoundModel::Scheduler& one = part_.model.schedulers[i]; one.played())
      world_.set(one.up, one.hosts()), use(i, 0.0, 0.0);
  return true;
}

void RunningRounds::fire(std::uint32_t timer) {
  ++world_.events;
  if (logs_) end_.reach(this, world_.now());
  const auto& steps = steps_[timer];
  while (next_[timer] < steps.size() && steps[next_[timer]].at_s <= world_.now()) take(timer, steps[next_[timer]++]);
  if (next_[timer] < steps.size()) world_.timers.schedule(first_ + timer, steps[next_[timer]].at_s);
  else world_.timers.cancel(first_ + timer);
}

void RunningRounds::take(std::uint32_t scheduler, const Step& step) {
  const RoundModel::Scheduler& one = part_.model.schedulers[scheduler];
  const auto& rounds = (*made_)[scheduler].run.rounds;
  switch (step.what) {
    case What::job_comes:
      world_.set(one.submitted, world_.slots()[one.submitted] + 1.0);
      world_.set(one.jobs, world_.slots()[one.jobs] + 1.0);
      world_.tell(one.name, one.element, "job comes");
      break;
    case What::job_ends:
      job_ends(scheduler, step.number);
      break;
    case What::round_begins:
      use(scheduler, rounds[step.number].gpus, static_cast<double>(rounds[step.number].jobs.size()));
      world_.tell(one.name, one.element, "round begins");
      break;
    case What::round_ends:
      use(scheduler, 0.0, 0.0);
      round_ends(scheduler, step.number);
      break;
  }
}

void RunningRounds::use(std::uint32_t scheduler, double gpus, double jobs) {
  const RoundModel::Scheduler& one = part_.model.schedulers[scheduler];
  world_.set(one.gpus, gpus), world_.set(one.running, jobs);
  world_.set(one.spend, gpus * one.price_per_s), world_.set(one.power, one.power_w(gpus));
  if (logs_ && one.costs()) log_.note(this, scheduler, world_.now(), gpus, gpus * one.price_per_s, one.power_w(gpus));
}

void RunningRounds::round_ends(std::uint32_t scheduler, std::uint32_t round) {
  const RoundModel::Scheduler& one = part_.model.schedulers[scheduler];
  const ScheduledTrace& made = (*made_)[scheduler];
  const double so_far_s = world_.now() - made.run.begin_s;
  if (world_.slots()[one.done] == static_cast<double>(made.fairness.rho.size()) || !(so_far_s > 0.0)) return;
  world_.set(one.utilisation, busy_gpu_s_[scheduler][round] / (one.options.gpus * so_far_s));
}

void RunningRounds::job_ends(std::uint32_t scheduler, std::uint32_t job) {
  const RoundModel::Scheduler& one = part_.model.schedulers[scheduler];
  const ScheduledTrace& made = (*made_)[scheduler];
  const double response_s = made.fairness.jct_s[job], rho = made.fairness.rho[job];
  double* const slots = world_.slots();
  const double before = slots[one.done], done = before + 1.0;
  const double unfair = slots[one.unfair_fraction] * before + (rho > one.unfair_above ? 1.0 : 0.0);
  const double sum_s = slots[one.mean_response_time] * before + response_s;
  world_.set(one.jobs, slots[one.jobs] - 1.0);
  world_.set(one.done, done);
  world_.set(one.makespan, world_.now() - made.run.begin_s);
  world_.set(one.worst_fairness, std::max(slots[one.worst_fairness], rho));
  // The last one brings the sums of all, whatever rounding there was on the way.
  const bool all = done == static_cast<double>(made.fairness.rho.size());
  world_.set(one.unfair_fraction, all ? made.fairness.unfair_fraction : unfair / done);
  world_.set(one.mean_response_time, all ? made.fairness.mean_jct_s : sum_s / done);
  if (all) world_.set(one.utilisation, made.fairness.utilisation);
  world_.observations.observe(one.response_time, response_s, 0);
  world_.observations.observe(one.fairness, rho, 0);
  world_.observations.observe(one.cost, made.held_gpu_s[job] * one.price_per_s, 0);
  world_.tell(one.name, one.element, "job ends");
  const RoundJob& its = one.workload->jobs[job];
  hand_on(world_, one.handed_on.done, its.arrival_s, {response_s, static_cast<double>(its.gpus)});
}

void RunningRounds::waiting(std::vector<Waiting>& out) const {
  for (std::uint32_t i = 0; i < next_.size(); ++i) {
    if (!world_.timers.armed(first_ + i)) continue;
    static constexpr const char* words[] = {"round ends", "job ends", "job comes", "round begins"};
    const Step& step = steps_[i][next_[i]];
    const RoundModel::Scheduler& one = part_.model.schedulers[i];
    out.push_back({step.at_s, one.name, words[static_cast<std::size_t>(step.what)], one.element});
  }
}

void RunningRounds::active(std::set<ElementId>& out) const {
  for (const RoundModel::Scheduler& one : part_.model.schedulers)
    if (one.played() && world_.slots()[one.running] > 0.0) out.insert(one.element);
}

}  // namespace ergode
