#pragma once
#include <optional>
#include <vector>

namespace ergode {

/// Jobs that buy GPU time of future rounds with budgets of their own, as Shockwave sees a cluster: a Fisher market
/// over time with linear utilities.
struct RoundMarket {
  std::vector<double> budgets;               ///< by job, > 0
  std::vector<double> capacities;            ///< GPU rounds on sale, by round, > 0
  std::vector<std::vector<double>> utility;  ///< of a GPU in a round to a job: [job][round], >= 0, not all 0 for a job
};

struct MarketEquilibrium {
  std::vector<std::vector<double>> share;  ///< GPUs of a job in a round; some of many where prices leave ties
  std::vector<double> utility;             ///< by job; unique
  std::vector<double> price;               ///< of a GPU, by round; unique; 0 where nobody wants any
  double gap = 0.0;                        ///< so far below the best sum of budget * log(utility), relative, at most
};

/// The equilibrium, in which everybody buys what is best for its money and all that anybody wants is sold; it maximises
/// sum of budget_i log(sum_t utility_it share_it) within the capacities. With equal budgets everybody has at least what
/// an equal part of every round is worth to it.
///
/// A primal-dual interior-point method on the convex programme. Unlike proportional response, which slows down to steps
/// of 1 / k where a job does not care between two rounds, it ends in some tens of steps there too.
/// @returns nothing where the market is none (sizes differ, a number is out of range).
/// O(steps (jobs rounds^2 + rounds^3)); steps: about 20 to 60.
/// Eisenberg and Gale, Ann. Math. Stat. 30, 1959; Ye, Math. Programming 111, 2008; Zheng et al., Shockwave, NSDI 2023.
std::optional<MarketEquilibrium> market_equilibrium(const RoundMarket& market);

}  // namespace ergode
