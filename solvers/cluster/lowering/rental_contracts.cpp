// What the GPUs of a rental are rented by: prices, start-up times, how spot ones are taken away.
#include <cmath>

#include "core/base/text.h"
#include "core/expression/compile.h"
#include "solvers/cluster/lowering/drawn_law.h"
#include "solvers/cluster/lowering/rental_lowering_steps.h"
#include "solvers/cluster/lowering/rental_words.h"

namespace ergode {

void RentalLowering::lower_contract(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                    RentalModel::Rental& rental) {
  using Tariff = RentalModel::Tariff;
  const std::size_t known = model.problems.size();
  rental.contract = meaning_of(read, element, "contract", contract_words);
  const auto terms = [&](Tariff tariff, const char* price, const char* start_up) {
    RentalModel::Terms& out = rental.terms[static_cast<std::size_t>(tariff)];
    out.price_per_s = from_zero(model, read, element, price, "The price", money_per_time(), "USD/h");
    out.start_up_s = from_zero(model, read, element, start_up, "The start-up time", Dimension::of_time(), "h");
  };
  terms(rental.beyond(), rental.spot() ? "spot_price" : "price", rental.spot() ? "spot_start_up" : "start_up");
  if (rental.reserves()) {
    terms(Tariff::reserved, "reserved_price", "reserved_start_up");
    rental.reserved = from_zero(model, read, element, "reserved", "The number of reserved GPUs", Dimension(), "");
    if (rental.reserved == 0.0 && model.problems.size() == known)
      model.warn(element, "RNT023", "reserved",
                 std::string("The contract reserves GPUs, and 0 are reserved: all are ") +
                     (rental.spot() ? "spot" : "rented on demand") + "; wanted a number above 0.",
                 std::string("Say how many, or take the contract ") + (rental.spot() ? "spot." : "on_demand."));
  }
  if (rental.shares() && rental.contract != RentalModel::Contract::on_demand)
    model.refuse(element, "RNT010", "contract",
                 "\"" + rental.name +
                     "\" keeps a cluster that jobs share, and has no GPUs of each job's own that could be "
                     "reserved or taken away; wanted on_demand, or a policy with fixed widths.",
                 "Take optimal, equal_width or one_gpu.");
  if (rental.spot()) lower_interruptions(model, scope, read, element, rental);
}

void RentalLowering::lower_interruptions(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                         RentalModel::Rental& rental) {
  RentalModel::Interruptions& out = rental.interruptions;
  out.has_rate = !is_given(element, "interruption_after");
  out.per_gpu = meaning_of(read, element, "interruption_per", spot_call_words);
  out.notice_s = from_zero(model, read, element, "notice", "The notice", Dimension::of_time(), "h");
  if (out.has_rate) {
    if (is_given(element, "interruption_rate"))
      out.rate = model.program(element, "interruption_rate", ValueType::real(Dimension::per_time()), scope);
    out.reader = model.slots.wake(out.rate);
    const double rate = out.rate.is_constant() ? out.rate.value() : 0.0;
    const Unit unit = unit_of(model, element, "interruption_rate", "/h");
    if (!(rate >= 0.0 && std::isfinite(rate)))
      refuse_value(model, element, "interruption_rate",
                   "The rate of interruptions is " + in_unit(rate, unit) +
                       "; wanted a finite rate >= " + in_unit(0.0, unit) + ".");
  } else {
    out.after = law(model, scope, element, "interruption_after", "");
  }
  const auto wait = drawn_law(model, scope, element, "spot_wait", default_spot_wait, Dimension::of_time());
  if (!wait) return;
  const Unit unit = unit_of(model, element, "spot_wait", "h");
  if (!(least_of(*wait) >= 0.0 && std::isfinite(wait->mean())))
    return refuse_value(model, element, "spot_wait",
                        "Its mean is " + in_unit(wait->mean(), unit) + " and its least value " +
                            in_unit(least_of(*wait), unit) + "; wanted a finite mean and nothing below " +
                            in_unit(0.0, unit) + ".");
  out.wait = *wait;
}

}  // namespace ergode
