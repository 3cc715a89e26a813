#pragma once
#include <array>
#include <string>
#include <vector>

namespace ergode {

// Laws of a mean and a squared coefficient of variation (scv: variance over squared mean), exact but for rounding. The
// mean is > 0, in the unit of the variable; an scv beyond the range that is told gives NaN. O(phases), but for
// generators O(phases^2).

/// The scv that laws may be made of by their moments. Of two exponentials with balanced means the long one, which
/// brings half of the mean, is one in 2 (scv + 1) draws: beyond the greatest no simulation sees it often enough. Below
/// the least there is no spread but rounding's.
constexpr double least_scv = 1e-12, greatest_scv = 1e6;
/// Means of which the squares and the rates that belong to them are numbers, whatever the scv.
constexpr double least_mean = 1e-100, greatest_mean = 1e100;
/// Why a law cannot have these moments: the value seen and what is wanted; empty: nothing speaks against them.
std::string wrong_moments(double mean, double scv);

/// Least variance of a sum, a chain or any network of so many phases: 1 / phases (Aldous and Shepp, The least variable
/// phase type distribution is Erlang, Stochastic Models 3, 1987). @returns phases wanted for an scv > 0: from 1 on, a
/// whole number, some 1e-12 of it forgiven.
double phases_for(double scv);

/// Two exponentials, one picked at random, that make the same share of the mean (balanced means): Whitt, Approximating
/// a point process by a renewal process, I: two basic methods, Operations Research 30(1), 1982.
struct TwoExponentials {
  std::array<double, 2> p{}, rate{};  ///< p[0] >= 1/2; both sum to 1
};
/// @param scv  >= 1
TwoExponentials balanced_exponentials(double mean, double scv);

/// k - 1 phases with this probability, else k, all of one rate: Tijms, Stochastic Models: An Algorithmic Approach,
/// 1994, appendix B.
struct MixedErlang {
  double k = 1.0, shorter = 0.0, rate = 0.0;  ///< k >= 1, a whole number; shorter: in [0, 1)
};
/// @param scv  from 1e-6 to 1
MixedErlang mixed_erlang(double mean, double scv);

/// Phases one after the other; after phase i it goes on with probability go_on[i], one less than there are phases.
struct CoxianChain {
  std::vector<double> rate, go_on;
};
/// Two phases from scv 1/2 on; below, as few of one rate as there may be, of which the first may be the last: Marie,
/// Calculating equilibrium probabilities for lambda(n)/C_k/1/N queues, Performance Evaluation Review 9(2), 1980.
CoxianChain coxian_of_moments(double mean, double scv);

/// Rates of a sum of as few exponentials as there may be, of which all but the last are alike.
/// @param scv  <= 1
std::vector<double> sum_of_exponentials(double mean, double scv);

/// Time to leave a chain of phases, the rates row after row.
struct PhaseChain {
  std::vector<double> initial, generator;
};
/// As few phases as there may be: up to scv 1 the mixture of Erlang laws as one chain that may begin in its second
/// phase, above two exponentials with balanced means.
PhaseChain phases_of_moments(double mean, double scv);

/// Shape and least value of the Pareto law without a limit; the shape is above 2.
struct ParetoShape {
  double shape = 0.0, scale = 0.0;
};
ParetoShape pareto_of_moments(double mean, double scv);

}  // namespace ergode
