#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/results/result_set.h"
#include "core/stats/quantiles.h"
#include "core/stats/tally.h"
#include "core/study/measure_spec.h"

namespace ergode {

/// What one measure accumulates over replications. Observations are in SI. Mergeable: counts are integers and exact in
/// any order; sums are merged in batch order by the runner, so the same batches give the same bits.
///
/// One replication makes one observation (none for a time_to whose event did not happen) and, for a measure with a
/// curve, any number of calls of the curve functions.
class MeasureTally {
 public:
  MeasureTally() = default;
  explicit MeasureTally(const MeasureSpec& spec)
      : proportion_(spec.proportion),
        samples_(spec.samples),
        support_(spec.support),
        steps_(spec.grid_s.empty() || !spec.proportion ? 0 : spec.grid_s.size() + 1),
        sums_(spec.proportion ? 0 : spec.grid_s.size()),
        squares_(sums_.size()) {}

  /// One replication's value; for a proportion, zero or not. `cause` gets the whole of it.
  void observe(double value, Cause cause = Cause::none) {
    const auto c = static_cast<std::size_t>(cause);
    if (proportion_) {
      ++n_;
      counts_[c] += value != 0.0;
      return;
    }
    observe_value(value);
    by_cause_[c] += value;
  }
  /// One replication's value split over causes (a time average that several causes had a part in); not for proportions.
  /// A sum that misses an end of the support by its rounding alone is that end: always up is 1, however many events
  /// other components had meanwhile.
  void observe_split(const std::array<double, cause_count>& parts) {
    double value = 0.0;
    for (std::size_t c = 0; c < cause_count; ++c) {
      value += parts[c];
      by_cause_[c] += parts[c];
    }
    for (const double end : {support_.least, support_.greatest})
      if (std::isfinite(end) && std::abs(value - end) <= 1e-13 * std::abs(end)) value = end;
    observe_value(value);
  }

  /// Proportions with a curve: the predicate held in this replication at grid points first, ..., end - 1. O(1).
  void hit(std::size_t first, std::size_t end) noexcept {
    if (first >= end) return;
    ++steps_[first];
    --steps_[end];
  }
  /// The same at one grid point.
  void hit(std::size_t point) noexcept { hit(point, point + 1); }
  /// The same from grid point `first` on ("by" probabilities).
  void hit_from(std::size_t first) noexcept {
    if (first + 1 < steps_.size()) ++steps_[first];
  }
  /// Other measures with a curve: the value at one grid point in this replication; call for every point.
  void add_curve(std::size_t point, double value) noexcept {
    sums_[point] += value;
    squares_[point] += value * value;
  }

  /// Adds what `other` saw after what this one saw; both made for the same spec.
  void merge(const MeasureTally& other);
  /// Forgets everything and keeps the memory.
  void clear();

  std::uint64_t n() const noexcept { return proportion_ ? n_ : values_.n(); }
  std::uint64_t successes() const noexcept { return counts_[0] + counts_[1] + counts_[2] + counts_[3]; }
  std::uint64_t successes(Cause cause) const noexcept { return counts_[static_cast<std::size_t>(cause)]; }
  const Tally& values() const noexcept { return values_; }  ///< not for proportions
  double sum(Cause cause) const noexcept { return by_cause_[static_cast<std::size_t>(cause)]; }
  const Quantiles& distribution() const noexcept { return quantiles_; }
  /// Replications in which the predicate held at each grid point; empty without a curve or for no proportion.
  std::vector<std::uint64_t> hits() const;
  std::span<const double> curve_sums() const noexcept { return sums_; }
  std::span<const double> curve_squares() const noexcept { return squares_; }
  /// Observations that were infinite or no number, and the first replication that made one.
  std::uint64_t not_finite() const noexcept { return not_finite_; }
  std::uint64_t first_not_finite() const noexcept { return first_not_finite_; }
  /// This replication is over: called by the runner after each.
  void end_replication(std::uint64_t replication) noexcept {
    if (not_finite_ > 0 && first_not_finite_ == none) first_not_finite_ = replication;
  }

  /// Names what was accumulated to a ByteWriter or ByteReader; the spec is not part of it.
  template <typename Archive>
  void archive(Archive& a) {
    a(n_, counts_, values_, by_cause_, quantiles_, not_finite_, first_not_finite_);
    a.fixed(steps_), a.fixed(sums_), a.fixed(squares_);
  }

 private:
  void observe_value(double value) {
    values_.observe(value);
    if (!std::isfinite(value)) {
      ++not_finite_;
      return;  // such values have no place among others
    }
    if (samples_) quantiles_.observe(value);
  }
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  bool proportion_ = false;
  bool samples_ = false;
  Support support_;
  std::uint64_t n_ = 0;
  std::array<std::uint64_t, cause_count> counts_{};
  Tally values_;
  std::array<double, cause_count> by_cause_{};
  Quantiles quantiles_;
  std::vector<std::int64_t> steps_;  ///< Differences of the hit counts along the grid, one more than points.
  std::vector<double> sums_, squares_;
  std::uint64_t not_finite_ = 0, first_not_finite_ = none;
};

/// Everything a set of replications accumulates.
struct Tallies {
  std::vector<MeasureTally> measures;
  std::uint64_t replications = 0;  ///< Counted by the runner.
  std::uint64_t events = 0;        ///< Events executed.
  std::uint64_t fingerprint = 0;   ///< See add_fingerprint().
  std::vector<double> sums;        ///< Whatever else the source adds up (ReplicationSource::sums()).

  Tallies() = default;
  explicit Tallies(std::span<const MeasureSpec> specs, std::size_t other_sums = 0)
      : measures(specs.begin(), specs.end()), sums(other_sums, 0.0) {}

  /// Adds one replication's hash over its event order, state changes and draws. The sum of mixed words does not depend
  /// on how replications were batched.
  void add_fingerprint(std::uint64_t replication, std::uint64_t hash) noexcept;
  void merge(const Tallies& other);
  void clear();

  /// Names what was accumulated to a ByteWriter or ByteReader.
  template <typename Archive>
  void archive(Archive& a) {
    a.fixed(measures), a.fixed(sums);
    a(replications, events, fingerprint);
  }
};

}  // namespace ergode
