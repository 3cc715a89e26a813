// Jobs that come to round schedulers: when, how much work they are, and who is not let in.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "solvers/cluster/running/handed_over.h"
#include "solvers/cluster/running/live_rounds.h"
#include "solvers/cluster/running/next_arrival.h"

namespace ergode {
namespace {

constexpr double steps_of_second = 1e6;  ///< of work on one GPU, where a job trains no model

/// Plans tell what is left of a job by its epochs, whose durations are whole seconds: one that trains no model has some
/// of about a round, so that what is left is known to about a round.
std::int64_t epochs_of_plan(double work_s, double round_s) {
  constexpr double least_s = 20.0, most = 10'000.0;
  return static_cast<std::int64_t>(std::clamp(std::floor(work_s / std::max(round_s, least_s)), 1.0, most));
}

[[noreturn]] void refuse_job(const RoundModel::Stream& one, const char* pointer, const std::string& message) {
  throw ModelFailure({.code = "RUN002", .element = one.element, .pointer = pointer, .message = message});
}

}  // namespace

void LiveRounds::await_job(std::uint32_t stream) {
  const Stream& one = model_.streams[stream];
  if (one.handed.any()) return;
  const std::uint32_t timer = first_ + stream;
  if (!one.trace) return await_drawn_job(world_, timer, one, draws_[stream].gaps);
  if (next_[stream] == one.trace->jobs.size()) return world_.timers.cancel(timer);
  world_.timers.schedule(timer, std::max(world_.now(), one.trace->jobs[next_[stream]].arrival_s));
}

void LiveRounds::await_traced(std::uint32_t scheduler) {
  const auto& trace = model_.schedulers[scheduler].workload;
  const std::uint32_t timer = trace_timer(scheduler);
  if (!trace || next_traced_[scheduler] == trace->jobs.size()) return world_.timers.cancel(timer);
  world_.timers.schedule(timer, std::max(world_.now(), trace->jobs[next_traced_[scheduler]].arrival_s));
}

RoundJob LiveRounds::drawn_job(const Stream& one, Draws& draws, const double* customer) const {
  const auto brought = [&](std::size_t word, const char* what, auto draw) {
    const double* value = one.handed.of(customer, word);
    return value == nullptr ? draw() : checked_of_customer(*value, 0.0, what, one.element, one.name);
  };
  RoundJob out{.model = one.training, .batch_size = one.batch_size, .mode = one.mode, .arrival_s = world_.now()};
  // Whole GPUs: what is drawn is rounded up, and at least one.
  constexpr double most_gpus = 1e6;
  out.gpus = static_cast<int>(
      std::clamp(std::ceil(brought(1, "number of GPUs", [&] { return one.gpus.sample(draws.gpus); })), 1.0, most_gpus));
  const Throughputs& speeds = *model_.schedulers[one.scheduler].speeds;
  double steps = 0.0;
  if (one.training.empty()) {
    out.mode = BatchMode::fixed;
    steps = steps_of_second * brought(0, "size", [&] { return one.size.sample(world_.slots(), draws.sizes); });
    out.steps_per_s = steps_of_second * one.speedup.speed(out.gpus);
  } else if (one.epochs) {
    const double epochs = brought(2, "number of epochs", [&] { return one.epochs->sample(draws.sizes); });
    steps = std::ceil(epochs * static_cast<double>(steps_of_epoch(training_model(one.training), one.batch_size)));
  } else {
    steps = brought(0, "size", [&] { return one.size.sample(world_.slots(), draws.sizes); }) *
            speeds.of(one.training, one.batch_size, 1).value_or(1.0);
  }
  constexpr double most_steps = 9e15;  // whole numbers are exact up to there
  if (steps > most_steps)
    refuse_job(one, one.epochs ? "epochs" : "size",
               "A job of \"" + one.name + "\" has " + number_text(steps, 6) + " steps" +
                   (one.training.empty() ? " of a microsecond" : "") + "; wanted at most " + number_text(most_steps) +
                   ".");
  out.total_steps = std::max<std::int64_t>(1, std::llround(steps));
  if (out.steps_per_s > 0.0 && model_.schedulers[one.scheduler].planned())
    out.epochs = epochs_of_plan(static_cast<double>(out.total_steps) / out.steps_per_s,
                                model_.schedulers[one.scheduler].options.round_s);
  return out;
}

RoundJob LiveRounds::next_job(std::uint32_t stream, const double* customer) {
  const Stream& one = model_.streams[stream];
  if (one.trace) return one.trace->jobs[next_[stream]++];
  RoundJob out = drawn_job(one, draws_[stream], customer);
  const Scheduler& here = model_.schedulers[one.scheduler];
  if (out.gpus > here.options.gpus) return out;
  for (const std::string& problem : problems_of(out, "A job of \"" + one.name + "\"", *here.speeds, here.options))
    refuse_job(one, "training", problem);
  return out;
}

void LiveRounds::job_comes(std::uint32_t stream, const double* customer) {
  const Stream& one = model_.streams[stream];
  const std::uint32_t place =
      one.trace ? one.trace->numbers[next_[stream]] : static_cast<std::uint32_t>(world_.slots()[one.submitted]);
  RoundJob job = next_job(stream, customer);
  add(one.submitted, 1.0);
  world_.tell(one.name, one.element, "job comes");
  await_job(stream);
  comes(one.scheduler, stream, std::move(job), place, customer != nullptr ? *customer : world_.now());
}

void LiveRounds::traced_job_comes(std::uint32_t scheduler) {
  const Scheduler& here = model_.schedulers[scheduler];
  const std::size_t place = next_traced_[scheduler]++;
  world_.tell(here.name, here.element, "job comes");
  await_traced(scheduler);
  comes(scheduler, RoundModel::none, here.workload->jobs[place], here.workload->numbers[place], world_.now());
}

void LiveRounds::comes(std::uint32_t scheduler, std::uint32_t stream, RoundJob job, std::uint32_t place,
                       double born_s) {
  const Scheduler& here = model_.schedulers[scheduler];
  State& state = *states_[scheduler];
  const Stream* const from = stream == RoundModel::none ? nullptr : &model_.streams[stream];
  const std::uint32_t number = state.came++;
  const bool rejected = job.gpus > here.options.gpus;
  const JobProfile profile = rejected && !from->training.empty() ? JobProfile{} : profile_of(job, *here.speeds);
  add(here.submitted, 1.0);
  if (logs_)
    log_.write(this, scheduler, [&](RoundRecord& record) {
      const bool several = here.streams.size() + (here.workload ? 1 : 0) > 1;
      const bool plain = job.steps_per_s > 0.0;
      const std::string whose = from != nullptr ? from->name : here.name;
      record.job_comes(number, {.name = several ? whose + "/" + std::to_string(place) : std::string(),
                                .number = place,
                                .stream = stream,
                                .job = job,
                                .trains = plain ? from->name : job.model,
                                .counts_steps = !plain,
                                .epochs = profile.batch.size(),
                                .exclusive_s = profile.exclusive_s,
                                .batches = profile.schedule(),
                                .rejected = rejected});
    });
  if (rejected) {
    add(here.rejected, 1.0);
    hand_on(world_, from->handed_on.rejected, born_s, {profile.exclusive_s, static_cast<double>(job.gpus)});
    return world_.tell(here.name, here.element, "job is rejected");
  }
  if (state.jobs.size() >= most_jobs)
    throw ModelFailure({.code = "RUN002",
                        .element = here.element,
                        .message = "There are " + std::to_string(most_jobs) + " jobs at \"" + here.name +
                                   "\" at one time; wanted fewer.",
                        .hint = "Its GPUs may be too few for all that comes."});
  if (state.first_s < 0.0) {
    state.first_s = world_.now();
    if (logs_) log_.write(this, scheduler, [&](RoundRecord& record) { record.first_s = world_.now(); });
  }
  count_present(state, scheduler);
  add(here.jobs, 1.0);
  if (from != nullptr) add(from->jobs, 1.0);
  state.jobs[number] = {.job = std::move(job),
                        .exclusive_s = profile.exclusive_s,
                        .born_s = born_s,
                        .present_s = state.present_s,
                        .stream = stream};
  state.pending.push_back(number);
  if (!state.in_round) world_.timers.schedule(round_timer(scheduler), world_.now());
}

}  // namespace ergode
