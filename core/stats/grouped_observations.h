#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/stats/interval.h"
#include "core/stats/known_share.h"
#include "core/stats/quantiles.h"
#include "core/stats/running_moments.h"

namespace ergode {

/// Observations that come in groups: those of a group may depend on each other, groups do not (replications, or batches
/// of them). Says how well their common distribution is known: intervals of shares, of quantiles and of the variance.
/// Quantiles keeps the distribution itself.
///
/// Of a group are kept its moments and how many of its observations lie in each bin. Bins are those of Quantiles; when
/// more than `most_bins` of them are met, two neighbours become one, as often as it takes. Neighbouring groups are
/// joined when there are more than `most_groups`, those with the fewest observations first. Memory: 0.5 MiB at most.
///
/// With A of a group's n observations at most x, the share sum A / sum n is a ratio of two means over independent pairs
/// (A, n), which may be of unequal size; its variance is that of sum (A - share n) / sum n. The quantile at p lies
/// where shares do that cannot be told from p.
/// Woodruff, Confidence intervals for medians and other position measures, JASA 47, 1952 (shares, then values);
/// Cochran, Sampling techniques, 3rd edition, Wiley, 1977, section 9A (clusters of unequal size).
class GroupedObservations {
 public:
  static constexpr std::size_t most_bins = 512, most_groups = 128;

  /// Adds a group that `observed` is all of. O(bins of Quantiles).
  void add(const Quantiles& observed);
  /// Adds the groups of `other` after these. O(groups x bins).
  void merge(const GroupedObservations& other);

  /// Groups, after joining.
  std::size_t groups() const noexcept { return groups_.size(); }
  /// Observations in all of them.
  std::uint64_t n() const noexcept { return n_; }
  /// Where the shares of a distribution function lie that was seen (Quantiles::distribution() of all that is in these
  /// groups), as share_bands() has it. [0, 1] with fewer than two groups, or where all observations lie in one bin.
  /// O(groups x bins + points).
  std::vector<Interval> shares(std::span<const std::pair<double, double>> curve, double confidence) const;
  /// The quantile at each p in (0, 1), of values in `all`, which these groups are all of. Ends are those of
  /// the values whose shares, as share_bands() has them, cannot be told from p; else the least or the greatest value,
  /// where so many groups without any beyond it tell p from the share there; else infinite.
  /// O(groups x bins).
  std::vector<Interval> quantiles(std::span<const double> p, const Quantiles& all, double confidence) const;
  /// Of the variance of an observation (divisor n), with its interval; ends are NaN with fewer than two groups.
  struct Variance {
    double value = 0.0;
    Interval ends;
  };
  Variance variance(double confidence) const;

  /// Names the fields to a ByteWriter or ByteReader.
  template <typename Archive>
  void archive(Archive& a) {
    a(keys_, groups_, shift_, n_);
  }
  /// Whether groups can have led here: after a ByteReader read bytes that anybody may have altered.
  bool possible() const;

 private:
  struct Group {
    RunningMoments moments;
    std::vector<std::uint64_t> counts;  ///< by place in keys_
    template <typename Archive>
    void archive(Archive& a) {
      a(moments, counts);
    }
  };
  /// Of the share at each end of a bin that is neither 0 nor 1, in ascending order.
  std::vector<KnownShare> known_shares() const;
  /// What is known of a share: as of the nearest of these, whose groups differ as much for their share.
  KnownShare known_at(double share, std::span<const KnownShare> known, double confidence) const;
  /// Student's, of a sum over groups of unequal size.
  double degrees_of_freedom() const;
  void take_keys(std::span<const Quantiles::BinCount> of);
  void coarsen();
  void join_smallest();

  std::vector<std::int32_t> keys_;  ///< of bins, ascending
  std::vector<Group> groups_;
  std::uint32_t shift_ = 0;  ///< so many bits of the number of a bin are left out
  std::uint64_t n_ = 0;      ///< observations in all groups
};

}  // namespace ergode
