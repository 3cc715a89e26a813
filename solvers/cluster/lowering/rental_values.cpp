// From drawn rentals to one RentalModel: laws and numbers.
#include <cmath>

#include "core/base/text.h"
#include "core/expression/compile.h"
#include "solvers/cluster/lowering/drawn_count.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/drawn_law.h"
#include "solvers/cluster/lowering/drawn_speedup.h"
#include "solvers/cluster/lowering/rental_lowering_steps.h"
#include "solvers/cluster/lowering/rental_words.h"
#include "solvers/cluster/model/job_loads.h"

namespace ergode {
namespace {

constexpr double one_hour_s = 3600.0;

using JobStream = RentalModel::Stream;
using Rental = RentalModel::Rental;

}  // namespace

Distribution RentalLowering::law(Lowering& model, Scope& scope, const Element& at, const char* property,
                                 const char* otherwise) {
  const Distribution none = Distribution::deterministic(one_hour_s);
  const auto drawn = drawn_law(model, scope, at, property, otherwise, Dimension::of_time());
  if (!drawn) return none;
  const Distribution& found = *drawn;
  const double least = least_of(found);
  const bool fits = least >= 0.0 && found.mean() > 0.0 && std::isfinite(found.mean());
  if (fits) return found;
  const Unit unit = unit_of(model, at, property, "h");
  refuse_value(model, at, property,
               "Its mean is " + in_unit(found.mean(), unit) + " and its least value " + in_unit(least, unit) +
                   "; wanted a finite mean above " + in_unit(0.0, unit) + " and nothing below.");
  return none;
}

void RentalLowering::lower_arrivals(Lowering& model, Scope& scope, const Element& element, JobStream& stream) {
  stream.has_rate = is_given(element, "rate");
  if (!stream.has_rate) {
    stream.gap = law(model, scope, element, "interarrival", default_job_gap);
    return;
  }
  stream.rate = model.program(element, "rate", ValueType::real(Dimension::per_time()), scope);
  stream.reader = model.slots.wake(stream.rate);
  if (!stream.rate.is_constant()) return;
  const double rate = stream.rate.value();
  const Unit unit = unit_of(model, element, "rate", "/h");
  if (!(rate > 0.0 && std::isfinite(rate)))
    refuse_value(model, element, "rate",
                 "The rate is " + in_unit(rate, unit) + "; wanted a finite rate above " + in_unit(0.0, unit) + ".");
}

void RentalLowering::lower_stream(Lowering& model, Scope& scope, JobStream& stream) {
  const Element& element = *model.document.find(stream.element);
  PropertyReader read(scope, model.problems);
  refuse_handed_jobs(model, element, "RNT003", "a rental");
  const TakenWord has[] = {{"response_time", Dimension::of_time()}, {"gpu_time", Dimension::of_time()}};
  stream.handed_on = handed_on(model, element, has);
  if (stream.rental != RentalModel::none && !read.file(element, "trace").empty())
    model.refuse(
        element, "RNT003", "trace",
        "Jobs of \"" + stream.name + "\" are those of a trace; wanted jobs that are drawn, as rentals plan for.",
        "Leave the trace out, or draw a flow to a pool of hosts, a fleet or a cluster.");
  lower_arrivals(model, scope, element, stream);
  stream.most_jobs = drawn_most_jobs(model, scope, element, "RNT002");
  stream.size = law(model, scope, element, "size", default_job_size);
  stream.speedup = drawn_speedup(model, scope, element, "RNT004");
  stream.start_up_s = read.quantity(element, "start_up", Dimension::of_time(), 0.0);
  if (!(stream.start_up_s >= 0.0 && std::isfinite(stream.start_up_s))) {
    const Unit unit = unit_of(model, element, "start_up", "h");
    refuse_value(model, element, "start_up",
                 "The start-up time is " + in_unit(stream.start_up_s, unit) +
                     "; wanted a finite one >= " + in_unit(0.0, unit) + ".");
    stream.start_up_s = 0.0;
  }
  if (stream.rental == RentalModel::none && !misled_.contains(stream.element))
    model.refuse(element, "RNT003", "",
                 "Jobs of \"" + stream.name +
                     "\" go nowhere; wanted a flow to a rental, a pool of hosts, a fleet or a cluster.");
}

void RentalLowering::lower_rental(Lowering& model, Scope& scope, Rental& rental) {
  const Element& element = *model.document.find(rental.element);
  PropertyReader read(scope, model.problems);
  rental.policy = meaning_of(read, element, "policy", policy_words);
  rental.whole = read.boolean(element, "whole_gpus", false);
  lower_budget(model, read, element, rental);
  lower_failures(model, scope, read, element, rental);
  const Dimension watts = parse_unit("W")->dimension;
  rental.busy_w = from_zero(model, read, element, "busy_power", "The power", watts, "W", 0.0);
  rental.idle_w = from_zero(model, read, element, "idle_power", "The power", watts, "W", 0.0);
  if (rental.whole && !rental.shares())
    for (const std::uint32_t s : rental.streams) net().streams[s].speedup = net().streams[s].speedup.whole();
  lower_exponent(model, read, element, rental);
  if (rental.streams.empty())
    model.warn(element, "RNT009", "", "No jobs come to \"" + rental.name + "\".", "Draw a flow from a job stream.");
  if (has_errors(model.problems)) return;
  if (rental.money_per_s > 0.0 && !spend_money(model, element, rental)) return;
  if (rental.shares()) compare_load(model, element, rental);
  else plan(model, element, rental), warn_of_restarts(model, element, rental);
}

double RentalLowering::from_zero(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                                 const char* what, Dimension dimension, const char* unit, double otherwise) {
  const double out = read.quantity(element, property, dimension, otherwise);
  if (out >= 0.0 && std::isfinite(out)) return out;
  const Unit written = unit_of(model, element, property, unit);
  refuse_value(
      model, element, property,
      std::string(what) + " is " + in_unit(out, written) + "; wanted a finite one >= " + in_unit(0.0, written) + ".");
  return otherwise;
}

void RentalLowering::lower_budget(Lowering& model, PropertyReader& read, const Element& element, Rental& rental) {
  if (is_given(element, "money")) {
    rental.money_per_s = read.quantity(element, "money", money_per_time(), 0.0);
    const Unit unit = unit_of(model, element, "money", "USD/h");
    if (!(rental.money_per_s > 0.0 && std::isfinite(rental.money_per_s)))
      refuse_value(model, element, "money",
                   "The budget is " + in_unit(rental.money_per_s, unit) + "; wanted a finite one above " +
                       in_unit(0.0, unit) + ".");
    return;
  }
  rental.budget = read.quantity(element, "budget", Dimension(), *parse_number(default_budget));
  constexpr double most_gpus = 1e8;  // beyond it nobody rents, and counts of GPUs are no whole numbers any more
  if (!(rental.budget > 0.0 && rental.budget <= most_gpus))
    refuse_value(model, element, "budget",
                 "The budget is " + number_text(rental.budget, 6) + " GPUs; wanted a number above 0, at most 1e8.");
}

void RentalLowering::lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                    Rental& rental) {
  const auto time = [&](const char* property, const char* what, double otherwise, bool zero) {
    const double out = read.quantity(element, property, Dimension::of_time(), otherwise);
    if (out > 0.0 || (zero && out == 0.0)) return out;
    const Unit unit = unit_of(model, element, property, "h");
    refuse_value(model, element, property,
                 std::string(what) + " is " + in_unit(out, unit) + "; wanted " + (zero ? ">= " : "above ") +
                     in_unit(0.0, unit) + ".");
    return otherwise;
  };
  rental.failure_rate = read.quantity(element, "failure_rate", Dimension::per_time(), 0.0);
  const Unit per_time = unit_of(model, element, "failure_rate", "/h");
  if (!(rental.failure_rate >= 0.0 && std::isfinite(rental.failure_rate)))
    refuse_value(model, element, "failure_rate",
                 "The failure rate is " + in_unit(rental.failure_rate, per_time) +
                     "; wanted a finite rate >= " + in_unit(0.0, per_time) + ".");
  lower_contract(model, scope, read, element, rental);
  rental.checkpoint_period_s = time("checkpoint_period", "The time between checkpoints", Speedup::unlimited, false);
  rental.checkpoint_cost_s = time("checkpoint_cost", "The time of a checkpoint", 0.0, true);
  rental.restart_s = time("restart", "The time to restart", 0.0, true);
  rental.last_checkpoint_s = rental.checkpoint_cost_s;
  // Checkpoints that nobody reads and that take no time are none.
  if (rental.failure_rate == 0.0 && !rental.spot() && rental.checkpoint_cost_s == 0.0)
    rental.checkpoint_period_s = Speedup::unlimited;
  if (std::isinf(rental.checkpoint_period_s)) rental.checkpoint_cost_s = 0.0;
}

void RentalLowering::lower_exponent(Lowering& model, PropertyReader& read, const Element& element, Rental& rental) {
  if (rental.policy != RentalModel::Policy::hesrpt) return;
  if (is_given(element, "share_exponent")) {
    rental.share_exponent = read.quantity(element, "share_exponent", Dimension(), rental.share_exponent);
    if (!(rental.share_exponent >= 0.0 && rental.share_exponent < 1.0))
      refuse_value(model, element, "share_exponent",
                   "The exponent is " + number_text(rental.share_exponent, 6) + "; wanted 0 to below 1.");
    return;
  }
  rental.share_exponent = fitted_exponent(net(), rental).value_or(rental.share_exponent);
}

}  // namespace ergode
