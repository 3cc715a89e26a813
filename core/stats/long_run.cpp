#include "core/stats/long_run.h"

#include <bit>
#include <cmath>
#include <numeric>

#include "core/base/special_values.h"
#include "core/stats/most_counted.h"

namespace ergode {
namespace {

constexpr std::size_t stretches = RunPath::stretches;
constexpr std::size_t finest_parts = 48;  // that the tests are made of, at least

/// What a row of n values with geometric correlations adds to the variance of its mean.
double inflation(double r, std::size_t n) {
  if (!(r > 0.0) || n < 2) return 1.0;
  const double count = static_cast<double>(n);
  return (1.0 + r) / (1.0 - r) - 2.0 * r * (1.0 - std::pow(r, count)) / (count * (1.0 - r) * (1.0 - r));
}

/// The coarsest division of `length` stretches that makes at least `wanted` parts of all groups.
std::size_t parts_in_run(std::size_t length, std::size_t groups, std::size_t wanted) {
  for (std::size_t parts = 1; parts < length; ++parts)
    if (length % parts == 0 && parts * groups >= wanted) return parts;
  return length;
}

}  // namespace

/// What is left of the runs, cut into parts, groups one after the other.
struct LongRunTally::Parts {
  std::size_t in_run = 1;
  std::vector<double> weights, deviations;  ///< deviations: sum - mean weight
  double mean = nan, weight = 0.0;          ///< of all
  double squares = 0.0;                     ///< of the deviations
  double correlation = 0.0;                 ///< of neighbours in a run
  double size() const { return static_cast<double>(weights.size()); }
  double variance() const { return squares / (size() - 1.0) * inflation(std::clamp(correlation, 0.0, 0.95), in_run); }
};

void LongRunTally::observe(const RunPath& run) {
  if (!std::isfinite(run.sum()) || !(run.weight() > 0.0)) return;
  append(run.sums().data(), run.weights().data(), 1);
}

void LongRunTally::append(const double* sums, const double* weights, std::uint64_t runs) {
  n_ += runs;
  if (!runs_.empty() && runs_.back() < group_size_) {
    const std::size_t at = sums_.size() - stretches;
    for (std::size_t i = 0; i < stretches; ++i) sums_[at + i] += sums[i], weights_[at + i] += weights[i];
    runs_.back() += runs;
    return;
  }
  if (runs_.size() == most_groups) {
    join_neighbours();
    n_ -= runs;
    append(sums, weights, runs);
    return;
  }
  runs_.push_back(runs);
  sums_.insert(sums_.end(), sums, sums + stretches);
  weights_.insert(weights_.end(), weights, weights + stretches);
}

bool LongRunTally::possible() const {
  if (runs_.size() > most_groups || sums_.size() != runs_.size() * stretches || weights_.size() != sums_.size())
    return false;
  if (!std::has_single_bit(group_size_) || group_size_ > std::max<std::uint64_t>(n_, 1)) return false;
  std::uint64_t left = n_;
  for (const std::uint64_t runs : runs_) {
    if (runs == 0 || runs > left) return false;
    left -= runs;
  }
  if (!std::all_of(weights_.begin(), weights_.end(), [](double w) { return w >= 0.0 && std::isfinite(w); }))
    return false;
  return left == 0 && n_ <= most_counted;
}

void LongRunTally::join_neighbours() {
  const std::size_t groups = (runs_.size() + 1) / 2;
  for (std::size_t g = 0; g < groups; ++g) {
    const bool pair = 2 * g + 1 < runs_.size();
    runs_[g] = runs_[2 * g] + (pair ? runs_[2 * g + 1] : 0);
    for (std::size_t i = 0; i < stretches; ++i) {
      const std::size_t to = g * stretches + i, from = 2 * g * stretches + i;
      sums_[to] = sums_[from] + (pair ? sums_[from + stretches] : 0.0);
      weights_[to] = weights_[from] + (pair ? weights_[from + stretches] : 0.0);
    }
  }
  runs_.resize(groups), sums_.resize(groups * stretches), weights_.resize(groups * stretches);
  group_size_ *= 2;
}

void LongRunTally::merge(const LongRunTally& other) {
  while (group_size_ < other.group_size_) join_neighbours();
  for (std::size_t g = 0; g < other.runs_.size(); ++g)
    append(other.sums_.data() + g * stretches, other.weights_.data() + g * stretches, other.runs_[g]);
}

LongRunTally::Parts LongRunTally::cut(std::size_t first, std::size_t in_run) const {
  Parts out;
  out.in_run = in_run;
  const std::size_t each = (stretches - first) / in_run;
  std::vector<double> sums;
  for (std::size_t g = 0; g < runs_.size(); ++g)
    for (std::size_t p = 0; p < in_run; ++p) {
      double sum = 0.0, weight = 0.0;
      const std::size_t at = g * stretches + first + p * each;
      for (std::size_t i = at; i < at + each; ++i) sum += sums_[i], weight += weights_[i];
      sums.push_back(sum), out.weights.push_back(weight);
      out.weight += weight;
    }
  if (!(out.weight > 0.0)) return out;
  out.mean = std::accumulate(sums.begin(), sums.end(), 0.0) / out.weight;
  double products = 0.0, pairs = 0.0;
  for (std::size_t u = 0; u < sums.size(); ++u) {
    out.deviations.push_back(sums[u] - out.mean * out.weights[u]);
    out.squares += out.deviations[u] * out.deviations[u];
    if (u % in_run != 0) products += out.deviations[u] * out.deviations[u - 1], ++pairs;
  }
  if (pairs > 0.0 && out.squares > 0.0) {
    const double r = products / pairs / (out.squares / out.size());
    // Deviations from their own mean correlate by -(1 + 3 r) / n too much (Marriott and Pope, Biometrika 41, 1954).
    out.correlation = std::min(r + (1.0 + 3.0 * r) / out.size(), 1.0);
  }
  return out;
}

bool LongRunTally::begins_elsewhere(const Parts& parts, double confidence) const {
  if (parts.deviations.empty()) return false;  // nothing was observed after the warm-up
  // The first eighth of what is left of every run against the rest of it.
  const std::size_t early = parts.in_run / 8;
  double sum = 0.0, weight = 0.0;
  for (std::size_t u = 0; u < parts.weights.size(); ++u)
    if (u % parts.in_run < early) sum += parts.deviations[u], weight += parts.weights[u];
  const double rest = parts.weight - weight;
  if (!(weight > 0.0) || !(rest > 0.0) || !(parts.squares > 0.0)) return false;
  // Deviations add up to zero, so the rest departs by as much the other way.
  const double difference = sum / weight + sum / rest;
  const double variance = parts.variance() * parts.size() / parts.weight * (1.0 / weight + 1.0 / rest);
  return std::fabs(difference) > student_factor(parts.size() - 1.0, confidence) * std::sqrt(variance);
}

bool LongRunTally::settles_slowly() const {
  // Of a geometric approach by the factor q in each quarter, the second quarter is off by q of what the first is, and
  // the rest still by (q + q^2) / 2 of that.
  std::array<double, 4> sum{}, weight{};
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const std::size_t quarter = i % stretches / (stretches / 4);
    sum[quarter] += sums_[i], weight[quarter] += weights_[i];
  }
  const double rest = (sum[2] + sum[3]) / (weight[2] + weight[3]);
  return !(std::fabs(sum[1] / weight[1] - rest) < 0.2 * std::fabs(sum[0] / weight[0] - rest));
}

LongRunEstimate LongRunTally::estimate(const Support& support, double confidence) const {
  LongRunEstimate out{.mean = nan, .standard_error = nan, .ends = {support.least, support.greatest}};
  if (n_ == 0) return out;
  std::size_t first = stretches / 4;
  const auto tested = [&] {
    const std::size_t in_run = parts_in_run(stretches - first, runs_.size(), finest_parts);
    return cut(first, std::max<std::size_t>(in_run, 8));
  };
  Parts fine = tested();
  if (begins_elsewhere(fine, 0.95)) {
    const bool slowly = begins_elsewhere(fine, 0.99) && settles_slowly();
    first = stretches / 2;
    fine = tested();
    out.drifts = slowly || begins_elsewhere(fine, 0.99);
  }
  out.correlation = fine.correlation;
  out.removed = static_cast<double>(first) / static_cast<double>(stretches);
  out.parts_in_run = parts_in_run(stretches - first, runs_.size(), wanted_parts);
  const Parts parts = cut(first, out.parts_in_run);
  out.mean = parts.mean, out.parts = parts.weights.size();
  const auto weighted = static_cast<std::uint64_t>(
      std::count_if(parts.weights.begin(), parts.weights.end(), [](double w) { return w > 0.0; }));
  if (weighted < fewest_parts) return out;
  // As many independent observations of the same mean and standard error: deviations, scaled by what correlation adds.
  const double scale = parts.size() / parts.weight * std::sqrt(parts.variance() * (parts.size() - 1.0) / parts.squares);
  Tally values;
  std::vector<double> list;
  for (const double deviation : parts.deviations)
    list.push_back(parts.squares > 0.0 ? parts.mean + deviation * scale : parts.mean);
  const auto [least, greatest] = std::minmax_element(list.begin(), list.end());
  const double low = *least, high = *greatest;
  // What differs by rounding alone is one value.
  const double alike = 1e-12 * std::max(std::fabs(low), std::fabs(high));
  for (const double x : list) values.observe(x - low <= alike ? low : high - x <= alike ? high : x);
  out.standard_error = low < high ? values.standard_error() : 0.0;
  const std::uint64_t often = std::max(values.at_least(), values.at_greatest());
  out.differ = 2 * often >= values.n() ? values.n() - often : values.n();
  out.ends = values.least() < values.greatest() ? mean_interval(values, support, confidence).ends
                                                : Interval{parts.mean, parts.mean};
  out.ends = {std::min(out.ends.lower, out.mean), std::max(out.ends.upper, out.mean)};
  return out;
}

}  // namespace ergode
