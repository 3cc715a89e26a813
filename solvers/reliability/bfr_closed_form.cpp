#include "solvers/reliability/bfr_closed_form.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace ergode {
namespace {

using BfrGauss = boost::math::quadrature::gauss<double, 30>;
using BfrGaussKronrod = boost::math::quadrature::gauss_kronrod<double, 21>;

/// Calls `visit(weight_s, F, 1 - F)` at the nodes of a quadrature over [0, t] that is exact to rounding for polynomials
/// in F of any order up to the group limit: F is linear or an exponential on each panel.
template <typename Visit>
void over_delays(const DelayLaw& law, double t_s, const Visit& visit) {
  const double smooth_end = std::min(t_s, law.horizon_s());
  if (smooth_end > 0.0) {
    const double scale = law.kind == DelayLaw::Kind::uniform ? law.window_s / 4.0 : law.mean_s / 2.0;
    const int panels = std::max(1, static_cast<int>(std::ceil(smooth_end / scale)));
    const double half = smooth_end / panels / 2.0;
    const auto& abscissa = BfrGauss::abscissa();
    const auto& weight = BfrGauss::weights();
    for (int p = 0; p < panels; ++p)
      for (std::size_t i = 0; i < abscissa.size(); ++i)
        for (const double side : {-1.0, 1.0}) {
          const double u = half * (2 * p + 1 + side * abscissa[i]);
          visit(half * weight[i], law.cdf(u), law.survival(u));
        }
  }
  if (t_s > smooth_end) visit(t_s - smooth_end, 1.0, 0.0);
}

/// Adds weight * p^k * q^(n - k) to sum[k - 1] for k = 1 .. n.
void add_binomial_terms(std::vector<double>& sum, double weight, double p, double q) {
  const std::size_t n = sum.size();
  double q_power[ccf_group_limit];
  q_power[0] = 1.0;
  for (std::size_t i = 1; i < n; ++i) q_power[i] = q_power[i - 1] * q;
  // Powers by products: pow() for each term would cost as much as the rest.
  double p_power = weight;
  for (std::size_t k = 1; k <= n; ++k) {
    p_power *= p;
    sum[k - 1] += p_power * q_power[n - k];
  }
}

/// Square upper-triangular matrix of nonnegative numbers, order n + 1.
struct Triangle {
  std::size_t order;
  std::vector<double> cells;
  explicit Triangle(std::size_t size) : order(size), cells(size * size, 0.0) {}
  double& at(std::size_t row, std::size_t column) { return cells[row * order + column]; }
  double at(std::size_t row, std::size_t column) const { return cells[row * order + column]; }
};

Triangle product(const Triangle& a, const Triangle& b) {
  Triangle c(a.order);
  for (std::size_t i = 0; i < a.order; ++i)
    for (std::size_t k = i; k < a.order; ++k)
      for (std::size_t j = k; j < a.order; ++j) c.at(i, j) += a.at(i, k) * b.at(k, j);
  return c;
}

/// Rows of a transition matrix sum to one; dividing by the sum keeps rounding from growing with each squaring.
void normalise_rows(Triangle& matrix) {
  for (std::size_t i = 0; i < matrix.order; ++i) {
    double sum = 0.0;
    for (std::size_t j = i; j < matrix.order; ++j) sum += matrix.at(i, j);
    for (std::size_t j = i; j < matrix.order; ++j) matrix.at(i, j) /= sum;
  }
}

/// Jump intensities i -> j > i of the number failed when set events strike one after another: j - i of the healthy
/// members together with any of those that have failed already.
Triangle jump_intensities(std::span<const double> exposure) {
  const int n = static_cast<int>(exposure.size());
  Triangle jumps(static_cast<std::size_t>(n + 1));
  for (int i = 0; i < n; ++i)
    for (int more = 1; more <= n - i; ++more) {
      double sum = 0.0;
      for (int again = 0; again <= i; ++again)
        sum += binomial(i, again) * exposure[static_cast<std::size_t>(more + again - 1)];
      jumps.at(static_cast<std::size_t>(i), static_cast<std::size_t>(i + more)) = binomial(n - i, more) * sum;
    }
  return jumps;
}

/// exp(Q) for the generator with these jumps: Poisson-weighted powers of a nonnegative matrix over 2^-s of the
/// interval, then s squarings. Every operation adds or multiplies nonnegative numbers, so small entries stay sharp.
Triangle transition_matrix(const Triangle& jumps) {
  const std::size_t order = jumps.order;
  std::vector<double> leave(order, 0.0);
  for (std::size_t i = 0; i < order; ++i)
    for (std::size_t j = i + 1; j < order; ++j) leave[i] += jumps.at(i, j);
  const double fastest = *std::max_element(leave.begin(), leave.end());
  Triangle result(order);
  for (std::size_t i = 0; i < order; ++i) result.at(i, i) = 1.0;
  if (fastest == 0.0) return result;

  // Over so short a stretch the series needs few terms; squaring brings it to the whole.
  const int squarings = std::max(0, static_cast<int>(std::ceil(std::log2(fastest / 0.5))));
  const double mean = std::ldexp(fastest, -squarings);
  Triangle step(order);
  for (std::size_t i = 0; i < order; ++i) {
    step.at(i, i) = (fastest - leave[i]) / fastest;
    for (std::size_t j = i + 1; j < order; ++j) step.at(i, j) = jumps.at(i, j) / fastest;
  }
  Triangle term = result;
  const int terms = static_cast<int>(order) + 24;  // order - 1 jumps reach the last entry; 24 more exhaust the digits
  for (int k = 1; k <= terms; ++k) {
    term = product(term, step);
    for (double& cell : term.cells) cell *= mean / k;
    for (std::size_t c = 0; c < term.cells.size(); ++c) result.cells[c] += term.cells[c];
  }
  normalise_rows(result);
  for (int s = 0; s < squarings; ++s) {
    result = product(result, result);
    normalise_rows(result);
  }
  return result;
}

double not_all_failed(const std::vector<double>& distribution) {
  return std::accumulate(distribution.begin(), distribution.end() - 1, 0.0);
}

}  // namespace

std::vector<double> set_exposures(const BfrRates& rates, const DelayLaw& law, int n, double t_s) {
  std::vector<double> exposure(static_cast<std::size_t>(n), 0.0);
  over_delays(law, t_s, [&](double weight, double cdf, double survival) {
    add_binomial_terms(exposure, rates.mu * weight, rates.rho * cdf, (1.0 - rates.rho) + rates.rho * survival);
    add_binomial_terms(exposure, rates.omega * weight, cdf, survival);
  });
  exposure.front() += rates.lambda_ind * t_s;
  return exposure;
}

std::vector<double> set_exposures(const OrderRates& rates, const DelayLaw& law, double t_s) {
  const int n = rates.n();
  std::vector<double> exposure(static_cast<std::size_t>(n), 0.0);
  const int first_delayed = law.delays_single ? 1 : 2;
  for (int k = first_delayed; k <= n; ++k) {
    const double rate = rates.specific[static_cast<std::size_t>(k - 1)];
    if (rate == 0.0) continue;
    std::vector<double> struck(static_cast<std::size_t>(k), 0.0);  // of the k members, a specific j have failed by t
    over_delays(law, t_s, [&](double weight, double cdf, double survival) {
      add_binomial_terms(struck, rate * weight, cdf, survival);
    });
    for (int j = 1; j <= k; ++j)
      exposure[static_cast<std::size_t>(j - 1)] += binomial(n - j, k - j) * struck[static_cast<std::size_t>(j - 1)];
  }
  if (!law.delays_single) exposure.front() += rates.specific.front() * t_s;
  return exposure;
}

std::vector<double> failed_count_distribution(std::span<const double> exposure, std::span<const double> initial) {
  const Triangle matrix = transition_matrix(jump_intensities(exposure));
  std::vector<double> result(matrix.order, 0.0);
  for (std::size_t i = 0; i < matrix.order; ++i) {
    const double start = initial.empty() ? (i == 0 ? 1.0 : 0.0) : initial[i];
    if (start == 0.0) continue;
    for (std::size_t j = i; j < matrix.order; ++j) result[j] += start * matrix.at(i, j);
  }
  return result;
}

std::vector<double> failed_count_distribution(const BfrRates& rates, const DelayLaw& law, int n, double t_s,
                                              std::span<const double> initial) {
  return failed_count_distribution(set_exposures(rates, law, n, t_s), initial);
}

std::vector<double> failed_count_distribution(const OrderRates& rates, const DelayLaw& law, double t_s,
                                              std::span<const double> initial) {
  return failed_count_distribution(set_exposures(rates, law, t_s), initial);
}

FailedCountCurve failed_count_curve(const BfrRates& rates, const DelayLaw& law, int n, std::vector<double> initial) {
  return [rates, law, n, initial = std::move(initial)](double t_s) {
    return failed_count_distribution(rates, law, n, t_s, initial);
  };
}

FailedCountCurve failed_count_curve(const OrderRates& rates, const DelayLaw& law, std::vector<double> initial) {
  return [rates, law, initial = std::move(initial)](double t_s) {
    return failed_count_distribution(rates, law, t_s, initial);
  };
}

double time_average(const FailedCountCurve& curve, std::span<const double> value, const DelayLaw& law, double end_s) {
  const auto expected = [&](double t) {
    const std::vector<double> p = curve(t);
    return std::inner_product(p.begin(), p.end(), value.begin(), 0.0);
  };
  // In a mission of many mean lives everything happens in a sliver at its beginning, which an adaptive rule over the
  // whole would never meet: the end is cut off while the curve is level there.
  std::vector<double> cuts = {end_s};
  const double last = expected(end_s);
  for (double largest = std::abs(last); cuts.size() < 20; cuts.push_back(cuts.back() / 16.0)) {
    const double earlier = expected(cuts.back() / 16.0);
    largest = std::max(largest, std::abs(earlier));
    if (std::abs(earlier - last) > 1e-3 * largest) break;
  }
  cuts.push_back(0.0);
  // The curve is smooth on either side of the end of the law.
  if (const double bend = law.horizon_s(); bend > 0.0 && bend < end_s) cuts.push_back(bend);
  std::sort(cuts.begin(), cuts.end());
  double sum = 0.0;
  for (std::size_t i = 1; i < cuts.size(); ++i)
    sum += BfrGaussKronrod::integrate(expected, cuts[i - 1], cuts[i], 12, 1e-12);
  return sum / end_s;
}

std::optional<double> mean_time_to_all_failed(const BfrRates& rates, const DelayLaw& law, int n) {
  const double each = rates.lambda_ind + rates.mu * rates.rho + rates.omega;
  if (each == 0.0) return std::nullopt;
  const FailedCountCurve curve = failed_count_curve(rates, law, n);
  const auto surviving = [&](double t) { return not_all_failed(curve(t)); };
  const double bend = law.horizon_s();
  const double head = bend > 0.0 ? BfrGaussKronrod::integrate(surviving, 0.0, bend, 12, 1e-12) : 0.0;
  // In units of a component's mean life the tail is a sum of exponentials with exponents of at least 1.
  const auto tail = [&](double x) { return surviving(bend + x / each); };
  double rest = 0.0;
  for (double from = 0.0; from < 700.0; from += from < 4.0 ? 2.0 : from) {
    const double part = BfrGaussKronrod::integrate(tail, from, from < 4.0 ? from + 2.0 : 2.0 * from, 12, 1e-12);
    rest += part;
    if (part < 1e-14 * rest) break;
  }
  return head + rest / each;
}

}  // namespace ergode
