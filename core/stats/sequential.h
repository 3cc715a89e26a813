#pragma once
#include <limits>
#include <optional>

#include "core/stats/growing_batches.h"
#include "core/stats/interval.h"

namespace ergode {

/// How far the farther end lies from the mean, relative to it: what a precision is compared with. For skewed means
/// (queues in heavy traffic) the upper end lies farther, and who looks at half the width stops while the mean is too
/// small. Infinity without an interval or at a mean of zero.
double relative_reach(double value, const Interval& ends);

/// When a run that waits for a precision is looked at, and when it ends. Each look plans the length at which the run is
/// to end: 20 % more than its precision so far asks for, because the square of the width falls with the length, and at
/// least 20 % more than it is (one that is precise already goes on to the end planned before, at most by 20 %). It ends
/// at the first look from there on at which it is precise, and plans anew at those at which it is not.
///
/// So there are few looks, and none that is made to see whether it is enough already: who stops at the first narrow
/// interval of many stops at one that is narrow by chance, while the mean happens to be small and calm. The length is
/// then an estimate made before the last stretch, as in Stein's two stages. Stein, A two-sample test for a linear
/// hypothesis whose power is independent of the variance, Annals of Math. Statistics 16(3), 1945; Glynn and Whitt, The
/// asymptotic validity of sequential stopping rules for stochastic simulations, Annals of Applied Probability 2(1),
/// 1992 (the level holds only as the precision wanted becomes fine); Singham and Schruben, Finite-sample performance of
/// absolute precision stopping rules, INFORMS J. on Computing 24(4), 2012 (what early stops cost).
///
///     SequentialPrecision rule(0.05);
///     for (double length = 1000;;) {
///       ...                                                   // as long as that
///       const auto growth = rule.look(relative_reach(...), independent);
///       if (!growth) break;
///       length *= *growth;
///     }
class SequentialPrecision {
 public:
  static constexpr double confirmation = 1.2;
  /// A run becomes at most this many times as long before it is looked at again: early looks know their width badly.
  static constexpr double most_growth = 2.0;
  /// @param precision  relative, > 0
  explicit SequentialPrecision(double precision) : precision_(precision) {}
  /// @param reach    the greatest relative_reach() of all that counts, >= 0
  /// @param trusted  whether those intervals may be; where not, no end is planned
  /// @returns by which factor the run is to become longer, 1 to `most_growth`; nothing: it ends
  std::optional<double> look(double reach, bool trusted);
  /// At the last look.
  bool precise() const { return precise_; }

 private:
  double precision_;
  bool precise_ = false;
  double left_ = std::numeric_limits<double>::infinity();  ///< planned length over that at the next look
};

/// What was known of the width of one interval before the last stretch of its run. Runs end where their intervals are
/// narrow, so that the last one is narrower than it should be: of runs for 5 % at 90 %, whose standard error is known
/// to about 16 %, by a tenth. What the look before lets expect was not chosen by that. Of the two the wider counts.
class WidthBefore {
 public:
  /// @param length  of the run [any unit, always the same], > 0; not less than at the last call
  void look(const BatchMeans& seen, double length);
  /// `seen` at `length`, of which the standard error and both ends' distances are widened to what the last look at a
  /// shorter run lets expect. As it is where nothing is known of it, or it does not vary. O(1).
  BatchMeans widened(BatchMeans seen, double length) const;

 private:
  struct Look {
    double length = 0.0, spread = 0.0;  ///< spread: standard error by the root of the length; 0: unknown
  };
  Look last_, before_;
};

}  // namespace ergode
