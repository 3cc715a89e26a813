#pragma once
#include <limits>
#include <span>
#include <vector>

#include "core/random/distribution.h"

namespace ergode {

/// What happens to a job whose GPUs may be taken away at any time that it holds them (spot GPUs). It starts up, works,
/// and writes a checkpoint after each period of work. When its GPUs are taken it loses what it has done since the last
/// checkpoint that was finished, waits without GPUs, starts up again, restarts from the checkpoint and goes on.
/// Times in one unit throughout; rates in its inverse.
struct InterruptionRules {
  double rate = 0.0;  ///< at which all its GPUs are taken; finite, >= 0
  double start_up = 0.0, restart = 0.0, wait = 0.0;
  double checkpoint_period = std::numeric_limits<double>::infinity(), checkpoint_cost = 0.0;
  /// Between a warning and the taking. Where a checkpoint takes no longer (and there is a warning at all), one is
  /// finished just when the GPUs go, so that nothing is lost.
  double notice = 0.0;
  bool saves_in_time() const { return notice > 0.0 && checkpoint_cost <= notice; }
};

struct InterruptedMeans {
  double time = 0.0;           ///< from asking for GPUs to the end
  double held = 0.0;           ///< of that, with GPUs
  double interruptions = 0.0;  ///< in it
};

/// A job of so much work (time on its GPUs), which asks for them at once. Interruptions come at random (Poisson) while
/// it holds GPUs. With a = start_up + restart and
///
///     D = wait + (e^(rate a) - 1) (1 / rate + wait)      from one taking to work again, takings between them included
///     (e^(rate s) - 1) (1 / rate + D)                    a stretch of work and checkpoint s that must come through
///
/// times add up over the stretches between checkpoints. Exact without notice; with it and checkpoints in time, exact
/// where a checkpoint takes the whole notice and none is written else, else by the mean work of a cycle; with a notice
/// that is too short, as without. Infinite where e^(rate s) is. O(1).
/// Young, A first order approximation to the optimum checkpoint interval, CACM 17(9), 1974; Daly, A higher order
/// estimate of the optimum checkpoint interval for restart dumps, FGCS 22, 2006.
InterruptedMeans interrupted_means(double work, const InterruptionRules& rules);

/// 1,000 equally likely sizes of a law: the middles of its parts, stretched to its mean; of a fixed size that one. As
/// many quantiles, which may take their time.
std::vector<double> likely_sizes(const Distribution& size);
/// The mean over sizes, of work that is done at this speed. O(sizes).
InterruptedMeans interrupted_means(std::span<const double> sizes, double speed, const InterruptionRules& rules);

/// The period of work between checkpoints that loses least to first order: sqrt(2 cost / rate). Young, 1974.
double young_period(double cost, double rate);

}  // namespace ergode
