#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/random/random_stream.h"
#include "solvers/reliability/cause.h"
#include "solvers/reliability/ccf_parameters.h"

namespace ergode {

/// Failures of a symmetric group on one joint demand. Each specific set of k members has its own basic event, all
/// 2^n - 1 of them independent, with probability q.specific[k - 1]; a member fails when any event that contains it
/// occurs. This is the exact meaning of an expanded group (NUREG/CR-4780), not the rare-event sum. Const and shared by
/// all threads: what moves is passed in. No allocation per demand.
class CcfDemand {
 public:
  /// O(n^4) for the distribution of the number failed.
  /// @param q  probabilities in [0, 1], one per order; n in 1 .. ccf_group_limit.
  explicit CcfDemand(const OrderRates& q);

  int n() const { return n_; }
  /// P(exactly m fail), m = 0 .. n; every entry to about 1e-13 relative.
  const std::vector<double>& failed_count() const { return failed_count_; }
  /// P(every one of the n members fails): the top event of an AND over the group.
  double all_fail() const { return failed_count_.back(); }

  /// One demand: failed[i] becomes 1 or 0. One draw for the number failed, at most n more for who they are.
  /// @param failed  n entries.
  void sample(RandomStream& stream, std::span<std::uint8_t> failed) const;

  /// One demand with the reason of each failure, the gravest where several events hit the same member: a set of one is
  /// `independent`, the whole group `lethal`, others `non_lethal`. Same distribution as sample().
  /// Draws one uniform per order that can occur plus one per event that occurs, so which members fail moves later
  /// draws. O(n) for each event. @param cause  n entries.
  void sample_causes(RandomStream& stream, std::span<SplitPart> cause) const;

 private:
  int n_ = 0;
  std::vector<double> failed_count_;
  std::vector<double> cumulative_;  ///< of failed_count_
  std::vector<double> log_miss_;    ///< log(1 - Q_k), k - 1 the index
  std::vector<double> sets_;        ///< C(n, k)
};

}  // namespace ergode
