#pragma once
#include <span>
#include <string>

#include "core/results/result_set.h"
#include "core/study/measure_spec.h"
#include "core/study/runner.h"
#include "core/study/tallies.h"

namespace ergode {

/// Estimate and confidence interval of one measure, in its unit. NaN where there is none: no observation, or for a
/// single end that nothing bounds it.
/// An estimate is never outside of its interval, whose ends are at least MeasureSpec::numerical_error from it.
struct Estimate {
  double value = 0.0, lower = 0.0, upper = 0.0;
};
/// Costs a few quantiles of beta or t, which are remembered per thread.
Estimate estimate(const MeasureTally& tally, const MeasureSpec& spec, double confidence);

/// A series of a measure, without points yet: y is the measure, in its unit.
Series series_of(const MeasureSpec& spec, const char* kind, const std::string& solver);
/// The same where x is the measure, in its unit, and y the share of what was observed.
Series distribution_of(const MeasureSpec& spec, const std::string& solver);

/// Why a measure has no estimate whose observations were no numbers, and what makes such, for a hint after "look for".
inline constexpr const char* not_finite_reason =
    "it was infinite, no number or too great to be added up, where it was observed";
inline constexpr const char* not_finite_causes = "a division by zero, or a root or logarithm of a negative number.";

/// One measure's answer from its tally, in the measure's unit.
///
/// Proportions carry proportion_interval() (method "wilson" or "clopper-pearson"), everything else mean_interval() and
/// its method. A measure with no observation is not available: estimate, lower and upper are NaN and
/// `not_available` says why. An end that nothing bounds is NaN.
/// `shares` splits the estimate where the model has a split and the kind adds up over its parts (a mean of times does
/// not).
/// Measures that keep samples carry the quantiles 0.05, 0.25, 0.5, 0.75, 0.95 and their intervals; those of single
/// observations of a stream 0.9, 0.99 and 0.999 too, the last two where ten observations lie beyond; their intervals,
/// and that of the variance, are over groups of replications (core/stats/grouped_observations.h). O(n log n) of up to
/// 16,384 samples kept, O(bins) beyond.
/// @param solver  name that the result carries
MeasureResult summarise_measure(const MeasureTally& tally, const MeasureSpec& spec, double confidence,
                                const std::string& solver);

/// Adds to `out`: one MeasureResult per spec; for measures with a grid a "curve" with its pointwise band (Wilson or
/// that of a mean); for measures that keep samples a "distribution" (ECDF of the observations, at most 400 steps, with
/// its pointwise Wilson band, where there is one a replication); per measure its "convergence", whose last point is the
/// present estimate. Sets split, replications, events, fingerprint, status and stop_reason; leaves provenance alone.
/// RUN026 (info): an interval is "unverified" (MeanInterval::method).
///
/// Further diagnostics, each with the measure's element: RUN028 observations that are infinite or no number, or a ratio
/// over nothing, RUN033 a
/// long run that has not settled, RUN034 too few regenerative cycles, RUN035 a time that rests on fewer than ten
/// observations (all warnings); at most one of these a measure. RUN036 (info), without an element: the measures whose
/// interval is MeasureSpec::numerical_error alone.
/// @param specs  those of the tallies, in their order
void summarise(const RunOutcome& outcome, std::span<const MeasureSpec> specs, double confidence,
               const std::string& solver, ResultSet& out);

/// (sum x)^2 / sum x^2 of weighted observations: as many equal ones would be worth the same.
/// 0 when nothing but zeros was seen.
double effective_samples(const Tally& observations);
/// Whether an interval of these weights can be trusted. True for whatever is not weighted.
/// The limits are WeightHealth's: enough effective samples, and no single one that is more than a share of the sum.
bool weights_sound(const MeasureTally& tally, const MeasureSpec& spec);
/// Half the interval's width over the estimate's magnitude; infinity when there is no estimate or it is zero, unless
/// the interval is that very point and the point is known to be the value (unchanged_is_known()).
/// An estimate of zero is infinitely unsure otherwise: such a measure never lets a run end by its precision.
double relative_half_width(const Estimate& estimate, const Support& support);
/// The greatest relative half-width over the measures that are waited for, without any over the headline ones (over all
/// when none is headline); infinity for none, and where weights are not sound, so that no run ends on an interval that
/// is too narrow by chance.
double worst_relative_half_width(const Tallies& tallies, std::span<const MeasureSpec> specs,
                                 const PrecisionGoals& goals, double confidence);
/// How far each measure is that is waited for: its half-width against what is wanted, sound where weights are.
std::vector<AwaitedPrecision> awaited_precisions(const Tallies& tallies, std::span<const MeasureSpec> specs,
                                                 const PrecisionGoals& goals, double confidence);
/// Adds the table `precision` to results of a run that waits for one, and RUN042 where it waits for nothing but what
/// cannot be told from 0.
/// @param trusted  ReplicationSource::trusted() of these tallies
void summarise_precision(const RunOutcome& outcome, std::span<const MeasureSpec> specs, const StoppingRule& rule,
                         bool trusted, const std::string& solver, ResultSet& out);

}  // namespace ergode
