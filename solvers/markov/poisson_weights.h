#pragma once
#include <cstdint>
#include <vector>

namespace ergode {

/// The Poisson probabilities that matter: P(N = left + i) = weights[i], summing to one.
struct PoissonWindow {
  std::uint64_t left = 0;
  std::vector<double> weights;  ///< at least one, none of them negative
  std::uint64_t right() const { return left + weights.size() - 1; }
  /// Bound on the probability outside [left, right], before the weights were scaled to sum to one.
  double outside = 0.0;
  /// Bound on the expected overshoot E[max(0, N - right)].
  double overshoot = 0.0;
};

/// Greatest mean that poisson_window() takes: some 1.5 million weights. Whoever looks further needs no weights, see
/// poisson_end().
inline constexpr double most_poisson_mean = 1e10;

/// Poisson probabilities around the mode, without overflow or underflow for any mean, cut where the rest is at most
/// `error`. Recurrences run outward from the mode with the weight there set to one and are scaled to sum to one, added
/// up from the small ends, after Fox and Glynn, Computing Poisson Probabilities, Communications of the ACM 31(4), 1988;
/// where to cut is decided by geometric bounds on both tails instead of their table.
///
/// @param mean   in [0, most_poisson_mean]; @throws std::domain_error above, and for NaN
/// @param error  in (0, 1)
/// Cost O(sqrt(mean) log(1 / error)).
PoissonWindow poisson_window(double mean, double error);

/// A number that a Poisson variable exceeds, and one that it falls short of, with a probability of at most `error`
/// each, by Chernoff's bounds; for any mean >= 0, infinity too. Whole numbers; the bounds are not tight, so a window
/// from the one to the other holds more than poisson_window(). O(1).
double poisson_end(double mean, double error);
double poisson_begin(double mean, double error);

}  // namespace ergode
