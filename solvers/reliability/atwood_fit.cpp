#include "solvers/reliability/atwood_fit.h"

#include <cmath>

#include "core/base/text.h"

namespace ergode {
namespace {

void refuse(Diagnostics& list, const char* pointer, const std::string& message) {
  Diagnostic d;
  d.code = "CCF020";
  d.pointer = pointer;
  d.message = message;
  list.push_back(std::move(d));
}

// More than these nobody has counted or waited for, and the rates stay numbers.
constexpr double most_events = 1e9, least_observation_s = 1e-30, longest_observation_s = 1e30;

void check_count(Diagnostics& list, const char* pointer, double value) {
  if (!(value >= 0.0 && value <= most_events))
    refuse(
        list, pointer,
        std::string(pointer) + " is " + number_text(value) + "; wanted a number from 0 to " + number_text(most_events));
}

Diagnostics check(const ShockCounts& c) {
  Diagnostics list = validate_group_size(c.n);
  if (!(c.observation_s >= least_observation_s && c.observation_s <= longest_observation_s))
    refuse(list, "observation",
           "the observation time is " + number_text(c.observation_s) + " s; wanted a time from " +
               number_text(least_observation_s) + " to " + number_text(longest_observation_s) + " s");
  check_count(list, "independent", c.independent);
  check_count(list, "visible_shocks", c.visible_shocks);
  check_count(list, "lethal_shocks", c.lethal_shocks);
  if (!(c.shock_failures >= c.visible_shocks && c.shock_failures <= c.n * c.visible_shocks))
    refuse(list, "shock_failures",
           "the shocks caused " + number_text(c.shock_failures) + " failures; " + number_text(c.visible_shocks) +
               " visible shocks on " + std::to_string(c.n) + " members cause between " + number_text(c.visible_shocks) +
               " and " + number_text(c.n * c.visible_shocks));
  return list;
}

}  // namespace

double mean_visible(double rho, int n) {
  if (rho <= 0.0) return 1.0;
  if (rho >= 1.0) return n;
  return n * rho / -std::expm1(n * std::log1p(-rho));
}

double rho_from_mean_visible(double mean, int n) {
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2.0;
    if (middle == low || middle == high) break;
    (mean_visible(middle, n) < mean ? low : high) = middle;
  }
  // The least rho whose mean is not below the one given; at 1 every small rho rounds to it.
  return mean <= 1.0 ? 0.0 : high;
}

std::variant<BfrRates, Diagnostics> fit_bfr(const ShockCounts& counts) {
  if (Diagnostics list = check(counts); !list.empty()) return list;
  BfrRates rates;
  rates.lambda_ind = counts.independent / (counts.n * counts.observation_s);
  rates.omega = counts.lethal_shocks / counts.observation_s;
  if (counts.visible_shocks == 0.0) return rates;
  rates.rho = rho_from_mean_visible(counts.shock_failures / counts.visible_shocks, counts.n);
  const double visible = rates.rho >= 1.0 ? 1.0 : -std::expm1(counts.n * std::log1p(-rates.rho));
  if (visible == 0.0) {
    Diagnostics list;
    refuse(list, "shock_failures",
           "every visible shock failed exactly one member (mean 1); rho would be 0 and mu infinite: "
           "count these failures as independent, or give a mean above 1");
    return list;
  }
  rates.mu = counts.visible_shocks / counts.observation_s / visible;
  return rates;
}

}  // namespace ergode
