#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace ergode {

/// What the plan of a window of rounds must know of a job.
struct PlannedJob {
  int gpus = 1;
  double epochs = 1.0;       ///< in all, >= 1
  double progress = 0.0;     ///< epochs done, 0 to `epochs`
  double epoch_s = 1.0;      ///< mean duration of those done and the one it is in, > 0
  double remaining_s = 1.0;  ///< predicted runtime that is left, >= 0
  double finish_by_s = 0.0;  ///< when it would end with a fair share, by past estimates
};

struct PlanOptions {
  int gpus = 32;                  ///< >= those of every job
  int rounds = 20;                ///< of the window, 1 to 1000
  double round_s = 120.0;         ///< > 0
  double makespan_weight = 1e-3;  ///< k [1/s], >= 0
  double priority_power = 12.0;   ///< lambda, >= 0
  double most_rho = 1.0;          ///< of finish-time fairness, > 0
  double gap = 1e-3;              ///< relative, of the programme, > 0
  int most_nodes = 100;           ///< of the tree of each of its solves, >= 1
  double time_limit_s = 15.0;     ///< of each of its solves, > 0
  bool heuristic = false;         ///< marginal gains instead of the programme
  /// Asked while programmes are solved: true ends them, and what is planned then is of no use. Empty: nobody asks.
  std::function<bool()> give_up = {};
};

/// How a plan was found: within the gap of the best, or by rules of which that is not known.
enum class PlanMethod { programme, heuristic };

/// Rounds of each job of a window.
struct RoundCounts {
  std::vector<int> rounds;  ///< by job
  double welfare = 0.0;     ///< the objective
  PlanMethod method = PlanMethod::programme;
};

/// log by pieces between 0, 0.2, ..., 1, with log(1e-6) at 0: concave. @param part  0 to 1
double piecewise_log(double part);

/// The objective of a plan that gives each job so many rounds of the window:
///
///     1 / (jobs rounds) sum_i q_i piecewise_log((p_i + g_i) / E_i) - k max_i max(0, R_i - g_i d_i)
///
/// where g_i is as many epochs of d_i seconds as fit in its rounds, at most those that it has left.
double plan_welfare(std::span<const PlannedJob> jobs, std::span<const double> priorities, const PlanOptions& options,
                    std::span<const int> rounds);

/// Rounds that finish-time fairness demands of each job: the least with
/// end of the window + max(0, R - g d) / s <= most_rho finish_by, s = min(1, gpus / jobs). Nothing where a job cannot
/// have it even in all rounds, or all together do not fit.
/// @param first_round  its number; the window ends at (first_round + rounds) round_s
std::optional<std::vector<int>> fair_rounds(std::span<const PlannedJob> jobs, const PlanOptions& options,
                                            std::int64_t first_round);

/// q_i of jobs that will be late: (expected end / finish_by)^lambda where that ratio is above most_rho, with 100 in
/// place of lambda for those with less than a round left; else 1. At most 1e9: more says no more than that it is first.
std::vector<double> late_priorities(std::span<const PlannedJob> jobs, const PlanOptions& options,
                                    std::int64_t first_round);

/// Numbers of rounds, each at most the window's and at least `least`, together within its GPU-rounds, with the greatest
/// welfare. As all rounds are alike and widths are small beside the cluster, which rounds they are can be told
/// afterwards (place_rounds): a programme with as many integers as jobs takes the place of one with a binary for each
/// job and round, of which it is a relaxation. By the programme (branch and cut; within `gap`, or the best found in the
/// time), or by marginal gains: for each makespan the rounds that it demands, then whatever gains most per GPU-round;
/// the makespan by a search over all that there are.
/// @param least  possible: within the window and the GPUs
RoundCounts planned_counts(std::span<const PlannedJob> jobs, std::span<const double> priorities,
                           const PlanOptions& options, std::span<const int> least);

/// Which rounds: job lists of each round of the window, such that each job has as many as `counts` says (one fewer for
/// those with the least priority where they do not fit) and sum_i q_i (mean index of its rounds) is small: by a
/// programme, or the most urgent first, in the earliest rounds with room.
struct PlacedRounds {
  std::vector<std::vector<std::uint32_t>> jobs;
  PlanMethod method = PlanMethod::programme;
  bool whole = true;  ///< every job has all its rounds
};
PlacedRounds place_rounds(std::span<const PlannedJob> jobs, std::span<const double> priorities,
                          const PlanOptions& options, std::span<const int> counts);

}  // namespace ergode
