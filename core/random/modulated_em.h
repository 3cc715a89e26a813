#pragma once
#include <array>
#include <span>
#include <vector>

namespace ergode {

/// Poisson arrivals of two rates that take turns; per unit of the gaps.
struct ModulatedRates {
  std::array<double, 2> rate{};     ///< of arrivals by state, >= 0
  std::array<double, 2> leaving{};  ///< of leaving a state, > 0
};
struct ModulatedFit {
  ModulatedRates law;
  double log_likelihood = 0.0;  ///< of the gaps in their order, begun just after an arrival
  std::vector<double> steps;    ///< log-likelihood after each step; it does not fall
};

/// Maximum likelihood of two modulated rates by expectation and maximisation over the states behind the gaps: Ryden, An
/// EM algorithm for estimation in Markov-modulated Poisson processes, Computational Statistics and Data Analysis 21,
/// 1996. Steps are extrapolated where that gains (Varadhan and Roland, Simple and globally convergent methods for
/// accelerating the convergence of any EM algorithm, Scandinavian Journal of Statistics 35, 2008). It goes to a maximum
/// near the beginning, which need not be the greatest. O(gaps) a step, some 200 ns each.
/// @param gaps   finite, >= 0, not all 0
/// @param steps  at most so many; fewer where the likelihood gains less than 1e-10 a gap
ModulatedFit fit_modulated(std::span<const double> gaps, const ModulatedRates& begin, int steps);

}  // namespace ergode
