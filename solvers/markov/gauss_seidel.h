#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/study/budget.h"
#include "solvers/markov/sparse_generator.h"

namespace ergode {

struct SweepReport {
  bool converged = false;    ///< false: stopped, or too many sweeps
  std::uint64_t sweeps = 0;  ///< one in each direction are two
  double error = 0.0;        ///< estimated, relative to each value
};

/// Solves x_j exit_j = source_j + sum over i of x_i q_ij for positive x by Gauss-Seidel, sweeping forth and back in
/// turn. With a source this is the expected time in transient states; without one the stationary distribution, up to a
/// factor, which is kept at one by scaling. The error is estimated as the latest greatest relative change times r / (1
/// - r), with r the rate at which changes shrink; it is no bound. Stewart, Introduction to the Numerical Solution of
/// Markov Chains, 1994, section 3.
///
/// It has converged when the estimate was small enough, or changes as small as rounding, three times in turn. The rate
/// is taken over twenty sweeps, because the first ones flatter the method. O(transitions) a sweep; no allocation.
///
/// @param incoming     SparseGenerator::incoming(), or that of a part of a chain
/// @param exit         by state: rate of leaving it [1/s], > 0; of a part of a chain that to the outside included
/// @param source       by state, >= 0; empty: none
/// @param x            start, all > 0; the solution, also where it has not converged
/// @param error        relative error at which it stops, > 0
/// @param most_sweeps  after which it gives up
/// @throws OverBudget (RUN003) when the time is over
SweepReport gauss_seidel(const RateRows& incoming, std::span<const double> exit, std::span<const double> source,
                         std::vector<double>& x, double error, std::uint64_t most_sweeps, const Budget& budget);

}  // namespace ergode
