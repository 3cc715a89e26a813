// Nodes of fleets that fail: who is on which, and what happens to jobs.
#include <algorithm>
#include <limits>
#include <utility>

#include "solvers/cluster/running/running_fleet.h"

namespace ergode {

void RunningFleet::begin_nodes(std::uint32_t fleet) {
  const Fleet& here = model_.fleets[fleet];
  State& state = states_[fleet];
  world_.set(here.up, here.nodes);
  if (!here.failures.any()) return;
  state.on_gpu.assign(here.gpus(), nobody);
  state.hosts.begin(here.nodes, world_.now());
  state.hosts.ask_conditions(world_.slots(), [&](std::uint32_t node) { node_changes(fleet, node); });
  await_node(fleet);
}

// Who is due at this moment is done before his node goes. Of those on one node who began first is the first of them to
// wait again.
void RunningFleet::node_changes(std::uint32_t fleet, std::uint32_t node) {
  const Fleet& here = model_.fleets[fleet];
  State& state = states_[fleet];
  jobs_leave(fleet);
  const bool up = state.hosts.up(node);
  if (!up) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> jobs;
    for (std::uint32_t gpu = node * here.gpus_per_node; gpu < (node + 1) * here.gpus_per_node; ++gpu)
      if (const std::uint32_t job = state.on_gpu[gpu]; job != nobody) jobs.emplace_back(state.jobs[job].order, job);
    std::sort(jobs.begin(), jobs.end());
    jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
    if (here.failures.before_all) std::reverse(jobs.begin(), jobs.end());
    for (const auto& [order, job] : jobs) job_loses_node(fleet, job);
    state.scheduler->placer().take_away(node);
    add(here.host_failures, 1.0);
  } else {
    state.scheduler->placer().bring_back(node);
  }
  add(here.up, up ? 1.0 : -1.0);
  world_.tell(here.name, here.element, up ? "node is back" : "node fails");
  await_end(fleet);
  world_.timers.schedule(ask_timer(fleet), world_.now());
}

void RunningFleet::job_loses_node(std::uint32_t fleet, std::uint32_t number) {
  const Fleet& here = model_.fleets[fleet];
  State& state = states_[fleet];
  Job& job = state.jobs[number];
  const Stream& stream = model_.streams[job.stream];
  const JobAttempt tried = attempt(here, job);
  const double after_s = world_.now() - job.start_s, saved_s = tried.saved_s(after_s) / job.slowdown,
               lost_s = tried.done_s(after_s) / job.slowdown - saved_s;
  job.asks.run_s -= saved_s, job.lost_s += lost_s, ++job.restarts, job.order = never;
  for (const std::uint32_t gpu : job.gpus) state.on_gpu[gpu] = nobody;
  state.scheduler->ended(job.gpus);
  const auto gpus = static_cast<double>(job.gpus.size());
  take_gpus(fleet, stream, job.gpus, -1.0);
  if (logs_) job_log_.job_loses_node(this, fleet, job.row, world_.now(), lost_s);
  job.gpus.clear();
  add(here.waiting, 1.0), add(here.restarts, 1.0), add(here.lost_work, gpus * lost_s);
  world_.tell(stream.name, here.element, "job loses a node");
  state.scheduler->submit_again(number, job.asks, here.failures.before_all);
}

void RunningFleet::await_node(std::uint32_t fleet) {
  const double next_s = states_[fleet].hosts.next_s();
  if (next_s < std::numeric_limits<double>::infinity()) world_.timers.schedule(host_timer(fleet), next_s);
}

}  // namespace ergode
