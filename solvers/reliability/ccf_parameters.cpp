#include "solvers/reliability/ccf_parameters.h"

#include <cmath>
#include <numeric>

#include "core/base/text.h"

namespace ergode {
namespace {

Diagnostic error(std::string code, std::string pointer, std::string message, std::string hint = {}) {
  Diagnostic d;
  d.code = std::move(code);
  d.pointer = std::move(pointer);
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

void check_rate(Diagnostics& list, const char* name, double value) {
  if (std::isfinite(value) && value >= 0.0) return;
  list.push_back(error(
      "CCF002", name, std::string(name) + " is " + number_text(value) + " 1/s; a rate must be finite and not below 0"));
}

void check_unit_interval(Diagnostics& list, const std::string& name, const std::string& pointer, double value) {
  if (value >= 0.0 && value <= 1.0) return;
  list.push_back(error("CCF003", pointer, name + " is " + number_text(value) + "; it must lie in [0, 1]"));
}

}  // namespace

const std::vector<Choice>& ccf_models() {
  static const std::vector<Choice> models = {{"bfr", "Binomial failure rate"},
                                             {"beta", "Beta factor"},
                                             {"mgl", "Multiple Greek letters"},
                                             {"alpha_staggered", "Alpha factors, staggered"},
                                             {"alpha_nonstaggered", "Alpha factors, non-staggered"}};
  return models;
}

double binomial(int n, int k) {
  if (k < 0 || k > n) return 0.0;
  k = std::min(k, n - k);
  double result = 1.0;
  for (int i = 1; i <= k; ++i) result = std::round(result * (n - k + i) / i);
  return result;
}

OrderRates order_rates(const BfrRates& rates, int n) {
  OrderRates result;
  result.specific.resize(static_cast<std::size_t>(n));
  for (int k = 1; k <= n; ++k)
    result.specific[static_cast<std::size_t>(k - 1)] =
        rates.mu * std::pow(rates.rho, k) * std::pow(1.0 - rates.rho, n - k);
  result.specific.front() += rates.lambda_ind;
  result.specific.back() += rates.omega;
  return result;
}

double total_component_rate(const OrderRates& rates) {
  double total = 0.0;
  for (int k = 1; k <= rates.n(); ++k)
    total += binomial(rates.n() - 1, k - 1) * rates.specific[static_cast<std::size_t>(k - 1)];
  return total;
}

OrderRates from_alpha(const std::vector<double>& alpha, double total, Testing testing) {
  const int n = static_cast<int>(alpha.size());
  double mean_order = 0.0;
  for (int k = 1; k <= n; ++k) mean_order += k * alpha[static_cast<std::size_t>(k - 1)];
  OrderRates result;
  for (int k = 1; k <= n; ++k) {
    const double share = testing == Testing::staggered ? 1.0 : k / mean_order;
    result.specific.push_back(share * alpha[static_cast<std::size_t>(k - 1)] * total / binomial(n - 1, k - 1));
  }
  return result;
}

OrderRates from_mgl(const std::vector<double>& mgl, double total) {
  const int n = static_cast<int>(mgl.size()) + 1;
  OrderRates result;
  double reached = 1.0;  // probability that at least k components share the failure
  for (int k = 1; k <= n; ++k) {
    const double further = k < n ? mgl[static_cast<std::size_t>(k - 1)] : 0.0;
    result.specific.push_back(reached * (1.0 - further) * total / binomial(n - 1, k - 1));
    reached *= further;
  }
  return result;
}

OrderRates from_beta(double beta, double total, int n) {
  OrderRates result;
  result.specific.assign(static_cast<std::size_t>(n), 0.0);
  result.specific.front() += (1.0 - beta) * total;
  result.specific.back() += beta * total;
  return result;
}

std::vector<double> alpha_factors(const OrderRates& rates, Testing testing) {
  const int n = rates.n();
  std::vector<double> alpha;
  for (int k = 1; k <= n; ++k) {
    const double sets = testing == Testing::staggered ? binomial(n - 1, k - 1) : binomial(n, k);
    alpha.push_back(sets * rates.specific[static_cast<std::size_t>(k - 1)]);
  }
  const double sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  if (sum > 0.0)
    for (double& a : alpha) a /= sum;
  return alpha;
}

std::vector<double> mgl_factors(const OrderRates& rates) {
  const int n = rates.n();
  std::vector<double> mgl(static_cast<std::size_t>(n - 1), 0.0);
  double further = 0.0;  // summed from the highest order down, so that no factor is a difference
  for (int k = n; k >= 2; --k) {
    further += binomial(n - 1, k - 1) * rates.specific[static_cast<std::size_t>(k - 1)];
    const double here = further + binomial(n - 1, k - 2) * rates.specific[static_cast<std::size_t>(k - 2)];
    if (here > 0.0) mgl[static_cast<std::size_t>(k - 2)] = further / here;
  }
  return mgl;
}

std::string greek_letter(std::size_t index) {
  static const char* const names[] = {"beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"};
  return index < std::size(names) ? names[index] : "mgl_" + std::to_string(index + 1);
}

double beta_factor(const OrderRates& rates) {
  const std::vector<double> mgl = mgl_factors(rates);
  return mgl.empty() ? 0.0 : mgl.front();
}

Diagnostics validate_group_size(int n) {
  if (n >= 2 && n <= ccf_group_limit) return {};
  return {error("CCF001", "members",
                "the group has " + std::to_string(n) + " members; a common-cause group needs 2 to " +
                    std::to_string(ccf_group_limit))};
}

Diagnostics validate(const BfrRates& rates, int n) {
  Diagnostics list = validate_group_size(n);
  check_rate(list, "lambda_ind", rates.lambda_ind);
  check_rate(list, "mu", rates.mu);
  check_unit_interval(list, "rho", "rho", rates.rho);
  check_rate(list, "omega", rates.omega);
  return list;
}

Diagnostics validate_alpha(const std::vector<double>& alpha, int n) {
  Diagnostics list = validate_group_size(n);
  if (static_cast<int>(alpha.size()) != n)
    list.push_back(error("CCF004", "alpha",
                         "there are " + std::to_string(alpha.size()) + " alpha factors; a group of " +
                             std::to_string(n) + " members needs " + std::to_string(n)));
  for (std::size_t k = 0; k < alpha.size(); ++k)
    check_unit_interval(list, "alpha_" + std::to_string(k + 1), "alpha", alpha[k]);
  const double sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  if (!alpha.empty() && !(std::abs(sum - 1.0) <= 1e-9))
    list.push_back(error("CCF005", "alpha",
                         "the alpha factors sum to " + number_text(sum) + "; they must sum to 1 within 1e-9",
                         "alpha_1 is the share of single failures: set it to 1 minus the others"));
  return list;
}

Diagnostics validate_mgl(const std::vector<double>& mgl, int n) {
  Diagnostics list = validate_group_size(n);
  if (static_cast<int>(mgl.size()) != n - 1)
    list.push_back(error("CCF004", "mgl",
                         "there are " + std::to_string(mgl.size()) + " multiple Greek letters; a group of " +
                             std::to_string(n) + " members needs " + std::to_string(n - 1)));
  for (std::size_t k = 0; k < mgl.size(); ++k) check_unit_interval(list, greek_letter(k), "mgl", mgl[k]);
  return list;
}

Diagnostics validate_beta(double beta) {
  Diagnostics list;
  check_unit_interval(list, "beta", "beta", beta);
  return list;
}

Diagnostics validate_total_rate(double total) {
  Diagnostics list;
  check_rate(list, "total", total);
  return list;
}

Diagnostics validate_total_probability(double total) {
  Diagnostics list;
  check_unit_interval(list, "the total probability", "total", total);
  return list;
}

}  // namespace ergode
