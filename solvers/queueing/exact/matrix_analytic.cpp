#include "solvers/queueing/exact/matrix_analytic.h"

#include <Eigen/Dense>
#include <cmath>

#include "core/base/text.h"

namespace ergode {
namespace {

using Matrix = Eigen::MatrixXd;
using Row = Eigen::RowVectorXd;

Matrix matrix(const std::vector<double>& values, std::size_t size) {
  const auto n = static_cast<Eigen::Index>(size);
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(values.data(), n, n);
}
Matrix identity(Eigen::Index n) { return Matrix::Identity(n, n); }
Matrix kronecker(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows() * b.rows(), a.cols() * b.cols());
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index j = 0; j < a.cols(); ++j) out.block(i * b.rows(), j * b.cols(), b.rows(), b.cols()) = a(i, j) * b;
  return out;
}
/// Row vector x with x q = 0 and sum 1, of an irreducible generator.
Row stationary(const Matrix& q) {
  Matrix equations = q;
  equations.col(0).setOnes();
  Row right = Row::Zero(q.rows());
  right[0] = 1;
  return equations.transpose().partialPivLu().solve(right.transpose()).transpose();
}

std::optional<Diagnostic> check_sizes(std::size_t arrivals, std::size_t services, bool fit) {
  if (!fit || arrivals == 0 || services == 0)
    return queueing_error("QUE101", "The matrices of phases do not fit each other.");
  if (arrivals * services > 400)
    return queueing_error("QUE104",
                          "There are " + std::to_string(arrivals * services) + " phases; at most 400 are solved.");
  return {};
}
bool fits(const MarkovianArrivals& a) {
  return a.without.size() == a.phases * a.phases && a.with.size() == a.without.size();
}
Diagnostic no_generator(const char* whose) {
  return queueing_error("QUE102", std::string(whose) + " is no generator of phases.");
}
std::optional<Diagnostic> check(const MarkovianArrivals& a, const char* whose) {
  for (std::size_t i = 0; i < a.phases; ++i) {
    double sum = 0, size = 0;
    for (std::size_t j = 0; j < a.phases; ++j) {
      const double off = a.without[i * a.phases + j], on = a.with[i * a.phases + j];
      if (!std::isfinite(off) || !std::isfinite(on) || on < 0 || (i != j && off < 0)) return no_generator(whose);
      sum += off + on, size += std::abs(off) + on;
    }
    if (std::abs(sum) > 1e-9 * size) return no_generator(whose);
  }
  return {};
}
std::optional<Diagnostic> check(const PhaseService& s) {
  const std::size_t phases = s.initial.size();
  double all = 0;
  for (std::size_t i = 0; i < phases; ++i) {
    double sum = 0, size = 0;
    for (std::size_t j = 0; j < phases; ++j) {
      const double rate = s.generator[i * phases + j];
      if (!std::isfinite(rate) || (i != j && rate < 0)) return no_generator("The service's matrix");
      sum += rate, size += std::abs(rate);
    }
    if (sum > 1e-9 * size || size == 0 || !(s.initial[i] >= 0)) return no_generator("The service's matrix");
    all += s.initial[i];
  }
  if (std::abs(all - 1) > 1e-9) return no_generator("The service's beginning");
  return {};
}

/// One server, level by level. `up`, `down`, `local` lead from any level of at least one customer to the next, to the
/// one before, and within; `empty`, `fills`, `empties` are within the lowest level, from it, and to it.
struct Levels {
  Matrix up, down, local, empty, fills, empties;
};

Solved<MapPhMeans> solve(const Levels& of, double rate, double mean_s) {
  const double load = rate * mean_s;
  if (!(mean_s > 0) || !std::isfinite(mean_s))
    return queueing_error("QUE102", "The mean service time is " + number_text(mean_s) + " s; wanted above 0 s.");
  if (!(load < 1))
    return queueing_error("QUE103", "The station has the open load " + number_text(load, 6) + "; wanted below 1.");
  const Eigen::Index e = of.empty.rows(), m = of.local.rows();
  // Latouche and Ramaswami: H and L lead one level up and down without returning; each step doubles the levels.
  const auto inverse = (-of.local).partialPivLu();
  Matrix high = inverse.solve(of.up), low = inverse.solve(of.down), g = low, path = high;
  MapPhMeans out;
  for (double left = 1; left > 1e-14; ++out.iterations) {
    if (out.iterations > 60) return queueing_error("QUE106", "The logarithmic reduction has not settled in 60 steps.");
    const auto both = (identity(m) - high * low - low * high).partialPivLu();
    const Matrix twice_high = both.solve(high * high), twice_low = both.solve(low * low);
    high = twice_high, low = twice_low;
    // Up or down is where everybody goes; rounding would be doubled with every step.
    const Eigen::VectorXd leaves = (high + low).rowwise().sum();
    for (Eigen::Index i = 0; i < m; ++i) high.row(i) /= leaves[i], low.row(i) /= leaves[i];
    const Matrix more = path * low;
    g += more;
    path = path * high;
    left = more.cwiseAbs().rowwise().sum().maxCoeff();
  }
  for (Eigen::Index i = 0; i < m; ++i) g.row(i) /= g.row(i).sum();  // a stable station is emptied for sure
  const Matrix r = of.up * (-(of.local + of.up * g)).partialPivLu().inverse();
  // Levels 0 and 1: pi_0 empty + pi_1 empties = 0, pi_0 fills + pi_1 (local + r down) = 0, and all sums to one.
  const Matrix sums = (identity(m) - r).partialPivLu().inverse();
  // What rounding leaves of the means: that of the last digit, as often as levels come again before they are left.
  constexpr double most_returns = 1e9, probability_rounding = 1e-9;
  const double returns = sums.cwiseAbs().rowwise().sum().maxCoeff();
  const auto lost = [] {
    return queueing_error("QUE107",
                          "It settles so slowly that rounding leaves too few digits of its means; wanted phases that "
                          "last less long, or a load further from 1.");
  };
  if (!(returns < most_returns)) return lost();
  Matrix equations(e + m, e + m);
  equations << of.empty, of.fills, of.empties, of.local + r * of.down;
  Eigen::VectorXd ones(e + m);
  ones << Eigen::VectorXd::Ones(e), sums.rowwise().sum();
  equations.col(0) = ones;
  Row right = Row::Zero(e + m);
  right[0] = 1;
  const Row border = equations.transpose().partialPivLu().solve(right.transpose()).transpose();
  Row level = border.tail(m);
  out.empty = border.head(e).sum();
  // One server that never stands while somebody is there is free for 1 - load of the time, whatever the phases.
  if (!(std::abs(out.empty - (1 - load)) < probability_rounding)) return lost();
  out.number = (level * sums * sums).sum();
  out.throughput = rate, out.utilisation = load;
  out.waiting_number = out.number - load;
  out.response_s = out.number / rate, out.waiting_s = out.response_s - mean_s;
  // An arrival's view is the phase's weighted with what arrives in it.
  out.wait_probability = 1 - (border.head(e) * of.fills).sum() / rate;
  out.number_probability.push_back(out.empty);
  double rest = 1 - out.empty;
  while (rest > 1e-12 && out.number_probability.size() < 10000) {
    const double here = level.sum();
    out.number_probability.push_back(here);
    level = level * r;
    out.decay = here > 0 ? level.sum() / here : 0;
    rest -= here;
  }
  return out;
}

}  // namespace

MarkovianArrivals renewal_arrivals(const PhaseService& gap) {
  const std::size_t n = gap.initial.size();
  MarkovianArrivals out{n, gap.generator, std::vector<double>(n * n)};
  for (std::size_t i = 0; i < n; ++i) {
    double ends = 0;
    for (std::size_t j = 0; j < n; ++j) ends -= gap.generator[i * n + j];
    for (std::size_t j = 0; j < n; ++j) out.with[i * n + j] = std::max(0.0, ends) * gap.initial[j];
  }
  return out;
}

Solved<MapPhMeans> map_ph_1(const MarkovianArrivals& arrivals, const PhaseService& service) {
  const std::size_t s_phases = service.initial.size();
  if (auto bad =
          check_sizes(arrivals.phases, s_phases, fits(arrivals) && service.generator.size() == s_phases * s_phases))
    return *bad;
  if (auto bad = check(arrivals, "The arrivals' matrix")) return *bad;
  if (auto bad = check(service)) return *bad;
  const Matrix d0 = matrix(arrivals.without, arrivals.phases), d1 = matrix(arrivals.with, arrivals.phases),
               t = matrix(service.generator, s_phases);
  const Row beta = Eigen::Map<const Row>(service.initial.data(), static_cast<Eigen::Index>(s_phases));
  const Eigen::VectorXd ends = -t.rowwise().sum();
  const Matrix of_a = identity(d0.rows()), of_s = identity(t.rows());
  return solve({.up = kronecker(d1, of_s),
                .down = kronecker(of_a, ends * beta),
                .local = kronecker(d0, of_s) + kronecker(of_a, t),
                .empty = d0,
                .fills = kronecker(d1, beta),
                .empties = kronecker(of_a, ends)},
               (stationary(d0 + d1) * d1).sum(), -(beta * t.partialPivLu().inverse()).sum());
}

Solved<MapPhMeans> map_map_1(const MarkovianArrivals& arrivals, const MarkovianArrivals& service) {
  if (auto bad = check_sizes(arrivals.phases, service.phases, fits(arrivals) && fits(service))) return *bad;
  if (auto bad = check(arrivals, "The arrivals' matrix")) return *bad;
  if (auto bad = check(service, "The service's matrix")) return *bad;
  const Matrix d0 = matrix(arrivals.without, arrivals.phases), d1 = matrix(arrivals.with, arrivals.phases),
               s0 = matrix(service.without, service.phases), s1 = matrix(service.with, service.phases);
  const Matrix of_a = identity(d0.rows()), of_s = identity(s0.rows());
  // While nobody is there the phase of the services stands still.
  return solve({.up = kronecker(d1, of_s),
                .down = kronecker(of_a, s1),
                .local = kronecker(d0, of_s) + kronecker(of_a, s0),
                .empty = kronecker(d0, of_s),
                .fills = kronecker(d1, of_s),
                .empties = kronecker(of_a, s1)},
               (stationary(d0 + d1) * d1).sum(), 1 / (stationary(s0 + s1) * s1).sum());
}

}  // namespace ergode
