#include "solvers/cluster/running/running_iterations.h"

#include <algorithm>
#include <tuple>

#include "solvers/cluster/running/handed_over.h"

namespace ergode {

RunningIterations::RunningIterations(const IterationPart& part, World& world, HistoryEnd& history_end)
    : part_(part),
      end_(history_end),
      world_(world),
      first_(world.add_timers(static_cast<std::uint32_t>(part.model.schedulers.size()))),
      next_(part.model.schedulers.size()),
      sum_s_(part.model.schedulers.size()) {
  for (std::size_t i = 0; i < next_.size(); ++i) {
    const auto& jobs = part.model.schedulers[i].trace->jobs;
    std::vector<Step> steps;
    for (std::uint32_t j = 0; j < jobs.size(); ++j) {
      steps.push_back({jobs[j].arrival_s, false, j});
      steps.push_back({part.schedules()[i].run.jobs[j].end_s, true, j});
    }
    std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
      return std::tuple(a.at_s, !a.ends, a.job) < std::tuple(b.at_s, !b.ends, b.job);
    });
    steps_.push_back(std::move(steps));
  }
}

void RunningIterations::start(std::uint64_t replication) {
  logs_ = replication == 0;
  if (logs_) end_.begin(this);
  for (std::uint32_t i = 0; i < next_.size(); ++i) {
    next_[i] = 0, sum_s_[i] = 0.0;
    if (!steps_[i].empty()) world_.timers.schedule(first_ + i, steps_[i].front().at_s);
  }
}

void RunningIterations::fire(std::uint32_t timer) {
  ++world_.events;
  if (logs_) end_.reach(this, world_.now());
  const auto& steps = steps_[timer];
  while (next_[timer] < steps.size() && steps[next_[timer]].at_s <= world_.now()) take(timer, steps[next_[timer]++]);
  if (next_[timer] < steps.size()) world_.timers.schedule(first_ + timer, steps[next_[timer]].at_s);
  else world_.timers.cancel(first_ + timer);
}

void RunningIterations::take(std::uint32_t scheduler, const Step& step) {
  const IterationModel::Scheduler& one = part_.model.schedulers[scheduler];
  const ScheduledIterations& made = part_.schedules()[scheduler];
  const double* const slots = world_.slots();
  if (!step.ends) {
    world_.set(one.jobs, slots[one.jobs] + 1.0);
    return world_.tell(one.name, one.element, "job comes");
  }
  const double response_s = step.at_s - one.trace->jobs[step.job].arrival_s, done = slots[one.done] + 1.0;
  sum_s_[scheduler] += response_s;
  world_.set(one.jobs, slots[one.jobs] - 1.0), world_.set(one.done, done);
  world_.set(one.mean_response_time, sum_s_[scheduler] / done);
  world_.observations.observe(one.response_time, response_s, 0);
  world_.tell(one.name, one.element, "job ends");
  const IterationJob& its = one.trace->jobs[step.job];
  hand_on(world_, one.handed_on.done, its.arrival_s, {response_s, static_cast<double>(its.workers)});
  if (done < static_cast<double>(one.trace->jobs.size())) return;
  // The last one brings what is known of all.
  world_.set(one.makespan, made.run.makespan_s), world_.set(one.mean_response_time, made.run.mean_jct_s);
  world_.set(one.busy, made.run.busy), world_.set(one.network_bytes, made.run.bytes);
  world_.set(one.peak_memory, made.run.peak_memory_bytes);
  world_.set(one.baseline_makespan, made.baseline.makespan_s);
  world_.set(one.baseline_response_time, made.baseline.mean_jct_s);
  world_.set(one.baseline_busy, made.baseline.busy);
}

void RunningIterations::waiting(std::vector<Waiting>& out) const {
  for (std::uint32_t i = 0; i < next_.size(); ++i) {
    if (!world_.timers.armed(first_ + i)) continue;
    const Step& step = steps_[i][next_[i]];
    const IterationModel::Scheduler& one = part_.model.schedulers[i];
    out.push_back({step.at_s, one.name, step.ends ? "job ends" : "job comes", one.element});
  }
}

void RunningIterations::active(std::set<ElementId>& out) const {
  for (const IterationModel::Scheduler& one : part_.model.schedulers)
    if (world_.slots()[one.jobs] > 0.0) out.insert(one.element);
}

}  // namespace ergode
