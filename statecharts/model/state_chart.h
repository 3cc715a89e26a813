#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/element_id.h"
#include "core/expression/syntax.h"

namespace ergode {

/// What a drawn chart means, before any component sets its parameters: immutable and checked. Made by lower_chart();
/// one whose lowering found errors may break what is said here. Expressions are syntax: they get their meaning and
/// units in each component. Texts are kept as drawn, for messages, traces and exports.
///
/// States are numbered in preorder (document order), so "descendant of s" is the interval (s, last(s)]. State 0 is the
/// chart itself, a composite of its top-level states.
struct State {
  enum class Kind {
    atomic,     ///< no states inside
    composite,  ///< exactly one child is active: states with states inside, regions, the chart itself
    parallel,   ///< all regions are active
    final,
    choice,           ///< left at once by one of its branches
    history_shallow,  ///< never active: an entry that leads to the children active when the parent was last left
    history_deep      ///< the same, down to the innermost states
  };
  Kind kind = Kind::atomic;
  ElementId element;
  std::string name;  ///< may be empty for choices and finals
  int parent = -1;   ///< -1: state 0, the chart
  int last = 0;      ///< greatest descendant; itself when atomic
  int depth = 0;     ///< states around it
  int initial = -1;  ///< composites: transition (index) taken by default entry, starting at the initial state;
                     ///< histories: the one taken when nothing is remembered yet, or -1: the parent's default entry
  std::vector<int> children;              ///< in document order, histories among them
  std::vector<ActionSyntax> entry, exit;  ///< in the order in which they are done
  std::vector<ActionSyntax> flow;         ///< variable := contribution to its derivative while the state is active
  std::string entry_text, exit_text, flow_text;  ///< as drawn
  bool history() const { return kind == Kind::history_shallow || kind == Kind::history_deep; }
};

/// What makes a transition a candidate.
struct Trigger {
  enum class Kind {
    none,          ///< at once, as soon as the guard holds
    event,         ///< a chart event of this name
    after,         ///< a delay sampled when the source state is entered
    rate,          ///< an exponential clock whose rate may change while it runs
    at,            ///< a moment of model time
    every,         ///< again and again while the source state is active
    when,          ///< a condition is true (level-triggered, tested on entry too)
    becomes,       ///< a condition turns from false to true while the source state is active (edge-triggered)
    common_cause,  ///< a clock set from outside by a common-cause group
    branch         ///< a branch of a choice with this probability
  };
  Kind kind = Kind::none;
  std::vector<std::string> events;  ///< descriptors: "a.b" matches a.b and a.b.c, "*" matches all
  std::string cause;                ///< of a common-cause clock
  Syntax argument;                  ///< delay, rate, time, period, condition or weight
  std::string text;                 ///< as drawn; empty: none
  /// Has a clock.
  bool timed() const {
    return kind == Kind::after || kind == Kind::rate || kind == Kind::at || kind == Kind::every ||
           kind == Kind::common_cause;
  }
  /// A candidate whenever the model looks for transitions that need no event.
  bool eventless() const {
    return kind == Kind::none || kind == Kind::when || kind == Kind::becomes || kind == Kind::branch;
  }
};

/// What a transition is to reliability: a failure gives its component a cause, a repair clears it.
enum class TransitionRole : std::uint8_t { none, failure, repair };

/// One way from a state to states. Of initial transitions and of a history's default only targets and actions mean
/// anything; they are those whose index is some State::initial.
struct Transition {
  ElementId element;         ///< of a path through connectors: its first edge
  int source = 0;            ///< of an initial transition the composite, of a history's default the history
  std::vector<int> targets;  ///< empty: nothing is left or entered; several: in different regions
  bool internal = false;     ///< targets inside a composite source: the source itself is not left
  Trigger trigger;
  bool alternative = false;   ///< another path of the same drawn edge: shares its clock with the transition before
  bool resume = false;        ///< a delay keeps its age when its state is left before it went off
  std::vector<Syntax> guard;  ///< all must hold
  std::string guard_text;
  bool otherwise = false;           ///< guard `else`
  std::vector<ActionSyntax> fault;  ///< guard raise(...): never holds, and raises the event whenever it is asked
  std::string demand_cause;         ///< guard ccf(cause) or not ccf(cause): a joint demand decides
  bool demand_negated = false;
  std::vector<ActionSyntax> actions;
  std::string action_text;
  TransitionRole role = TransitionRole::none;
  int priority = 0;  ///< greater ones first, -1,000,000 to 1,000,000
};

/// A variable of each component, or a parameter that each component sets. All as drawn.
/// Their units and the values of `initial` are worked out when components are compiled, with the parameters in force.
struct ChartVariable {
  ElementId element;
  std::string name, type, unit, initial;  ///< type: real, time, integer or boolean; initial: an expression
  bool parameter = false;
};

/// One chart: a class of components. A value; const once it is lowered.
struct StateChart {
  ElementId element;  ///< the diagram
  std::string name;
  std::vector<State> states;            ///< by number; states[0] is the chart
  std::vector<Transition> transitions;  ///< by priority (greatest first), then in document order; initial ones too
  std::vector<ChartVariable> variables;

  /// Whether the state is the ancestor or lies in it. O(1).
  bool inside(int state, int ancestor) const {
    return state >= ancestor && state <= states[static_cast<std::size_t>(ancestor)].last;
  }
  /// The state a dotted name means (`Running.FirstHour`, or `FirstHour` when only one has that name); -1: none,
  /// -2: several. States around it may be left out from the path anywhere but at its end. O(states * depth).
  /// @param first  the word at which the path begins in `words`; at least one must be left
  int find(const std::vector<std::string>& words, std::size_t first) const;
};

/// The names of a state and of those around it, outermost first, separated by dots; "?" for one without a name. Empty
/// for the chart itself.
std::string state_path(const StateChart& chart, int state);
/// The event raised when the state is done: its active child is final, or all its regions are done. By number, so
/// renaming a state leaves it: "done.state.Pump.3".
std::string done_event_name(const StateChart& chart, int state);
/// Whether an event descriptor matches an event's name, token by token (SCXML, section 3.12.1): "a.b" matches "a.b" and
/// "a.b.c", not "a.bc"; "*" all. Descriptors come without a trailing ".*".
bool event_matches(std::string_view descriptor, std::string_view event);

}  // namespace ergode
