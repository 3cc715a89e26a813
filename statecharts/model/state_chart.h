#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/expression/syntax.h"

namespace ergode {

/// What a drawn chart means, before any component sets its parameters: immutable and checked.
///
/// States are numbered in preorder (document order), so "descendant of s" is the interval (s, last(s)]. State 0 is the
/// chart itself, a composite of its top-level states.
struct State {
  enum class Kind {
    atomic,     ///< no states inside
    composite,  ///< exactly one child is active: states with states inside, regions, the chart itself
    parallel,   ///< all regions are active
    final,
    choice,  ///< left at once by one of its branches
    history_shallow,
    history_deep  ///< kinds the tables leave room for; the notation does not draw them yet
  };
  Kind kind = Kind::atomic;
  ElementId element;
  std::string name;  ///< may be empty for choices and finals
  int parent = -1;
  int last = 0;  ///< greatest descendant; itself when atomic
  int depth = 0;
  int initial = -1;  ///< composites: transition (index) taken by default entry, starting at the initial state
  std::vector<int> children;
  std::vector<ActionSyntax> entry, exit;
  std::string entry_text, exit_text;
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
    when,          ///< a condition becomes (or is) true
    common_cause,  ///< a clock set from outside by a common-cause group
    branch         ///< a branch of a choice with this probability
  };
  Kind kind = Kind::none;
  std::string event;  ///< event or cause name
  Syntax argument;    ///< delay, rate, time, period, condition or weight
  std::string text;
  bool timed() const {
    return kind == Kind::after || kind == Kind::rate || kind == Kind::at || kind == Kind::every ||
           kind == Kind::common_cause;
  }
};

enum class TransitionRole : std::uint8_t { none, failure, repair };

struct Transition {
  ElementId element;
  int source = 0;
  int target = -1;  ///< -1: no target, nothing is left or entered
  Trigger trigger;
  std::vector<Syntax> guard;  ///< empty or one condition
  std::string guard_text;
  bool otherwise = false;    ///< guard `else`
  std::string demand_cause;  ///< guard ccf(cause) or not ccf(cause): a joint demand decides
  bool demand_negated = false;
  std::vector<ActionSyntax> actions;
  std::string action_text;
  TransitionRole role = TransitionRole::none;
  int priority = 0;
};

/// A variable of each component, or a parameter that each component sets.
struct ChartVariable {
  ElementId element;
  std::string name, type, unit, initial;
  bool parameter = false;
};

struct StateChart {
  ElementId element;
  std::string name;
  std::vector<State> states;
  std::vector<Transition> transitions;  ///< by priority (greatest first), then in document order; initial ones too
  std::vector<ChartVariable> variables;

  bool inside(int state, int ancestor) const {
    return state >= ancestor && state <= states[static_cast<std::size_t>(ancestor)].last;
  }
  /// The state a dotted name means (`Running.FirstHour`, or `FirstHour` when only one has that name); -1: none,
  /// -2: several.
  int find(const std::vector<std::string>& words, std::size_t first) const;
};

/// The places of a name, separated by dots, of a state of the chart.
std::string state_path(const StateChart& chart, int state);

}  // namespace ergode
