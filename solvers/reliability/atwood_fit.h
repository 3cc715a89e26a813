#pragma once
#include <variant>

#include "solvers/reliability/ccf_parameters.h"

namespace ergode {

/// What a plant counts over its observation time. A non-lethal shock that affects nobody is not seen.
struct ShockCounts {
  int n = 0;                    ///< members of the group, >= 2
  double observation_s = 0.0;   ///< 1e-30 to 1e30
  double independent = 0.0;     ///< independent failures, over all members
  double visible_shocks = 0.0;  ///< non-lethal shocks that affected somebody
  double shock_failures = 0.0;  ///< failures they caused together; between 1 and n per shock
  double lethal_shocks = 0.0;   ///< shocks that failed all members; counts need not be whole numbers, but 0 to 1e9
};

/// Rates of the binomial failure rate model from counts, by Atwood's estimators: rho solves `mean failures per visible
/// shock = n rho / (1 - (1 - rho)^n)`, mu makes up for the shocks nobody saw.
/// With no visible shock, mu and rho are 0.
/// @returns the rates in 1/s, or CCF001 for the group's size and CCF020 for counts that cannot be (value seen, value
/// wanted), also where every visible shock failed just one member: rho would be 0 and mu infinite.
/// Atwood, "Common Cause Fault Rates for Pumps", NUREG/CR-2098, 1983.
std::variant<BfrRates, Diagnostics> fit_bfr(const ShockCounts& counts);

/// Solves `mean = n rho / (1 - (1 - rho)^n)` for rho in [0, 1]; 1 <= mean <= n, beyond these ends 0 and 1. Bisection to
/// the last bit.
double rho_from_mean_visible(double mean, int n);
/// Mean number affected by a shock that affected somebody; 1 at rho = 0.
double mean_visible(double rho, int n);

}  // namespace ergode
