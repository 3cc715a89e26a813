#include "solvers/cluster/running/running_batch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "core/base/text.h"
#include "solvers/cluster/running/handed_over.h"
#include "solvers/cluster/running/next_arrival.h"

namespace ergode {
namespace {

/// Of a job that has left: no end in the heap is its own.
constexpr std::uint64_t never_again = ~std::uint64_t{0};

}  // namespace

RunningBatch::RunningBatch(const BatchModel& model, World& world, std::uint64_t seed, CostLog& log, BatchJobLog& jobs,
                           HistoryEnd& history_end, std::atomic<std::uint64_t>& starts)
    : model_(model),
      world_(world),
      seed_(seed),
      first_(world.timers.timers()),
      draws_(model.streams.size()),
      next_(model.streams.size()),
      minutes_(model.pools.size()),
      log_(log),
      job_log_(jobs),
      end_(history_end),
      starts_(starts) {
  for (const Pool& pool : model.pools) hosts_fail_ = hosts_fail_ || pool.failures.any();
  world.add_timers(static_cast<std::uint32_t>(model.streams.size() + (hosts_fail_ ? 3U : 2U) * model.pools.size()));
  for (const Stream& stream : model.streams)
    for (const char* purpose : {".gaps", ".sizes", ".limits", ".hosts"})
      keys_.push_back(stream_key(seed, stream.element.text() + purpose));
  for (std::uint32_t p = 0; p < model.pools.size(); ++p) conditions_.add(p, model.pools[p].failures);
  for (const Pool& pool : model.pools) {
    states_.emplace_back(pool, model.by_ticks(pool), seed);
    alone_.emplace_back();
    alone_.back().cluster = pool.minute, alone_.back().jobs = 0;
  }
}

std::uint32_t RunningBatch::end_timer(std::uint32_t pool) const {
  return first_ + static_cast<std::uint32_t>(model_.streams.size()) + pool;
}
std::uint32_t RunningBatch::host_timer(std::uint32_t pool) const {
  return end_timer(pool) + static_cast<std::uint32_t>(model_.pools.size());
}
std::uint32_t RunningBatch::ask_timer(std::uint32_t pool) const {
  return host_timer(pool) + (hosts_fail_ ? static_cast<std::uint32_t>(model_.pools.size()) : 0U);
}

void RunningBatch::restart_draws(std::uint64_t replication) {
  for (std::size_t s = 0; s < draws_.size(); ++s) {
    draws_[s].gaps.restart(keys_[4 * s], replication), draws_[s].sizes.restart(keys_[4 * s + 1], replication);
    draws_[s].limits.restart(keys_[4 * s + 2], replication), draws_[s].hosts.restart(keys_[4 * s + 3], replication);
  }
  for (State& state : states_) state.failing.restart_draws(replication);
}

void RunningBatch::begin_minutes(std::uint32_t pool, std::uint64_t start) {
  const Pool& here = model_.pools[pool];
  Minutes& minutes = minutes_[pool];
  const BatchModel::Service* service = model_.service_of(here);
  minutes.begin_s = service != nullptr ? service->begin_s(start) : 0;
  if (service != nullptr && start == 0) starts_ = 1;  // of the run that begins
  if (service != nullptr)
    for (std::uint64_t seen = starts_; seen < start + 1 && !starts_.compare_exchange_weak(seen, start + 1);) {
    }
  minutes.run.emplace(here.background, minutes.begin_s, service != nullptr ? service->rules : alone_[pool],
                      service != nullptr ? service->provisioner : nobody_);
  minutes.ended.clear(), minutes.told = 0;
  minutes.rejected = 0;
  list_too_wide(pool);
}

void RunningBatch::list_too_wide(std::uint32_t pool) {
  const Pool& here = model_.pools[pool];
  Minutes& minutes = minutes_[pool];
  minutes.too_wide.clear();
  const std::vector<BatchJob>& jobs = model_.traced(here)->trace->jobs;
  const auto minute_s = [&](std::uint32_t place) { return MinuteCluster::minute_of(jobs[place].submit_s); };
  for (std::uint32_t place = 0; place < jobs.size(); ++place)
    if (jobs[place].hosts > here.hosts && minute_s(place) >= minutes.begin_s) minutes.too_wide.push_back(place);
  std::stable_sort(minutes.too_wide.begin(), minutes.too_wide.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return minute_s(a) < minute_s(b); });
}

std::int64_t RunningBatch::next_too_wide_s(std::uint32_t pool) const {
  const Minutes& minutes = minutes_[pool];
  if (minutes.rejected == minutes.too_wide.size()) return std::numeric_limits<std::int64_t>::max();
  const JobTrace& trace = *model_.traced(model_.pools[pool])->trace;
  return MinuteCluster::minute_of(trace.jobs[minutes.too_wide[minutes.rejected]].submit_s);
}

void RunningBatch::reject_too_wide(std::uint32_t pool) {
  const Pool& here = model_.pools[pool];
  const Stream& stream = model_.streams[here.streams[0]];
  Minutes& minutes = minutes_[pool];
  while (next_too_wide_s(pool) <= minutes.run->cluster().now_s()) {
    const BatchJob& job = stream.trace->jobs[minutes.too_wide[minutes.rejected]];
    hand_on(world_, stream.handed_on.rejected,
            static_cast<double>(MinuteCluster::minute_of(job.submit_s) - minutes.begin_s),
            {job.run_s, static_cast<double>(job.hosts)});
    ++minutes.rejected;
    world_.tell(here.name, here.element, "job is rejected");
  }
}

void RunningBatch::start(std::uint64_t replication) {
  logs_ = replication == 0, replication_ = replication;
  if (logs_) end_.begin(this), log_.begin(this, model_.pools.size()), job_log_.begin(this, model_);
  restart_draws(replication);
  std::fill(next_.begin(), next_.end(), std::size_t{0});
  for (std::uint32_t p = 0; p < states_.size(); ++p) {
    State& state = states_[p];
    state.scheduler.reset(0.0), state.minutes = MinuteCluster(model_.pools[p].minute, 0);
    state.jobs.clear(), state.gaps.clear(), state.ends.clear(), state.started = 0;
    state.hosts.clear(), state.free.clear(), state.slowdown.clear(), state.failing.start(replication);
    if (model_.on_its_trace(model_.pools[p])) begin_minutes(p, replication);
  }
  begun_ = false;
}

// Rates may read what charts do, and these enter their states after other parts start.
bool RunningBatch::settle() {
  if (begun_) return take_customers();
  begun_ = true;
  for (std::uint32_t p = 0; p < model_.pools.size(); ++p) begin_hosts(p);
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s)
    if (!model_.on_its_trace(model_.pools[model_.streams[s].pool])) await_job(s);
  for (std::uint32_t p = 0; p < model_.pools.size(); ++p)
    if (model_.on_its_trace(model_.pools[p])) world_.timers.schedule(ask_timer(p), world_.now());
  return true;
}

bool RunningBatch::take_customers() {
  return take_customers_of(world_, model_.streams, handed_,
                           [this](std::uint32_t stream, const double* customer) { job_comes(stream, customer); });
}

void RunningBatch::await_job(std::uint32_t stream) {
  const Stream& one = model_.streams[stream];
  if (one.handed.any()) return;
  const std::uint32_t timer = first_ + stream;
  if (one.trace) {
    if (next_[stream] == one.trace->jobs.size()) return world_.timers.cancel(timer);
    return world_.timers.schedule(timer, std::max(world_.now(), one.trace->jobs[next_[stream]].submit_s));
  }
  await_drawn_job(world_, timer, one, draws_[stream].gaps);
}

void RunningBatch::woken(std::uint32_t reader) {
  if (!begun_) return;
  // No memory: a changed rate is a fresh wait.
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s)
    if (model_.streams[s].reader == reader) await_job(s);
  conditions_.woken(reader, [&](std::uint32_t pool, std::uint32_t host) {
    states_[pool].failing.ask_condition(host, world_.slots(), [&](std::uint32_t h) { host_changes(pool, h); });
  });
}

void RunningBatch::fire(std::uint32_t timer) {
  ++world_.events;
  if (logs_) end_.reach(this, world_.now());
  const auto streams = static_cast<std::uint32_t>(model_.streams.size()),
             pools = static_cast<std::uint32_t>(model_.pools.size());
  if (timer < streams) return job_comes(timer);
  if (timer < streams + pools) return jobs_leave(timer - streams);
  if (hosts_fail_ && timer < streams + 2 * pools) return hosts_change(timer - streams - pools);
  const std::uint32_t pool = timer - streams - (hosts_fail_ ? 2 : 1) * pools;
  if (model_.on_its_trace(model_.pools[pool])) minute(pool);
  else if (states_[pool].ticks) tick(pool);
  else ask(pool);
}

BatchJob RunningBatch::next_job(std::uint32_t stream, const double* customer) {
  const Stream& one = model_.streams[stream];
  if (one.trace) return one.trace->jobs[next_[stream]++];
  BatchJob job{.submit_s = world_.now()};
  Draws& draws = draws_[stream];
  const auto brought = [&](std::size_t word, double least, const char* what, auto draw) {
    const double* value = one.handed.of(customer, word);
    return value == nullptr ? draw() : checked_of_customer(*value, least, what, one.element, one.name);
  };
  job.run_s = brought(0, 0.0, "size", [&] { return one.size.sample(world_.slots(), draws.sizes); }) /
              model_.pools[one.pool].speed;
  constexpr double no_time_s = 1e-9;
  job.limit_s = brought(1, no_time_s, "limit",
                        [&] { return one.limit ? one.limit->sample(world_.slots(), draws.limits) : job.limit_s; });
  // Whole hosts: what is drawn is rounded up, and at least one.
  constexpr double most = 1e9;
  const double hosts = brought(2, 0.0, "number of hosts", [&] { return one.hosts.sample(draws.hosts); });
  job.hosts = static_cast<std::uint32_t>(std::clamp(std::ceil(hosts), 1.0, most));
  return job;
}

void RunningBatch::job_comes(std::uint32_t stream, const double* customer) {
  const Stream& one = model_.streams[stream];
  const Pool& pool = model_.pools[one.pool];
  State& state = states_[one.pool];
  if (state.jobs.size() - state.gaps.size() >= most_jobs)
    throw ModelFailure({.code = "RUN002",
                        .element = pool.element,
                        .message = "There are " + std::to_string(most_jobs) + " jobs at \"" + pool.name +
                                   "\" at one time; wanted fewer.",
                        .hint = "Its hosts may be too few for all that comes."});
  const BatchJob job = next_job(stream, customer);
  add(one.submitted, 1.0), add(pool.submitted, 1.0);
  world_.tell(one.name, one.element, "job comes");
  await_job(stream);
  const bool rejected = job.hosts > pool.hosts;
  const bool told = logs_ && !model_.known_beforehand(pool);
  const std::uint32_t row = told ? job_log_.job_comes(this, one.pool, stream, job, rejected) : BatchJobLog::no_row;
  if (rejected) {
    add(pool.rejected, 1.0);
    hand_on(world_, one.handed_on.rejected, customer != nullptr ? *customer : job.submit_s,
            {job.run_s, static_cast<double>(job.hosts)});
    return world_.tell(pool.name, pool.element, "job is rejected");
  }
  std::uint32_t number = 0;
  if (state.gaps.empty()) number = static_cast<std::uint32_t>(state.jobs.size()), state.jobs.emplace_back();
  else number = state.gaps.back(), state.gaps.pop_back();
  state.jobs[number] = {
      .submit_s = job.submit_s, .limit_s = job.limit_s, .run_s = job.run_s, .hosts = job.hosts, .stream = stream};
  state.jobs[number].born_s = customer != nullptr ? *customer : job.submit_s;
  state.jobs[number].row = row;
  state.submit(number, job);
  for (const std::uint32_t slot : {one.jobs, pool.jobs, pool.waiting}) add(slot, 1.0);
  call_scheduler(one.pool);
}

void RunningBatch::take_hosts(const Pool& pool, const Stream& stream, double hosts) {
  add(pool.busy, hosts), add(pool.gpus, hosts * pool.accelerators), add(stream.gpus, hosts * pool.accelerators);
  tell_power(pool);
}

void RunningBatch::tell_power(const Pool& pool) {
  const double busy = world_.slots()[pool.busy], idle = std::max(0.0, world_.slots()[pool.up] - busy);
  world_.set(pool.power, busy * pool.busy_w + idle * pool.idle_w);
  world_.set(pool.spend, busy * pool.price_per_s);
  if (logs_ && pool.costs())
    log_.note(this, static_cast<std::size_t>(&pool - model_.pools.data()), world_.now(), busy, busy * pool.price_per_s,
              world_.slots()[pool.power]);
}

void RunningBatch::tell_slowdown(const Pool& pool, const Stream& stream, double response_s, const BatchJob& job) {
  const double alone_s = time_on_hosts(job);
  if (alone_s > 0.0) world_.observations.observe(pool.slowdown, response_s / alone_s, stream.of_class);
}

void RunningBatch::call_scheduler(std::uint32_t pool) {
  const State& state = states_[pool];
  if (!state.ticks) return world_.timers.schedule(ask_timer(pool), world_.now());
  if (state.minutes.waiting() == 0) return;
  // Whatever comes at a whole minute after its tick belongs to the next.
  const double minute_s = 60.0 * std::ceil(world_.now() / 60.0);
  world_.timers.schedule(ask_timer(pool), std::max(minute_s, static_cast<double>(state.minutes.now_s())));
}

void RunningBatch::ask(std::uint32_t pool) {
  State& state = states_[pool];
  started_.clear();
  state.scheduler.dispatch(world_.now(), started_);
  begin_jobs(pool);
  const double due_s = state.scheduler.next_due_s();
  if (due_s < std::numeric_limits<double>::infinity()) world_.timers.schedule(ask_timer(pool), due_s);
  else world_.timers.cancel(ask_timer(pool));
}

void RunningBatch::tick(std::uint32_t pool) {
  MinuteCluster& minutes = states_[pool].minutes;
  minutes.pass_to(std::llround(world_.now()));
  started_ = minutes.minute();
  begin_jobs(pool);
  world_.timers.cancel(ask_timer(pool));
  if (minutes.waiting() > 0) world_.timers.schedule(ask_timer(pool), static_cast<double>(minutes.now_s()));
}

void RunningBatch::begin_jobs(std::uint32_t pool) {
  const Pool& here = model_.pools[pool];
  State& state = states_[pool];
  for (const std::uint32_t number : started_) {
    Job& job = state.jobs[number];
    const Stream& stream = model_.streams[job.stream];
    add(here.waiting, -1.0);
    take_hosts(here, stream, job.hosts);
    if (here.numbered()) give_hosts(pool, number);
    if (job.restarts == 0) world_.observations.observe(here.wait, world_.now() - job.submit_s, stream.of_class);
    world_.tell(stream.name, here.element, job.restarts == 0 ? "job starts" : "job starts again");
    job.start_s = world_.now(), job.order = state.started++;
    if (logs_) job_log_.job_starts(this, pool, job.row, job.slowdown, world_.now());
    double long_s = std::min(attempt(here, job).time_s(), job.limit_s);
    if (state.ticks) long_s = 60.0 * std::max(1.0, std::ceil(long_s / 60.0));
    state.ends.push_back({world_.now() + long_s, job.order, number});
    std::push_heap(state.ends.begin(), state.ends.end(), std::greater<>());
  }
  await_end(pool);
}

void RunningBatch::await_end(std::uint32_t pool) {
  State& state = states_[pool];
  while (!state.ends.empty() && stale(state, state.ends.front())) {
    std::pop_heap(state.ends.begin(), state.ends.end(), std::greater<>());
    state.ends.pop_back();
  }
  if (state.ends.empty()) world_.timers.cancel(end_timer(pool));
  else world_.timers.schedule(end_timer(pool), state.ends.front().at_s);
}

void RunningBatch::jobs_leave(std::uint32_t pool) {
  const Pool& here = model_.pools[pool];
  State& state = states_[pool];
  while (!state.ends.empty() && state.ends.front().at_s <= world_.now()) {
    std::pop_heap(state.ends.begin(), state.ends.end(), std::greater<>());
    const End end = state.ends.back();
    const std::uint32_t number = end.job;
    state.ends.pop_back();
    if (stale(state, end)) continue;
    state.jobs[number].order = never_again;
    const Job job = state.jobs[number];
    const Stream& stream = model_.streams[job.stream];
    state.gaps.push_back(number);
    state.ended(number, world_.now());
    take_hosts(here, stream, -static_cast<double>(job.hosts));
    add(here.jobs, -1.0), add(stream.jobs, -1.0);
    add(here.used_time, job.hosts * (world_.now() - job.start_s));
    if (here.numbered()) free_hosts(pool, number);
    const bool was_killed = attempt(here, job).time_s() > job.limit_s;
    if (was_killed) add(here.killed, 1.0);
    else add(here.useful_work, job.hosts * job.run_s);
    if (logs_) job_log_.job_leaves(this, pool, job.row, world_.now() - job.start_s, world_.now(), was_killed);
    world_.observations.observe(here.response_time, world_.now() - job.submit_s, stream.of_class);
    tell_slowdown(here, stream, world_.now() - job.submit_s, {.run_s = job.run_s, .limit_s = job.limit_s});
    if (stream.handed.any()) world_.observations.observe(stream.handed.time_in_system, world_.now() - job.born_s);
    world_.observations.observe(here.job_lost_work, job.lost_s, stream.of_class);
    world_.observations.observe(here.job_restarts, job.restarts, stream.of_class);
    world_.tell(stream.name, here.element, was_killed ? "job is killed" : "job done");
    // Of this attempt, from its start: its wait may hold attempts that were stopped.
    hand_on(world_, stream.handed_on.done, job.born_s,
            {job.start_s - job.submit_s, world_.now() - job.submit_s, world_.now() - job.start_s,
             static_cast<double>(job.hosts)});
  }
  await_end(pool);
  call_scheduler(pool);
}

// What ended when the last minute was over is told first: that moment is now.
void RunningBatch::tell_minute(std::uint32_t pool) {
  const Pool& here = model_.pools[pool];
  const Stream& stream = model_.streams[here.streams[0]];
  Minutes& minutes = minutes_[pool];
  const BatchModel::Service* service = model_.service_of(here);
  for (const MinuteCluster::Running& one : minutes.ended) {
    const bool of_chain = one.number >= ServiceRun::of_the_chain;
    if (!of_chain) {
      const BatchJob& job = here.background.jobs[one.number];
      if (killed(job)) add(here.killed, 1.0);
      else add(here.useful_work, job.hosts * job.run_s);
      add(here.used_time, job.hosts * static_cast<double>(one.end_s - one.start_s));
      world_.observations.observe(here.response_time, static_cast<double>(one.end_s - one.submit_s), stream.of_class);
      tell_slowdown(here, stream, static_cast<double>(one.end_s - one.submit_s), job);
    }
    world_.tell(of_chain ? service->name : stream.name, here.element, "job done");
    if (!of_chain)
      hand_on(world_, stream.handed_on.done, static_cast<double>(one.submit_s - minutes.begin_s),
              {static_cast<double>(one.start_s - one.submit_s), static_cast<double>(one.end_s - one.submit_s),
               static_cast<double>(one.end_s - one.start_s), static_cast<double>(one.hosts)});
  }
  minutes.ended.clear();
}

void RunningBatch::minute(std::uint32_t pool) {
  const Pool& here = model_.pools[pool];
  const Stream& stream = model_.streams[here.streams[0]];
  Minutes& minutes = minutes_[pool];
  ServiceRun& run = *minutes.run;
  tell_minute(pool);
  const auto count = [&] {
    const MinuteCluster& cluster = run.cluster();
    double chain = 0.0, hosts = 0.0;
    for (const auto& one : cluster.running())
      if (one.number >= ServiceRun::of_the_chain) ++chain, hosts += one.hosts;
    const double running = static_cast<double>(cluster.running().size()),
                 waiting = static_cast<double>(cluster.waiting());
    world_.set(here.jobs, running + waiting), world_.set(here.waiting, waiting);
    const auto rejected = static_cast<double>(minutes.rejected);
    world_.set(here.rejected, rejected);
    world_.set(here.submitted, static_cast<double>(cluster.waits().size()) + waiting + rejected);
    world_.set(here.busy, cluster.busy_hosts()), world_.set(here.gpus, 1.0 * cluster.busy_hosts() * here.accelerators);
    world_.set(stream.gpus, (cluster.busy_hosts() - hosts) * here.accelerators);
    for (const auto& one : cluster.queue()) chain += one.number >= ServiceRun::of_the_chain ? 1.0 : 0.0;
    world_.set(stream.jobs, running + waiting - chain);
    world_.set(stream.submitted, static_cast<double>(cluster.waits().size()) + waiting - run.submitted() + rejected);
  };
  reject_too_wide(pool);
  const std::int64_t next_s = std::min(run.next_s(), next_too_wide_s(pool));
  const bool at_rest = run.at_rest() && minutes.rejected == minutes.too_wide.size();
  if (at_rest || next_s > run.cluster().now_s()) {
    count();
    tell_power(here);
    if (at_rest) return world_.timers.cancel(ask_timer(pool));
    run.pass_to(next_s);
    return world_.timers.schedule(ask_timer(pool), static_cast<double>(next_s - minutes.begin_s));
  }
  const std::size_t before = run.cluster().waits().size();
  const std::vector<std::uint32_t>& started = run.minute();
  for (std::size_t i = 0; i < started.size(); ++i) {
    if (started[i] >= ServiceRun::of_the_chain) continue;
    world_.observations.observe(here.wait, static_cast<double>(run.cluster().waits()[before + i]), stream.of_class);
    world_.tell(stream.name, here.element, "job starts");
  }
  const BatchModel::Service* service = model_.service_of(here);
  for (; service != nullptr && minutes.told < run.links().size(); ++minutes.told) {
    const ChainLink& link = run.links()[minutes.told];
    const auto x_s = static_cast<double>(link.interruption_s());
    world_.observations.observe(service->interruption, std::max(0.0, x_s), 0);
    world_.observations.observe(service->overlap, std::max(0.0, -x_s), 0);
    world_.observations.observe(service->wait, static_cast<double>(link.start_s - link.submit_s), 0);
    world_.tell(service->name, service->element, "job of the service starts");
  }
  minutes.ended = run.cluster().ended();
  // Who ended with this minute held his hosts until its end.
  count();
  double ended_hosts = 0.0;
  for (const auto& one : minutes.ended) ended_hosts += one.hosts;
  add(here.busy, ended_hosts), add(here.jobs, static_cast<double>(minutes.ended.size()));
  add(here.gpus, ended_hosts * here.accelerators);
  tell_power(here);
  for (const auto& one : minutes.ended)
    if (one.number < ServiceRun::of_the_chain)
      add(stream.jobs, 1.0), add(stream.gpus, 1.0 * one.hosts * here.accelerators);
  world_.timers.schedule(ask_timer(pool), static_cast<double>(run.cluster().now_s() - minutes.begin_s));
}

void RunningBatch::save(ByteWriter& into) const {
  into(begun_, next_, states_);
  for (const Minutes& one : minutes_) {
    if (!one.run) continue;
    into(one.begin_s, *one.run, one.ended, one.told, one.rejected);
  }
}

void RunningBatch::restore(ByteReader& from, std::uint64_t path) {
  from(begun_, next_);
  logs_ = false;
  from.fixed(states_);
  for (std::uint32_t p = 0; p < minutes_.size(); ++p) {
    if (!model_.on_its_trace(model_.pools[p])) continue;
    begin_minutes(p, 0);
    from(minutes_[p].begin_s, *minutes_[p].run, minutes_[p].ended, minutes_[p].told, minutes_[p].rejected);
    list_too_wide(p);
  }
  restart_draws(path);
}

void RunningBatch::waiting(std::vector<Waiting>& out) const {
  const auto& timers = world_.timers;
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s)
    if (timers.armed(first_ + s))
      out.push_back({timers.time_of(first_ + s), model_.streams[s].name, "job", model_.streams[s].element});
  for (std::uint32_t p = 0; p < model_.pools.size(); ++p) {
    const Pool& pool = model_.pools[p];
    states_[p].failing.waiting(pool.name, pool.element, out);
    for (const End& one : states_[p].ends)
      if (!stale(states_[p], one))
        out.push_back({one.at_s, model_.streams[states_[p].jobs[one.job].stream].name, "job ends", pool.element});
    if (timers.armed(ask_timer(p)))
      out.push_back(
          {timers.time_of(ask_timer(p)), pool.name, pool.by_minutes() ? "next minute" : "jobs start", pool.element});
  }
}

void RunningBatch::active(std::set<ElementId>& out) const {
  for (const Stream& one : model_.streams)
    if (world_.slots()[one.jobs] > 0.0) out.insert(one.element);
  for (const Pool& one : model_.pools)
    if (world_.slots()[one.jobs] > 0.0) out.insert(one.element);
}

}  // namespace ergode
