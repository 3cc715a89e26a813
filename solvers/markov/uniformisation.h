#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/study/budget.h"
#include "solvers/markov/sparse_generator.h"

namespace ergode {

/// A transient question: expected rewards at several times, in one sweep. A reward has a value per state; a probability
/// is the expectation of a reward of zeros and ones.
struct TransientQuestion {
  std::span<const double> initial;               ///< by state: probability at time zero, >= 0, sum 1
  std::vector<std::span<const double>> rewards;  ///< each by state; any sign
  std::span<const StateRole> roles;  ///< by state; empty: all ordinary. Rewards count in ordinary states only.
  std::span<const double> times_s;   ///< ascending, >= 0, finite
  double error = 1e-12;              ///< bound on the truncation error, per unit of reward; in (0, 1)
  /// What the sweep may lose, per unit of reward, by ending before its last step because hardly anything moves; 0: as
  /// `error`. Smaller errors cost few products, waiting for a steadier state may cost all of them.
  double early_end = 0.0;
  bool want_distribution = false;  ///< also the distribution at the last time
  Budget budget = {};
  const char* instead = "";  ///< what else whoever asked can do where that costs too much: hint of MKV022; lives on
};

/// What a question got: numbers in the order of its rewards and times; rewards' units are the asker's.
struct TransientAnswer {
  std::vector<std::vector<double>> at;        ///< [reward][time]: expected reward at that time
  std::vector<std::vector<double>> integral;  ///< [reward][time]: its integral from 0 to that time [s]
  std::vector<double> reached;                ///< [time]: probability that a target was entered by then, 0 included
  std::vector<double> reached_integral;       ///< [time]: integral of `reached` from 0 to that time [s]
  std::vector<double> distribution;           ///< by state, when wanted; what was absorbed stands where it was absorbed
  /// Bound on the error of at and reached per unit of reward, and of integrals to the last time, times that time.
  double truncation = 0.0;
  double truncation_at = 0.0;                  ///< The same for at and reached alone.
  std::vector<double> lost_at, lost_integral;  ///< [time]: the two for each time alone
  double rounding = 0.0;                       ///< Bound on the relative rounding error of values made of rewards >= 0.
  std::uint64_t steps = 0;                     ///< products with the matrix
  bool steady = false;   ///< The sweep ended early, because nothing moved any more; `truncation` includes that.
  bool stopped = false;  ///< Somebody asked to stop; nothing else in here means anything.
};

/// Uniformisation (Jensen, Markoff chains as an aid in the study of Markoff processes, Skandinavisk Aktuarietidskrift
/// 36, 1953; Reibman and Trivedi, Numerical transient analysis of Markov models, Computers and Operations Research
/// 15(1), 1988): the chain is looked at at the events of a Poisson process of rate q >= every exit rate. One sweep of q
/// T products serves all rewards, times and integrals, because each product leaves one number per reward, and times
/// differ in their Poisson weights alone. All terms of a probability are positive: small values keep their relative
/// accuracy.
///
/// The sweep ends early when (steps left) * |p(k+1) - p(k)| is below a tenth of that error: as |p(k+j+1) - p(k+j)|
/// never grows, nothing that is left out can exceed that. Times far beyond that end need no Poisson weights. Cost O(q T
/// transitions), memory 2 vectors of states and some 40 sqrt(q T) numbers per reward: a time gets its numbers as soon
/// as the sweep has passed its weights, and what no later time asks for is forgotten.
///
/// What q T products cost is compared with the budget first. Where they cost too much, a tenth of the time (two
/// thousand million operations without a limit) is spent on finding the steady state, which ends most stiff chains
/// early.
/// @throws OverBudget (MKV022) when that fails, with the limits that it goes beyond, each beside its estimate, or when
/// q is no finite number; RUN003 when the time is over.
///
/// @param incoming  generator.incoming(), which several questions about one chain share
/// @param question  its spans must live until the return
TransientAnswer solve_transient(const SparseGenerator& generator, const RateRows& incoming,
                                const TransientQuestion& question);

}  // namespace ergode
