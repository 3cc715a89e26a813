#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/expression/program.h"
#include "core/random/distribution.h"
#include "statecharts/model/state_chart.h"

namespace ergode {

/// Compressed rows: the entries of row r are values[start[r]] ... values[start[r + 1] - 1].
struct Rows {
  std::vector<std::uint32_t> start = {0};
  std::vector<std::uint32_t> values;
  const std::uint32_t* begin(std::size_t row) const { return values.data() + start[row]; }
  const std::uint32_t* end(std::size_t row) const { return values.data() + start[row + 1]; }
  bool empty(std::size_t row) const { return start[row] == start[row + 1]; }
  /// Appends a row.
  void push(const std::vector<std::uint32_t>& row) {
    values.insert(values.end(), row.begin(), row.end());
    start.push_back(static_cast<std::uint32_t>(values.size()));
  }
};

/// The structure of one chart as flat tables, shared by all its components. A configuration is `words` 64-bit words, bit s
/// for state s.
struct ChartTables {
  StateChart chart;  ///< for names and places; not read while running
  std::uint32_t words = 1;
  std::vector<std::uint64_t> atomic;     ///< mask of states without active children: atomic, final, choice
  std::vector<std::uint64_t> eventless;  ///< mask of states from which eventless transitions lead
  struct Way {
    std::int32_t source = 0;
    std::int32_t target = -1;
    std::uint32_t exit_first = 1, exit_last = 0;  ///< active states in this interval are left; empty when first > last
    std::uint32_t entry = 0;                      ///< row of `entries`
    bool common_cause = false;
  };
  std::vector<Way> ways;  ///< one per transition
  /// What entering does, in document order: a state number, or `initial_flag | t` for the actions of initial transition t.
  Rows entries;
  static constexpr std::uint32_t initial_flag = 0x80000000U;
  std::uint32_t start_row = 0;  ///< row of `entries` that enters the chart
  /// Row (atomic state * (events + 1) + event): transitions that may react, innermost source first, then in order.
  /// The last "event" is none: transitions that need no event.
  Rows candidates;
  std::uint32_t events = 0;
  std::vector<std::int32_t> done_event;  ///< state -> event raised when it is done, or -1
};

/// One component of a model, or one member of an array of components.
struct Instance {
  std::string name;           ///< "EDG[2]", "grid"
  ElementId component;
  std::uint32_t chart = 0;
  std::uint32_t member = 0;   ///< place in its array, from 0
  std::uint32_t configuration = 0;  ///< offset of its words
  std::uint32_t state_base = 0, transition_base = 0, timer_base = 0;
};

/// An array of components (or a single one).
struct ComponentArray {
  std::string name;
  ElementId element;
  std::uint32_t first = 0, count = 1, chart = 0;
  bool array = false;
};

struct TimerSpec {
  Trigger::Kind kind = Trigger::Kind::after;
  bool constant = true;             ///< `value` holds; else `program` is read when the source state is entered
  bool random = false;              ///< `distribution` is sampled
  std::uint32_t instance = 0;
  std::uint32_t transition = 0;     ///< in the chart
  std::int32_t program = -1;
  std::int32_t distribution = -1;
  double value = 0.0;               ///< delay, time, period [s]; for rates the mean 1/rate [s] (infinite for rate 0)
};

struct ActionSpec {
  enum class Kind : std::uint8_t { assign, raise, send, record };
  Kind kind = Kind::assign;
  std::uint32_t slot = 0;           ///< assign
  std::int32_t program = -1;        ///< assign: value; send: delay (-1: none)
  std::uint32_t event = 0;          ///< raise, send, record
  std::uint32_t first = 0, last = 0;  ///< send: instances that receive it
};

struct GuardSpec {
  enum class Kind : std::uint8_t { always, never, program, demand, demand_not };
  Kind kind = Kind::always;
  std::int32_t program = -1;
  std::uint32_t cause = 0;          ///< demand
  std::int32_t weight = -1;         ///< branch: program of its probability
  bool otherwise = false;
};

/// A slot that counts in how many of the instances first ... first + count - 1 a state is active.
struct CountSlot {
  std::uint32_t slot = 0, first = 0, count = 1;
  int state = 0;
};

/// A model as it runs: const, shared by all threads. Everything that moves is in a ChartReplication.
struct CompiledModel {
  std::vector<ChartTables> charts;
  std::vector<Instance> instances;
  std::vector<ComponentArray> arrays;
  std::vector<std::string> event_names;
  std::vector<std::string> cause_names;   ///< common causes used in triggers and guards

  std::vector<Program> programs;
  std::vector<Distribution> distributions;
  std::vector<TimerSpec> timers;
  std::vector<ActionSpec> actions;
  std::vector<GuardSpec> guards;                 ///< by transition_base + transition
  std::vector<TransitionRole> roles;             ///< by transition_base + transition
  Rows transition_actions;                       ///< by transition_base + transition; values are action numbers
  Rows entry_actions, exit_actions;              ///< by state_base + state
  Rows state_timers;                             ///< by state_base + state; values are timer numbers
  Rows state_slots;                              ///< by state_base + state; slots that count this state
  std::vector<CountSlot> count_slots;
  std::vector<double> initial_slots;             ///< values at time zero, before anything is entered
  static constexpr std::uint32_t now_slot = 0;

  // What depends on a slot, by slot.
  Rows slot_instances;   ///< instances with an eventless transition that reads it
  Rows slot_timers;      ///< rate timers that read it
  Rows slot_observers;   ///< observers that read it
  std::vector<Program> observers;                ///< asked for by measures; change notices are kept by number

  std::vector<std::string> stream_names;         ///< what each random stream drives: timers first, then branch streams
  std::uint32_t words = 0;                       ///< of all configurations together
  std::size_t total_states = 0;

  ElementId element_of(std::uint32_t instance, std::uint32_t transition) const {
    return charts[instances[instance].chart].chart.transitions[transition].element;
  }
  /// The cause's number, or -1 when no chart uses it.
  int cause(const std::string& name) const {
    for (std::size_t i = 0; i < cause_names.size(); ++i)
      if (cause_names[i] == name) return static_cast<int>(i);
    return -1;
  }
  int event(const std::string& name) const {
    for (std::size_t i = 0; i < event_names.size(); ++i)
      if (event_names[i] == name) return static_cast<int>(i);
    return -1;
  }
};

}  // namespace ergode
