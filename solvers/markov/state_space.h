#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/study/budget.h"
#include "solvers/markov/sparse_generator.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// How far states are generated, and what is told apart in them.
struct StateSpaceOptions {
  std::uint64_t state_limit = 2000000;  ///< beyond it MKV010
  bool lumping = true;   ///< Interchangeable members of component arrays are counted instead of told apart.
  bool pruning = false;  ///< Components that no longer matter to the measures are not told apart (see Relevance).
  /// With pruning, components that matter whatever happens; empty: those that the measures read. The values of measures
  /// that read others mean nothing.
  std::vector<std::uint32_t> roots{};
  /// Programs to evaluate in each state besides the measures; must outlive the call.
  std::vector<const Program*> observed{};
  Budget budget = {};
};

/// A model as a continuous-time Markov chain over its tangible states: those in which it rests while time moves on.
struct StateSpace {
  SparseGenerator generator;
  std::vector<double> initial;                   ///< by state: probability at time zero
  std::vector<std::vector<double>> values;       ///< [measure][state]: its expression [SI]; empty for counts of events
  std::vector<std::vector<double>> observed;     ///< [program][state], as asked for in the options
  std::vector<std::vector<double>> event_rates;  ///< [measure][state]: expected events per second; empty otherwise
  std::vector<double> initial_events;            ///< [measure]: expected events at time zero
  std::size_t looping_states = 0;  ///< States that a clock leads back to themselves, which the generator does not show.
  double unlumped_states = 0.0;    ///< how many states of single components these stand for
  std::vector<std::string> lumped;  ///< component arrays whose members are counted
  bool stopped = false;             ///< Somebody asked to stop: not usable.
};

/// Generates the reachable tangible states breadth first: from each, every clock that runs goes off in turn, and all
/// outcomes of the choices and demands that follow at once are gone through. Delays of several phases are expanded.
/// Shocks strike every set of exposed members. Model failures (no rest, a negative rate) come back as their diagnostic.
///
/// Lumping is exact: arrays are checked by symmetric_arrays(), and while states are generated it is watched whether the
/// order in which components react at one moment could tell two members in different states apart; an array where it
/// could is generated again member by member.
///
/// States are numbered in the order in which they are met, which depends on model and options alone. The present time
/// is zero in every state, and nothing tells which failure stands. The budget is polled for every state and outcome.
/// Precondition: why_not_markov(model) is empty.
/// Errors: MKV010 more states than the limit, or more memory than the budget allows for them and what is solved with
/// them; MKV011 too many outcomes of one shock; RUN003 no time left. Cost O(transitions) steps of the model; 4 bytes a
/// component and state, and what SparseGenerator needs.
std::variant<StateSpace, Diagnostic> generate_states(const AnalysisModel& model, const StateSpaceOptions& options = {});

}  // namespace ergode
