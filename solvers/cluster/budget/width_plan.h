#pragma once
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "solvers/cluster/budget/job_type.h"

namespace ergode {

/// Fixed widths: every job of a type runs on the same number of GPUs, rented when it comes and given back when it is
/// done, so that nobody waits. For whatever arrivals and sizes no online policy that rents `budget` GPUs on average has
/// a lower mean response time than the best of these.
/// Li, Berg, Mukhopadhyay and Harchol-Balter, How to Rent GPUs on a Budget, arXiv 2406.15560, EPEW 2024, theorem 1. The
/// perspective form that makes the problem convex, start-up times and whole GPUs are ours (below).
struct WidthPlan {
  std::vector<Width> widths;  ///< by type
  /// Value of one more GPU: -d(jobs present)/d(budget), so dE[T]/d(budget) = -multiplier / (sum of rates). 0: more
  /// GPUs gain nothing. Not of plans that are not optimal.
  double multiplier = 0.0;
};

/// Widths of least mean response time with at most `budget` GPUs rented on average:
///
///     minimise sum_i rate_i E[T_i]   subject to   sum_i rate_i k_i E[T_i] <= budget,  k_i >= 1,
///     E[T_i] = mean_size_i / s_i(k_i) + start_up_i
///
/// Each k_i minimises mean_size (1 + nu k) / s(k) + nu k start_up, which has one minimum because cost is a convex
/// function of time; the budget used falls with nu, which is found by bisection. Without start-up amdahl has
/// k = sqrt(p / ((1 - p) nu)) and power k = a / ((1 - a) nu). Tables, and all types where GPUs are whole, have corners
/// instead: those of the lower hull of (cost, time). What is left of the budget buys the steepest next segments, of
/// which the last is bought in part: so at most one type mixes two widths (the linear program over hull points).
///
/// @param types   not empty; fields within their ranges, which is not checked
/// @param budget  GPUs; finite, > 0
/// @param whole   widths are whole numbers; of tables, corners of whole GPUs (Speedup::whole() has them all)
/// @returns the plan, or a sentence: the budget is below what one GPU each costs (but for rounding, 1e-12).
///
/// Bisection to the last digit, at most 200 steps of O(types), each with a search of its own (about 60 values of s)
/// where there is a start-up time or a logarithm.
std::variant<WidthPlan, std::string> optimal_widths(std::span<const JobType> types, double budget, bool whole = false);

/// The same width for all types (or the most that a type can use), as great as the budget lets it be. Where GPUs are
/// whole every job draws one of the two next to it, with the same probability for all types.
/// Ranges, errors and cost as above.
std::variant<WidthPlan, std::string> equal_widths(std::span<const JobType> types, double budget, bool whole = false);

/// One GPU each, whatever the budget.
WidthPlan single_gpus(std::span<const JobType> types);

/// What one type does in the long run under a plan.
struct WidthMeans {
  double time = 0.0;      ///< mean response time
  double jobs = 0.0;      ///< present on average
  double gpus = 0.0;      ///< rented on average
  double variance = 0.0;  ///< of GPUs rented, where arrivals are Poisson
};
WidthMeans means_of(const JobType& type, const Width& width);

/// What all do together.
struct PlanMeans {
  std::vector<WidthMeans> types;
  double rate = 0.0;  ///< of all jobs
  double time = 0.0;  ///< mean response time of all jobs
  double jobs = 0.0, gpus = 0.0;
  /// Where arrivals are Poisson every type is a M/G/inf queue, insensitive to the law of sizes: jobs present are
  /// independent Poisson numbers.
  double variance = 0.0;  ///< of GPUs rented
  double idle = 0.0;      ///< probability that none is
};
PlanMeans means_of(std::span<const JobType> types, const WidthPlan& plan);

/// Probabilities that 0, 1, ..., `most` GPUs are rented, where arrivals are Poisson and all widths are whole (else
/// those of jobs with the next whole width). What is missing to 1 lies beyond. O(most * different widths). Panjer,
/// Recursive evaluation of a family of compound distributions, ASTIN Bulletin 12, 1981.
std::vector<double> rented_distribution(std::span<const JobType> types, const WidthPlan& plan, std::size_t most);
/// Probabilities that 0, 1, ..., `most` jobs of a number with this mean are present (Poisson). O(most)
std::vector<double> poisson_distribution(double mean, std::size_t most);

}  // namespace ergode
