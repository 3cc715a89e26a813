#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/element_id.h"
#include "core/des/event_names.h"
#include "core/des/handover.h"
#include "core/des/observations.h"
#include "core/expression/program.h"
#include "core/expression/scope.h"

namespace ergode {

/// Lists of numbers, one after the other without gaps (compressed sparse rows): the entries of row r are
/// values[start[r]] ... values[start[r + 1] - 1], r from 0 to rows() - 1. start has rows() + 1 entries, of which the
/// first is 0; no row is checked against rows().
struct Rows {
  std::vector<std::uint32_t> start = {0};
  std::vector<std::uint32_t> values;
  /// Of a row, with end(); row < rows().
  const std::uint32_t* begin(std::size_t row) const { return values.data() + start[row]; }
  const std::uint32_t* end(std::size_t row) const { return values.data() + start[row + 1]; }
  bool empty(std::size_t row) const { return start[row] == start[row + 1]; }
  std::size_t rows() const { return start.size() - 1; }
  /// Appends a row.
  void push(const std::vector<std::uint32_t>& row) {
    values.insert(values.end(), row.begin(), row.end());
    start.push_back(static_cast<std::uint32_t>(values.size()));
  }
};

/// A slot that people know by name: "tank.level" in m. Copied freely; holds nothing of the table.
struct NamedSlot {
  std::string name;       ///< path that expressions use
  std::string unit = {};  ///< in which it is shown; "" dimensionless
  double scale = 1.0;     ///< SI value of one unit
  ValueType type = {};
  ElementId element = {};    ///< what declares it
  std::string writer = {};   ///< notation whose part changes it: "statechart"
  Range range = everything;  ///< what it can hold [SI]
  /// Changes by World::set() only, so that World::add_up() may follow it. Of a slot added alone, not of an array's.
  bool by_set = false;
  bool fixed = false;      ///< One value, in all replications of a run, whatever the seed. Of a slot added alone.
  std::uint32_t slot = 0;  ///< index into World::slots(); filled in by SlotTable::add()

  static const Range everything;
};

/// What the notations of one model share while it is lowered, and const afterwards: the values that change during a
/// run, with their names, types, units, initial values, writers and readers; the numbers of events; who wants to know
/// of changes. Every notation adds to it and every expression reads from it.
///
/// Slot 0 is the present time. A slot without a name is a notation's own (how many components are in a state).
///
/// Order of calls: declare() and add() while notations declare, observe(), wake() and add() while they and the measures
/// compile, close() once; from then on nothing is added, and any number of threads read. A slot's number is its index
/// into the array of doubles that programs read (World::slots()) and never changes. Values are SI; booleans are 0 or 1,
/// integers whole doubles.
///
///     const std::uint32_t level = table.add({.name = "tank.level", .unit = "m", .type = length}, 2.0);
///     const std::uint32_t condition = table.observe(program);   // reads slot `level`
///     table.close();
///     World world(table);
///     world.set(level, 3.0);                                    // world.changed() is {condition}
class SlotTable {
 public:
  SlotTable() : initial_(1, 0.0) {}

  /// A slot without a name. @returns its number. Amortised O(1).
  std::uint32_t add(double initial) {
    initial_.push_back(initial);
    return static_cast<std::uint32_t>(initial_.size() - 1);
  }
  /// A slot with a name; its `slot` is filled in. Expressions find it by path() only where the word before the first
  /// dot was declared before (declare()); whoever names slots in another way looks them up itself. Of two of one name
  /// the first is found.
  /// @param initial  [SI]
  /// @returns its number. O(log names).
  std::uint32_t add(NamedSlot slot, double initial);
  /// A slot keeps this value [SI] in every run of this model: expressions that are compiled from here on have it as a
  /// constant. Programs that read the slot go on doing so.
  void hold(std::uint32_t slot, double value) {
    initial_[slot] = value;
    held_.insert(slot);
  }
  /// A slot that has a name holds nothing outside this range, known when the rest of the model is: for ranges(). O(log
  /// slots that were narrowed).
  void narrow(std::uint32_t slot, Range range) { narrowed_[slot] = range; }
  /// The next `count` slots to be added are read and written together, as those of a station are at an event: they lie
  /// in one line of the caches, if no more than eight, and begin one if more. Adds up to seven slots without a name.
  void keep_together(std::size_t count) {
    constexpr std::size_t line = 64 / sizeof(double);
    const std::size_t at = initial_.size() % line;
    if (at + count > line) initial_.resize(initial_.size() + (line - at) % line, 0.0);
  }
  /// The same slots for each of `members` members of an array, member by member: "unit[1].level", "unit[2].level".
  /// Names are put together when somebody asks, so a large array costs little more than its values. Slot i of member m
  /// (from 0) is number first + m * initial.size() + i. These are not found by path().
  /// @param each     with the names that they have in a member: "level"; empty: they have none, else as many as
  ///     `initial`.
  /// @param initial  values of one member [SI]
  /// @returns first, the number of the first of them.
  std::uint32_t add(const std::string& array, std::uint32_t members, std::vector<NamedSlot> each,
                    const std::vector<double>& initial);
  /// All slots, that of the time included: the length of the array that programs read.
  std::size_t size() const { return initial_.size(); }
  /// Values at time zero, SI units, by slot.
  const std::vector<double>& initial() const { return initial_; }
  /// Those with names, in the order in which they were added, arrays member by member. O(slots), with their names: not
  /// for a loop.
  std::vector<NamedSlot> named() const;
  /// NamedSlot::by_set of a slot.
  bool changes_by_set(std::uint32_t slot) const { return slot < by_set_.size() && by_set_[slot] != 0; }
  /// NamedSlot::fixed of a slot.
  bool is_fixed(std::uint32_t slot) const { return slot < fixed_.size() && fixed_[slot] != 0; }
  /// What each slot can hold, by slot [SI]: the ranges of named ones, 0 to 1 for named booleans, time from 0 to
  /// `horizon_s`, else anything. For Program::range(). O(slots).
  std::vector<Range> ranges(double horizon_s) const;
  /// @}

  /// @name Names of things whose slots are read as "thing.value"
  /// @{
  struct Declared {
    ElementId element;  ///< for messages and for finding uses
    std::string what;   ///< for messages: "component", "token bucket"
    /// Its slots are known when a replication begins, and stay so: laws may have them as arguments.
    bool known_at_start = false;
  };
  /// @returns who has the name already; then nothing is changed. Null: nobody had.
  /// Names are shared by all notations of a model. O(log names).
  const Declared* declare(const std::string& name, Declared declared);
  /// What has the name, null when nothing has; valid as long as the table. O(log names).
  const Declared* declared(std::string_view name) const;
  /// The slot of a path whose first word was declared with a slot of that name; otherwise a sentence for the user why
  /// there is none (an index where the thing is single, no such value and which one resembles it).
  /// @param path  its first word must be declared (declared() is not null).
  std::variant<Symbol, std::string> path(const ResolvedPath& path) const;
  /// Everything declared, by name.
  const std::map<std::string, Declared, std::less<>>& things() const { return declared_; }
  /// @}

  /// A program to be looked at when time moves on; returns its number, counted from 0. World::changed() names it after
  /// one of its slots has changed. Its value may jump any number of times in a moment; only what it is when time moves
  /// on counts.
  std::uint32_t observe(Program program);
  /// By number.
  const std::vector<Program>& observers() const { return observers_; }
  /// A program that a part looks at again at the moment one of its slots changes; returns its number, counted from 0
  /// apart from that of observers. World::next_woken() then names it, and RunningPart::woken() gets it.
  std::uint32_t wake(Program program);
  /// By number.
  const std::vector<Program>& readers() const { return readers_; }
  /// By slot: observers that read it, then observers().size() + number of each reader; what World::observe() takes.
  /// Only after close().
  const Rows& watched() const { return watched_; }
  /// No slot, observer or reader comes after this: makes watched(). O(slots + slots read by programs).
  void close();
  /// @}

  /// Numbers of the events that parts raise and hear of: World::raise().
  EventNames events;
  /// Who goes from one part to another; numbers are places here. Added to while notations declare.
  std::vector<Handover> handovers;
  /// What parts observe while they run; a stream's number is its place here. Declared with names and slots.
  std::vector<StreamSpec> streams;
  /// @returns the number of the stream, for Observations::observe().
  std::uint32_t add(StreamSpec stream) {
    streams.push_back(std::move(stream));
    return static_cast<std::uint32_t>(streams.size() - 1);
  }

 private:
  std::vector<double> initial_;
  std::vector<std::uint8_t> by_set_, fixed_;  ///< by slot, as far as there are any
  std::map<std::uint32_t, Range> narrowed_;
  std::set<std::uint32_t> held_;
  /// One slot with its whole name, or those of an array.
  struct Named {
    std::string array;
    std::uint32_t members = 1;
    std::vector<NamedSlot> each;  ///< with the slots of the first member
  };
  std::vector<Named> named_;
  std::map<std::string, Declared, std::less<>> declared_;
  std::map<std::string, std::size_t, std::less<>> by_name_;  ///< of declared things only
  std::vector<Program> observers_, readers_;
  Rows watched_;
};

}  // namespace ergode
