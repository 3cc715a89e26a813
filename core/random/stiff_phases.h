#pragma once
#include <span>
#include <vector>

namespace ergode {

/// A chain of phases at one time.
struct PhasesLater {
  std::vector<double> in;  ///< probability of being in each phase
  double ended = 0.0;      ///< of being in none any more; all sum to 1
};

/// Where a chain of n phases is after time x, whatever the rates lie apart: the matrix of probabilities over a time
/// that is short for the fastest phase, by uniformisation, squared again and again. Nothing is subtracted: entries are
/// sums of products of probabilities, and each row is held to the sum of 1, so what a slow phase does keeps its digits
/// while fast ones run. Cost O(n^3 log(q x)), q being the greatest rate; absolute error some 1e-13. Moler and Van Loan,
/// Nineteen dubious ways to compute the exponential of a matrix, SIAM Review 45(1), 2003, method 3; for non-negative
/// matrices Shao, Gao and Xue, Aggressively truncated Taylor series method for accurate computation of exponentials of
/// essentially nonnegative matrices, SIAM J. Matrix Anal. Appl. 35(2), 2014.
/// @param initial  by phase; what is missing to 1 has ended at once
/// @param rates    by phase, > 0, per unit of x
/// @param jumps    row-major n x n: where a phase's end leads; what is missing to 1 ends the chain
/// @param x        >= 0, finite
PhasesLater phases_later(std::span<const double> initial, std::span<const double> rates, std::span<const double> jumps,
                         double x);

}  // namespace ergode
