#pragma once
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/study/budget.h"
#include "solvers/markov/sparse_generator.h"
#include "solvers/queueing/chain/network_chain.h"

namespace ergode {

/// All states of a network that can be reached, and the rates between them.
struct NetworkSpace {
  std::vector<std::u32string> states;  ///< NetworkState::key()
  SparseGenerator generator;
  std::vector<double> initial;  ///< by state
  bool cut = false;             ///< somebody found the limit reached
};

/// Follows moves from the initial states on. Some 2 us a transition, 80 bytes a state beside its key and 12 a
/// transition.
/// @param limit        customers of open classes
/// @param most_states  after which it gives up
/// @param more         another try of a greater limit: nothing is returned where memory does not suffice
/// @returns nothing when there are more states, or somebody asked to stop
/// @throws OverBudget (RUN003 time; MKV010 memory), OutOfRange
std::optional<NetworkSpace> explore(const NetworkChain& chain, std::uint64_t limit, std::uint64_t most_states,
                                    const Budget& budget, bool more = false);

/// What the long run of a network is made of.
struct NetworkLongRun {
  NetworkChain::Numbers numbers;
  NetworkChain::Flows flows;
  std::vector<double> values;  ///< means of the expressions that were asked for
  /// By expression: probability of each value, where that was asked for. Of a network that is cut to `limit` customers
  /// the error is about that of means.
  std::vector<std::map<double, double>> shares;
  std::uint64_t states = 0, transitions = 0;
  std::uint64_t limit = 0;  ///< customers of open classes at most; 0: none was needed
  /// Relative error of every mean above that is not 0, and of quotients of two of them, because of the limit; 0: there
  /// is none. A bound where `bounded` says so; else the last change.
  double truncation = 0.0;
  double nothing = 0.0;             ///< likewise, absolutely, of those that are 0 where the network is cut
  std::vector<double> value_error;  ///< by expression, absolutely; where `bounded`
  bool bounded = true;
  std::string why_unbounded;  ///< a clause
  double rounding = 0.0;      ///< relative error of the equations' solution
  std::string method;
  std::vector<std::uint32_t> starving;  ///< NetworkChain::starving(): what is said of their times means nothing
};

/// Steady state; where customers may be without number the network is cut at ever greater numbers of them, until the
/// bound on what that changes (TruncationBound) is at most `error`, relatively. Where no bound can be shown, until no
/// mean changes by more than that from one limit to the next, which is an estimate: means may change again beyond.
/// Also where means have settled and the bound is at most 1e-6 it is left at that.
/// @param programs  expressions over slots that the chain knows
/// @param spread    by program: 1 where its distribution is wanted too
/// @returns why there is no answer: a sentence (too many states for any useful precision, stopped, no steady state)
/// @throws OverBudget, OutOfRange
std::variant<NetworkLongRun, std::string> long_run_of(const NetworkChain& chain,
                                                      std::span<const Program* const> programs,
                                                      std::span<const std::uint8_t> spread, double error,
                                                      std::uint64_t most_states, const Budget& budget);

}  // namespace ergode
