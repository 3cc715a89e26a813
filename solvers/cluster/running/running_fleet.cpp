#include "solvers/cluster/running/running_fleet.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>

#include "core/base/text.h"
#include "solvers/cluster/running/handed_over.h"
#include "solvers/cluster/running/next_arrival.h"

namespace ergode {

RunningFleet::RunningFleet(const FleetModel& model, World& world, std::uint64_t seed, CostLog& log, FleetJobLog& jobs,
                           HistoryEnd& history_end)
    : model_(model),
      world_(world),
      seed_(seed),
      hosts_fail_(
          std::any_of(model.fleets.begin(), model.fleets.end(), [](const Fleet& one) { return one.failures.any(); })),
      first_(world.add_timers(
          static_cast<std::uint32_t>(model.streams.size() + (hosts_fail_ ? 3U : 2U) * model.fleets.size()))),
      draws_(model.streams.size()),
      placements_(model.fleets.size()),
      next_(model.streams.size()),
      log_(log),
      job_log_(jobs),
      end_(history_end) {
  for (std::uint32_t f = 0; f < model.fleets.size(); ++f) {
    states_.emplace_back(model.fleets[f], seed);
    conditions_.add(f, model.fleets[f].failures);
  }
}

std::uint32_t RunningFleet::end_timer(std::uint32_t fleet) const {
  return first_ + static_cast<std::uint32_t>(model_.streams.size()) + fleet;
}
std::uint32_t RunningFleet::host_timer(std::uint32_t fleet) const {
  return end_timer(fleet) + static_cast<std::uint32_t>(model_.fleets.size());
}
std::uint32_t RunningFleet::ask_timer(std::uint32_t fleet) const {
  return end_timer(fleet) + (hosts_fail_ ? 2U : 1U) * static_cast<std::uint32_t>(model_.fleets.size());
}

void RunningFleet::start(std::uint64_t replication) {
  for (std::size_t s = 0; s < draws_.size(); ++s) draws_[s].restart(seed_, model_.streams[s], replication);
  std::fill(next_.begin(), next_.end(), std::uint64_t{0});
  for (std::size_t f = 0; f < states_.size(); ++f) {
    const Fleet& fleet = model_.fleets[f];
    placements_[f].restart(FleetDraws::key(seed_, fleet.element, ".placements"), replication);
    states_[f] = State(fleet, seed_);
    states_[f].hosts.start(replication);
    DrawnDevices drawn = fleet.devices(seed_, replication);
    if (!fleet.power_said) states_[f].power_w = std::move(drawn.power_w);
    states_[f].scheduler.emplace(fleet.scheduler(std::move(drawn.slowdowns)));
  }
  begun_ = false, replication_ = replication;
  logs_ = replication == 0;
  if (logs_) end_.begin(this), log_.begin(this, model_.fleets.size()), job_log_.begin(this, model_);
}

void RunningFleet::run_baseline(std::uint32_t fleet) {
  const Fleet& here = model_.fleets[fleet];
  const auto list = fleet_job_list(model_, here, seed_, replication_, world_.slots(), most_jobs);
  if (!list)
    throw ModelFailure({.code = "RUN002",
                        .element = here.element,
                        .pointer = "baseline",
                        .message = "More than " + std::to_string(most_jobs) + " jobs come to \"" + here.name +
                                   "\"; wanted fewer where they are run under a baseline too."});
  RandomStream placements(FleetDraws::key(seed_, here.element, ".baseline"), replication_);
  const FleetRun run =
      run_fleet(list->jobs, here.scheduler(*here.baseline, states_[fleet].scheduler->slowdowns()), placements);
  world_.set(here.baseline_response_time, run.mean_jct_s), world_.set(here.baseline_slowdown, run.mean_slowdown);
  world_.set(here.baseline_makespan, run.makespan_s), world_.set(here.baseline_utilisation, run.utilisation);
}

// Rates may read what charts do, and these enter their states after other parts start.
bool RunningFleet::settle() {
  if (begun_) return take_customers();
  begun_ = true;
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s)
    if (model_.streams[s].fleet != FleetModel::none) await_job(s);
  for (std::uint32_t f = 0; f < model_.fleets.size(); ++f) {
    const Fleet& fleet = model_.fleets[f];
    // What is rented is paid, whether it works or not.
    world_.set(fleet.spend, fleet.price_per_s * fleet.gpus());
    note_costs(f);
    begin_nodes(f);
    if (fleet.baseline) run_baseline(f);
  }
  return true;
}

bool RunningFleet::take_customers() {
  return take_customers_of(world_, model_.streams, handed_,
                           [this](std::uint32_t stream, const double* customer) { job_comes(stream, customer); });
}

void RunningFleet::await_job(std::uint32_t stream) {
  const Stream& one = model_.streams[stream];
  if (one.handed.any()) return;
  const std::uint32_t timer = first_ + stream;
  if (one.trace) {
    if (next_[stream] == one.trace->jobs.size()) return world_.timers.cancel(timer);
    return world_.timers.schedule(timer, std::max(world_.now(), one.trace->jobs[next_[stream]].submit_s));
  }
  await_drawn_job(world_, timer, one, draws_[stream].gaps);
}

void RunningFleet::woken(std::uint32_t reader) {
  if (!begun_) return;
  // No memory: a changed rate is a fresh wait.
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s)
    if (model_.streams[s].reader == reader && model_.streams[s].fleet != FleetModel::none) await_job(s);
  conditions_.woken(reader, [&](std::uint32_t fleet, std::uint32_t node) {
    states_[fleet].hosts.ask_condition(node, world_.slots(), [&](std::uint32_t n) { node_changes(fleet, n); });
  });
}

void RunningFleet::fire(std::uint32_t timer) {
  ++world_.events;
  if (logs_) end_.reach(this, world_.now());
  const auto streams = static_cast<std::uint32_t>(model_.streams.size()),
             fleets = static_cast<std::uint32_t>(model_.fleets.size());
  if (timer < streams) return job_comes(timer);
  if (timer < streams + fleets) return jobs_leave(timer - streams);
  if (hosts_fail_ && timer < streams + 2 * fleets) {
    const std::uint32_t fleet = timer - streams - fleets;
    states_[fleet].hosts.pass(world_.now(), [&](std::uint32_t node) { node_changes(fleet, node); });
    return await_node(fleet);
  }
  ask(timer - streams - (hosts_fail_ ? 2U : 1U) * fleets);
}

void RunningFleet::job_comes(std::uint32_t stream, const double* customer) {
  const Stream& one = model_.streams[stream];
  const Fleet& fleet = model_.fleets[one.fleet];
  State& state = states_[one.fleet];
  if (state.jobs.size() - state.gaps.size() >= most_jobs)
    throw ModelFailure({.code = "RUN002",
                        .element = fleet.element,
                        .message = "There are " + std::to_string(most_jobs) + " jobs at \"" + fleet.name +
                                   "\" at one time; wanted fewer.",
                        .hint = "Its GPUs may be too few for all that comes."});
  FleetJob job;
  if (one.trace) job = one.trace->jobs[next_[stream]], one.complete(job);
  else job = draws_[stream].next(one, world_.slots(), customer);
  ++next_[stream];
  job.submit_s = world_.now();
  add(one.submitted, 1.0), add(fleet.submitted, 1.0);
  world_.tell(one.name, one.element, "job comes");
  await_job(stream);
  const bool rejected = job.gpus > fleet.gpus();
  if (!rejected) job = fleet.here(job);
  const std::uint32_t row = logs_ ? job_log_.job_comes(this, one.fleet, stream, job, rejected) : FleetJobLog::no_row;
  if (rejected) {
    add(fleet.rejected, 1.0);
    hand_on(world_, one.handed_on.rejected, customer != nullptr ? *customer : world_.now(),
            {job.run_s, static_cast<double>(job.gpus)});
    return world_.tell(fleet.name, fleet.element, "job is rejected");
  }
  if (state.first_s < 0.0) state.first_s = world_.now();
  std::uint32_t number = 0;
  if (state.gaps.empty()) number = static_cast<std::uint32_t>(state.jobs.size()), state.jobs.emplace_back();
  else number = state.gaps.back(), state.gaps.pop_back();
  state.jobs[number] = {.submit_s = job.submit_s,
                        .run_s = job.run_s,
                        .stream = stream,
                        .gpus = {},
                        .born_s = customer != nullptr ? *customer : job.submit_s,
                        .asks = job,
                        .row = row};
  state.scheduler->submit(number, job);
  for (const std::uint32_t slot : {one.jobs, fleet.jobs, fleet.waiting}) add(slot, 1.0);
  world_.timers.schedule(ask_timer(one.fleet), world_.now());
}

void RunningFleet::take_gpus(std::uint32_t fleet, const Stream& stream, const std::vector<std::uint32_t>& all,
                             double sign) {
  const double gpus = sign * static_cast<double>(all.size());
  const Fleet& here = model_.fleets[fleet];
  State& state = states_[fleet];
  state.gpu_s += world_.slots()[here.busy] * (world_.now() - state.since_s), state.since_s = world_.now();
  add(here.busy, gpus), add(stream.gpus_now, gpus);
  const double busy = world_.slots()[here.busy];
  if (!state.power_w.empty())
    for (const std::uint32_t gpu : all) state.busy_w += sign * state.power_w[gpu];
  // What is left of sums when nobody works is rounding.
  if (busy == 0.0) state.busy_w = 0.0;
  world_.set(here.power, state.power_w.empty() ? busy * here.power_w : std::max(0.0, state.busy_w));
  note_costs(fleet);
}

void RunningFleet::note_costs(std::uint32_t fleet) {
  const Fleet& here = model_.fleets[fleet];
  const bool costs = here.price_per_s > 0.0 || here.power_w > 0.0 || !states_[fleet].power_w.empty();
  if (!logs_ || !costs) return;
  const double* now = world_.slots();
  log_.note(this, fleet, world_.now(), now[here.busy], now[here.spend], now[here.power]);
}

void RunningFleet::ask(std::uint32_t fleet) {
  const Fleet& here = model_.fleets[fleet];
  State& state = states_[fleet];
  started_.clear();
  state.scheduler->dispatch(placements_[fleet], started_);
  for (FleetScheduler::Started& one : started_) {
    Job& job = state.jobs[one.job];
    const Stream& stream = model_.streams[job.stream];
    add(here.waiting, -1.0);
    take_gpus(fleet, stream, one.gpus, 1.0);
    if (logs_) job_log_.job_starts(this, fleet, job.row, one, world_.now());
    job.slowdown = one.slowdown, job.gpus = std::move(one.gpus);
    if (here.failures.any())
      for (const std::uint32_t gpu : job.gpus) state.on_gpu[gpu] = one.job;
    if (job.restarts == 0) {
      world_.observations.observe(here.wait, world_.now() - job.submit_s, stream.place);
      world_.observations.observe(here.slowdown, job.slowdown, stream.place);
    }
    world_.tell(stream.name, here.element, job.restarts == 0 ? "job starts" : "job starts again");
    job.start_s = world_.now(), job.order = state.started++;
    state.ends.push_back({world_.now() + attempt(here, job).time_s(), job.order, one.job});
    std::push_heap(state.ends.begin(), state.ends.end(), std::greater<>());
  }
  await_end(fleet);
  world_.timers.cancel(ask_timer(fleet));
}

void RunningFleet::await_end(std::uint32_t fleet) {
  State& state = states_[fleet];
  while (!state.ends.empty() && state.jobs[state.ends.front().job].order != state.ends.front().order) {
    std::pop_heap(state.ends.begin(), state.ends.end(), std::greater<>());
    state.ends.pop_back();
  }
  if (state.ends.empty()) world_.timers.cancel(end_timer(fleet));
  else world_.timers.schedule(end_timer(fleet), state.ends.front().at_s);
}

void RunningFleet::jobs_leave(std::uint32_t fleet) {
  State& state = states_[fleet];
  while (!state.ends.empty() && state.ends.front().at_s <= world_.now()) {
    std::pop_heap(state.ends.begin(), state.ends.end(), std::greater<>());
    const End end = state.ends.back();
    state.ends.pop_back();
    if (state.jobs[end.job].order == end.order) job_done(fleet, end.job);
  }
  await_end(fleet);
  world_.timers.schedule(ask_timer(fleet), world_.now());
}

void RunningFleet::job_done(std::uint32_t fleet, std::uint32_t number) {
  const Fleet& here = model_.fleets[fleet];
  State& state = states_[fleet];
  const Job job = std::move(state.jobs[number]);
  state.jobs[number].order = never;
  if (here.failures.any())
    for (const std::uint32_t gpu : job.gpus) state.on_gpu[gpu] = nobody;
  const Stream& stream = model_.streams[job.stream];
  state.gaps.push_back(number);
  if (logs_) job_log_.job_leaves(this, fleet, job.row, world_.now());
  state.scheduler->ended(job.gpus);
  take_gpus(fleet, stream, job.gpus, -1.0);
  add(here.jobs, -1.0), add(stream.jobs, -1.0), add(here.done, 1.0);
  const double response_s = world_.now() - job.submit_s, done = world_.slots()[here.done],
               makespan_s = world_.now() - state.first_s;
  state.response_s += response_s, state.slowdown += job.slowdown;
  world_.set(here.makespan, makespan_s);
  world_.set(here.mean_response_time, state.response_s / done);
  world_.set(here.mean_slowdown, state.slowdown / done);
  if (makespan_s > 0.0) world_.set(here.utilisation, std::min(1.0, state.gpu_s / (makespan_s * here.gpus())));
  if (stream.handed.any()) world_.observations.observe(stream.handed.time_in_system, world_.now() - job.born_s);
  world_.observations.observe(here.response_time, response_s, stream.place);
  world_.observations.observe(here.job_lost_work, job.lost_s, stream.place);
  world_.observations.observe(here.job_restarts, job.restarts, stream.place);
  world_.tell(stream.name, here.element, "job done");
  // Of the last attempt: its wait may hold attempts that a node ended.
  const double run_s = attempt(here, job).time_s();
  hand_on(world_, stream.handed_on.done, job.born_s,
          {std::max(0.0, response_s - run_s), response_s, run_s, static_cast<double>(job.gpus.size())});
}

void RunningFleet::save(ByteWriter& into) const {
  into(begun_, next_);
  for (const State& one : states_) into(one.scheduler->slowdowns(), *one.scheduler, one);
}

void RunningFleet::restore(ByteReader& from, std::uint64_t path) {
  from(begun_, next_);
  logs_ = false;
  for (std::size_t f = 0; f < states_.size(); ++f) {
    // The GPUs stay who they are; what is drawn from now on is the path's.
    ByClass<std::vector<double>> slowdowns;
    from(slowdowns);
    states_[f].scheduler.emplace(model_.fleets[f].scheduler(std::move(slowdowns)));
    from(*states_[f].scheduler, states_[f]);
    placements_[f].restart(FleetDraws::key(seed_, model_.fleets[f].element, ".placements"), path);
    states_[f].hosts.restart_draws(path);
  }
  for (std::size_t s = 0; s < draws_.size(); ++s) draws_[s].restart(seed_, model_.streams[s], path);
}

void RunningFleet::waiting(std::vector<Waiting>& out) const {
  const auto& timers = world_.timers;
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s)
    if (timers.armed(first_ + s))
      out.push_back({timers.time_of(first_ + s), model_.streams[s].name, "job", model_.streams[s].element});
  for (std::uint32_t f = 0; f < model_.fleets.size(); ++f) {
    const Fleet& fleet = model_.fleets[f];
    states_[f].hosts.waiting(fleet.name, fleet.element, out);
    for (const End& one : states_[f].ends)
      if (states_[f].jobs[one.job].order == one.order)
        out.push_back({one.at_s, model_.streams[states_[f].jobs[one.job].stream].name, "job ends", fleet.element});
    if (timers.armed(ask_timer(f)))
      out.push_back({timers.time_of(ask_timer(f)), fleet.name, "jobs start", fleet.element});
  }
}

void RunningFleet::active(std::set<ElementId>& out) const {
  for (const Stream& one : model_.streams)
    if (world_.slots()[one.jobs] > 0.0) out.insert(one.element);
  for (const Fleet& one : model_.fleets)
    if (world_.slots()[one.jobs] > 0.0) out.insert(one.element);
}

}  // namespace ergode
