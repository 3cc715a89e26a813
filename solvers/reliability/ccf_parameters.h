#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/catalogue/choice.h"

namespace ergode {

/// The models of a common-cause group, in the field's words.
const std::vector<Choice>& ccf_models();

/// Largest common-cause group the formulas are offered for; the closed forms are tested to 12.
inline constexpr int ccf_group_limit = 64;

/// Binomial failure rate model of a group of identical components: its own failures, and two Poisson processes of
/// shocks. Rates in 1/s. Atwood, "The Binomial Failure Rate Common Cause Model", Technometrics 28(2), 1986.
struct BfrRates {
  double lambda_ind = 0.0;  ///< independent failures of one component [1/s]
  double mu = 0.0;          ///< non-lethal shocks [1/s]
  double rho = 0.0;         ///< probability that a given component is affected by a non-lethal shock [0, 1]
  double omega = 0.0;       ///< lethal shocks, which affect every component [1/s]
};

/// What every parametric model comes down to: `specific[k - 1]` belongs to one SPECIFIC set of exactly k of the n
/// components. A rate in 1/s for failures in operation, a probability for failures on demand (Q_k of NUREG/CR-4780);
/// the conversions below are the same for both.
struct OrderRates {
  std::vector<double> specific;
  int n() const { return static_cast<int>(specific.size()); }
};

/// How the plant tests its components decides what the counted events mean, hence how alpha factors turn into Q_k.
enum class Testing { non_staggered, staggered };

/// Binomial coefficient as a double: exact below 2^53; 0 outside 0 <= k <= n.
double binomial(int n, int k);

/// The orders of a binomial model: mu rho^k (1 - rho)^(n - k), besides lambda_ind for k = 1 and omega for k = n.
/// @param n  members, 1 .. ccf_group_limit.
OrderRates order_rates(const BfrRates& rates, int n);
/// Everything that fails one given component: sum of C(n-1, k-1) times the specific rate of order k.
double total_component_rate(const OrderRates& rates);

/// Inverse conversions, for the total component rate or demand probability `total`. from_alpha() has as many members as
/// factors, from_mgl() one more than letters. Every order comes from products and quotients alone, so small ones keep
/// their digits.
/// Precondition: the parameters passed their validation below.
/// Mosleh et al., NUREG/CR-4780 (1988) and NUREG/CR-5485 (1998).
OrderRates from_alpha(const std::vector<double>& alpha, double total, Testing testing);
OrderRates from_mgl(const std::vector<double>& mgl, double total);
OrderRates from_beta(double beta, double total, int n);

/// Alpha factors (n of them): with non-staggered testing the share of events that involve exactly k components; with
/// staggered testing the share of one component's failures. All zero when nothing can fail.
std::vector<double> alpha_factors(const OrderRates& rates, Testing testing = Testing::non_staggered);
/// Multiple Greek letters beta, gamma, delta, ... (n - 1 of them): the conditional probability that a failure shared by
/// at least k components is shared by at least k + 1. 0 where the condition itself never happens.
std::vector<double> mgl_factors(const OrderRates& rates);
/// "beta", "gamma", "delta", ... of index 0, 1, 2, ...; "mgl_8" and so on once the usual letters run out.
std::string greek_letter(std::size_t index);
/// Share of a component's failures that it shares with others; the first Greek letter.
double beta_factor(const OrderRates& rates);

/// Validation: one error per broken rule with the value seen and the value wanted; `pointer` names the parameter
/// ("rho", "alpha"), `element` is left null for the caller to fill in. Empty: valid.
///
/// CCF001 group size, CCF002 rate, CCF003 probability or factor outside [0, 1], CCF004 number of factors,
/// CCF005 alpha factors that do not sum to one within 1e-9.
Diagnostics validate_group_size(int n);
Diagnostics validate(const BfrRates& rates, int n);
Diagnostics validate_alpha(const std::vector<double>& alpha, int n);
Diagnostics validate_mgl(const std::vector<double>& mgl, int n);
Diagnostics validate_beta(double beta);
Diagnostics validate_total_rate(double total);         ///< finite and >= 0 [1/s]
Diagnostics validate_total_probability(double total);  ///< in [0, 1]

}  // namespace ergode
