#include "core/random/markovian_arrival_process.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/base/text.h"

namespace ergode {
namespace {

using Values = std::vector<double>;

/// Inverse of an n x n matrix by elimination with row exchange; nothing where it is singular.
std::optional<Values> inverse_of(Values a, std::size_t n) {
  Values out(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) out[i * n + i] = 1.0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[pivot * n + k])) pivot = i;
    if (a[pivot * n + k] == 0.0) return std::nullopt;
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(a[k * n + j], a[pivot * n + j]);
      std::swap(out[k * n + j], out[pivot * n + j]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i * n + k] / a[k * n + k];
      for (std::size_t j = 0; j < n; ++j) {
        a[i * n + j] -= factor * a[k * n + j];
        out[i * n + j] -= factor * out[k * n + j];
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) out[i * n + j] /= a[i * n + i];
  return out;
}

Values row_times(const Values& row, const Values& matrix) {
  const std::size_t n = row.size();
  Values out(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) out[j] += row[i] * matrix[i * n + j];
  return out;
}
double sum_of(const Values& row) { return std::accumulate(row.begin(), row.end(), 0.0); }

/// Stationary distribution of an irreducible generator, without a subtraction: Grassmann, Taksar and Heyman,
/// Regenerative analysis and steady state distributions for Markov chains, Operations Research 33, 1985.
Values stationary_of(Values q, std::size_t n) {
  for (std::size_t k = n; k-- > 1;) {
    double out = 0.0;
    for (std::size_t j = 0; j < k; ++j) out += q[k * n + j];
    for (std::size_t i = 0; i < k; ++i) q[i * n + k] /= out;
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < k; ++j)
        if (i != j) q[i * n + j] += q[i * n + k] * q[k * n + j];
  }
  Values out(n, 0.0);
  out[0] = 1.0;
  for (std::size_t k = 1; k < n; ++k)
    for (std::size_t i = 0; i < k; ++i) out[k] += out[i] * q[i * n + k];
  const double all = sum_of(out);
  for (double& p : out) p /= all;
  return out;
}

/// How many phases are reached from the first, along rates or against them.
std::size_t reached(const Values& rates, std::size_t n, bool backwards) {
  std::vector<std::uint8_t> seen(n, 0);
  std::vector<std::size_t> open{0};
  seen[0] = 1;
  for (std::size_t i = 0; i < open.size(); ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (seen[j] == 0 && rates[backwards ? j * n + open[i] : open[i] * n + j] > 0.0) seen[j] = 1, open.push_back(j);
  return open.size();
}

/// Sums up to each, the last of them that is there and all behind it exactly 1.
Values cumulated(const Values& probabilities) {
  Values out;
  std::partial_sum(probabilities.begin(), probabilities.end(), std::back_inserter(out));
  const double last = out.back();
  for (std::size_t i = out.size(); i-- > 0 && out[i] == last;) out[i] = 1.0;
  return out;
}
std::uint32_t one_of(const Values& cumulated, double u) {
  return static_cast<std::uint32_t>(std::upper_bound(cumulated.begin(), cumulated.end() - 1, u) - cumulated.begin());
}

std::string place(const char* matrix, std::size_t i, std::size_t j) {
  return std::string(matrix) + ", row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) + ", is ";
}

}  // namespace

std::variant<MarkovianArrivalProcess, std::string> MarkovianArrivalProcess::make(Values d0, Values d1) {
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(d0.size()))));
  if (n == 0 || n * n != d0.size())
    return "d0 has " + std::to_string(d0.size()) + " values, wanted as many rows as columns";
  if (d1.size() != d0.size())
    return "d1 has " + std::to_string(d1.size()) + " values, wanted " + std::to_string(d0.size()) + " as d0 has";
  if (n > 100) return "there are " + std::to_string(n) + " phases, wanted at most 100";
  MarkovianArrivalProcess out;
  Values all(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    double leaves = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      const double off = d0[i * n + j], on = d1[i * n + j];
      if (!std::isfinite(off) || (i != j && off < 0.0))
        return place("d0", i, j) + number_text(off) + " /s, wanted a finite rate >= 0 off the diagonal";
      if (!(on >= 0.0 && std::isfinite(on)))
        return place("d1", i, j) + number_text(on) + " /s, wanted a finite rate >= 0";
      leaves += (i != j ? off : 0.0) + on;
      if (i != j) all[i * n + j] = off + on;
    }
    if (!(leaves > 0.0)) return "nothing ever happens in phase " + std::to_string(i + 1) + ", wanted a rate > 0";
    if (!(std::fabs(d0[i * n + i] + leaves) <= 1e-9 * leaves))
      return "row " + std::to_string(i + 1) + " of d0 and d1 together sums to " + number_text(d0[i * n + i] + leaves) +
             " /s, wanted 0";
    d0[i * n + i] = -leaves;
    out.leaving_.push_back(leaves);
    double before = 0.0;
    for (std::size_t j = 0; j < 2 * n; ++j) {
      const double rate = j >= n ? d1[i * n + j - n] : j == i ? 0.0 : d0[i * n + j];
      out.jumps_.push_back((before += rate) / leaves);
    }
    // Rounding must not leave a sliver that no transition has: the last one that there is ends at 1.
    const double last = out.jumps_.back();
    for (std::size_t j = 2 * n; j-- > 0 && out.jumps_[i * 2 * n + j] == last;) out.jumps_[i * 2 * n + j] = 1.0;
  }
  if (sum_of(d1) == 0.0) return "d1 is 0 all over, wanted a transition that brings an arrival";
  if (reached(all, n, false) < n || reached(all, n, true) < n)
    return "not every phase is reached from every other, wanted an irreducible chain";
  Values minus(d0.size());
  std::transform(d0.begin(), d0.end(), minus.begin(), [](double x) { return -x; });
  auto inverse = inverse_of(std::move(minus), n);
  if (!inverse) return "d0 is singular, wanted one from every phase of which an arrival comes";
  out.inverse_ = *std::move(inverse);
  out.stationary_ = stationary_of(all, n);
  out.after_ = row_times(out.stationary_, d1);
  out.rate_ = sum_of(out.after_);
  for (double& p : out.after_) p /= out.rate_;
  out.d0_ = std::move(d0), out.d1_ = std::move(d1);
  const double second = 2.0 * sum_of(row_times(row_times(out.after_, out.inverse_), out.inverse_));
  if (!(out.rate_ > 0.0 && std::isfinite(out.rate_) && std::isfinite(second) && std::isfinite(out.rate_ * out.rate_)))
    return "its rates are too great, too small or too far apart for the mean and the variance of a gap, which come "
           "to " +
           number_text(1.0 / out.rate_) + " s and " + number_text(second - 1.0 / out.rate_ / out.rate_) +
           " s2, wanted finite ones";
  out.variance_ = std::max(0.0, second - 1.0 / (out.rate_ * out.rate_));
  out.cumulated_ = cumulated(out.stationary_), out.cumulated_after_ = cumulated(out.after_);
  return out;
}

std::variant<MarkovianArrivalProcess, std::string> MarkovianArrivalProcess::modulated(
    std::span<const double> rates, std::span<const double> switching) {
  const std::size_t n = rates.size();
  Values q(switching.begin(), switching.end());
  if (n == 2 && q.size() == 2) q = {0.0, q[0], q[1], 0.0};
  if (n == 1 && q.size() <= 1) q.assign(1, 0.0);
  if (n == 0) return "rates has no value, wanted one for each state";
  if (q.size() != n * n)
    return "switching has " + std::to_string(switching.size()) + " values, wanted " + std::to_string(n * n) + " (" +
           std::to_string(n) + " rows of " + std::to_string(n) + ")" +
           (n == 2 ? ", or the two rates of leaving a state" : "");
  Values d1(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(rates[i] >= 0.0 && std::isfinite(rates[i])))
      return "rates, value " + std::to_string(i + 1) + ", is " + number_text(rates[i]) + " /s, wanted one >= 0";
    double leaves = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      if (!(q[i * n + j] >= 0.0 && std::isfinite(q[i * n + j])))
        return place("switching", i, j) + number_text(q[i * n + j]) + " /s, wanted a finite rate >= 0";
      leaves += q[i * n + j];
    }
    const double diagonal = q[i * n + i];
    if (diagonal != 0.0 && !(std::fabs(diagonal + leaves) <= 1e-9 * leaves))
      return place("switching", i, i) + number_text(diagonal) +
             " /s, wanted 0, or minus what leaves: " + number_text(-leaves);
    q[i * n + i] = -leaves - rates[i];
    d1[i * n + i] = rates[i];
  }
  return make(std::move(q), std::move(d1));
}

double MarkovianArrivalProcess::autocorrelation(std::size_t lag) const {
  if (!(variance_ > 1e-14 / (rate_ * rate_))) return 0.0;
  // Each gap's mean given the phase in which it begins, and a step of the chain of phases after arrivals for each lag.
  Values p = row_times(after_, inverse_);
  for (std::size_t k = 0; k < lag; ++k) p = row_times(row_times(p, inverse_), d1_);
  const double mean = 1.0 / rate_;
  return (sum_of(row_times(p, inverse_)) - mean * mean) / variance_;
}

double MarkovianArrivalProcess::dispersion() const {
  // 1 - 2 rate + 2 / rate pi D1 (1 pi - D)^-1 D1 1: Fischer and Meier-Hellstern, The Markov-modulated Poisson process
  // cookbook, Performance Evaluation 18, 1993.
  const std::size_t n = phases();
  Values deviation(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) deviation[i * n + j] = rate_ * stationary_[j] - d0_[i * n + j] - d1_[i * n + j];
  // Scaled by the rate, so that the two parts are of one size.
  const auto inverse = inverse_of(std::move(deviation), n);
  if (!inverse) return 1.0;
  const Values arrives = row_times(row_times(row_times(stationary_, d1_), *inverse), d1_);
  // The inverse of (rate 1 pi - D) differs from that of (1 pi - D) along 1 pi alone: by 1 / rate - 1.
  return 1.0 + 2.0 / rate_ * (sum_of(arrives) - rate_);
}

std::uint32_t MarkovianArrivalProcess::begin(RandomStream& stream) const {
  return one_of(cumulated_, stream.uniform());
}

std::uint32_t MarkovianArrivalProcess::begin_after_arrival(RandomStream& stream) const {
  return one_of(cumulated_after_, stream.uniform());
}

double MarkovianArrivalProcess::next(std::uint32_t& phase, RandomStream& stream) const {
  const auto n = static_cast<std::uint32_t>(phases());
  for (double time_s = 0.0;;) {
    time_s += stream.exponential() / leaving_[phase];
    const auto first = jumps_.begin() + std::ptrdiff_t{2} * phase * n;
    const auto to = static_cast<std::uint32_t>(std::upper_bound(first, first + 2 * n - 1, stream.uniform()) - first);
    phase = to % n;
    if (to >= n) return time_s;
  }
}

}  // namespace ergode
