#include "solvers/reliability/ccf_conversion.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/text.h"

namespace ergode {
namespace {

Diagnostics refused(const char* code, std::string place, std::string message, std::string hint = {}) {
  Diagnostic d;
  d.code = code;
  d.pointer = std::move(place), d.message = std::move(message), d.hint = std::move(hint);
  return {d};
}

Diagnostics wrong_number(const CcfSet& given, int n) {
  const auto names = ccf_parameter_names(given.model, n);
  std::string wanted;
  for (const std::string& name : names) wanted += (wanted.empty() ? "" : ", ") + name;
  return refused("CCF004", given.model,
                 "there are " + std::to_string(given.values.size()) + " values; " + given.model + " of " +
                     std::to_string(n) + " members wants " + std::to_string(names.size()) + ": " + wanted);
}

// Beyond these, products of rates and factors leave what doubles can hold; no unit makes a rate of them.
constexpr double least_total = 1e-100, greatest_total = 1e100;
// Of events and of a prior's parameters, which are events thought of beforehand: more than these nobody has counted,
// and beyond them quantiles of beta distributions take seconds or cannot be found.
constexpr double most_counted = 1e9, least_prior = 1e-3, least_confidence = 1e-9;

BfrRates bfr_of(const std::vector<double>& v) { return {v[0], v[1], v[2], v[3]}; }

Diagnostics check(const CcfSet& given, int n) {
  if (given.model == "alpha_staggered" || given.model == "alpha_nonstaggered") return validate_alpha(given.values, n);
  if (given.model == "mgl") return validate_mgl(given.values, n);
  if (given.model == "beta") return validate_beta(given.values.front());
  return validate(bfr_of(given.values), n);
}

/// The four rates that have these orders: q_k = mu rho^k (1 - rho)^(n - k) between the first and the last.
std::variant<BfrRates, Diagnostics> bfr_with(const OrderRates& orders) {
  const int n = orders.n();
  const auto q = [&](int k) { return orders.specific[static_cast<std::size_t>(k - 1)]; };
  const auto none = [&](std::string why) {
    return refused("CCF031", "bfr", "No binomial failure rate model has these: " + why);
  };
  if (n < 4)
    return none(std::to_string(n) + " orders do not tell its four rates; wanted a group of 4 members or more.");
  BfrRates out;
  double middle = 0.0;
  for (int k = 2; k < n; ++k) middle += q(k);
  if (middle > 0.0) {
    if (!(q(2) > 0.0)) return none("Q_2 is 0 and a later one is not; wanted shocks that hit any number of members.");
    // Between the first and the last order only shocks count: a geometric series of rho / (1 - rho).
    const double odds = q(3) / q(2);
    for (int k = 3; k < n; ++k)
      if (!(std::abs(q(k) - odds * q(k - 1)) <= 1e-6 * q(k)))
        return none("Q_" + std::to_string(k) + " is " + number_text(q(k), 6) + "; wanted " +
                    number_text(odds * q(k - 1), 6) + ", as Q_2 and Q_3 say.");
    out.rho = odds / (1.0 + odds);
    out.mu = q(2) / (std::pow(out.rho, 2) * std::pow(1.0 - out.rho, n - 2));
    if (!std::isfinite(out.mu)) return none("Q_3 is 0 and Q_2 is not; the shocks would be infinitely many.");
  }
  const auto rest = [&](const char* name, double whole, double part, double& rate) -> std::optional<Diagnostics> {
    rate = whole - part;
    if (rate < -1e-9 * whole) return none(std::string(name) + " would be " + number_text(rate, 6) + "; wanted >= 0.");
    rate = std::max(rate, 0.0);
    return std::nullopt;
  };
  if (auto why = rest("lambda", q(1), out.mu * out.rho * std::pow(1.0 - out.rho, n - 1), out.lambda_ind)) return *why;
  if (auto why = rest("omega", q(n), out.mu * std::pow(out.rho, n), out.omega)) return *why;
  return out;
}

}  // namespace

std::vector<std::string> ccf_parameter_names(const std::string& model, int n) {
  if (model == "bfr") return {"lambda", "mu", "rho", "omega"};
  if (model == "beta") return {"beta"};
  std::vector<std::string> out;
  if (model == "mgl")
    for (int k = 0; k + 1 < n; ++k) out.push_back(greek_letter(static_cast<std::size_t>(k)));
  if (model == "alpha_staggered" || model == "alpha_nonstaggered")
    for (int k = 1; k <= n; ++k) out.push_back("alpha_" + std::to_string(k));
  return out;
}

std::variant<OrderRates, Diagnostics> ccf_orders(const CcfSet& given, int n, std::optional<double> total) {
  if (Diagnostics size = validate_group_size(n); !size.empty()) return size;
  if (given.values.size() != ccf_parameter_names(given.model, n).size()) return wrong_number(given, n);
  if (Diagnostics list = check(given, n); !list.empty()) return list;
  if (given.model == "bfr") {
    for (const std::size_t i : {0U, 1U, 3U})
      if (const double rate = given.values[i]; !(rate == 0.0 || (rate >= least_total && rate <= greatest_total)))
        return refused("CCF030", "bfr",
                       ccf_parameter_names("bfr", n)[i] + " is " + number_text(rate) + "; wanted 0 or a rate from " +
                           number_text(least_total) + " to " + number_text(greatest_total));
    const OrderRates out = order_rates(bfr_of(given.values), n);
    if (total)
      return refused("CCF030", "total",
                     "the total is " + number_text(*total) +
                         ", but the rates of bfr have their own: " + number_text(total_component_rate(out), 9),
                     "Leave the total out.");
    return out;
  }
  const double whole = total.value_or(1.0);
  if (!(whole >= least_total && whole <= greatest_total))
    return refused("CCF030", "total",
                   "the total is " + number_text(whole) + "; wanted a number from " + number_text(least_total) +
                       " to " + number_text(greatest_total));
  if (given.model == "mgl") return from_mgl(given.values, whole);
  if (given.model == "beta") return from_beta(given.values.front(), whole, n);
  return from_alpha(given.values, whole,
                    given.model == "alpha_staggered" ? Testing::staggered : Testing::non_staggered);
}

std::variant<CcfConverted, Diagnostics> ccf_convert(const OrderRates& orders, const std::string& model) {
  if (!(total_component_rate(orders) > 0.0))
    return refused("CCF031", model, "nothing can fail, so there are no factors; wanted a total above 0");
  CcfConverted out{.set = {model, {}}};
  if (model == "bfr") {
    auto fitted = bfr_with(orders);
    if (auto* why = std::get_if<Diagnostics>(&fitted)) return std::move(*why);
    const BfrRates& r = std::get<BfrRates>(fitted);
    out.set.values = {r.lambda_ind, r.mu, r.rho, r.omega};
  } else if (model == "beta") {
    out.set.values = {beta_factor(orders)};
    out.lossy = std::any_of(orders.specific.begin() + 1, orders.specific.end() - 1, [](double q) { return q > 0.0; });
  } else if (model == "mgl") {
    out.set.values = mgl_factors(orders);
  } else {
    out.set.values = alpha_factors(orders, model == "alpha_staggered" ? Testing::staggered : Testing::non_staggered);
  }
  return out;
}

std::variant<std::vector<AlphaEstimate>, Diagnostics> fit_alpha(const std::vector<double>& counts,
                                                                const std::vector<double>& prior, double confidence) {
  Diagnostics list = validate_group_size(static_cast<int>(std::min<std::size_t>(counts.size(), 1U << 20U)));
  const auto complain = [&](const char* code, const char* place, const std::string& message) {
    const Diagnostics one = refused(code, place, message);
    list.insert(list.end(), one.begin(), one.end());
  };
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (!(counts[k] >= 0.0 && counts[k] <= most_counted))
      complain("CCF020", "counts",
               "the number of events with " + std::to_string(k + 1) + " failures is " + number_text(counts[k]) +
                   "; wanted a number from 0 to " + number_text(most_counted));
  if (!prior.empty() && prior.size() != counts.size())
    complain("CCF032", "prior",
             "the prior has " + std::to_string(prior.size()) + " parameters; wanted " + std::to_string(counts.size()));
  for (const double a : prior)
    if (!(a >= least_prior && a <= most_counted))
      complain("CCF032", "prior",
               "a parameter of the prior is " + number_text(a) + "; wanted a number from " + number_text(least_prior) +
                   " to " + number_text(most_counted));
  if (!(confidence >= least_confidence && confidence <= 1.0 - least_confidence))
    complain("CCF032", "confidence",
             "the confidence is " + number_text(confidence) +
                 "; wanted a number between 0 and 1, no nearer to them than " + number_text(least_confidence));
  if (!list.empty()) return list;
  const double events = std::accumulate(counts.begin(), counts.end(), 0.0);
  std::vector<AlphaEstimate> out;
  double all = 0.0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    AlphaEstimate one;
    one.likely = events > 0.0 ? counts[k] / events : std::numeric_limits<double>::quiet_NaN();
    one.a = counts[k] + (prior.empty() ? 0.5 : prior[k]);
    all += one.a;
    out.push_back(one);
  }
  for (AlphaEstimate& one : out) {
    one.b = all - one.a;
    one.mean = one.a / all;
    one.lower = boost::math::ibeta_inv(one.a, one.b, (1.0 - confidence) / 2.0);
    one.upper = boost::math::ibetac_inv(one.a, one.b, (1.0 - confidence) / 2.0);
  }
  return out;
}

}  // namespace ergode
