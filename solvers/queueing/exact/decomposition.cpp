#include "solvers/queueing/exact/decomposition.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace ergode {
namespace {

/// How much a superposition keeps of the variability of its parts: 1 for a single one, nothing for very many.
/// @param squares  sum of the squared shares of the parts
double weight(double load, double squares) {
  const double parts = 1 / squares;
  return 1 / (1 + 4 * (1 - load) * (1 - load) * (parts - 1));
}

}  // namespace

Solved<std::vector<StationArrivals>> decompose(const std::vector<OpenStation>& stations,
                                               const std::vector<OutsideArrivals>& outside,
                                               const std::vector<InsideFlow>& inside) {
  const std::size_t n = stations.size();
  std::vector<StationArrivals> out(n);
  std::vector<double> from_outside(n, 0.0), load(n, 0.0);
  const auto at_least_zero = [](double x) { return x >= 0 && std::isfinite(x); };
  for (const OutsideArrivals& a : outside) {
    if (a.station >= n || !at_least_zero(a.rate) || !at_least_zero(a.variability) || !(a.share > 0 && a.share <= 1))
      return queueing_error("QUE102", "A stream from outside has values out of range.");
    from_outside[a.station] += a.rate;
  }
  for (std::size_t j = 0; j < n; ++j) out[j].rate = from_outside[j];
  for (const InsideFlow& f : inside) {
    if (f.from >= n || f.to >= n || !at_least_zero(f.rate))
      return queueing_error("QUE102", "A flow between stations has values out of range.");
    out[f.to].rate += f.rate;
  }
  for (std::size_t j = 0; j < n; ++j) {
    const OpenStation& s = stations[j];
    if (!at_least_zero(s.mean_s) || !at_least_zero(s.service_variability) || s.servers < 0)
      return queueing_error("QUE102", "Station " + std::to_string(j + 1) + " has values out of range.");
    if (s.servers == 0) continue;
    load[j] = out[j].rate * s.mean_s / s.servers;
    if (!(load[j] < 1))
      return queueing_error("QUE103", "Station " + std::to_string(j + 1) + " has the open load " +
                                          number_text(load[j], 6) + " per server; wanted below 1.");
  }
  // What of a station's arrivals comes from where.
  Eigen::MatrixXd share = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  const auto at = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
  for (const InsideFlow& f : inside)
    if (out[f.to].rate > 0) share(at(f.from), at(f.to)) += f.rate / out[f.to].rate;
  Eigen::MatrixXd equations = Eigen::MatrixXd::Identity(at(n), at(n));
  Eigen::VectorXd right = Eigen::VectorXd::Ones(at(n));
  for (std::size_t j = 0; j < n; ++j) {
    if (out[j].rate == 0) continue;
    const double p0 = from_outside[j] / out[j].rate;
    double squares = p0 * p0, outside_squares = 0, outside_sum = 0;
    for (const OutsideArrivals& a : outside) {
      if (a.station != j) continue;
      const double p = a.rate / from_outside[j];
      outside_squares += p * p, outside_sum += p * (a.share * a.variability + 1 - a.share);
    }
    for (std::size_t i = 0; i < n; ++i) squares += share(at(i), at(j)) * share(at(i), at(j));
    const double w = weight(load[j], squares);
    double constant = 0;
    if (p0 > 0) {
      const double w0 = weight(load[j], outside_squares);
      constant += p0 * (1 - w0 + w0 * outside_sum - 1);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double p = share(at(i), at(j));
      if (p == 0) continue;
      // Part q of those who leave i go to j; c_d^2 = 1 + (1 - rho^2)(c_a^2 - 1) + rho^2 (c_s^2 - 1) / sqrt(m).
      const double q = p * out[j].rate / out[i].rate, served = load[i] * load[i];
      const double x = stations[i].servers == 0 ? 1
                                                : 1 + (std::max(stations[i].service_variability, 0.2) - 1) /
                                                          std::sqrt(static_cast<double>(stations[i].servers));
      constant += p * (1 - q + q * served * x - 1);
      equations(at(j), at(i)) -= w * p * q * (1 - served);
    }
    // 1 + w (sum of p_i (1 - q + q rho^2 x) - 1): the ones of all parts add up to one, which is taken off above.
    right[at(j)] = 1 + w * constant;
  }
  const Eigen::VectorXd found = equations.partialPivLu().solve(right);
  for (std::size_t j = 0; j < n; ++j) out[j].variability = out[j].rate > 0 ? std::max(0.0, found[at(j)]) : 1.0;
  return out;
}

}  // namespace ergode
