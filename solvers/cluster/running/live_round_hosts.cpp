// Hosts of round schedulers: who is on them, and what a job loses with one.
#include <algorithm>

#include "solvers/cluster/running/live_rounds.h"

namespace ergode {

void LiveRounds::begin_hosts(std::uint32_t scheduler) {
  State& state = *states_[scheduler];
  const std::uint32_t hosts = model_.schedulers[scheduler].hosts();
  world_.set(model_.schedulers[scheduler].up, hosts);
  state.hosts.begin(hosts, world_.now());
  state.hosts.ask_conditions(world_.slots(), [&](std::uint32_t host) { host_changes(scheduler, host); });
  await_host(scheduler);
}

void LiveRounds::await_host(std::uint32_t scheduler) {
  const double next_s = states_[scheduler]->hosts.next_s();
  if (next_s < RoundStepper::never) world_.timers.schedule(host_timer(scheduler), next_s);
}

// Who is due at this moment is done before his host goes.
void LiveRounds::host_changes(std::uint32_t scheduler, std::uint32_t host) {
  const Scheduler& here = model_.schedulers[scheduler];
  State& state = *states_[scheduler];
  const bool up = state.hosts.up(host);
  jobs_end(scheduler);
  add(here.up, up ? 1.0 : -1.0);
  if (!up) add(here.host_failures, 1.0);
  world_.tell(here.name, here.element, up ? "host is back" : "host fails");
  if (up) state.places.bring_back(host);
  else host_goes(scheduler, host);
  state.stepper.set_gpus(here.options.gpus - static_cast<int>(state.places.away()));
  use(scheduler);
  world_.timers.schedule(round_timer(scheduler),
                         state.in_round ? std::max(world_.now(), state.stepper.round().end_s) : world_.now());
}

// Also those give up their GPUs who have done their part of the round.
void LiveRounds::host_goes(std::uint32_t scheduler, std::uint32_t host) {
  State& state = *states_[scheduler];
  std::erase_if(state.round, [&](std::uint32_t number) {
    Job& job = state.jobs.at(number);
    const bool hit =
        std::any_of(job.place.begin(), job.place.end(), [&](const GangPiece& piece) { return piece.host == host; });
    if (!hit) return false;
    pay(scheduler, number, job, world_.now());
    job_loses_host(scheduler, number);
    state.leave(job);
    return true;
  });
  state.places.take_away(host);
}

void LiveRounds::job_loses_host(std::uint32_t scheduler, std::uint32_t number) {
  const Scheduler& here = model_.schedulers[scheduler];
  State& state = *states_[scheduler];
  Job& job = state.jobs.at(number);
  const auto lost_s = state.stepper.interrupt(number, world_.now());
  if (lost_s) {
    ++job.restarts, job.lost_s += *lost_s;
    add(here.restarts, 1.0), add(here.lost_work, job.job.gpus * *lost_s);
    world_.tell(here.name, here.element, "job loses a host");
    std::erase_if(state.ends, [&](const End& end) { return end.number == number; });
    await_end(scheduler);
  }
  if (logs_)
    log_.write(this, scheduler, [&](RoundRecord& record) {
      if (!job.done) record.job_ran(number, world_.now());
      if (auto* row = record.row_of(number))
        row->runs = false, row->lost_host = lost_s.has_value(), row->restarts = job.restarts, row->lost_s = job.lost_s;
    });
}

// Places stay taken from round to round, so that who goes on is where he was.
void LiveRounds::take_places(std::uint32_t scheduler) {
  State& state = *states_[scheduler];
  std::vector<std::uint32_t> runs = state.round;
  std::sort(runs.begin(), runs.end());
  for (auto& [number, job] : state.jobs)
    if (!job.place.empty() && !std::binary_search(runs.begin(), runs.end(), number)) state.leave(job);
  for (const std::uint32_t number : state.round)
    if (Job& job = state.jobs.at(number); job.place.empty())
      state.places.take(static_cast<std::uint32_t>(job.job.gpus), job.place);
}

}  // namespace ergode
