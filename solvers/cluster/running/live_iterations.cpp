// Schedulers of iterations to which drawn jobs come, or whose hosts fail.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "solvers/cluster/running/handed_over.h"
#include "solvers/cluster/running/next_arrival.h"
#include "solvers/cluster/running/running_iterations.h"

namespace ergode {

void RunningIterations::restart_draws(std::uint64_t replication) {
  for (std::size_t s = 0; s < draws_.size(); ++s) {
    RandomStream* const all[] = {&draws_[s].gaps, &draws_[s].sizes, &draws_[s].gpus, &draws_[s].iterations};
    for (std::size_t i = 0; i < std::size(all); ++i) all[i]->restart(keys_[std::size(all) * s + i], replication);
  }
  for (Live& live : live_) live.hosts.restart_draws(replication);
}

void RunningIterations::await_job(std::uint32_t stream) {
  const Stream& one = part_.model.streams[stream];
  if (one.handed.any()) return;
  const std::uint32_t timer = first_ + stream;
  if (!one.trace) return await_drawn_job(world_, timer, one, draws_[stream].gaps);
  if (in_trace_[stream] == one.trace->jobs.size()) return world_.timers.cancel(timer);
  world_.timers.schedule(timer, std::max(world_.now(), one.trace->jobs[in_trace_[stream]].arrival_s));
}

IterationJob RunningIterations::next_job(std::uint32_t stream, const double* customer) {
  const Stream& one = part_.model.streams[stream];
  if (one.trace) return one.trace->jobs[in_trace_[stream]++];
  const Scheduler& at = part_.model.schedulers[one.scheduler];
  Draws& draws = draws_[stream];
  const auto brought = [&](std::size_t word, const char* what, auto draw) {
    const double* value = one.handed.of(customer, word);
    return value == nullptr ? draw() : checked_of_customer(*value, 0.0, what, one.element, one.name);
  };
  const double size_s = brought(0, "size", [&] { return one.size.sample(world_.slots(), draws.sizes); });
  // Whole GPUs and iterations: what is drawn is rounded up, and at least one.
  constexpr double most = 1e6, most_of_job = 1e9;
  const double gpus =
      std::clamp(std::ceil(brought(1, "number of GPUs", [&] { return one.gpus.sample(draws.gpus); })), 1.0, most);
  const double iterations = std::max(
      1.0, std::ceil(brought(2, "number of iterations", [&] { return one.iterations.sample(draws.iterations); })));
  if (iterations > most_of_job)
    throw ModelFailure({.code = "RUN002",
                        .element = one.element,
                        .pointer = "iterations",
                        .message = "A job of \"" + one.name + "\" has " + number_text(iterations, 6) +
                                   " iterations; wanted at most 1e9."});
  IterationJob out{.arrival_s = world_.now(),
                   .iterations = static_cast<std::uint64_t>(iterations),
                   .workers = static_cast<std::uint32_t>(gpus)};
  out.costs = at.costs;
  const double iteration_s = std::max(IterationModel::least_iteration_s, size_s / one.speedup.speed(gpus) / iterations);
  out.costs.forward_s = iteration_s / (1.0 + at.backward_per_forward);
  out.costs.backward_s = iteration_s - out.costs.forward_s;
  if (at.phi.size() == out.workers) out.phi = at.phi;
  return out;
}

void RunningIterations::job_comes(std::uint32_t stream, const double* customer) {
  const Stream& one = part_.model.streams[stream];
  const Scheduler& at = part_.model.schedulers[one.scheduler];
  Live& live = live_[one.scheduler];
  if (live.jobs.size() - live.gaps.size() >= most_jobs)
    throw ModelFailure({.code = "RUN002",
                        .element = at.element,
                        .message = "There are " + std::to_string(most_jobs) + " jobs at \"" + at.name +
                                   "\" or in its baseline at one time; wanted fewer.",
                        .hint = "Its GPUs may be too few for all that comes."});
  const IterationJob job = next_job(stream, customer);
  const double born_s = customer != nullptr ? *customer : world_.now();
  add(one.submitted, 1.0), add(at.submitted, 1.0);
  world_.tell(one.name, one.element, "job comes");
  await_job(stream);
  const bool fits = job.workers <= at.options.gpus;
  const std::uint64_t number_of_stream = one.submitted == IterationModel::none
                                             ? in_trace_[stream] - 1
                                             : static_cast<std::uint64_t>(world_.slots()[one.submitted]) - 1;
  std::uint32_t row = IterationLog::no_row;
  if (logs_)
    row = part_.log().add(this, one.scheduler, job, {.stream = stream, .number = number_of_stream, .rejected = !fits});
  if (!fits) {
    add(at.rejected, 1.0);
    hand_on(world_, one.handed_on.rejected, born_s,
            {static_cast<double>(job.iterations) * (job.costs.forward_s + job.costs.backward_s),
             static_cast<double>(job.workers)});
    return world_.tell(at.name, at.element, "job is rejected");
  }
  if (live.first_s < 0.0) live.first_s = world_.now();
  // Who is due at this moment goes first, so that numbers are free.
  pass(one.scheduler);
  std::uint32_t number = 0;
  if (live.gaps.empty()) number = static_cast<std::uint32_t>(live.jobs.size()), live.jobs.emplace_back();
  else number = live.gaps.back(), live.gaps.pop_back();
  live.jobs[number] = {
      .arrival_s = world_.now(), .born_s = born_s, .stream = stream, .workers = job.workers, .row = row};
  live.run.submit(number, job, row, world_.now());
  live.baseline.submit(number, job, row, world_.now());
  add(one.jobs, 1.0), add(at.jobs, 1.0);
  world_.timers.schedule(decide_timer(one.scheduler), world_.now());
}

void RunningIterations::begin_hosts(std::uint32_t scheduler) {
  const Scheduler& one = part_.model.schedulers[scheduler];
  world_.set(one.up, one.hosts());
  Live& live = live_[scheduler];
  live.hosts.begin(one.hosts(), world_.now());
  live.hosts.ask_conditions(world_.slots(), [&](std::uint32_t host) { host_changes(scheduler, host); });
  await_host(scheduler);
}

// Iterations that end at this moment have ended before a host goes.
void RunningIterations::host_changes(std::uint32_t scheduler, std::uint32_t host) {
  const Scheduler& one = part_.model.schedulers[scheduler];
  Live& live = live_[scheduler];
  pass(scheduler);
  const bool up = live.hosts.up(host);
  const std::uint32_t first = host * one.gpus_per_host, count = one.gpus_of(host);
  for (const bool baseline : {false, true}) {
    IterationStepper& stepper = baseline ? live.baseline : live.run;
    events_.clear();
    if (up) stepper.gpus_come(first, count, world_.now());
    else stepper.gpus_go(first, count, world_.now(), events_);
    tell(scheduler, baseline);
  }
  add(one.up, up ? 1.0 : -1.0);
  if (!up) add(one.host_failures, 1.0);
  world_.tell(one.name, one.element, up ? "host is back" : "host fails");
  world_.timers.schedule(decide_timer(scheduler), world_.now());
}

void RunningIterations::await_host(std::uint32_t scheduler) {
  const double next_s = live_[scheduler].hosts.next_s();
  if (next_s < IterationStepper::never) world_.timers.schedule(host_timer(scheduler), next_s);
}

void RunningIterations::pass(std::uint32_t scheduler) {
  Live& live = live_[scheduler];
  for (const bool baseline : {false, true}) {
    events_.clear();
    (baseline ? live.baseline : live.run).pass(world_.now(), events_);
    tell(scheduler, baseline);
  }
  world_.timers.cancel(due_timer(scheduler));
  world_.timers.schedule(decide_timer(scheduler), world_.now());
}

void RunningIterations::decide(std::uint32_t scheduler) {
  Live& live = live_[scheduler];
  live.run.decide(world_.now()), live.baseline.decide(world_.now());
  for (const std::uint32_t s : part_.model.schedulers[scheduler].streams) count_gpus(s, live);
  world_.timers.cancel(decide_timer(scheduler));
  const double next_s = std::min(live.run.next_s(), live.baseline.next_s());
  if (next_s < IterationStepper::never) world_.timers.schedule(due_timer(scheduler), std::max(world_.now(), next_s));
  else world_.timers.cancel(due_timer(scheduler));
}

void RunningIterations::count_gpus(std::uint32_t stream, const Live& live) {
  const std::uint32_t slot = part_.model.streams[stream].gpus_now;
  if (slot == IterationModel::none || !world_.cared_for(slot)) return;
  double gpus = 0.0;
  for (std::uint32_t number = 0; number < live.jobs.size(); ++number)
    if (live.jobs[number].runs && live.jobs[number].stream == stream) gpus += live.run.gpus_of(number);
  world_.set(slot, gpus);
}

void RunningIterations::tell(std::uint32_t scheduler, bool baseline) {
  const Scheduler& one = part_.model.schedulers[scheduler];
  Live& live = live_[scheduler];
  for (const IterationEvent& event : events_) {
    if (event.what == IterationEvent::What::ends) {
      baseline ? baseline_job_ends(scheduler, event.job) : job_ends(scheduler, event.job);
      continue;
    }
    if (baseline) continue;
    Job& job = live.jobs[event.job];
    job.lost_s += event.lost_s, ++job.restarts;
    add(one.restarts, 1.0), add(one.lost_work, job.workers * event.lost_s);
    world_.tell(part_.model.streams[job.stream].name, one.element, "job loses a host");
  }
}

void RunningIterations::job_ends(std::uint32_t scheduler, std::uint32_t number) {
  const Scheduler& one = part_.model.schedulers[scheduler];
  Live& live = live_[scheduler];
  const Job job = live.jobs[number];
  const Stream& stream = part_.model.streams[job.stream];
  const IterationOutcome had = live.run.outcome(number, world_.now());
  const double response_s = world_.now() - job.arrival_s;
  live.sum_s += response_s;
  add(one.jobs, -1.0), add(stream.jobs, -1.0), add(one.done, 1.0);
  const double since_s = world_.now() - live.first_s;
  world_.set(one.makespan, since_s), world_.set(one.mean_response_time, live.sum_s / world_.slots()[one.done]);
  if (since_s > 0.0) world_.set(one.busy, live.run.gpu_s(world_.now()) / (since_s * one.options.gpus));
  world_.set(one.network_bytes, live.run.bytes()), world_.set(one.peak_memory, live.run.peak_memory_bytes());
  if (stream.handed.any()) world_.observations.observe(stream.handed.time_in_system, world_.now() - job.born_s);
  world_.observations.observe(one.response_time, response_s, stream.of_class);
  world_.observations.observe(one.cost, had.gpu_s * one.price_per_s, stream.of_class);
  world_.observations.observe(one.job_lost_work, job.lost_s, stream.of_class);
  world_.observations.observe(one.job_restarts, job.restarts, stream.of_class);
  world_.tell(stream.name, one.element, "job ends");
  hand_on(world_, stream.handed_on.done, job.born_s, {response_s, static_cast<double>(job.workers)});
  if (logs_)
    part_.log().change(this, scheduler, job.row, [&](IterationRecord& record) {
      record.run.jobs[job.row] = had;
      record.from[job.row].lost_s = job.lost_s, record.from[job.row].restarts = job.restarts;
    });
  live.jobs[number].runs = false;
  free_number(live, number);
}

void RunningIterations::baseline_job_ends(std::uint32_t scheduler, std::uint32_t number) {
  const Scheduler& one = part_.model.schedulers[scheduler];
  Live& live = live_[scheduler];
  const Job job = live.jobs[number];
  const double response_s = world_.now() - job.arrival_s, since_s = world_.now() - live.first_s;
  live.baseline_sum_s += response_s, live.baseline_done += 1.0;
  world_.set(one.baseline_makespan, since_s);
  world_.set(one.baseline_response_time, live.baseline_sum_s / live.baseline_done);
  if (since_s > 0.0) world_.set(one.baseline_busy, live.baseline.gpu_s(world_.now()) / (since_s * one.options.gpus));
  world_.observations.observe(one.baseline_times, response_s, part_.model.streams[job.stream].of_class);
  if (logs_)
    part_.log().change(this, scheduler, job.row, [&](IterationRecord& record) {
      record.baseline.jobs[job.row] = live.baseline.outcome(number, world_.now());
    });
  live.jobs[number].runs_in_baseline = false;
  free_number(live, number);
}

// Both have it under one number.
void RunningIterations::free_number(Live& live, std::uint32_t number) {
  if (!live.jobs[number].runs && !live.jobs[number].runs_in_baseline) live.gaps.push_back(number);
}

void RunningIterations::log_end(std::uint32_t scheduler, double end_s) {
  const Scheduler& one = part_.model.schedulers[scheduler];
  Live& live = live_[scheduler];
  part_.log().change(this, scheduler, 0, [&](IterationRecord& record) {
    for (std::uint32_t number = 0; number < live.jobs.size(); ++number) {
      const Job& job = live.jobs[number];
      if (job.row == IterationLog::no_row) continue;
      if (job.runs) {
        record.run.jobs[job.row] = live.run.outcome(number, end_s);
        record.from[job.row].lost_s = job.lost_s, record.from[job.row].restarts = job.restarts;
      }
      if (job.runs_in_baseline) record.baseline.jobs[job.row] = live.baseline.outcome(number, end_s);
    }
    const auto whole = [&](IterationRun& run, IterationStepper& stepper, std::uint32_t makespan, std::uint32_t mean,
                           std::uint32_t busy) {
      const double* const slots = world_.slots();
      run.makespan_s = slots[makespan], run.mean_jct_s = slots[mean], run.busy = slots[busy];
      run.bytes = stepper.bytes(), run.peak_memory_bytes = stepper.peak_memory_bytes();
      run.iterations = stepper.iterations(), run.spans = stepper.spans();
    };
    whole(record.run, live.run, one.makespan, one.mean_response_time, one.busy);
    whole(record.baseline, live.baseline, one.baseline_makespan, one.baseline_response_time, one.baseline_busy);
  });
}

}  // namespace ergode
