#pragma once
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
  std::uint64_t states = 0, transitions = 0;
  std::uint64_t limit = 0;  ///< customers of open classes at most; 0: none was needed
  double truncation = 0.0;  ///< how much values changed, relatively, when the limit was last raised; 0: there is none
  double rounding = 0.0;    ///< relative error of the equations' solution
  std::string method;
  std::vector<std::uint32_t> starving;  ///< NetworkChain::starving(): what is said of their times means nothing
};

/// Steady state; where customers may be without number the network is cut at ever greater numbers of them until no mean
/// changes by more than `error`, relatively. As means grow with the limit towards their end, ever slower, the last
/// change is more than what is left; it is no bound where they do not.
/// @param programs  expressions over slots that the chain knows
/// @returns why there is no answer: a sentence (too many states for any useful precision, stopped, no steady state)
/// @throws OverBudget, OutOfRange
std::variant<NetworkLongRun, std::string> long_run_of(const NetworkChain& chain,
                                                      std::span<const Program* const> programs, double error,
                                                      std::uint64_t most_states, const Budget& budget);

}  // namespace ergode
