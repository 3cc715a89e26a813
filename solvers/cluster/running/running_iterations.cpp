#include "solvers/cluster/running/running_iterations.h"

#include <algorithm>
#include <tuple>

#include "solvers/cluster/running/handed_over.h"

namespace ergode {

RunningIterations::RunningIterations(const IterationPart& part, World& world, std::uint64_t seed,
                                     HistoryEnd& history_end)
    : part_(part),
      end_(history_end),
      world_(world),
      hosts_fail_(std::any_of(part.model.schedulers.begin(), part.model.schedulers.end(),
                              [](const Scheduler& one) { return one.failures.any(); })),
      first_(world.add_timers(static_cast<std::uint32_t>(part.model.streams.size() +
                                                         (hosts_fail_ ? 3U : 2U) * part.model.schedulers.size()))),
      steps_(part.model.schedulers.size()),
      next_(part.model.schedulers.size()),
      sum_s_(part.model.schedulers.size()),
      draws_(part.model.streams.size()),
      in_trace_(part.model.streams.size()) {
  for (const Stream& stream : part.model.streams)
    for (const char* purpose : {".gaps", ".sizes", ".gpus", ".iterations"})
      keys_.push_back(stream_key(seed, stream.element.text() + purpose));
  live_.reserve(part.model.schedulers.size());
  for (std::uint32_t i = 0; i < schedulers(); ++i) {
    const Scheduler& one = part.model.schedulers[i];
    live_.emplace_back(one, seed);
    conditions_.add(i, one.failures);
    if (one.played()) read_steps(i);
  }
}

void RunningIterations::read_steps(std::size_t scheduler) {
  const auto& jobs = part_.model.schedulers[scheduler].trace->jobs;
  std::vector<Step>& steps = steps_[scheduler];
  for (std::uint32_t j = 0; j < jobs.size(); ++j) {
    steps.push_back({jobs[j].arrival_s, false, j});
    steps.push_back({part_.schedules()[scheduler].run.jobs[j].end_s, true, j});
  }
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return std::tuple(a.at_s, !a.ends, a.job) < std::tuple(b.at_s, !b.ends, b.job);
  });
}

void RunningIterations::start(std::uint64_t replication) {
  logs_ = replication == 0;
  if (logs_) end_.begin(this), part_.log().begin(this, schedulers());
  restart_draws(replication);
  std::fill(in_trace_.begin(), in_trace_.end(), std::uint64_t{0});
  begun_ = false;
  for (std::uint32_t i = 0; i < next_.size(); ++i) {
    next_[i] = 0, sum_s_[i] = 0.0;
    Live& live = live_[i];
    live.run.reset(), live.baseline.reset(), live.hosts.start(replication);
    live.jobs.clear(), live.gaps.clear();
    live.first_s = -1.0, live.sum_s = live.baseline_sum_s = live.baseline_done = 0.0;
    if (!steps_[i].empty()) world_.timers.schedule(due_timer(i), steps_[i].front().at_s);
  }
}

// Rates and conditions may read what charts do, and these enter their states after other parts start.
bool RunningIterations::settle() {
  if (begun_)
    return take_customers_of(world_, part_.model.streams, handed_,
                             [this](std::uint32_t stream, const double* customer) { job_comes(stream, customer); });
  begun_ = true;
  for (std::uint32_t i = 0; i < schedulers(); ++i)
    if (!part_.model.schedulers[i].played()) begin_hosts(i);
  for (std::uint32_t s = 0; s < part_.model.streams.size(); ++s) await_job(s);
  return true;
}

void RunningIterations::woken(std::uint32_t reader) {
  if (!begun_) return;
  // No memory: a changed rate is a fresh wait.
  for (std::uint32_t s = 0; s < part_.model.streams.size(); ++s)
    if (part_.model.streams[s].reader == reader) await_job(s);
  conditions_.woken(reader, [&](std::uint32_t scheduler, std::uint32_t host) {
    live_[scheduler].hosts.ask_condition(host, world_.slots(), [&](std::uint32_t h) { host_changes(scheduler, h); });
  });
}

void RunningIterations::fire(std::uint32_t timer) {
  ++world_.events;
  if (logs_) end_.reach(this, world_.now());
  const auto streams = static_cast<std::uint32_t>(part_.model.streams.size());
  if (timer < streams) return job_comes(timer);
  timer -= streams;
  if (timer < schedulers()) return part_.model.schedulers[timer].played() ? play(timer) : pass(timer);
  timer -= schedulers();
  if (hosts_fail_ && timer < schedulers()) {
    live_[timer].hosts.pass(world_.now(), [&](std::uint32_t host) { host_changes(timer, host); });
    return await_host(timer);
  }
  decide(hosts_fail_ ? timer - schedulers() : timer);
}

void RunningIterations::play(std::uint32_t scheduler) {
  const auto& steps = steps_[scheduler];
  std::uint64_t& next = next_[scheduler];
  while (next < steps.size() && steps[next].at_s <= world_.now()) take(scheduler, steps[next++]);
  if (next < steps.size()) world_.timers.schedule(due_timer(scheduler), steps[next].at_s);
  else world_.timers.cancel(due_timer(scheduler));
}

void RunningIterations::take(std::uint32_t scheduler, const Step& step) {
  const Scheduler& one = part_.model.schedulers[scheduler];
  const ScheduledIterations& made = part_.schedules()[scheduler];
  const double* const slots = world_.slots();
  if (!step.ends) {
    add(one.submitted, 1.0), add(one.jobs, 1.0);
    return world_.tell(one.name, one.element, "job comes");
  }
  const IterationJob& its = one.trace->jobs[step.job];
  const double response_s = step.at_s - its.arrival_s, done = slots[one.done] + 1.0;
  sum_s_[scheduler] += response_s;
  world_.set(one.jobs, slots[one.jobs] - 1.0), world_.set(one.done, done);
  world_.set(one.mean_response_time, sum_s_[scheduler] / done);
  world_.observations.observe(one.response_time, response_s, 0);
  world_.observations.observe(one.cost, made.run.jobs[step.job].gpu_s * one.price_per_s, 0);
  world_.tell(one.name, one.element, "job ends");
  hand_on(world_, one.handed_on.done, its.arrival_s, {response_s, static_cast<double>(its.workers)});
  if (done < static_cast<double>(one.trace->jobs.size())) return;
  // The last one brings what is known of all.
  for (std::size_t j = 0; j < one.trace->jobs.size(); ++j)
    world_.observations.observe(one.baseline_times, made.baseline.jobs[j].end_s - one.trace->jobs[j].arrival_s, 0);
  world_.set(one.makespan, made.run.makespan_s), world_.set(one.mean_response_time, made.run.mean_jct_s);
  world_.set(one.busy, made.run.busy), world_.set(one.network_bytes, made.run.bytes);
  world_.set(one.peak_memory, made.run.peak_memory_bytes);
  world_.set(one.baseline_makespan, made.baseline.makespan_s);
  world_.set(one.baseline_response_time, made.baseline.mean_jct_s);
  world_.set(one.baseline_busy, made.baseline.busy);
}

void RunningIterations::end(double end_s) {
  if (!logs_) return;
  end_.reach(this, end_s);
  for (std::uint32_t i = 0; i < schedulers(); ++i)
    if (!part_.model.schedulers[i].played()) log_end(i, end_s);
}

void RunningIterations::save(ByteWriter& into) const { into(next_, sum_s_, in_trace_, begun_, live_); }

void RunningIterations::restore(ByteReader& from, std::uint64_t path) {
  from(next_, sum_s_, in_trace_, begun_);
  from.fixed(live_);
  logs_ = false;
  restart_draws(path);
}

void RunningIterations::waiting(std::vector<Waiting>& out) const {
  const auto& timers = world_.timers;
  for (std::uint32_t s = 0; s < part_.model.streams.size(); ++s)
    if (timers.armed(first_ + s))
      out.push_back({timers.time_of(first_ + s), part_.model.streams[s].name, "job", part_.model.streams[s].element});
  for (std::uint32_t i = 0; i < schedulers(); ++i) {
    const Scheduler& one = part_.model.schedulers[i];
    const std::uint32_t due = due_timer(i), decides = decide_timer(i);
    if (one.played() && timers.armed(due))
      out.push_back({timers.time_of(due), one.name, steps_[i][next_[i]].ends ? "job ends" : "job comes", one.element});
    if (one.played()) continue;
    live_[i].hosts.waiting(one.name, one.element, out);
    if (timers.armed(due)) out.push_back({timers.time_of(due), one.name, "iteration ends", one.element});
    if (timers.armed(decides)) out.push_back({timers.time_of(decides), one.name, "iterations begin", one.element});
  }
}

void RunningIterations::active(std::set<ElementId>& out) const {
  for (const Stream& one : part_.model.streams)
    if (one.jobs != IterationModel::none && world_.slots()[one.jobs] > 0.0) out.insert(one.element);
  for (const Scheduler& one : part_.model.schedulers)
    if (world_.slots()[one.jobs] > 0.0) out.insert(one.element);
}

}  // namespace ergode
