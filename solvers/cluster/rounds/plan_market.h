#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ergode {

/// A job as the market of a window of rounds sees it.
struct MarketJob {
  std::uint32_t number = 0;
  int gpus = 1;
  double weight = 1.0;         ///< of its logarithm in the objective of the plan
  std::vector<double> epochs;  ///< by round of the window: that it would do if it ran in all, with its batch sizes then
  double planned = 0.0;        ///< those of the rounds that the plan gave it
};

/// Epochs of a job by round if it runs in all of them, from its epoch `progress` on; none once it is done.
/// @param epoch_s  durations of all its epochs [s], > 0.  O(rounds + epochs)
std::vector<double> epochs_ahead(std::span<const double> epoch_s, std::int64_t progress, double round_s, int rounds);

/// A plan beside the market of its window: the equilibrium of Eisenberg and Gale, in which every job has the same
/// money, 1, and buys the GPUs of whichever rounds give it most epochs for it. On sale are the GPUs of each round, as
/// many as the jobs can use that are not done by then. The market is linear: it knows neither whole GPUs nor that a job
/// can use no more than its own in one round, so that it is what plans of whole rounds are held against, and none
/// itself.
struct PlanMarket {
  struct Job {
    std::uint32_t number = 0;
    double weight = 1.0;
    double bought = 0.0, planned = 0.0;  ///< epochs
    double equal = 0.0;                  ///< epochs with an equal part of every round; never above `bought`
  };
  std::int64_t round = 0;     ///< in which it was planned
  std::vector<Job> jobs;      ///< those with work left
  std::vector<double> price;  ///< of a GPU, by round of the window; 0 where all are done
};

/// Windows of more rounds have no market: each step to one takes as long as their third power.
inline constexpr int most_market_rounds = 100;

/// @param gpus  of the cluster.  @returns nothing where nobody has work left, or no equilibrium was found.
/// Cost as of market_equilibrium().
std::optional<PlanMarket> plan_market(std::span<const MarketJob> jobs, int gpus, std::int64_t round);

}  // namespace ergode
