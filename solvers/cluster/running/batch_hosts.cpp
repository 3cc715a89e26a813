// Hosts of pools that fail: who is on which, and what happens to jobs.
#include <algorithm>
#include <functional>

#include "solvers/cluster/running/running_batch.h"

namespace ergode {

void RunningBatch::begin_hosts(std::uint32_t pool) {
  const Pool& here = model_.pools[pool];
  State& state = states_[pool];
  world_.set(here.up, here.hosts);
  tell_power(here);
  if (here.variation.any()) {
    const DrawnDevices drawn = here.devices(seed_, replication_);
    state.slowdown.assign(here.hosts, 0.0);
    // Who computes on several waits for the slowest.
    for (std::size_t d = 0; d < drawn.slowdowns[0].size(); ++d) {
      double& host = state.slowdown[d / here.devices_of_host()];
      host = std::max(host, drawn.slowdowns[0][d]);
    }
  }
  if (!here.numbered()) return;
  state.hosts.assign(here.hosts, {});
  for (std::uint32_t h = 0; h < here.hosts; ++h) list_host(state, h);
  state.failing.begin(here.hosts, world_.now());
  state.failing.ask_conditions(world_.slots(), [&](std::uint32_t h) { host_changes(pool, h); });
  await_host(pool);
}

void RunningBatch::list_host(State& state, std::uint32_t host) {
  if (state.hosts[host].listed) return;
  state.hosts[host].listed = true;
  state.free.push_back(host);
  std::push_heap(state.free.begin(), state.free.end(), std::greater<>());
}

// As many as it wants are free: the scheduler has counted them.
void RunningBatch::give_hosts(std::uint32_t pool, std::uint32_t number) {
  State& state = states_[pool];
  Job& job = state.jobs[number];
  job.first_host = nobody, job.slowdown = state.slowdown.empty() ? 1.0 : 0.0;
  for (std::uint32_t given = 0; given < job.hosts;) {
    std::pop_heap(state.free.begin(), state.free.end(), std::greater<>());
    const std::uint32_t h = state.free.back();
    state.free.pop_back();
    Host& host = state.hosts[h];
    host.listed = false;
    if (!state.failing.up(h) || host.job != nobody) continue;
    host.job = number, host.next = job.first_host;
    job.first_host = h;
    if (!state.slowdown.empty()) job.slowdown = std::max(job.slowdown, state.slowdown[h]);
    ++given;
  }
}

void RunningBatch::free_hosts(std::uint32_t pool, std::uint32_t number) {
  State& state = states_[pool];
  std::uint32_t h = state.jobs[number].first_host;
  while (h != nobody) {
    Host& host = state.hosts[h];
    const std::uint32_t next = host.next;
    host.job = host.next = nobody;
    if (state.failing.up(h)) list_host(state, h);
    h = next;
  }
  state.jobs[number].first_host = nobody;
}

void RunningBatch::job_is_stopped(std::uint32_t pool, std::uint32_t number) {
  const Pool& here = model_.pools[pool];
  State& state = states_[pool];
  Job& job = state.jobs[number];
  const Stream& stream = model_.streams[job.stream];
  const JobAttempt tried = attempt(here, job);
  const double after_s = world_.now() - job.start_s, saved_s = tried.saved_s(after_s) / job.slowdown,
               lost_s = tried.done_s(after_s) / job.slowdown - saved_s;
  job.saved_s += saved_s, job.lost_s += lost_s, ++job.restarts;
  job.order = ~std::uint64_t{0};
  state.ended(number, world_.now());
  free_hosts(pool, number);
  take_hosts(here, stream, -static_cast<double>(job.hosts));
  add(here.used_time, job.hosts * after_s);
  if (logs_) job_log_.job_is_stopped(this, pool, job.row, after_s, lost_s);
  add(here.waiting, 1.0), add(here.restarts, 1.0), add(here.lost_work, job.hosts * lost_s);
  world_.tell(stream.name, here.element, "job loses a host");
  state.submit_again(number, {.limit_s = job.limit_s, .hosts = job.hosts}, here.failures.before_all);
}

void RunningBatch::host_changes(std::uint32_t pool, std::uint32_t host) {
  const Pool& here = model_.pools[pool];
  State& state = states_[pool];
  const bool up = state.failing.up(host);
  if (!up && state.hosts[host].job != nobody) job_is_stopped(pool, state.hosts[host].job);
  add(here.up, up ? 1.0 : -1.0);
  tell_power(here);
  if (!up) add(here.host_failures, 1.0);
  state.host_comes(up ? 1 : -1, world_.now());
  if (up) list_host(state, host);
  world_.tell(here.name, here.element, up ? "host is back" : "host fails");
  await_end(pool);
  call_scheduler(pool);
}

void RunningBatch::hosts_change(std::uint32_t pool) {
  states_[pool].failing.pass(world_.now(), [&](std::uint32_t host) { host_changes(pool, host); });
  await_host(pool);
}

void RunningBatch::await_host(std::uint32_t pool) {
  const double next_s = states_[pool].failing.next_s();
  if (next_s < std::numeric_limits<double>::infinity()) world_.timers.schedule(host_timer(pool), next_s);
}

}  // namespace ergode
