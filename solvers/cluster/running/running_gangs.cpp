#include "solvers/cluster/running/running_gangs.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/text.h"
#include "solvers/cluster/running/handed_over.h"
#include "solvers/cluster/running/next_arrival.h"

namespace ergode {

RunningGangs::RunningGangs(const GangModel& model, World& world, std::uint64_t seed, GangLog& log,
                           HistoryEnd& history_end)
    : model_(model),
      world_(world),
      hosts_fail_(std::any_of(model.clusters.begin(), model.clusters.end(),
                              [](const Cluster& one) { return one.failures.any(); })),
      first_(world.add_timers(
          static_cast<std::uint32_t>(model.streams.size() + (hosts_fail_ ? 3U : 2U) * model.clusters.size()))),
      draws_(model.streams.size()),
      next_(model.streams.size()),
      log_(log),
      end_(history_end) {
  for (const Stream& stream : model.streams)
    for (const char* purpose : {".gaps", ".sizes", ".gpus"})
      keys_.push_back(stream_key(seed, stream.element.text() + purpose));
  for (std::uint32_t c = 0; c < model.clusters.size(); ++c) {
    states_.emplace_back(model.clusters[c], seed);
    conditions_.add(c, model.clusters[c].failures);
  }
}

std::uint32_t RunningGangs::due_timer(std::uint32_t cluster) const {
  return first_ + static_cast<std::uint32_t>(model_.streams.size()) + cluster;
}
std::uint32_t RunningGangs::host_timer(std::uint32_t cluster) const {
  return due_timer(cluster) + static_cast<std::uint32_t>(model_.clusters.size());
}
std::uint32_t RunningGangs::decide_timer(std::uint32_t cluster) const {
  return due_timer(cluster) + (hosts_fail_ ? 2U : 1U) * static_cast<std::uint32_t>(model_.clusters.size());
}

void RunningGangs::restart_draws(std::uint64_t replication) {
  for (std::size_t s = 0; s < draws_.size(); ++s) {
    draws_[s].gaps.restart(keys_[3 * s], replication), draws_[s].sizes.restart(keys_[3 * s + 1], replication);
    draws_[s].gpus.restart(keys_[3 * s + 2], replication);
  }
  for (State& state : states_) state.hosts.restart_draws(replication);
}

void RunningGangs::start(std::uint64_t replication) {
  logs_ = replication == 0;
  if (logs_) end_.begin(this), log_.begin(this, model_);
  restart_draws(replication);
  std::fill(next_.begin(), next_.end(), std::size_t{0});
  for (State& state : states_) {
    state.scheduler.reset(0.0);
    state.hosts.start(replication);
    state.jobs.clear(), state.gaps.clear(), state.first_s = -1.0;
  }
  begun_ = false;
}

// Rates may read what charts do, and these enter their states after other parts start.
bool RunningGangs::settle() {
  if (begun_) return take_customers();
  begun_ = true;
  for (std::uint32_t c = 0; c < states_.size(); ++c) begin_hosts(c);
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s) await_job(s);
  return true;
}

bool RunningGangs::take_customers() {
  return take_customers_of(world_, model_.streams, handed_,
                           [this](std::uint32_t stream, const double* customer) { job_comes(stream, customer); });
}

void RunningGangs::await_job(std::uint32_t stream) {
  const Stream& one = model_.streams[stream];
  if (one.handed.any()) return;
  const std::uint32_t timer = first_ + stream;
  if (one.trace) {
    if (next_[stream] == one.trace->jobs.size()) return world_.timers.cancel(timer);
    return world_.timers.schedule(timer, std::max(world_.now(), one.trace->jobs[next_[stream]].arrival_s));
  }
  await_drawn_job(world_, timer, one, draws_[stream].gaps);
}

void RunningGangs::woken(std::uint32_t reader) {
  if (!begun_) return;
  // No memory: a changed rate is a fresh wait.
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s)
    if (model_.streams[s].reader == reader) await_job(s);
  conditions_.woken(reader, [&](std::uint32_t cluster, std::uint32_t host) {
    states_[cluster].hosts.ask_condition(host, world_.slots(), [&](std::uint32_t h) { host_changes(cluster, h); });
  });
}

void RunningGangs::fire(std::uint32_t timer) {
  ++world_.events;
  if (logs_) end_.reach(this, world_.now());
  const auto streams = static_cast<std::uint32_t>(model_.streams.size()),
             clusters = static_cast<std::uint32_t>(model_.clusters.size());
  if (timer < streams) return job_comes(timer);
  if (timer < streams + clusters) return pass(timer - streams);
  if (hosts_fail_ && timer < streams + 2 * clusters) {
    const std::uint32_t cluster = timer - streams - clusters;
    states_[cluster].hosts.pass(world_.now(), [&](std::uint32_t host) { host_changes(cluster, host); });
    return await_host(cluster);
  }
  decide(timer - streams - (hosts_fail_ ? 2U : 1U) * clusters);
}

GangJob RunningGangs::next_job(std::uint32_t stream, const double* customer) {
  const Stream& one = model_.streams[stream];
  if (one.trace) return one.trace->jobs[next_[stream]++];
  Draws& draws = draws_[stream];
  const auto brought = [&](std::size_t word, const char* what, auto draw) {
    const double* value = one.handed.of(customer, word);
    return value == nullptr ? draw() : checked_of_customer(*value, 0.0, what, one.element, one.name);
  };
  const double size_s = brought(0, "size", [&] { return one.size.sample(world_.slots(), draws.sizes); });
  // Whole GPUs: what is drawn is rounded up, and at least one.
  constexpr double most = 1e6;
  const double gpus =
      std::clamp(std::ceil(brought(1, "number of GPUs", [&] { return one.gpus.sample(draws.gpus); })), 1.0, most);
  return {.arrival_s = world_.now(),
          .work_s = size_s / one.speedup.speed(gpus),
          .gpus = static_cast<std::uint32_t>(gpus),
          .cpus = brought(2, "number of CPUs", [&] { return one.cpus; }),
          .memory = brought(3, "memory", [&] { return one.memory; })};
}

void RunningGangs::job_passes(std::uint32_t stream, const double* customer) {
  const Stream& one = model_.streams[stream];
  const GangJob job = next_job(stream, customer);
  add(one.submitted, 1.0);
  world_.tell(one.name, one.element, "job comes");
  await_job(stream);
  hand_on(world_, one.handed_on.done, customer != nullptr ? *customer : world_.now(),
          {0.0, 0.0, job.work_s, static_cast<double>(job.gpus)});
}

void RunningGangs::job_comes(std::uint32_t stream, const double* customer) {
  const Stream& one = model_.streams[stream];
  if (one.cluster == GangModel::none) return job_passes(stream, customer);
  const Cluster& cluster = model_.clusters[one.cluster];
  State& state = states_[one.cluster];
  if (state.jobs.size() - state.gaps.size() >= most_jobs)
    throw ModelFailure({.code = "RUN002",
                        .element = cluster.element,
                        .message = "There are " + std::to_string(most_jobs) + " jobs at \"" + cluster.name +
                                   "\" at one time; wanted fewer.",
                        .hint = "Its GPUs may be too few for all that comes."});
  const GangJob job = model_.seen(cluster, stream, next_job(stream, customer));
  add(one.submitted, 1.0), add(cluster.submitted, 1.0);
  world_.tell(one.name, one.element, "job comes");
  await_job(stream);
  const auto place = static_cast<std::size_t>(world_.slots()[one.submitted]) - 1;
  if (!state.scheduler.can_ever_fit(job)) {
    if (logs_) log_.job_comes(this, one.cluster, job, stream, place, 0, false, cluster.options.policy, world_.now());
    add(cluster.rejected, 1.0);
    hand_on(world_, one.handed_on.rejected, customer != nullptr ? *customer : world_.now(),
            {job.work_s, static_cast<double>(job.gpus)});
    return world_.tell(cluster.name, cluster.element, "job is rejected");
  }
  if (state.first_s < 0.0) state.first_s = world_.now();
  // Who is due at this moment goes first, so that numbers are free and shares are as they were until now.
  pass(one.cluster);
  std::uint32_t number = 0;
  if (state.gaps.empty()) number = static_cast<std::uint32_t>(state.jobs.size()), state.jobs.emplace_back();
  else number = state.gaps.back(), state.gaps.pop_back();
  state.jobs[number] = {
      job.arrival_s, job.work_s, world_.now(), 0.0, job.gpus, stream, customer != nullptr ? *customer : job.arrival_s};
  state.scheduler.submit(number, job, world_.now());
  if (logs_) log_.job_comes(this, one.cluster, job, stream, place, number, true, cluster.options.policy, world_.now());
  add(one.jobs, 1.0), add(cluster.jobs, 1.0);
  world_.timers.schedule(decide_timer(one.cluster), world_.now());
}

void RunningGangs::begin_hosts(std::uint32_t cluster) {
  State& state = states_[cluster];
  const std::uint32_t hosts = model_.clusters[cluster].hosts();
  world_.set(model_.clusters[cluster].up, hosts);
  state.hosts.begin(hosts, world_.now());
  state.hosts.ask_conditions(world_.slots(), [&](std::uint32_t host) { host_changes(cluster, host); });
  await_host(cluster);
  count(cluster);
}

// Who is due at this moment is done before his host goes.
void RunningGangs::host_changes(std::uint32_t cluster, std::uint32_t host) {
  const Cluster& here = model_.clusters[cluster];
  State& state = states_[cluster];
  const bool up = state.hosts.up(host);
  pass(cluster);
  events_.clear();
  if (up) state.scheduler.host_comes(host);
  else state.scheduler.host_fails(host, world_.now(), events_);
  add(here.up, up ? 1.0 : -1.0);
  if (!up) add(here.host_failures, 1.0);
  world_.tell(here.name, here.element, up ? "host is back" : "host fails");
  tell(cluster);
}

void RunningGangs::await_host(std::uint32_t cluster) {
  const double next_s = states_[cluster].hosts.next_s();
  if (next_s < GangOptions::unlimited) world_.timers.schedule(host_timer(cluster), next_s);
}

void RunningGangs::pass(std::uint32_t cluster) {
  State& state = states_[cluster];
  events_.clear();
  state.scheduler.pass(world_.now(), events_);
  tell(cluster);
  world_.timers.cancel(due_timer(cluster));
  world_.timers.schedule(decide_timer(cluster), world_.now());
}

void RunningGangs::decide(std::uint32_t cluster) {
  State& state = states_[cluster];
  events_.clear();
  state.scheduler.decide(world_.now(), events_);
  tell(cluster);
  count(cluster);
  world_.timers.cancel(decide_timer(cluster));
  const double next_s = state.scheduler.next_s();
  if (next_s < GangOptions::unlimited) world_.timers.schedule(due_timer(cluster), std::max(world_.now(), next_s));
  else world_.timers.cancel(due_timer(cluster));
}

void RunningGangs::tell(std::uint32_t cluster) {
  const Cluster& here = model_.clusters[cluster];
  State& state = states_[cluster];
  if (logs_ && !events_.empty()) log_.events(this, cluster, events_, state.scheduler, world_.now());
  for (const GangEvent& event : events_) {
    Job& job = state.jobs[event.job];
    const Stream& stream = model_.streams[job.stream];
    switch (event.what) {
      case GangEvent::What::starts:
        job.waited_s += world_.now() - job.since_s;
        add(stream.gpus_now, job.gpus);
        world_.tell(stream.name, here.element, "job starts");
        break;
      case GangEvent::What::stops:
        job.since_s = world_.now();
        add(stream.gpus_now, -static_cast<double>(job.gpus)), add(here.preemptions, 1.0);
        world_.tell(stream.name, here.element, "job is stopped");
        break;
      case GangEvent::What::ends:
        job_ends(cluster, event.job);
        break;
      case GangEvent::What::fails:
        job_loses_host(cluster, event.job);
        break;
    }
  }
}

void RunningGangs::job_loses_host(std::uint32_t cluster, std::uint32_t number) {
  const Cluster& here = model_.clusters[cluster];
  State& state = states_[cluster];
  Job& job = state.jobs[number];
  const Stream& stream = model_.streams[job.stream];
  const double lost_s = state.scheduler.lost_s(number) - job.lost_s;
  job.lost_s += lost_s, job.since_s = world_.now();
  add(stream.gpus_now, -static_cast<double>(job.gpus));
  add(here.restarts, 1.0), add(here.lost_work, job.gpus * lost_s);
  world_.tell(stream.name, here.element, "job loses a host");
}

void RunningGangs::job_ends(std::uint32_t cluster, std::uint32_t number) {
  const Cluster& here = model_.clusters[cluster];
  State& state = states_[cluster];
  const Job job = state.jobs[number];
  const Stream& stream = model_.streams[job.stream];
  state.gaps.push_back(number);
  const double response_s = world_.now() - job.arrival_s;
  if (here.options.policy != GangPolicy::equi) add(stream.gpus_now, -static_cast<double>(job.gpus));
  add(here.jobs, -1.0), add(stream.jobs, -1.0), add(here.done, 1.0);
  world_.set(here.makespan, world_.now() - state.first_s);
  if (stream.handed.any()) world_.observations.observe(stream.handed.time_in_system, world_.now() - job.born_s);
  world_.observations.observe(here.response_time, response_s, stream.of_class);
  world_.observations.observe(here.wait, job.waited_s, stream.of_class);
  if (job.work_s > 0.0) world_.observations.observe(here.slowdown, response_s / job.work_s, stream.of_class);
  world_.observations.observe(here.cost, state.scheduler.gpu_time_s(number) * here.price_per_s, stream.of_class);
  world_.observations.observe(here.job_lost_work, job.lost_s, stream.of_class);
  world_.observations.observe(here.job_restarts, state.scheduler.failures(number), stream.of_class);
  world_.tell(stream.name, here.element, "job done");
  hand_on(world_, stream.handed_on.done, job.born_s,
          {job.waited_s, response_s, job.work_s, static_cast<double>(job.gpus)});
}

void RunningGangs::count(std::uint32_t cluster) {
  const Cluster& here = model_.clusters[cluster];
  GangScheduler& scheduler = states_[cluster].scheduler;
  const double busy = scheduler.busy_gpus();
  world_.set(here.waiting, static_cast<double>(scheduler.waiting()));
  world_.set(here.gpus, busy), world_.set(here.free, scheduler.free_gpus());
  world_.set(here.stranded, scheduler.stranded_gpus());
  world_.set(here.power, here.power_w(busy, scheduler.away_gpus()));
  if (logs_) log_.see(this, cluster, here, scheduler, world_.now());
  if (here.options.policy != GangPolicy::equi) return;
  const double share = scheduler.present() > 0 ? busy / static_cast<double>(scheduler.present()) : 0.0;
  for (const std::uint32_t s : here.streams)
    world_.set(model_.streams[s].gpus_now, share * world_.slots()[model_.streams[s].jobs]);
}

void RunningGangs::save(ByteWriter& into) const { into(begun_, next_, states_); }

void RunningGangs::restore(ByteReader& from, std::uint64_t path) {
  from(begun_, next_);
  logs_ = false;
  from.fixed(states_);
  for (State& state : states_) state.scheduler.rebuild();
  restart_draws(path);
}

void RunningGangs::waiting(std::vector<Waiting>& out) const {
  const auto& timers = world_.timers;
  for (std::uint32_t s = 0; s < model_.streams.size(); ++s)
    if (timers.armed(first_ + s))
      out.push_back({timers.time_of(first_ + s), model_.streams[s].name, "job", model_.streams[s].element});
  for (std::uint32_t c = 0; c < model_.clusters.size(); ++c) {
    states_[c].hosts.waiting(model_.clusters[c].name, model_.clusters[c].element, out);
    for (const auto& [timer, what] : {std::pair(due_timer(c), "job ends"), {decide_timer(c), "jobs start"}})
      if (timers.armed(timer))
        out.push_back({timers.time_of(timer), model_.clusters[c].name, what, model_.clusters[c].element});
  }
}

void RunningGangs::active(std::set<ElementId>& out) const {
  for (const Stream& one : model_.streams)
    if (world_.slots()[one.jobs] > 0.0) out.insert(one.element);
  for (const Cluster& one : model_.clusters)
    if (world_.slots()[one.jobs] > 0.0) out.insert(one.element);
}

}  // namespace ergode
