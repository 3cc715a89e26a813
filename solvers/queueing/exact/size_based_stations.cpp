#include "solvers/queueing/exact/size_based_stations.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"

namespace ergode {
namespace {

constexpr std::size_t nodes = 10;

/// Gauss and Legendre on [0, 1], with integrals from 0 up to each node: sum over j of upto[i][j] f(x_j).
struct SizeRule {
  std::array<double, nodes> x{}, weight{};
  std::array<std::array<double, nodes>, nodes> upto{};

  SizeRule() {
    constexpr double pi = 3.14159265358979323846;
    for (std::size_t i = 0; i < nodes; ++i) {
      double z = std::cos(pi * (static_cast<double>(nodes - i) - 0.25) / (nodes + 0.5)), slope = 1;
      for (int newton = 0; newton < 50; ++newton) {
        double p = 1, before = 0;
        for (std::size_t n = 1; n <= nodes; ++n) {
          const double m = static_cast<double>(n), next = ((2 * m - 1) * z * p - (m - 1) * before) / m;
          before = p, p = next;
        }
        slope = nodes * (z * p - before) / (z * z - 1);
        z -= p / slope;
      }
      x[i] = (1 + z) / 2, weight[i] = 1 / ((1 - z * z) * slope * slope);
    }
    // Integrals of the Lagrange polynomials, of degree 9: the rule itself is exact for them.
    for (std::size_t i = 0; i < nodes; ++i)
      for (std::size_t j = 0; j < nodes; ++j)
        for (std::size_t k = 0; k < nodes; ++k) {
          double lagrange = 1;
          for (std::size_t l = 0; l < nodes; ++l)
            if (l != j) lagrange *= (x[i] * x[k] - x[l]) / (x[j] - x[l]);
          upto[i][j] += x[i] * weight[k] * lagrange;
        }
  }
};

/// Values at the nodes of all panels.
using Values = std::vector<double>;

class Grid {
 public:
  explicit Grid(const std::vector<SizedClass>& classes) {
    std::vector<double> ends{0.0};
    for (const SizedClass& one : classes) {
      const ServiceDensity& s = one.service;
      const bool bounded = std::isfinite(s.upper_s);
      const double width = bounded ? s.upper_s - s.lower_s : s.mean_s;
      ends.push_back(s.lower_s);
      if (bounded) ends.push_back(s.upper_s);
      constexpr int halvings = 80;  // of the square of a panel's width: 2^-40
      for (int h = -halvings; h <= (bounded ? -1 : 60); ++h) {
        const double away = width * std::exp2(0.5 * h);
        ends.push_back(s.lower_s + away);
        if (bounded) ends.push_back(s.upper_s - away);
      }
    }
    std::sort(ends.begin(), ends.end());
    for (std::size_t e = 0; e + 1 < ends.size(); ++e) {
      const double width = ends[e + 1] - ends[e];
      if (!(width > 1e-14 * ends[e + 1])) continue;
      panels_.push_back(width);
      for (const double x : rule().x) at.push_back(ends[e] + width * x);
    }
  }

  Values at;  ///< [s]

  double whole(const Values& f) const {
    double sum = 0;
    for (std::size_t p = 0; p < panels_.size(); ++p) sum += panel(f, p);
    return sum;
  }
  /// From 0 up to each node.
  Values below(const Values& f) const {
    Values out(f.size());
    double before = 0;
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      for (std::size_t i = 0; i < nodes; ++i) out[p * nodes + i] = before + part(f, p, i);
      before += panel(f, p);
    }
    return out;
  }
  /// From each node on: summed from behind, so that small tails have their digits.
  Values above(const Values& f) const {
    Values out(f.size());
    double after = 0;
    for (std::size_t p = panels_.size(); p-- > 0;) {
      const double all = panel(f, p);
      for (std::size_t i = 0; i < nodes; ++i) out[p * nodes + i] = after + std::max(0.0, all - part(f, p, i));
      after += all;
    }
    return out;
  }

 private:
  static const SizeRule& rule() {
    static const SizeRule made;
    return made;
  }
  double panel(const Values& f, std::size_t p) const {
    double sum = 0;
    for (std::size_t i = 0; i < nodes; ++i) sum += rule().weight[i] * f[p * nodes + i];
    return sum * panels_[p];
  }
  double part(const Values& f, std::size_t p, std::size_t i) const {
    double sum = 0;
    for (std::size_t j = 0; j < nodes; ++j) sum += rule().upto[i][j] * f[p * nodes + j];
    return sum * panels_[p];
  }
  std::vector<double> panels_;  ///< widths [s]
};

Values product(const Values& a, const Values& b) {
  Values out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] * b[i];
  return out;
}

bool in_range(const SizedClass& one) {
  const ServiceDensity& s = one.service;
  return one.arrival_rate >= 0 && std::isfinite(one.arrival_rate) && s.mean_s > 0 && std::isfinite(s.mean_s) &&
         s.lower_s >= 0 && s.upper_s > s.lower_s && s.density;
}

}  // namespace

Solved<std::vector<StationMeans>> mg1_by_size(SizeOrder order, const std::vector<SizedClass>& classes) {
  double load = 0, rate = 0;
  for (const SizedClass& one : classes) {
    if (!in_range(one))
      return queueing_error("QUE102", "An arrival rate, mean service time or support is out of range.");
    load += one.arrival_rate * one.service.mean_s, rate += one.arrival_rate;
  }
  if (!(load < 1))
    return queueing_error("QUE103", "The station has the open load " + number_text(load, 6) + "; wanted below 1.");
  const Grid grid(classes);
  const Values& x = grid.at;
  std::vector<Values> density;
  Values all(x.size(), 0.0);  // arrivals per second and size
  for (const SizedClass& one : classes) {
    const ServiceDensity& s = one.service;
    Values f(x.size(), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] <= s.lower_s || x[i] >= s.upper_s) continue;
      f[i] = s.density(x[i]);
      if (!(f[i] >= 0 && std::isfinite(f[i])))
        return queueing_error("QUE102", "The density at " + number_text(x[i]) + " s is " + number_text(f[i]) +
                                            " /s; wanted at least 0 /s.");
      all[i] += one.arrival_rate * f[i];
    }
    const double one_is = grid.whole(f), mean = grid.whole(product(f, x));
    if (std::abs(one_is - 1) > 1e-6 || std::abs(mean - s.mean_s) > 1e-6 * s.mean_s)
      return queueing_error("QUE102", "The density has the integral " + number_text(one_is) + " and the mean " +
                                          number_text(mean) + " s; wanted 1 and " + number_text(s.mean_s) + " s.");
    density.push_back(std::move(f));
  }
  const Values first = product(all, x), second = product(first, x);
  const Values larger = grid.above(all), smaller_load = grid.below(first), smaller_moment = grid.below(second);
  const double moment = grid.whole(second);
  Values waiting(x.size()), response(x.size()), walk(x.size());
  if (order == SizeOrder::shortest_remaining_first)
    for (std::size_t i = 0; i < x.size(); ++i) walk[i] = 1 / (1 - smaller_load[i]);
  walk = grid.below(walk);
  const Values larger_load = order == SizeOrder::longest_first ? grid.above(first) : Values();
  for (std::size_t i = 0; i < x.size(); ++i) {
    // Of jobs cut at x.
    const double cut_load = smaller_load[i] + larger[i] * x[i],
                 cut_moment = smaller_moment[i] + larger[i] * x[i] * x[i];
    const double left = order == SizeOrder::longest_first          ? 1 - larger_load[i]
                        : order == SizeOrder::least_attained_first ? 1 - cut_load
                                                                   : 1 - smaller_load[i];
    switch (order) {
      case SizeOrder::shortest_first:
      case SizeOrder::longest_first:
        waiting[i] = moment / (2 * left * left), response[i] = waiting[i] + x[i];
        break;
      case SizeOrder::shortest_remaining_first:
        waiting[i] = cut_moment / (2 * left * left), response[i] = waiting[i] + walk[i];
        break;
      case SizeOrder::least_attained_first:
        response[i] = cut_moment / (2 * left * left) + x[i] / left;
        break;
    }
  }
  std::vector<StationMeans> out;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    StationMeans m;
    m.throughput = classes[c].arrival_rate;
    m.utilisation = m.throughput * classes[c].service.mean_s;
    m.response_s = grid.whole(product(density[c], response));
    m.waiting_s = grid.whole(product(density[c], waiting));
    m.number = m.throughput * m.response_s;
    m.waiting_number = m.number - m.utilisation;
    m.empty = 1 - load;
    out.push_back(m);
  }
  return out;
}

}  // namespace ergode
