#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/results/result_set.h"
#include "core/stats/grouped_observations.h"
#include "core/stats/long_run.h"
#include "core/stats/quantiles.h"
#include "core/stats/ratio.h"
#include "core/stats/tally.h"
#include "core/study/measure_spec.h"

namespace ergode {

/// What one measure accumulates over replications. Observations are in SI. Mergeable: counts are integers and exact in
/// any order; sums are merged in batch order by the runner, so the same batches give the same bits.
///
/// One replication makes one observation (none for a time_to whose event did not happen) and, for a measure with a
/// curve, any number of calls of the curve functions.
///
/// Which of the functions to call follows from the spec: observe() or observe_split() for an estimator of means,
/// observe_ratio(), observe_cycle() or observe_long_run() for theirs, and hit() or add_curve() where there is a grid.
/// One thread per tally. After it was made, no allocation but for samples.
///
///     Tallies tallies(specs);                             // one for each batch, reused by clear()
///     tallies.measures[0].observe(value);                 // once in each replication
///     total.merge(tallies);                               // batches in order: then bits do not depend on threads
class MeasureTally {
 public:
  MeasureTally() = default;
  explicit MeasureTally(const MeasureSpec& spec)
      : estimator_(spec.kind->estimator),
        proportion_(spec.proportion),
        samples_(spec.samples),
        lasting_(spec.lasting),
        support_(spec.support),
        counts_(spec.split ? spec.split->parts.size() : 1),
        by_part_(counts_.size()),
        steps_(spec.grid_s.empty() || !spec.proportion ? 0 : spec.grid_s.size() + 1),
        sums_(spec.proportion ? 0 : spec.grid_s.size()),
        squares_(sums_.size()) {}

  /// One replication's value; for a proportion, zero or not. `part` gets the whole of it; without a split there is one
  /// part, whatever is said.
  /// O(1), with samples O(1) amortised.
  void observe(double value, SplitPart part = 0) {
    const std::size_t p = part < counts_.size() ? part : 0;
    if (proportion_) {
      ++n_;
      counts_[p] += value != 0.0;
      return;
    }
    observe_value(value);
    by_part_[p] += value;
  }
  /// One replication's value as the sum of its parts (a time average that several had a share in); not for proportions.
  /// A sum that misses an end of the support by its rounding alone is that end: always up is 1, however many events
  /// other components had meanwhile.
  /// @returns the value.
  /// @param parts  by part of the split [SI]; what is beyond its parts counts to the first.
  double observe_split(std::span<const double> parts) {
    double value = 0.0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      value += parts[p];
      by_part_[p < by_part_.size() ? p : 0] += parts[p];
    }
    for (const double end : {support_.least, support_.greatest})
      if (std::isfinite(end) && std::abs(value - end) <= 1e-13 * std::abs(end)) value = end;
    observe_value(value);
    return value;
  }

  /// @name For other estimators than the mean of one observation per replication
  /// @{
  /// One replication's pair, for the ratio of the means.
  /// Both in SI; what `per` adds up to must not be zero in the end. O(1).
  void observe_ratio(double over, double per) {
    note(over), note(per);
    ratio_.observe(over, per);
  }
  /// What one regenerative cycle earned, and how long it was or how many observations it had.
  void observe_cycle(double earned, double length) { observe_ratio(earned, length); }
  /// The path of one replication, for the long run; left out where it has no weight or is infinite.
  void observe_long_run(const RunPath& run) {
    note(run.sum());
    long_run_.observe(run);
  }
  /// One of a replication's many observations, for their distribution.
  /// SI; dropped where the spec keeps none, and where it is not finite. O(1) amortised.
  void sample(double value) {
    if (samples_ && std::isfinite(value)) quantiles_.observe(value);
  }
  /// Each of them, in their order.
  void sample(std::span<const double> values) {
    if (!samples_) return;
    const bool finite = std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
    if (finite) return quantiles_.observe(values);
    for (const double value : values) sample(value);
  }
  /// Where the spec is of what lasts: the value was this one [SI] for so many parts of the mission, of which it has
  /// `ticks`. Dropped as sample() does.
  void sample_lasting(double value, std::uint64_t parts) {
    if (samples_ && std::isfinite(value)) quantiles_.observe(value, parts);
  }
  /// As many replications as fit into most_counted make 5e8 missions.
  static constexpr double ticks = 16777216.0;
  /// Of the estimators that make use of it; empty for others.
  const RatioTally& ratio() const noexcept { return ratio_; }
  const LongRunTally& long_run() const noexcept { return long_run_; }
  /// @}

  /// Proportions with a curve: the predicate held in this replication at grid points first, ..., end - 1. O(1), however
  /// many: kept are the differences from point to point, which hits() adds up.
  void hit(std::size_t first, std::size_t end) noexcept {
    if (first >= end) return;
    ++steps_[first];
    --steps_[end];
  }
  /// The same at one grid point.
  void hit(std::size_t point) noexcept { hit(point, point + 1); }
  /// The same from grid point `first` on ("by" probabilities).
  /// Nothing where `first` is the number of points: it never came to be.
  void hit_from(std::size_t first) noexcept {
    if (first + 1 < steps_.size()) ++steps_[first];
  }
  /// Other measures with a curve: the value [SI] at one grid point in this replication; call for every point, once.
  void add_curve(std::size_t point, double value) noexcept {
    sums_[point] += value;
    squares_[point] += value * value;
  }

  /// Adds what `other` saw after what this one saw; both made for the same spec.
  /// O(parts, grid points, samples).
  void merge(const MeasureTally& other);
  /// Forgets everything and keeps the memory (but for samples).
  void clear();

  /// Observations so far: replications, or pairs, cycles, runs with an estimate, as the estimator has it.
  std::uint64_t n() const noexcept {
    using Estimator = MeasureKind::Estimator;
    return estimator_ == Estimator::ratio || estimator_ == Estimator::cycles ? ratio_.n()
           : estimator_ == Estimator::long_run                               ? long_run_.n()
           : proportion_                                                     ? n_
                                                                             : values_.n();
  }
  /// Proportions: observations that were not zero; of one part of the split, those that it got.
  std::uint64_t successes() const noexcept { return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}); }
  std::uint64_t successes(SplitPart part) const noexcept { return counts_[part]; }
  const Tally& values() const noexcept { return values_; }  ///< not for proportions
  /// Sum of what a part got [SI]; over n() it is its share of the mean. Not for proportions.
  double sum(SplitPart part) const noexcept { return by_part_[part]; }
  /// Of the samples [SI]; empty unless the spec keeps them.
  const Quantiles& distribution() const noexcept { return quantiles_; }
  /// Of the same, where they were merged: what was sampled before one merge() and the next is a group of whole
  /// replications. Complete where nothing was sampled since the last.
  const GroupedObservations& groups() const noexcept { return groups_; }
  /// Replications in which the predicate held at each grid point; empty without a curve or for no proportion.
  /// O(points), allocates.
  std::vector<std::uint64_t> hits() const;
  /// By grid point, of the values and of their squares [SI]; over the number of replications they are means.
  std::span<const double> curve_sums() const noexcept { return sums_; }
  std::span<const double> curve_squares() const noexcept { return squares_; }
  /// Observations that were infinite or no number, and the first replication that made one (2^64 - 1: none did).
  std::uint64_t not_finite() const noexcept { return not_finite_; }
  std::uint64_t first_not_finite() const noexcept { return first_not_finite_; }
  /// This replication is over: called by the runner after each.
  void end_replication(std::uint64_t replication) noexcept {
    if (not_finite_ > 0 && first_not_finite_ == none) first_not_finite_ = replication;
  }

  /// Names what was accumulated to a ByteWriter or ByteReader; the spec is not part of it.
  template <typename Archive>
  void archive(Archive& a) {
    a(n_, values_, ratio_, long_run_, quantiles_, groups_, not_finite_, first_not_finite_);
    a.fixed(counts_), a.fixed(by_part_), a.fixed(steps_), a.fixed(sums_), a.fixed(squares_);
  }
  /// Whether observations can have led here: after a ByteReader read bytes that anybody may have altered. O(parts, grid
  /// points, samples).
  bool possible() const;

 private:
  void observe_value(double value) {
    values_.observe(value);
    note(value);
    if (!lasting_) sample(value);  // infinities have no place among others
  }
  void note(double value) { not_finite_ += std::isfinite(value) ? 0 : 1; }
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  MeasureKind::Estimator estimator_ = MeasureKind::Estimator::mean;
  bool proportion_ = false;
  bool samples_ = false;
  bool lasting_ = false;
  Support support_;
  std::uint64_t n_ = 0;
  std::vector<std::uint64_t> counts_;  ///< by part of the split; one without
  std::vector<double> by_part_;
  Tally values_;
  RatioTally ratio_;
  LongRunTally long_run_;
  Quantiles quantiles_;
  GroupedObservations groups_;
  std::vector<std::int64_t> steps_;  ///< Differences of the hit counts along the grid, one more than points.
  std::vector<double> sums_, squares_;
  std::uint64_t not_finite_ = 0, first_not_finite_ = none;
};

/// Everything a set of replications accumulates, measure by measure as in the list of specs. Merging costs O(measures,
/// grid points, samples).
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
  /// O(1). @param hash  World::fingerprint at the end of the replication, with what else the source counts
  void add_fingerprint(std::uint64_t replication, std::uint64_t hash) noexcept;
  /// Adds what `other` saw after what this one saw; both made for the same specs.
  void merge(const Tallies& other);
  /// Forgets everything and keeps the memory.
  void clear();

  /// Names what was accumulated to a ByteWriter or ByteReader.
  template <typename Archive>
  void archive(Archive& a) {
    a.fixed(measures), a.fixed(sums);
    a(replications, events, fingerprint);
  }
};

}  // namespace ergode
