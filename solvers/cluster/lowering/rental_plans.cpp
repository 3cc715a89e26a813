// What the budget of a rental buys: widths, or a cluster.
#include <cmath>
#include <span>

#include "core/base/text.h"
#include "solvers/cluster/budget/interrupted_widths.h"
#include "solvers/cluster/budget/interruptions.h"
#include "solvers/cluster/budget/money_budget.h"
#include "solvers/cluster/lowering/rental_lowering_steps.h"
#include "solvers/cluster/lowering/rental_words.h"
#include "solvers/cluster/model/job_loads.h"

namespace ergode {
namespace {

using JobStream = RentalModel::Stream;
using Rental = RentalModel::Rental;

/// What a job of a type comes to where all its GPUs are rented beyond what is reserved.
/// @param failures  rate at which it fails besides
/// @param sizes  likely ones of its type
InterruptedMeans interrupted_job(const RentalModel& net, const Rental& rental, std::size_t type,
                                 std::span<const double> sizes, double gpus, double failures = 0.0) {
  const JobStream& stream = net.streams[rental.streams[type]];
  InterruptionRules rules{.start_up = rental.of(rental.beyond()).start_up_s,
                          .restart = rental.restart_s,
                          .checkpoint_period = rental.checkpoint_period_s,
                          .checkpoint_cost = rental.checkpoint_cost_s,
                          .notice = rental.interruptions.notice_s};
  if (rental.spot()) {
    const auto& taken = rental.interruptions;
    rules.rate = taken.has_rate ? (taken.rate.is_constant() ? taken.rate.value() : 0.0) : 1.0 / taken.after.mean();
    if (taken.per_gpu) rules.rate *= gpus;
    rules.wait = taken.wait.mean();
  }
  if (failures > 0.0) {
    rules.wait *= rules.rate / (rules.rate + failures);
    rules.rate += failures, rules.notice = 0.0;
  }
  // A checkpoint in time takes as long as any, where others are none.
  if (rules.notice > 0.0 && rental.saves_in_time()) rules.checkpoint_cost = rental.last_checkpoint_s;
  InterruptedMeans out = interrupted_means(sizes, stream.speedup.speed(gpus), rules);
  out.time += stream.start_up_s, out.held += stream.start_up_s;
  return out;
}

std::variant<WidthPlan, std::string> widths_for(const std::vector<JobType>& types, const Rental& rental,
                                                double budget) {
  return rental.policy == RentalModel::Policy::optimal ? optimal_widths(types, budget, rental.whole)
                                                       : equal_widths(types, budget, rental.whole);
}

}  // namespace

// Found once, where it is needed first: money buys what a plan is made for.
bool RentalLowering::rates_are_known(Lowering& model, const Rental& rental) {
  for (const std::uint32_t s : rental.streams)
    if (const JobStream& one = net().streams[s]; !one.mean_rate()) {
      model.refuse(*model.document.find(one.element), "RNT008", "rate",
                   "The rate of \"" + one.name + "\" changes while the model runs, and \"" + rental.name +
                       "\" fixes widths by it; wanted a rate that is known before.",
                   "Take another policy, or a fixed rate.");
      return false;
    }
  return true;
}

bool RentalLowering::spend_money(Lowering& model, const Element& element, Rental& rental) {
  const double price = rental.price_per_s();
  const char* const priced = rental.spot() ? "spot_price" : "price";
  if (!(price > 0.0)) {
    refuse_value(model, element, priced,
                 "Its budget is in money, and a GPU costs nothing; wanted a price above 0 USD/h.");
    return false;
  }
  if (rental.shares() || rental.policy == RentalModel::Policy::one_gpu || rental.streams.empty()) {
    rental.budget = rental.money_per_s / price;
    return true;
  }
  if (!rates_are_known(model, rental)) return false;
  const std::vector<JobType> types = net().types_of(rental);
  const GpuPrices prices{.reserved = rental.reserved,
                         .reserved_price = rental.of(RentalModel::Tariff::reserved).price_per_s,
                         .price = price};
  std::vector<std::vector<double>> sizes;
  for (const std::uint32_t s : rental.streams) sizes.push_back(likely_sizes(net().streams[s].size));
  const auto held = [&](std::size_t type, double gpus) {
    return interrupted_job(net(), rental, type, sizes[type], gpus).held;
  };
  const double least = least_spend(types, prices, held);
  constexpr double last_digits = 1e-12;
  if (!(least <= rental.money_per_s * (1.0 + last_digits))) {
    const Unit unit = unit_of(model, element, "money", "USD/h");
    model.refuse(element, "RNT005", "money",
                 std::isinf(least)
                     ? "A job that has one GPU is interrupted so often that it is never done on average."
                     : "The budget is " + in_unit(rental.money_per_s, unit) + ", and one GPU for each job costs " +
                           in_unit(least, unit) + " on average" + (rental.reserves() ? " with what is reserved" : "") +
                           "; wanted at least as much.");
    return false;
  }
  if (!rental.spot() || rental.policy != RentalModel::Policy::optimal) {
    double cheapest = 0.0;
    for (const JobType& type : types) cheapest += type.cost(1.0);
    rental.budget = budget_of_money(
        rental.money_per_s, cheapest, types, prices, [&](double budget) { return widths_for(types, rental, budget); },
        held);
    return true;
  }
  // Money is spent on what interruptions leave of it.
  std::vector<std::vector<WidthCorner>> corners;
  double cheapest = 0.0;
  for (std::size_t t = 0; t < types.size(); ++t) {
    const std::vector<double> tried = widths_to_try(types[t].speedup, rental.whole);
    corners.push_back(worthwhile_widths(
        types[t].rate, tried, [&](double gpus) { return interrupted_job(net(), rental, t, sizes[t], gpus); }));
    cheapest += corners.back().front().cost;
  }
  const auto plan = [&](double budget) { return interrupted_widths(corners, budget); };
  rental.budget = budget_of_money(rental.money_per_s, cheapest, types, prices, plan, held);
  auto found = plan(rental.budget);
  if (const auto* why = std::get_if<std::string>(&found)) {
    model.refuse(element, "RNT005", "money", *why);
    return false;
  }
  rental.plan = std::get<WidthPlan>(std::move(found));
  return true;
}

void RentalLowering::plan(Lowering& model, const Element& element, Rental& rental) {
  if (rental.streams.empty() || !rental.plan.widths.empty()) return;
  const std::vector<JobType> types = net().types_of(rental);
  if (rental.policy == RentalModel::Policy::one_gpu) {
    rental.plan = single_gpus(types);
    return compare_load(model, element, rental);
  }
  if (!rates_are_known(model, rental)) return;
  auto found = widths_for(types, rental, rental.budget);
  if (const auto* why = std::get_if<std::string>(&found)) model.refuse(element, "RNT005", "budget", *why);
  else rental.plan = std::get<WidthPlan>(std::move(found));
}

// A warning and no error: with a mission that is short, or checkpoints at will, that may be the question.
void RentalLowering::warn_of_restarts(Lowering& model, const Element& element, const Rental& rental) {
  if (rental.failure_rate == 0.0 && !rental.spot()) return;
  constexpr double many_times = 10.0;
  for (std::size_t t = 0; t < rental.plan.widths.size(); ++t) {
    const double gpus = rental.plan.widths[t].mean(), failures = rental.failure_rate * gpus;
    const JobStream& stream = net().streams[rental.streams[t]];
    const InterruptedMeans one = interrupted_job(net(), rental, t, likely_sizes(stream.size), gpus, failures);
    const double rate = one.held > 0.0 ? one.interruptions / one.held : 0.0;
    const double alone_s = stream.start_up_s + stream.size.mean() / stream.speedup.speed(gpus);
    if (!(one.time > many_times * alone_s)) continue;
    const Unit unit = unit_of(model, *model.document.find(stream.element), "size", "h");
    model.warn(element, "RNT011", rental.failure_rate > 0.0 ? "failure_rate" : "interruption_rate",
               "Jobs of \"" + stream.name + "\" on " + number_text(gpus, 4) +
                   " GPUs lose them or fail so often that they take " +
                   (std::isinf(one.time) ? "for ever" : in_unit(one.time, unit)) + " on average instead of " +
                   in_unit(alone_s, unit) + "; response times of a run are of those that end.",
               rental.checkpoint_cost_s > 0.0 && rate > 0.0
                   ? "Least is lost with a checkpoint after about " +
                         in_unit(young_period(rental.checkpoint_cost_s, rate), unit) + " of work."
                   : "Let them write checkpoints more often, or give them fewer GPUs.");
  }
}

void RentalLowering::compare_load(Lowering& model, const Element& element, const Rental& rental) {
  if (auto problem = overload(net(), rental)) {
    problem->element = element.id;
    model.problems.push_back(std::move(*problem));
  }
}

}  // namespace ergode
