#pragma once
#include <array>
#include <span>
#include <vector>

#include "core/random/random_stream.h"
#include "solvers/reliability/cause.h"
#include "solvers/reliability/ccf_parameters.h"
#include "solvers/reliability/delay_law.h"

namespace ergode {

/// One member struck by a shock: it fails `delay_s` after the shock unless it has failed by then.
struct ShockEffect {
  int member = 0;                 ///< place in the group, 0 .. n-1
  double delay_s = 0.0;           ///< >= 0
  SplitPart cause = Cause::none;  ///< independent, non_lethal or lethal, by the source of the shock
};

/// The three independent Poisson processes that fail the members of one group in operation.
///
///  source        binomial failure rate               order rates (beta, MGL, alpha)
///  independent   n lambda_ind; a random member       n lam_1; a random member
///  non_lethal    mu; each member with prob. rho      orders 2 .. n-1: order by weight C(n,k) lam_k, a random k-subset
///  lethal        omega; all                          lam_n; all
///
/// Independent failures act at once unless the law delays single failures too, the others after the delay law. Const
/// and shared by all threads: what moves is passed in. The caller ignores the effect on a member that has failed
/// already (the processes are memoryless, so thinning is exact) and keeps the earliest of several scheduled failures.
///
/// Three streams keep comparisons under common random numbers fair. EPOCHS, one per source, drives only the times
/// between shocks; MARKS only who is struck; DELAYS only the delays, with exactly n draws per shock whoever was struck.
/// So neither the delay law nor rho moves the shock epochs, and shock i sees the same delays' uniforms.
class CcfProcess {
 public:
  enum Source { independent, non_lethal, lethal, source_count };

  /// @param n  2 .. ccf_group_limit. Precondition: rates and law passed validation.
  CcfProcess(const BfrRates& rates, const DelayLaw& law, int n);
  CcfProcess(const OrderRates& rates, const DelayLaw& law);

  int n() const { return n_; }
  /// Shocks of this source [1/s].
  double rate(Source source) const { return rate_[source]; }
  /// Time of the next shock after `now_s` [s]; infinity when the source never strikes (nothing is drawn then).
  double next_shock(Source source, RandomStream& epochs, double now_s) const;
  /// What a shock does. Fills `effects` (room for n) in ascending order of the members; @returns how many; 0 when a
  /// non-lethal shock misses everybody. No allocation.
  int affect(Source source, RandomStream& marks, RandomStream& delays, std::span<ShockEffect> effects) const {
    double ratio = 1.0;
    return affect(source, false, marks, delays, effects, ratio);
  }

  /// @name For methods that make rare shocks likelier
  /// @{
  /// Whether some number of struck members is rarer than one in ten for a shock of this source.
  bool mixed(Source source) const { return mixed_[source]; }
  /// As above; @param spread  every possible number of struck members (in the binomial model: from one on) is equally
  /// likely instead. @param ratio  gets the probability of this outcome under that law over the one under its own.
  int affect(Source source, bool spread, RandomStream& marks, RandomStream& delays, std::span<ShockEffect> effects,
             double& ratio) const;
  /// @}

 private:
  void find_mixed();

  int n_ = 0;
  bool binomial_ = true;
  double rho_ = 0.0;
  DelayLaw law_;
  std::array<double, source_count> rate_{};
  std::array<bool, source_count> mixed_{};
  std::vector<double> struck_;            ///< probability that a non-lethal shock strikes one given set of k members
  std::vector<int> sizes_;                ///< numbers of members that it can strike, from one on
  std::vector<double> order_cumulative_;  ///< of C(n,k) lam_k for k = 2 .. n-1
};

}  // namespace ergode
