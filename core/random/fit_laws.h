#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/random/distribution.h"

namespace ergode {

/// What a list of times between arrivals, or of services, says of itself; in the unit of the values.
struct TraceMoments {
  std::size_t count = 0, zeros = 0;
  double mean = 0.0, variance = 0.0;  ///< divisor n - 1; infinity beyond all numbers, which scv and skewness are not
  double scv = 0.0;                   ///< variance over squared mean
  double skewness = 0.0;              ///< third central moment over the cube of the standard deviation
  double least = 0.0, median = 0.0, greatest = 0.0;
  std::vector<double> autocorrelation;  ///< of lags 1, 2, ...; empty where nothing varies
};
/// @param values  at least one, finite, >= 0, in the order in which they were seen
/// @param lags    at most so many, fewer than values
TraceMoments moments_of(std::span<const double> values, std::size_t lags);

/// A law that was fitted, as it is written into a model.
struct LawFit {
  std::string name;                 ///< "hyper-Erlang"
  std::string text;                 ///< "hypererlang(p = ..., k = ..., rate = [2 /s, ...])"; empty: there is none
  std::string why;                  ///< there is none: half a sentence
  std::optional<Distribution> law;  ///< of one value; in the unit of the values
  std::size_t parameters = 0;
  double log_likelihood = 0.0;  ///< of the values, natural; of laws without memory as if they were independent
  double aic = 0.0;             ///< Akaike: 2 parameters - 2 log-likelihood; the least is best
  double distance = 0.0;        ///< Kolmogorov and Smirnov: greatest difference of distribution functions
};
/// Fits what a model may say of such times: exponential; two moments (fitted); hyper-Erlang by EM; lognormal, gamma and
/// Weibull by maximum likelihood; two modulated rates (MMPP) by maximum likelihood, begun at three moments and the
/// correlation of neighbours. In this order; those that do not fit say why.
///
/// Heindl and Telek, Output models of MAP/PH/1(/K) queues for an efficient network decomposition, Performance
/// Evaluation 49, 2002 (correlations of two phases); Whitt, Approximating a point process by a renewal process,
/// Operations Research 30, 1982 (hyperexponential of three moments). O(n log n), and some 10^8 steps for the phases.
/// @param values  at least two, finite, >= 0, not all alike
/// @param unit    of the values, as texts have it: "s"
std::vector<LawFit> fit_laws(std::span<const double> values, const std::string& unit);

}  // namespace ergode
