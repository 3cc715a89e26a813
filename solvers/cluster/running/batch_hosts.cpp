// Hosts of pools that fail: who is on which, and what happens to jobs.
#include <algorithm>
#include <functional>

#include "solvers/cluster/running/job_attempt.h"
#include "solvers/cluster/running/running_batch.h"

namespace ergode {

void RunningBatch::begin_hosts(std::uint32_t pool) {
  const Pool& here = model_.pools[pool];
  const auto& rules = here.failures;
  State& state = states_[pool];
  world_.set(here.up, here.hosts);
  tell_power(here);
  if (!rules.any()) return;
  state.hosts.assign(here.hosts, {});
  for (std::uint32_t h = 0; h < here.hosts; ++h) list_host(state, h);
  if (rules.by_laws)
    for (std::uint32_t h = 0; h < here.hosts; ++h)
      state.changes.push_back({world_.now() + rules.time_to_failure.sample(host_draws_[pool]), h});
  std::make_heap(state.changes.begin(), state.changes.end(), std::greater<>());
  for (std::uint32_t h = 0; h < rules.up_while.size(); ++h)
    host_may_change(pool, h, true, rules.up_while[h].evaluate(world_.slots()) != 0.0);
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
  job.first_host = nobody;
  for (std::uint32_t given = 0; given < job.hosts;) {
    std::pop_heap(state.free.begin(), state.free.end(), std::greater<>());
    const std::uint32_t h = state.free.back();
    state.free.pop_back();
    Host& host = state.hosts[h];
    host.listed = false;
    if (!host.up() || host.job != nobody) continue;
    host.job = number, host.next = job.first_host;
    job.first_host = h;
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
    if (host.up()) list_host(state, h);
    h = next;
  }
  state.jobs[number].first_host = nobody;
}

void RunningBatch::job_is_stopped(std::uint32_t pool, std::uint32_t number) {
  const Pool& here = model_.pools[pool];
  State& state = states_[pool];
  Job& job = state.jobs[number];
  const Stream& stream = model_.streams[job.stream];
  const JobAttempt attempt(here.failures, job.run_s - job.saved_s, job.restarts > 0);
  const double after_s = world_.now() - job.start_s, saved_s = attempt.saved_s(after_s),
               lost_s = attempt.done_s(after_s) - saved_s;
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

void RunningBatch::host_may_change(std::uint32_t pool, std::uint32_t host, bool sound, bool allowed) {
  const Pool& here = model_.pools[pool];
  State& state = states_[pool];
  Host& one = state.hosts[host];
  const bool was_up = one.up();
  if (was_up && !(sound && allowed) && one.job != nobody) job_is_stopped(pool, one.job);
  one.sound = sound, one.allowed = allowed;
  if (one.up() == was_up) return;
  add(here.up, one.up() ? 1.0 : -1.0);
  tell_power(here);
  if (!one.up()) add(here.host_failures, 1.0);
  state.host_comes(one.up() ? 1 : -1, world_.now());
  if (one.up()) list_host(state, host);
  world_.tell(here.name, here.element, one.up() ? "host is back" : "host fails");
  await_end(pool);
  call_scheduler(pool);
}

void RunningBatch::hosts_change(std::uint32_t pool) {
  const auto& rules = model_.pools[pool].failures;
  State& state = states_[pool];
  while (!state.changes.empty() && state.changes.front().at_s <= world_.now()) {
    std::pop_heap(state.changes.begin(), state.changes.end(), std::greater<>());
    Change& change = state.changes.back();
    const bool sound = !state.hosts[change.host].sound;
    const Distribution& next = sound ? rules.time_to_failure : rules.repair;
    change.at_s = world_.now() + next.sample(host_draws_[pool]);
    const std::uint32_t host = change.host;
    std::push_heap(state.changes.begin(), state.changes.end(), std::greater<>());
    host_may_change(pool, host, sound, state.hosts[host].allowed);
  }
  await_host(pool);
}

void RunningBatch::await_host(std::uint32_t pool) {
  if (!states_[pool].changes.empty()) world_.timers.schedule(host_timer(pool), states_[pool].changes.front().at_s);
}

}  // namespace ergode
