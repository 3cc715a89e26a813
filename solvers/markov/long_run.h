#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/study/budget.h"
#include "solvers/markov/sparse_generator.h"

namespace ergode {

enum class LinearMethod : std::uint8_t {
  automatic,  ///< direct where it costs no more than some sweeps of the other, whatever the size; else iterative
  direct,     ///< state reduction, see reduce_states()
  iterative   ///< Gauss-Seidel
};

/// What the solutions below may cost, and how exact they are.
struct LinearOptions {
  LinearMethod method = LinearMethod::automatic;
  double error = 1e-12;                ///< Gauss-Seidel: estimated relative error at which it stops; in (0, 1)
  std::uint64_t most_sweeps = 100000;  ///< of Gauss-Seidel in one part; then automatic goes on directly
  std::size_t direct_limit = 3000;     ///< states up to which automatic does not ask what the direct method costs
  double direct_sweeps = 30.0;         ///< sweeps of Gauss-Seidel that it may cost above
  Budget budget = {};                  ///< polled in every loop: RUN003; the direct method asks it for memory: MKV022
};

/// How a solution was come by.
struct LinearReport {
  LinearMethod used = LinearMethod::direct;  ///< iterative where it was used in any part
  std::uint64_t sweeps = 0;                  ///< of Gauss-Seidel, in all parts together
  double residual = 0.0;                     ///< see residual(); the worst of all parts
  double error = 0.0;  ///< relative: rounding for the direct method, estimated for the iterative one
};

/// Long-run behaviour from an initial distribution.
struct LongRun {
  std::vector<double> distribution;  ///< by state: limit of the time average; transient states 0
  std::size_t bottom_classes = 0;    ///< of those that can be reached
  std::size_t transient_states = 0;
  LinearReport report;
};

/// Each bottom class has its own stationary distribution, weighted with the probability of ending up in it: Stewart,
/// Introduction to the Numerical Solution of Markov Chains, 1994. Gauss-Seidel sweeps forth and back over the balance
/// equations pi_j = sum of pi_i q_ij / exit_j, which have positive terms only; it stops when the estimated error, the
/// latest relative change over one minus the rate of contraction, is small enough.
/// @param initial  by state, >= 0, sum 1
/// @returns one sentence when the method did not get there: it did not converge, or somebody asked to stop.
/// @throws OverBudget (MKV022 memory, RUN003 time)
std::variant<LongRun, std::string> solve_long_run(const SparseGenerator& generator, std::span<const double> initial,
                                                  const LinearOptions& options = {});

/// Where a chain ends, and how long that takes.
struct Absorption {
  std::vector<double> time_s;   ///< by state: expected time spent there before absorption [s]; 0 in absorbing states
  std::vector<double> entered;  ///< by absorbing state: probability of being the first that is entered; 0 elsewhere
  double probability = 0.0;     ///< of ever reaching a target
  bool certain = false;         ///< The chain can end nowhere but in targets: `probability` is exactly 1.
  LinearReport report;
};

/// Targets and forbidden states absorb; so do the bottom classes from which none of them can be reached. The mean time
/// to absorption is the sum of time_s, an expected reward until absorption its product with the rewards. Directly: the
/// stationary distribution of the chain that starts again at once whenever it is absorbed, which again needs no
/// subtraction; iteratively: Gauss-Seidel on the expected times.
/// In a bottom class of several states `entered` is the probability of each being the first of them.
/// @param initial  by state, >= 0, sum 1
/// @param roles    by state; empty: all ordinary
/// @returns one sentence, and @throws, as solve_long_run()
std::variant<Absorption, std::string> solve_absorption(const SparseGenerator& generator,
                                                       std::span<const double> initial,
                                                       std::span<const StateRole> roles,
                                                       const LinearOptions& options = {});

}  // namespace ergode
