#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "solvers/reliability/ccf_parameters.h"
#include "solvers/reliability/delay_law.h"

namespace ergode {

/// Exact answers for a group of identical components without repair whose shocks act after a delay law.
///
/// A component fails at the earliest of its own exponential time and all times that shocks have scheduled for it.
/// By time t the shocks that have done anything form a marked Poisson process, so the set of failed members is the
/// union of independent Poisson "set events": for each specific set of k members its EXPOSURE (expected number of
/// shocks on [0, t] that have failed exactly this set by t) is a one-dimensional integral of a positive function.
/// From exposures the number failed follows by sums of positive terms only, so that every probability, however
/// small, keeps full relative accuracy; the usual alternating sum over G_j loses all digits near n = 12.
///
/// Preconditions of all functions: rates and law passed their validation, 1 <= n <= ccf_group_limit, t_s finite and
/// >= 0. Reference for G and I: void probability of a marked Poisson process, Kingman, Poisson Processes, 1993.

/// Exposure of one specific set of k members, k = 1 .. n at index k - 1. Cost O(points * n), at most 2400 points.
std::vector<double> set_exposures(const BfrRates& rates, const DelayLaw& law, int n, double t_s);
/// The same for a group given by its order rates: an event of order k >= 2 delays each of its k members
/// independently; events of order 1 act at once unless the law delays them too.
std::vector<double> set_exposures(const OrderRates& rates, const DelayLaw& law, double t_s);

/// Number of failed members when every specific set of k members is struck by a Poisson number of events with mean
/// exposure[k - 1]; entry m is P(exactly m failed), m = 0 .. n. Relative error of every entry about 1e-13.
///
/// @param initial  distribution of the number already failed at time 0 (m = 0 .. n; which ones is symmetric and
///                 independent of the shocks); empty: none failed.
std::vector<double> failed_count_distribution(std::span<const double> exposure, std::span<const double> initial = {});
std::vector<double> failed_count_distribution(const BfrRates& rates, const DelayLaw& law, int n, double t_s,
                                              std::span<const double> initial = {});
std::vector<double> failed_count_distribution(const OrderRates& rates, const DelayLaw& law, double t_s,
                                              std::span<const double> initial = {});

/// The distribution of the number failed as a function of time, for the functions below.
using FailedCountCurve = std::function<std::vector<double>(double t_s)>;
FailedCountCurve failed_count_curve(const BfrRates& rates, const DelayLaw& law, int n,
                                    std::vector<double> initial = {});
FailedCountCurve failed_count_curve(const OrderRates& rates, const DelayLaw& law, std::vector<double> initial = {});

/// Time average over [0, end_s] of value[m] for m failed members; value has n + 1 entries, end_s > 0.
/// Adaptive Gauss-Kronrod, relative error about 1e-11.
double time_average(const FailedCountCurve& curve, std::span<const double> value, const DelayLaw& law, double end_s);

/// Mean time until all n members have failed [s]; nothing when that need never happen.
/// Adaptive Gauss-Kronrod, relative error about 1e-10.
std::optional<double> mean_time_to_all_failed(const BfrRates& rates, const DelayLaw& law, int n);

}  // namespace ergode
