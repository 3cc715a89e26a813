#include "solvers/cluster/running/live_rounds.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "solvers/cluster/running/handed_over.h"

namespace ergode {

LiveRounds::State::State(const Scheduler& one, std::uint64_t seed)
    : planner(one.options.policy == RoundPolicy::shockwave
                  ? std::make_unique<ShockwavePlanner>(
                        one.plan, one.replan_rounds,
                        one.plans_by_moments() ? ShockwavePlanner::Clock::published : ShockwavePlanner::Clock::rounds)
                  : nullptr),
      stepper(one.options, planner.get()),
      hosts(one.failures, seed, one.element.text()),
      // One GPU where nobody asks for places: memory grows with them.
      places(one.failures.any() ? static_cast<std::uint32_t>(one.options.gpus) : 1U, one.gpus_per_host, false) {}

void LiveRounds::State::clear(std::size_t logged) {
  if (planner) planner->clear(logged);
  stepper.clear();
  places.reset();
  jobs.clear(), pending.clear(), round.clear(), ends.clear();
  came = 0, first_s = -1.0, present_s = present_at = 0.0, in_round = false;
}

void LiveRounds::State::save(ByteWriter& into) const {
  into(pending, round, ends, came, first_s, present_s, present_at, in_round, static_cast<std::uint64_t>(jobs.size()));
  for (const auto& [number, job] : jobs) into(number, job);
  into(stepper, hosts);
  if (planner) planner->save(into);
}

void LiveRounds::State::restore(ByteReader& from, const Throughputs& speeds) {
  clear(0);
  std::uint64_t count = 0;
  from(pending, round, ends, came, first_s, present_s, present_at, in_round, count);
  for (; count > 0 && from.ok(); --count) {
    std::uint32_t number = 0;
    from(number);
    from(jobs[number]);
  }
  from(stepper, hosts);
  stepper.rebind(speeds);
  for (const auto& [number, job] : jobs) places.take_at(job.place);
  for (std::uint32_t h = 0; h < places.hosts(); ++h)
    if (!hosts.up(h)) places.take_away(h);
  if (planner) planner->restore(from);
}

LiveRounds::LiveRounds(const RoundModel& model, World& world, std::uint64_t seed, RoundLog& log, CostLog& costs,
                       HistoryEnd& history_end)
    : model_(model),
      world_(world),
      first_(world.add_timers(static_cast<std::uint32_t>(model.streams.size() + 4 * model.schedulers.size()))),
      draws_(model.streams.size()),
      next_(model.streams.size()),
      next_traced_(model.schedulers.size()),
      log_(log),
      costs_(costs),
      end_(history_end) {
  for (const Stream& stream : model.streams)
    for (const char* purpose : {".gaps", ".sizes", ".gpus"})
      keys_.push_back(stream_key(seed, stream.element.text() + purpose));
  for (const Scheduler& one : model.schedulers) {
    conditions_.add(static_cast<std::uint32_t>(states_.size()), one.failures);
    states_.push_back(one.played() ? nullptr : std::make_unique<State>(one, seed));
  }
}

std::uint32_t LiveRounds::trace_timer(std::uint32_t scheduler) const {
  return first_ + static_cast<std::uint32_t>(model_.streams.size()) + scheduler;
}
std::uint32_t LiveRounds::end_timer(std::uint32_t scheduler) const {
  return trace_timer(scheduler) + static_cast<std::uint32_t>(model_.schedulers.size());
}
std::uint32_t LiveRounds::host_timer(std::uint32_t scheduler) const {
  return end_timer(scheduler) + static_cast<std::uint32_t>(model_.schedulers.size());
}
std::uint32_t LiveRounds::round_timer(std::uint32_t scheduler) const {
  return host_timer(scheduler) + static_cast<std::uint32_t>(model_.schedulers.size());
}

void LiveRounds::restart_draws(std::uint64_t replication) {
  for (std::size_t s = 0; s < draws_.size(); ++s) {
    draws_[s].gaps.restart(keys_[3 * s], replication), draws_[s].sizes.restart(keys_[3 * s + 1], replication);
    draws_[s].gpus.restart(keys_[3 * s + 2], replication);
  }
  for (const auto& state : states_)
    if (state) state->hosts.restart_draws(replication);
}

void LiveRounds::heed(const std::function<bool()>& give_up) {
  give_up_ = give_up;
  for (const auto& state : states_)
    if (state && state->planner) state->planner->heed(give_up);
}

void LiveRounds::start(std::uint64_t replication) {
  logs_ = replication == 0;
  if (logs_) {
    end_.begin(this), log_.begin(this, states_.size()), costs_.begin(this, states_.size());
  }
  restart_draws(replication);
  std::fill(next_.begin(), next_.end(), std::size_t{0});
  std::fill(next_traced_.begin(), next_traced_.end(), std::size_t{0});
  for (const auto& state : states_)
    if (state) state->clear(logs_ ? RoundRecord::most_predictions : 0), state->hosts.start(replication);
  begun_ = false;
}

void LiveRounds::end(double end_s) {
  if (!logs_) return;
  end_.reach(this, end_s), costs_.end(this, end_s);
  for (std::uint32_t c = 0; c < states_.size(); ++c) {
    if (!states_[c]) continue;
    State& state = *states_[c];
    log_.write(this, c, [&](RoundRecord& record) {
      for (const std::uint32_t number : state.round) {
        const Job& job = state.jobs.at(number);
        if (!job.done) record.job_ran(number, end_s);
        // Its round goes on, where the run does.
        if (auto* row = record.row_of(number))
          row->held_gpu_s = job.held_gpu_s + job.job.gpus * (end_s - state.stepper.round().start_s);
      }
      if (state.planner) record.history.plans = state.planner->log();
      record.run_ends(end_s);
    });
  }
}

// Rates may read what charts do, and these enter their states after other parts start.
bool LiveRounds::settle() {
  if (begun_)
    return take_customers_of(world_, model_.streams, handed_,
                             [this](std::uint32_t stream, const double* customer) { job_comes(stream, customer); });
  begun_ = true;
  for (std::uint32_t c = 0; c < states_.size(); ++c)
    if (states_[c]) begin_hosts(c), use(c), await_traced(c);
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s) await_job(s);
  return true;
}

void LiveRounds::woken(std::uint32_t reader) {
  if (!begun_) return;
  // No memory: a changed rate is a fresh wait.
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s)
    if (model_.streams[s].reader == reader) await_job(s);
  conditions_.woken(reader, [&](std::uint32_t scheduler, std::uint32_t host) {
    states_[scheduler]->hosts.ask_condition(host, world_.slots(), [&](std::uint32_t h) { host_changes(scheduler, h); });
  });
}

void LiveRounds::fire(std::uint32_t timer) {
  ++world_.events;
  if (logs_) end_.reach(this, world_.now());
  const auto streams = static_cast<std::uint32_t>(model_.streams.size()),
             schedulers = static_cast<std::uint32_t>(model_.schedulers.size());
  if (timer < streams) return job_comes(timer);
  const std::uint32_t scheduler = (timer - streams) % schedulers;
  switch ((timer - streams) / schedulers) {
    case 0:
      return traced_job_comes(scheduler);
    case 1:
      return jobs_end(scheduler);
    case 2:
      states_[scheduler]->hosts.pass(world_.now(), [&](std::uint32_t host) { host_changes(scheduler, host); });
      return await_host(scheduler);
    default:
      return turn(scheduler);
  }
}

void LiveRounds::count_present(State& state, std::uint32_t scheduler) const {
  const double present = world_.slots()[model_.schedulers[scheduler].jobs];
  state.present_s += present * (world_.now() - state.present_at);
  state.present_at = world_.now();
}

void LiveRounds::await_end(std::uint32_t scheduler) {
  const State& state = *states_[scheduler];
  if (state.ends.empty()) world_.timers.cancel(end_timer(scheduler));
  else world_.timers.schedule(end_timer(scheduler), state.ends.back().at_s);
}

void LiveRounds::jobs_end(std::uint32_t scheduler) {
  State& state = *states_[scheduler];
  while (!state.ends.empty() && state.ends.back().at_s <= world_.now()) {
    const std::uint32_t number = state.ends.back().number;
    state.ends.pop_back();
    job_ends(scheduler, number);
  }
  await_end(scheduler);
}

void LiveRounds::job_ends(std::uint32_t scheduler, std::uint32_t number) {
  const Scheduler& here = model_.schedulers[scheduler];
  State& state = *states_[scheduler];
  Job& job = state.jobs.at(number);
  count_present(state, scheduler);
  const double response_s = world_.now() - job.job.arrival_s;
  const double gpus = here.options.gpus;
  const double contenders = here.fairness_of_all() ? static_cast<double>(here.workload->jobs.size())
                            : response_s > 0.0     ? (state.present_s - job.present_s) / response_s
                                                   : 1.0;
  const double rho = response_s / (job.exclusive_s * std::max(1.0, contenders / gpus));
  const double* const slots = world_.slots();
  const double before = slots[here.done], done = before + 1.0;
  const double unfair = slots[here.unfair_fraction] * before + (rho > here.unfair_above ? 1.0 : 0.0);
  const double sum_s = slots[here.mean_response_time] * before + response_s;
  job.done = true;
  add(here.jobs, -1.0);
  world_.set(here.done, done);
  world_.set(here.makespan, world_.now() - state.first_s);
  world_.set(here.worst_fairness, std::max(slots[here.worst_fairness], rho));
  world_.set(here.unfair_fraction, unfair / done);
  world_.set(here.mean_response_time, sum_s / done);
  world_.observations.observe(here.response_time, response_s, class_of(job));
  world_.observations.observe(here.fairness, rho, class_of(job));
  world_.observations.observe(here.job_lost_work, job.lost_s, class_of(job));
  world_.observations.observe(here.job_restarts, job.restarts, class_of(job));
  if (logs_)
    log_.write(this, scheduler, [&](RoundRecord& record) {
      record.job_ran(number, world_.now());
      if (auto* row = record.row_of(number)) row->finish_s = world_.now();
    });
  const HandedOn::Way* way = &here.handed_on.done;
  if (job.stream != RoundModel::none) {
    const Stream& stream = model_.streams[job.stream];
    add(stream.jobs, -1.0);
    if (stream.handed.any()) world_.observations.observe(stream.handed.time_in_system, world_.now() - job.born_s, 0);
    if (stream.handed_on.done.handover != HandedJobs::none) way = &stream.handed_on.done;
  }
  world_.tell(here.name, here.element, "job ends");
  hand_on(world_, *way, job.born_s, {response_s, static_cast<double>(job.job.gpus)});
}

void LiveRounds::turn(std::uint32_t scheduler) {
  const Scheduler& here = model_.schedulers[scheduler];
  State& state = *states_[scheduler];
  if (state.in_round) round_ends(scheduler);
  else state.stepper.end_round();
  for (const std::uint32_t number : state.pending)
    state.stepper.admit(number, state.jobs.at(number).job, *here.speeds, world_.now());
  state.pending.clear();
  const double next_s = state.stepper.begin_round(world_.now(), RoundStepper::never);
  if (state.planner && give_up_ && give_up_()) throw GivenUp();
  if (state.stepper.running()) {
    round_begins(scheduler);
  } else {
    for (auto& [number, job] : state.jobs) state.leave(job);
  }
  if (next_s < RoundStepper::never) world_.timers.schedule(round_timer(scheduler), next_s);
  else world_.timers.cancel(round_timer(scheduler));
}

// What a job pays is known when its last round is over: it has its GPUs until then.
void LiveRounds::round_ends(std::uint32_t scheduler) {
  const Scheduler& here = model_.schedulers[scheduler];
  State& state = *states_[scheduler];
  state.stepper.end_round();
  state.in_round = false;
  for (const std::uint32_t number : state.round) pay(scheduler, number, state.jobs.at(number), world_.now());
  if (logs_)
    log_.write(this, scheduler, [&](RoundRecord& record) {
      record.round_ends(state.stepper.round());
      for (const std::uint32_t number : state.round) {
        if (auto* row = record.row_of(number)) row->runs = false;
        if (state.jobs.at(number).done) record.job_leaves(number);
        else record.job_ran(number, world_.now());
      }
    });
  state.round.clear();
  for (const RoundStepper::Gone& one : state.stepper.gone()) {
    const auto job = state.jobs.find(one.number);
    world_.observations.observe(here.cost, job->second.held_gpu_s * here.price_per_s, class_of(job->second));
    state.leave(job->second);
    state.jobs.erase(job);
  }
  use(scheduler);
  if (const double so_far_s = world_.now() - state.first_s; so_far_s > 0.0)
    world_.set(here.utilisation, state.stepper.busy_gpu_s() / (here.options.gpus * so_far_s));
}

void LiveRounds::round_begins(std::uint32_t scheduler) {
  const Scheduler& here = model_.schedulers[scheduler];
  State& state = *states_[scheduler];
  state.in_round = true;
  state.round = state.stepper.round().jobs;
  if (here.failures.any()) take_places(scheduler);
  state.ends.clear();
  for (const RoundStepper::End& one : state.stepper.ends()) state.ends.push_back({one.at_s, one.number});
  std::sort(state.ends.begin(), state.ends.end(),
            [](const End& a, const End& b) { return a.at_s != b.at_s ? a.at_s > b.at_s : a.number > b.number; });
  await_end(scheduler);
  if (logs_) log_.write(this, scheduler, [&](RoundRecord& record) { record.round_begins(state.stepper.round()); });
  use(scheduler);
  world_.tell(here.name, here.element, "round begins");
}

void LiveRounds::use(std::uint32_t scheduler) {
  const Scheduler& here = model_.schedulers[scheduler];
  State& state = *states_[scheduler];
  double gpus = 0.0;
  const double away = state.places.away();
  std::map<std::uint32_t, double> of_stream;
  for (const std::uint32_t s : here.streams) of_stream[s] = 0.0;
  for (const std::uint32_t number : state.round) {
    const Job& job = state.jobs.at(number);
    gpus += job.job.gpus;
    if (job.stream != RoundModel::none) of_stream[job.stream] += job.job.gpus;
  }
  for (const auto& [stream, its] : of_stream) world_.set(model_.streams[stream].gpus_now, its);
  world_.set(here.gpus, gpus), world_.set(here.running, static_cast<double>(state.round.size()));
  world_.set(here.spend, gpus * here.price_per_s), world_.set(here.power, here.power_w(gpus, away));
  if (logs_ && here.costs())
    costs_.note(this, scheduler, world_.now(), gpus, gpus * here.price_per_s, here.power_w(gpus, away));
}

void LiveRounds::pay(std::uint32_t scheduler, std::uint32_t number, Job& job, double until_s) {
  const State& state = *states_[scheduler];
  job.held_gpu_s += job.job.gpus * (until_s - state.stepper.round().start_s);
  if (logs_)
    log_.write(this, scheduler, [&](RoundRecord& record) {
      if (auto* row = record.row_of(number)) row->held_gpu_s = job.held_gpu_s;
    });
}

void LiveRounds::save(ByteWriter& into) const {
  into(begun_, next_, next_traced_);
  for (const auto& state : states_)
    if (state) state->save(into);
}

void LiveRounds::restore(ByteReader& from, std::uint64_t path) {
  from(begun_, next_, next_traced_);
  logs_ = false;
  for (std::uint32_t c = 0; c < states_.size(); ++c)
    if (states_[c]) states_[c]->restore(from, *model_.schedulers[c].speeds);
  restart_draws(path);
}

void LiveRounds::waiting(std::vector<Waiting>& out) const {
  const auto& timers = world_.timers;
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s)
    if (timers.armed(first_ + s))
      out.push_back({timers.time_of(first_ + s), model_.streams[s].name, "job", model_.streams[s].element});
  for (std::uint32_t c = 0; c < states_.size(); ++c) {
    if (!states_[c]) continue;
    states_[c]->hosts.waiting(model_.schedulers[c].name, model_.schedulers[c].element, out);
    const char* const turns = states_[c]->in_round ? "round ends" : "round begins";
    for (const auto& [timer, what] :
         {std::pair(trace_timer(c), "job comes"), {end_timer(c), "job ends"}, {round_timer(c), turns}})
      if (timers.armed(timer))
        out.push_back({timers.time_of(timer), model_.schedulers[c].name, what, model_.schedulers[c].element});
  }
}

void LiveRounds::active(std::set<ElementId>& out) const {
  for (const Stream& one : model_.streams)
    if (world_.slots()[one.jobs] > 0.0) out.insert(one.element);
  for (std::uint32_t c = 0; c < states_.size(); ++c)
    if (states_[c] && world_.slots()[model_.schedulers[c].running] > 0.0) out.insert(model_.schedulers[c].element);
}

}  // namespace ergode
