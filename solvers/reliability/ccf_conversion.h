#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "solvers/reliability/ccf_parameters.h"

namespace ergode {

/// The parameters of one common-cause model, in the order of ccf_parameter_names().
struct CcfSet {
  std::string model;  ///< a word of ccf_models(): bfr, beta, mgl, alpha_staggered, alpha_nonstaggered
  std::vector<double> values;
};

/// What the values of a model are called for a group of n members: lambda, mu, rho, omega (bfr); beta; beta, gamma, ...
/// (mgl, n - 1 of them); alpha_1 ... alpha_n. Empty: there is no such model.
std::vector<std::string> ccf_parameter_names(const std::string& model, int n);

/// What a set says about each specific set of k members: Q_k of NUREG/CR-4780 (1988) and NUREG/CR-5485 (1998).
/// @param total  failure rate or demand probability of one member, which the Q_k share; none: 1, so that they are
///               shares. The binomial failure rate model has its own: lambda + mu rho + omega.
/// Errors: CCF001 size, CCF002 to CCF005 values, CCF030 a total that the model has itself, and totals and rates that
/// are not from 1e-100 to 1e100 (a rate may be 0).
std::variant<OrderRates, Diagnostics> ccf_orders(const CcfSet& given, int n, std::optional<double> total);

/// The set of another model with the same Q_k. Alpha factors and Greek letters always exist. A beta factor keeps the
/// share of shared failures and takes all of them for failures of the whole group (`lossy`).
struct CcfConverted {
  CcfSet set;
  bool lossy = false;  ///< its Q_k are others
};
/// Errors: CCF031 nothing can fail; no binomial failure rate model has these Q_k: its four rates follow from four
/// orders or more (n >= 4), and from more than four only where the middle ones form a geometric series (within 1e-6).
std::variant<CcfConverted, Diagnostics> ccf_convert(const OrderRates& orders, const std::string& model);

/// An alpha factor as counted events say it.
struct AlphaEstimate {
  double likely = 0.0;              ///< n_k / N, of maximum likelihood; NaN without events
  double mean = 0.0;                ///< of the posterior distribution
  double lower = 0.0, upper = 0.0;  ///< ends of its equal-tailed credible interval
  double a = 0.0, b = 0.0;          ///< the posterior is Beta(a, b)
};

/// Alpha factors from counts of events: counts[k - 1] events in which exactly k members failed. Whole numbers or, where
/// events were assessed by impact vectors, means. The factors are multinomial, their conjugate prior is a Dirichlet
/// distribution, each one's marginal a beta distribution: NUREG/CR-5485; Handbook of Parameter Estimation,
/// NUREG/CR-6823, 2003.
/// @param counts      0 to 1e9 each
/// @param prior       parameters of the Dirichlet prior, 1e-3 to 1e9, as many; empty: 1/2 each (Jeffreys, no knowledge)
/// @param confidence  of the intervals, in (0, 1), no nearer to its ends than 1e-9
/// Errors: CCF001, CCF020 counts that cannot be, CCF032 a prior or confidence that cannot be.
std::variant<std::vector<AlphaEstimate>, Diagnostics> fit_alpha(const std::vector<double>& counts,
                                                                const std::vector<double>& prior, double confidence);

}  // namespace ergode
