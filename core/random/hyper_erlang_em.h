#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace ergode {

/// A mixture of Erlang laws: branch i with probability p, whole numbers k of phases and their rates.
struct HyperErlang {
  std::vector<double> p, k, rate;
};
/// Values of which so many were seen.
struct WeightedValues {
  std::vector<double> value, weight;
};
struct HyperErlangFit {
  HyperErlang law;
  double log_likelihood = 0.0;  ///< of the weighted values
  std::vector<double> steps;    ///< log-likelihood after each step; it never falls
};

/// Values > 0 gathered in at most so many intervals of equal width on a logarithmic scale, each told by its mean:
/// Riska, Diev and Smirni, An EM-based technique for approximating long-tailed data sets with PH distributions,
/// Performance Evaluation 55, 2004. Few values are left as they are. O(n log n).
WeightedValues gathered(std::span<const double> values, std::size_t most);

/// Maximum likelihood of probabilities and rates by expectation and maximisation, the phases given: Thuemmler, Buchholz
/// and Telek, A novel approach for phase-type fitting with the EM algorithm, IEEE Trans. Dependable and Secure
/// Computing 3(3), 2006. Begins with branches that share out the values from the least to the greatest in order.
/// O(values x branches) a step.
/// @param data   values > 0
/// @param k      phases of the branches, each >= 1
/// @param steps  at most so many; fewer where the likelihood gains less than 1e-9 a value
HyperErlangFit fit_hyper_erlang(const WeightedValues& data, std::vector<double> k, int steps);

/// The same for every way of sharing up to `most_phases` phases among up to `most_branches` branches, and of these the
/// one with the least criterion of Akaike: 2 parameters - 2 log-likelihood, with three parameters a branch but one.
/// Promising ones are followed to the end.
HyperErlangFit best_hyper_erlang(const WeightedValues& data, int most_branches, int most_phases);

}  // namespace ergode
