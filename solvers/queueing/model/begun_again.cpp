#include "solvers/queueing/model/begun_again.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/special_values.h"

namespace ergode {
namespace {

using Family = Distribution::Family;

/// The integral of e^(s t) P(S > t) over all t >= 0; s of any sign.
class Weighted {
 public:
  Weighted(const Distribution& law, double s) : law_(law), s_(s) {}

  MeanTime integral() const {
    const double mean_s = law_.mean();
    if (law_.family() == Family::deterministic) return {of_length(mean_s), true};
    if (!std::isfinite(mean_s)) return {s_ > 0.0 ? infinity : mean_s, s_ > 0.0};
    if (law_.family() == Family::gamma || law_.family() == Family::erlang || law_.family() == Family::exponential)
      return of_gamma(law_.variance() / mean_s, mean_s * mean_s / law_.variance());
    constexpr std::size_t most = 60;
    if (const auto phases = law_.phases(most)) return {of_phases(*phases), true};
    const bool heavy = law_.family() == Family::lognormal || law_.tail_index() < infinity ||
                       (law_.family() == Family::weibull && law_.variance() > mean_s * mean_s * (1.0 + 1e-9));
    if (s_ > 0.0 && heavy) return {infinity, true};
    return {from_below(), false};
  }

 private:
  double of_length(double length_s) const { return std::expm1(s_ * length_s) / s_; }
  MeanTime of_gamma(double scale_s, double shape) const {
    if (s_ * scale_s >= 1.0) return {infinity, true};
    return {std::expm1(-shape * std::log1p(-s_ * scale_s)) / s_, true};
  }
  // x = (-T - s I)^-1 1, which is positive if and only if the integral is finite from each phase.
  double of_phases(const Phases& phases) const {
    std::vector<std::size_t> reached;
    std::vector<std::size_t> place(phases.rate.size(), phases.rate.size());
    const auto reach = [&](std::size_t phase) {
      if (place[phase] == phases.rate.size()) place[phase] = reached.size(), reached.push_back(phase);
    };
    for (std::size_t i = 0; i < phases.rate.size(); ++i)
      if (phases.initial[i] > 0.0) reach(i);
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const Phases::Jump& jump : phases.jumps[reached[i]])
        if (jump.probability > 0.0) reach(jump.phase);
    const std::size_t n = reached.size();
    std::vector<double> a(n * (n + 1), 0.0);
    const auto at = [&](std::size_t row, std::size_t column) -> double& { return a[row * (n + 1) + column]; };
    for (std::size_t i = 0; i < n; ++i) {
      const double rate = phases.rate[reached[i]];
      at(i, i) += rate - s_, at(i, n) = 1.0;
      for (const Phases::Jump& jump : phases.jumps[reached[i]])
        if (jump.probability > 0.0) at(i, place[jump.phase]) -= rate * jump.probability;
    }
    // Where all is well the diagonal stays positive: an M-matrix needs no pivots.
    for (std::size_t k = 0; k < n; ++k) {
      if (!(at(k, k) > 0.0)) return infinity;
      for (std::size_t i = k + 1; i < n; ++i) {
        const double factor = at(i, k) / at(k, k);
        for (std::size_t j = k; factor != 0.0 && j <= n; ++j) at(i, j) -= factor * at(k, j);
      }
    }
    double out = 0.0;
    for (std::size_t k = n; k-- > 0;) {
      for (std::size_t j = k + 1; j < n; ++j) at(k, n) -= at(k, j) * at(j, n);
      at(k, n) /= at(k, k);
      out += phases.initial[reached[k]] * at(k, n);
    }
    return out;
  }
  // P(S > t) falls: its value at the end of a step is its least in it.
  double from_below() const {
    constexpr int steps = 4096;
    double end = law_.quantile(1.0);
    if (!std::isfinite(end)) end = law_.quantile(1.0 - 1e-9);
    double out = 0.0;
    for (int i = 0; i < steps; ++i) {
      const double from = end * i / steps, step = end / steps;
      out += std::max(0.0, 1.0 - law_.cdf(from + step)) * std::exp(s_ * from) * of_length(step);
    }
    return out;
  }

  const Distribution& law_;
  double s_;
};

}  // namespace

MeanTime time_begun_again(const Distribution& law, double rate_s) { return Weighted(law, rate_s).integral(); }

MeanTime time_drawn_again(const Distribution& law, double rate_s) {
  const MeanTime whole = Weighted(law, -rate_s).integral();
  const double done = 1.0 - rate_s * whole.mean_s;  // in one go
  return {done > 0.0 ? whole.mean_s / done : infinity, whole.exactly};
}

bool to_draw_again_never_helps(const Distribution& law) {
  switch (law.family()) {
    case Family::deterministic:
    case Family::exponential:
    case Family::erlang:
    case Family::uniform:
    case Family::triangular:
    case Family::truncated_normal:
    case Family::truncated_exponential:
      return true;
    case Family::gamma:
    case Family::weibull:
      return law.variance() <= law.mean() * law.mean();
    default:
      return false;
  }
}

}  // namespace ergode
