#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "core/des/slot_table.h"
#include "core/des/world.h"
#include "core/expression/program.h"
#include "core/random/distribution.h"
#include "statecharts/model/state_chart.h"

namespace ergode {

/// The structure of one chart as flat tables, shared by all its components. A configuration is `words` 64-bit words,
/// bit s for state s: set while the state is active. States and transitions have the numbers of StateChart. Made by
/// make_tables(), const afterwards.
struct ChartTables {
  StateChart chart;  ///< for names and places; not read while running
  std::uint32_t words = 1;
  std::vector<std::uint64_t> atomic;     ///< mask of states without active children: atomic, final, choice
  std::vector<std::uint64_t> eventless;  ///< mask of states from which eventless transitions lead
  /// What one transition does to a configuration. Of an initial transition, or one without target, nothing is left and
  /// nothing entered.
  struct Way {
    std::int32_t source = 0;                      ///< state it leads from
    std::uint32_t exit_first = 1, exit_last = 0;  ///< active states in this interval are left; empty when first > last
    std::uint32_t entry = 0;                      ///< row of `entries`
    bool common_cause = false;
    bool remembers = false;  ///< leads to a history: what is entered is worked out while running
  };
  std::vector<Way> ways;  ///< one per transition
  /// What entering does, in document order: a state number, or `initial_flag | t` for the actions of initial transition
  /// t (or of a history's default).
  Rows entries;
  static constexpr std::uint32_t initial_flag = 0x80000000U;
  std::uint32_t start_row = 0;  ///< row of `entries` that enters the chart
  /// Row (atomic state * (events + 1) + event): transitions that may react, innermost source first, then in order.
  /// The last "event" is none: transitions that need no event.
  Rows candidates;
  std::uint32_t events = 0;                       ///< how many have a row; greater numbers concern no chart
  std::vector<std::int32_t> done_event;           ///< state -> event raised when it is done, or -1
  std::vector<std::uint8_t> is_final, is_choice;  ///< by state
  std::vector<std::uint32_t> histories;           ///< states, in document order
  /// No state of it has a transition that may be taken without an event. O(words).
  bool no_eventless() const {
    return std::all_of(eventless.begin(), eventless.end(), [](std::uint64_t word) { return word == 0; });
  }
};

/// A number that each member of an array has: the members of a large array are alike, so their tables are one table,
/// and what differs (their clocks, slots, actions, programs) differs by a constant from one to the next. A table of one
/// component alone has a step of 0. Numbers are 32 bits wide and may wrap around on the way.
struct MemberNumber {
  std::uint32_t first = 0;  ///< member 0 would have it; may have wrapped around below zero
  std::uint32_t step = 0;
  /// @param member  from 0, as Instance::member
  std::uint32_t of(std::uint32_t member) const { return first + member * step; }
  bool operator==(const MemberNumber&) const = default;
};

/// Compressed rows of them, as Rows.
struct MemberRows {
  std::vector<std::uint32_t> start = {0};  ///< by row, where it begins in `values`; one more than there are rows
  std::vector<MemberNumber> values;
  /// A row, valid until push(). Not checked: row < start.size() - 1.
  const MemberNumber* begin(std::size_t row) const { return values.data() + start[row]; }
  const MemberNumber* end(std::size_t row) const { return values.data() + start[row + 1]; }
  bool empty(std::size_t row) const { return start[row] == start[row + 1]; }
  void push(const std::vector<MemberNumber>& row) {
    values.insert(values.end(), row.begin(), row.end());
    start.push_back(static_cast<std::uint32_t>(values.size()));
  }
};

/// One component of a model, or one member of an array of components. Instances are numbered over the whole model in
/// document order, members of an array one after the other; that number is what "instance" and "component" mean
/// everywhere.
struct Instance {
  std::uint32_t array = 0;            ///< of CompiledModel::arrays
  std::uint32_t chart = 0;            ///< of CompiledModel::charts
  std::uint32_t member = 0;           ///< place in its array, from 0
  std::uint32_t configuration = 0;    ///< offset of its words
  std::uint32_t transition_base = 0;  ///< number of its first transition among those of all components
  /// Where its tables begin, which members of an array share: those of its transitions, their hops, and its states.
  std::uint32_t rows = 0, hops = 0, state_base = 0;
  std::uint32_t history = 0;  ///< offset of what its histories remember: words of the chart for each
};

/// What entering and leaving one state of a component does: everything the hot loop needs, in one cache line. The
/// ranges are of CompiledModel::state_values.
struct StateInfo {
  std::uint32_t timers = 0, timers_end = 0;  ///< clocks of transitions that leave it: armed on entry, cancelled on exit
  std::uint32_t slots = 0, slots_end = 0;    ///< counts that go up by one on entry, down on exit
  std::uint32_t entry = 0, entry_end = 0;    ///< actions, in order
  std::uint32_t exit = 0, exit_end = 0;
};

/// A transition of a component whose whole effect is known before the run: it leaves a chain of states and enters
/// another, no action is done, no region or final state is concerned, at most 256 clocks are cancelled and armed, and
/// the configuration is one word. Most transitions are such; the general algorithm does the same with the same results.
struct Hop {
  bool known = false;
  TransitionRole role = TransitionRole::none;
  bool demand = false;                         ///< a joint demand decided: it knows the cause
  std::uint64_t clear = 0, set = 0;            ///< bits of the component's word
  std::uint64_t eventless = 0;                 ///< states that may react at once
  std::uint32_t cancel = 0, arm = 0, end = 0;  ///< ranges of hop_timers: clocks to cancel, clocks to arm
  std::uint32_t slots = 0, slots_end = 0;      ///< range of hop_slots
};
/// A number that is added to a slot.
struct SlotDelta {
  MemberNumber slot;
  float delta = 0.0F;
};

/// What a clock does when it goes off, where that is a Hop without guard, with few consequences (at most two counts
/// change and one clock is armed): all of it in one cache line, so that nothing is looked up on the way.
struct alignas(64) ClockHop {
  static constexpr std::uint32_t no_clock = ~std::uint32_t{0};
  static constexpr std::size_t most_slots = 2;
  bool known = false;
  TransitionRole role = TransitionRole::none;
  bool eventless = false;                         ///< the component may react at once
  std::uint8_t slots = 0;                         ///< how many of `slot` change
  std::uint32_t word = 0, instance = 0, row = 0;  ///< word of the configurations; number of the transition
  std::uint32_t member = 0;                       ///< of the instance, for hop_timers
  std::uint32_t arm = no_clock;                   ///< the one clock to arm
  std::uint32_t cancel = 0, cancel_end = 0;       ///< range of hop_timers: the other clocks to cancel
  std::uint64_t clear = 0, set = 0;               ///< bits of the word
  struct Slot {
    std::uint32_t slot = 0;
    float delta = 0.0F;
  };
  std::array<Slot, most_slots> slot{};
};
/// The same of all members of an array, with the same names; of() puts together that of one.
struct SharedClockHop {
  bool known = false;
  TransitionRole role = TransitionRole::none;
  bool eventless = false;
  std::uint8_t slots = 0;
  MemberNumber instance, word, row;
  MemberNumber arm{ClockHop::no_clock, 0};
  std::uint32_t cancel = 0, cancel_end = 0;
  std::uint64_t clear = 0, set = 0;
  std::array<SlotDelta, ClockHop::most_slots> slot{};

  ClockHop of(std::uint32_t member) const {
    ClockHop out{.known = known, .role = role, .eventless = eventless, .slots = slots};
    out.word = word.of(member), out.instance = instance.of(member), out.row = row.of(member), out.member = member;
    out.arm = arm.of(member), out.cancel = cancel, out.cancel_end = cancel_end, out.clear = clear, out.set = set;
    for (std::size_t i = 0; i < slot.size(); ++i) out.slot[i] = {slot[i].slot.of(member), slot[i].delta};
    return out;
  }
};

/// A condition of an eventless transition that compares one slot with a constant: the component need be asked only when
/// it turns true.
struct Threshold {
  double at = 0.0;  ///< in the slot's SI unit
  std::uint32_t instance = 0;
};

/// What depends on one slot; ranges of CompiledModel::dependents, then of CompiledModel::thresholds. Components from
/// `instances` on are asked whenever the slot changes, those from `comparing` on when one of their thresholds is
/// passed.
struct SlotInfo {
  /// Where in `dependents` begin: observers and readers, components asked always, components that compare, clocks.
  std::uint32_t observers = 0, instances = 0, comparing = 0, timers = 0, end = 0;
  /// Each sorted: conditions that hold from `at` on, exactly at it, and below it.
  std::uint32_t rising = 0, equal = 0, falling = 0, thresholds_end = 0;
  /// Range of CompiledModel::observed, sorted: passing `at` changes what the observer is.
  std::uint32_t observed = 0, observed_end = 0;
  /// From 1; 0: nobody wants the count's integral over time.
  std::uint32_t integral = 0;
  /// Nobody depends on the slot.
  bool unseen() const { return observers == end && observed == observed_end; }
};

/// An array of components (or a single one).
struct ComponentArray {
  std::string name;
  ElementId element;                              ///< the component as drawn
  std::uint32_t first = 0, count = 1, chart = 0;  ///< instances first ... first + count - 1, of this chart
  bool array = false;                             ///< drawn with a number: named with an index, even when it is one
};

/// One clock of one component: when its transition goes off. Also the memory of an edge, becomes(...), which is never
/// armed. Clocks are numbered over the whole model by priority, greatest first, then in document order: of several that
/// go off at one moment the least number comes first, and its number is that of its timer in the world.
struct TimerSpec {
  Trigger::Kind kind = Trigger::Kind::after;
  bool constant = true;  ///< `value` holds; else `program` is read when the source state is entered
  bool random = false;   ///< `distribution` is sampled
  bool hazard = false;   ///< a rate that changes continuously: whoever integrates the flows says when it goes off
  bool resume = false;   ///< keeps its age when its state is left
  std::uint32_t alternatives =
      1;  ///< transitions from `transition` on that share the clock: the first enabled is taken
  std::uint32_t instance = 0;
  std::uint32_t transition = 0;    ///< in the chart
  std::uint32_t row = 0;           ///< transition_base + transition
  std::int32_t program = -1;       ///< of CompiledModel::programs: delay, time, period [s], rate [1/s] or condition
  std::int32_t distribution = -1;  ///< of CompiledModel::distributions [s]
  double value = 0.0;              ///< delay, time, period [s]; for rates the mean 1/rate [s] (infinite for rate 0)
};

/// The clocks of a model by number. Those that members of an array have in common are kept once: what the table gives
/// is put together when it is asked for.
class TimerTable {
 public:
  /// A clock of all members; `instance`, `row` and `program` are those of member 0.
  struct Shared : TimerSpec {
    std::uint32_t row_step = 0, program_step = 0;
  };
  struct Place {
    std::uint32_t spec = 0;    ///< of `specs`
    std::uint32_t member = 0;  ///< of the array; 0 where the clock is nobody else's
  };
  std::vector<Shared> specs;
  std::vector<Place> places;  ///< by number of the clock

  std::size_t size() const { return places.size(); }
  /// By value, put together from what members share: not for the innermost loop. O(1).
  TimerSpec operator[](std::size_t timer) const {
    const Place at = places[timer];
    const Shared& shared = specs[at.spec];
    TimerSpec out = shared;
    out.instance += at.member;
    out.row += at.member * shared.row_step;
    if (out.program >= 0)
      out.program =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(out.program) + at.member * shared.program_step);
    return out;
  }
  /// What members have in common, without a copy; instance, row and program are those of member 0.
  const Shared& shared(std::size_t timer) const { return specs[places[timer].spec]; }
  std::uint32_t instance(std::size_t timer) const { return specs[places[timer].spec].instance + places[timer].member; }

  /// Over all clocks by number; each is put together anew.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = TimerSpec;
    using difference_type = std::ptrdiff_t;
    using pointer = const TimerSpec*;
    using reference = TimerSpec;
    Iterator(const TimerTable& table, std::size_t at) : table_(&table), at_(at) {}
    TimerSpec operator*() const { return (*table_)[at_]; }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return {*table_, at_++}; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const TimerTable* table_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
};

/// One action of one component. Programs, slots and events are numbers of the model.
struct ActionSpec {
  enum class Kind : std::uint8_t { assign, raise, send, record, cancel };
  Kind kind = Kind::assign;
  std::uint32_t slot = 0;                            ///< assign
  std::int32_t program = -1;                         ///< assign: value; send: delay (-1: none)
  std::uint32_t event = 0;                           ///< raise, send, record
  std::uint32_t first = 0, last = 0;                 ///< send: instances that receive it
  std::int32_t condition = -1;                       ///< raise, send, cancel: done only when it holds; -1: always
  std::uint32_t id = 0;                              ///< send, cancel: number of the id; 0: none
  std::uint32_t parameters = 0, parameters_end = 0;  ///< raise, send: range of event_parameters
};
/// A value that an event carries.
struct EventParameter {
  std::uint32_t name = 0;     ///< of event_parameter_names
  std::int32_t program = -1;  ///< worked out when the event is made
};
constexpr std::uint32_t most_event_parameters = 8;  ///< of one event; more are refused (SCH011)

/// What a transition asks when it is a candidate: nothing, a condition, a joint demand on a common-cause group, or
/// whether a condition has just turned true. Asking `becomes` remembers the answer, asking `fault` raises an event;
/// both and demands may therefore be asked only in the order of the step.
struct GuardSpec {
  enum class Kind : std::uint8_t { always, never, program, demand, demand_not, becomes, fault };
  Kind kind = Kind::always;
  std::int32_t program = -1;  ///< becomes: -1, or a condition besides
  std::uint32_t timer = 0;    ///< becomes: of the condition
  std::uint32_t cause = 0;    ///< demand
  std::int32_t weight = -1;   ///< branch: program of its probability
  bool otherwise = false;     ///< branch `else`
  std::uint32_t action = 0;   ///< fault: what is done when the guard is asked; it never holds
};

/// The guard of a transition that members of an array share.
struct SharedGuard : GuardSpec {
  std::uint32_t program_step = 0, timer_step = 0, weight_step = 0, action_step = 0;
  /// Programs, clock and action of one member.
  GuardSpec of(std::uint32_t member) const {
    GuardSpec out = *this;
    if (member == 0) return out;
    const auto moved = [member](std::int32_t number, std::uint32_t step) {
      return number < 0 ? number : static_cast<std::int32_t>(static_cast<std::uint32_t>(number) + member * step);
    };
    out.program = moved(program, program_step), out.weight = moved(weight, weight_step);
    out.timer += member * timer_step, out.action += member * action_step;
    return out;
  }
};

/// While a state is active, `program` is added to the derivative of the variable in `slot` [SI unit / s].
struct FlowSpec {
  std::uint32_t instance = 0;
  std::uint32_t state = 0;    ///< of the instance's chart
  std::uint32_t slot = 0;     ///< one of CompiledModel::continuous_slots
  std::int32_t program = -1;  ///< may read any slot, `now` too
};

/// A slot that counts in how many of the instances first ... first + count - 1 a state is active.
struct CountSlot {
  std::uint32_t slot = 0, first = 0, count = 1;
  int state = 0;  ///< of their chart
};

/// A model as it runs: const, shared by all threads. Everything that moves is in a ChartReplication.
///
/// Made by ModelCompiler::finish(). Tables by instance, clock, slot, row or state have one entry for each of these;
/// members of a large array share entries of those "by Instance::rows" and "state_base", so the index comes from the
/// instance and not from its number. A row is Instance::transition_base + transition where every component counts by
/// itself (fingerprints, traces), and Instance::rows + transition where tables are meant. All values are SI.
struct CompiledModel {
  std::vector<ChartTables> charts;
  std::vector<Instance> instances;
  std::vector<ComponentArray> arrays;    ///< in document order, which is that of their instances
  std::vector<std::string> event_names;  ///< by number, of all notations; several charts share a number
  std::vector<std::string> cause_names;  ///< common causes used in triggers and guards

  std::vector<Program> programs;            ///< over the slots of `table`
  std::vector<Distribution> distributions;  ///< of delays [s]
  TimerTable timers;
  std::vector<ActionSpec> actions;
  std::vector<EventParameter> event_parameters;
  std::vector<std::string> event_parameter_names;
  /// By instance: pairs of parameter number and slot that receives it when an event is handled; event_name_of: the slot
  /// that holds the event's number, or 0 when nobody asks.
  Rows event_slots;
  std::vector<std::uint32_t> event_name_slots;
  std::vector<SharedGuard> guards;              ///< by Instance::rows + transition
  std::vector<TransitionRole> roles;            ///< by Instance::rows + transition
  MemberRows transition_actions;                ///< by Instance::rows + transition; values are action numbers
  std::vector<StateInfo> states;                ///< by state_base + state
  std::vector<MemberNumber> state_values;       ///< timers, slots that count the state, and actions, by StateInfo
  std::vector<FlowSpec> flows;                  ///< by instance, then by state; those of one variable add up
  std::vector<std::uint32_t> continuous_slots;  ///< variables with flows, ascending
  /// O(log of their number).
  bool continuous(std::uint32_t slot) const {
    return std::binary_search(continuous_slots.begin(), continuous_slots.end(), slot);
  }
  bool hybrid = false;                 ///< has flows or clocks of continuously changing rate
  std::vector<CountSlot> count_slots;  ///< every set of states that an expression names
  /// Of the whole model, with what other notations added; variables of components in the order in which they are drawn.
  std::shared_ptr<const SlotTable> table;

  std::vector<Hop> hops;                   ///< by Instance::hops + transition
  std::vector<MemberNumber> hop_timers;    ///< by Hop and ClockHop
  std::vector<SlotDelta> hop_slots;        ///< by Hop
  std::vector<SharedClockHop> clock_hops;  ///< by TimerTable::Place::spec
  std::vector<SlotInfo> slots;             ///< by slot
  /// By SlotInfo: observers and readers of the slot (SlotTable::watched()) but those in `observed`, then instances with
  /// an eventless transition that reads it, then rate timers that read it.
  std::vector<std::uint32_t> dependents;
  std::vector<Threshold> thresholds;  ///< by SlotInfo
  /// An observer that compares a count with a constant need be told only when its truth changes.
  struct Observed {
    double at = 0.0;  ///< between values below it and values from it on
    std::uint32_t observer = 0;
  };
  std::vector<Observed> observed;  ///< by SlotInfo
  std::uint32_t integrals = 0;     ///< how many counts are integrated over time
  /// By number, of the events that other notations may raise: components that may react, in document order.
  Rows hearers;

  std::uint32_t words = 0;          ///< of all configurations together
  std::uint32_t history_words = 0;  ///< of all that histories remember
  std::uint32_t transitions = 0;    ///< of all components together
  bool resumes = false;             ///< some delay keeps its age
  bool chances = false;             ///< some choice has branches with probabilities

  /// "EDG[2]", "grid"
  std::string name(std::uint32_t instance) const;
  /// Random streams: one for each timer, then, where there are chances, one for each component's branches.
  std::size_t streams() const { return timers.size() + (chances ? instances.size() : 0); }
  /// What a stream drives: its name, as "EDG[2]/<id of the transition>". It does not depend on what else is in the
  /// model, so adding a component leaves all others' draws as they were.
  std::string stream_name(std::size_t stream) const;
  /// By stream: stream_key() of the seed and its name.
  std::vector<std::uint64_t> stream_keys(std::uint64_t seed) const;
  /// Of the transition that the clock takes.
  TransitionRole role(const TimerSpec& timer) const { return roles[rows(timer.instance) + timer.transition]; }
  /// Put together from what members share: not for the innermost loop.
  GuardSpec guard(std::uint32_t instance, std::uint32_t transition) const {
    return guards[rows(instance) + transition].of(instances[instance].member);
  }
  /// Where the tables of its transitions begin.
  std::uint32_t rows(std::uint32_t instance) const { return instances[instance].rows; }

  /// What each slot can hold: counts from 0 to their number, booleans 0 and 1, time from 0 to `horizon_s`, else
  /// anything. By slot; for interval arithmetic (Program::range()).
  std::vector<Range> slot_ranges(double horizon_s) const;
  /// The drawn edge of a transition of the instance, for diagnostics.
  ElementId element_of(std::uint32_t instance, std::uint32_t transition) const {
    return charts[instances[instance].chart].chart.transitions[transition].element;
  }
  /// The cause's number, or -1 when no chart uses it. O(causes); event() below O(events).
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
  /// The number under which an event from outside is handled, known to the model or not: that of its longest known
  /// prefix, which the same descriptors match; -1 when nothing matches.
  int event_for(std::string name) const {
    if (const int known = event(name); known >= 0) return known;
    for (;;) {
      const std::size_t dot = name.rfind('.');
      if (dot == std::string::npos) return event("*");
      name.resize(dot);
      // Where the shorter name itself is asked for, all longer ones have a number of their own.
      if (const int longer = event(name + ".*"); longer >= 0) return longer;
      if (const int known = event(name); known >= 0) return known;
    }
  }
};

}  // namespace ergode
