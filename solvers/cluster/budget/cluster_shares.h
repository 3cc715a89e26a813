#pragma once
#include <span>

#include "solvers/cluster/budget/speedup.h"

namespace ergode {

/// How a fixed cluster is divided among the jobs that are there: policies to compare rental budgets with. Shares are
/// real numbers of GPUs, below one as well.

/// EQUI: all alike. @returns GPUs of each of `jobs` > 0. O(1).
double equal_share(double gpus, std::size_t jobs);

/// heSRPT: shares by remaining size, the smallest most, so that mean response times of s = k^p are least when all jobs
/// are there from the beginning: the i-th of m jobs, by remaining size descending, gets
/// (i/m)^(1/(1-p)) - ((i-1)/m)^(1/(1-p)) of the GPUs.
/// @param exponent  p, 0 <= p < 1
/// @param shares    gets the share of the largest first, that of the smallest last; they add up to 1. O(jobs)
/// Berg, Vesilo and Harchol-Balter, heSRPT: Parallel scheduling to minimize mean slowdown, Performance Evaluation 144,
/// 2020.
void hesrpt_shares(double exponent, std::span<double> shares);

/// Jobs that are alike, for greedy_shares().
struct AlikeJobs {
  const Speedup* speedup = nullptr;
  std::size_t jobs = 0;
  double gpus = 0.0;  ///< of each of them: what greedy_shares() finds
};
/// Greedy: as much work done at this moment as can be, by giving each GPU where it gains most (water-filling on s').
/// Below one GPU each all gain alike, and have alike. What nobody can use is left. O(types) times some hundred.
void greedy_shares(double gpus, std::span<AlikeJobs> types);

}  // namespace ergode
