// GPUs of jobs that have fixed widths, by how they are rented: who gets which, what is paid, and what spot ones come
// to.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/base/text.h"
#include "solvers/cluster/running/running_rentals.h"

namespace ergode {

using Tariff = RentalModel::Tariff;
using HoldStage = GpuHold::Stage;

double RunningRentals::hazard(const Rental& rental, const Job& job) const {
  const double rate = rental.interruptions.rate.evaluate(world_.slots());
  if (!(rate >= 0.0 && rate <= std::numeric_limits<double>::max()))
    throw ModelFailure({.code = "RUN002",
                        .element = rental.element,
                        .pointer = "interruption_rate",
                        .message = "The rate of interruptions at \"" + rental.name + "\" is " +
                                   number_text(rate * 3600.0, 6) + " /h; wanted a finite rate >= 0."});
  return rate * (rental.interruptions.per_gpu ? job.hold.beyond : 1.0);
}

// With on demand beyond, whose GPUs are reserved is a matter of the bill; what a job got tells how long they start up.
double RunningRentals::take_gpus(std::uint32_t rental, Job& job) {
  const Rental& here = model_.rentals[rental];
  State& state = states_[rental];
  const double now_s = world_.now();
  const double in_use = here.spot() ? state.reserved : state.reserved + state.beyond;
  const double free = here.reserves() ? std::max(0.0, here.reserved - in_use) : 0.0;
  GpuHold& hold = job.hold;
  hold = {.reserved = std::min(job.width, free),
          .beyond = 0.0,
          .since_s = now_s,
          .blended = state.price.until(now_s),
          .used_s = now_s};
  hold.beyond = job.width - hold.reserved;
  constexpr double last_digits = 1e-9;
  if (hold.beyond < last_digits * job.width) hold.reserved = job.width, hold.beyond = 0.0;
  state.reserved += hold.reserved, state.beyond += hold.beyond;
  ++state.holders, ++holders_[job.stream];
  job.progress.gpus = job.width;
  if (logs_) job_log_.job_takes(this, rental, job.row, now_s, job.width);
  const auto& rules = here.interruptions;
  if (here.spot() && hold.beyond > 0.0) {
    hold.stage = HoldStage::held;
    RandomStream& draw = draws_[job.stream].interruptions;
    if (rules.has_rate) {
      hold.threshold = draw.exponential();
      hold.follow(now_s, hazard(here, job));
    } else if (!rules.per_gpu || rules.after.family() == Distribution::Family::deterministic) {
      hold.at_s = now_s + rules.after.sample(draw);
    } else {
      // The earliest of so many: each is there yet with probability u^(1/n).
      hold.at_s = now_s + rules.after.quantile(-std::expm1(std::log(draw.uniform()) / hold.beyond));
    }
  }
  const double reserved_s = hold.reserved > 0.0 ? here.of(Tariff::reserved).start_up_s : 0.0,
               beyond_s = hold.beyond > 0.0 ? here.of(here.beyond()).start_up_s : 0.0;
  return std::max(reserved_s, beyond_s);
}

void RunningRentals::give_gpus_back(std::uint32_t rental, Job& job) {
  State& state = states_[rental];
  GpuHold& hold = job.hold;
  job.paid += cost_of(rental, hold, world_.now());
  if (logs_) job_log_.job_gives(this, rental, job.row, world_.now());
  --state.holders, --holders_[job.stream];
  state.reserved -= hold.reserved, state.beyond -= hold.beyond;
  if (state.holders == 0) state.reserved = state.beyond = 0.0;
  hold = {};
}

double RunningRentals::cost_of(std::uint32_t rental, const GpuHold& hold, double now_s) const {
  const Rental& here = model_.rentals[rental];
  if (here.blends()) return hold.gpus() * (states_[rental].price.until(now_s) - hold.blended);
  return (now_s - hold.since_s) *
         hold.price_per_s(here.of(Tariff::reserved).price_per_s, here.of(here.beyond()).price_per_s);
}

// Where nobody has any there is nothing, and no last_digits.
void RunningRentals::count_gpus(std::uint32_t rental, std::uint32_t stream, double more) {
  const Stream& of = model_.streams[stream];
  const double* const slots = world_.slots();
  world_.set(of.gpus, holders_[stream] > 0 ? slots[of.gpus] + more : 0.0);
  double all = 0.0;
  for (const std::uint32_t s : model_.rentals[rental].streams) all += slots[model_.streams[s].gpus];
  world_.set(model_.rentals[rental].gpus, all);
  note_spend(rental, all);
}

void RunningRentals::note_spend(std::uint32_t rental, double in_use) {
  const Rental& here = model_.rentals[rental];
  State& state = states_[rental];
  double gpus[3] = {0.0, 0.0, 0.0};
  double& reserved = gpus[static_cast<std::size_t>(Tariff::reserved)];
  double& beyond = gpus[static_cast<std::size_t>(here.beyond())];
  if (!here.reserves()) beyond = here.shares() ? here.cluster() : in_use;
  else if (here.spot()) reserved = std::max(0.0, state.reserved), beyond = std::max(0.0, state.beyond);
  else reserved = std::min(in_use, here.reserved), beyond = in_use - reserved;
  const double reserved_per_s = here.of(Tariff::reserved).price_per_s;
  const double spend = here.reserved * reserved_per_s + beyond * here.price_per_s();
  if (here.blends())
    state.price.follow(world_.now(),
                       in_use > 0.0 ? (reserved * reserved_per_s + beyond * here.price_per_s()) / in_use : 0.0);
  for (std::size_t tariff = 0; tariff < 3; ++tariff) world_.set(here.by_tariff[tariff], gpus[tariff]);
  world_.set(here.spend, spend);
  const double idle = std::max(0.0, here.reserves() ? here.reserved - reserved : beyond - in_use);
  const double power_w = in_use * here.busy_w + idle * here.idle_w;
  world_.set(here.power, power_w);
  if (logs_) log_.note(this, rental, world_.now(), gpus, idle, spend, power_w);
}

void RunningRentals::hold_changes(std::uint32_t rental, Job& job) {
  const Rental& here = model_.rentals[rental];
  GpuHold& hold = job.hold;
  const double notice_s = here.interruptions.notice_s;
  if (hold.stage == HoldStage::held && notice_s > 0.0) {
    world_.tell(here.name, here.element, "spot GPUs of a job are called back");
    hold.warn(world_.now(), notice_s, here.saves_in_time() ? here.last_checkpoint_s : GpuHold::never);
    return;
  }
  if (hold.stage == HoldStage::warned && here.saves_in_time()) {
    hold.stage = HoldStage::saving, hold.at_s = hold.taken_s;
    return job.progress.save_for_the_last_time();
  }
  gpus_are_taken(rental, job);
}

void RunningRentals::gpus_are_taken(std::uint32_t rental, Job& job) {
  const Rental& here = model_.rentals[rental];
  if (job.hold.stage == HoldStage::saving) job.progress.saved_s = job.progress.left_s;
  const double lost_s = job.progress.lose_gpus(here.interruptions.wait.sample(draws_[job.stream].waits));
  job.lost_s += lost_s, ++job.interruptions;
  give_gpus_back(rental, job);
  add(here.interrupted_jobs, 1.0), add(here.waiting, 1.0), add(here.lost, lost_s);
  count_gpus(rental, job.stream, -job.width);
  world_.tell(here.name, here.element, "spot GPUs of a job are taken");
}

// The hazard up to now was the old one.
void RunningRentals::follow_rate(std::uint32_t rental) {
  const Rental& here = model_.rentals[rental];
  State& state = states_[rental];
  for (Due& due : state.due) {
    Job& job = state.jobs[due.job];
    if (job.hold.stage != HoldStage::held) continue;
    job.progress.pass(world_.now(), rules_[rental]);
    job.hold.follow(world_.now(), hazard(here, job));
    due.at_s = next_s(rental, job);
  }
  std::make_heap(state.due.begin(), state.due.end(), std::greater<>());
  await_event(rental);
}

}  // namespace ergode
