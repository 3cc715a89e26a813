#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/presence.h"
#include "core/base/value.h"
#include "core/des/happened.h"
#include "core/document/document.h"
#include "core/study/solver.h"

namespace ergode {

/// One history of a model, event by event: what a user steps through. The same replication as the simulation's of this
/// seed and number, bit for bit; events given by hand are part of it. Steps back are exact because a history is made
/// again from its seed and what was given. Memory is bounded, however long it is played. Not for two threads.
class Stepper {
 public:
  /// A named slot for a table: its value in its unit, with eight digits.
  struct Watched {
    std::string name, value, unit;
  };
  /// step: it goes on from here; breakpoint: the same, at an element that was marked; end: the mission time is over, or
  /// nothing more happens; failure: the model cannot go on, see failure().
  enum class Stop { step, breakpoint, end, failure };

  /// @returns null with errors when the model cannot be run.
  /// @param replication  number of it, from 0.
  static std::unique_ptr<Stepper> begin(const Document& document, const RunRequest& request, Diagnostics& problems,
                                        std::uint64_t replication = 0);
  ~Stepper();

  /// Goes on to the next moment at which a transition is taken, or a part of another notation does something; there it
  /// comes to rest.
  Stop step();
  /// What a stretch of model time came to.
  struct Reached {
    Stop stop = Stop::step;
    bool behind = false;  ///< the budget was spent before all that was due had happened
  };
  /// Takes every step that is due by a model time [s], and none beyond it; stops early where step() would not go on by
  /// itself. Where something flows between events the last step may reach beyond (now_s()).
  /// @param budget_s  wall time after which it returns; at least one step is taken, where one is due
  Reached go_to(double until_s, double budget_s);
  /// Undoes the last step or event. Makes the history again from its beginning: O(all steps so far), without texts for
  /// those that trace() has forgotten.
  /// @returns false: this is the beginning.
  bool step_back();
  /// Gives an event to one component, or to all and to whatever else waits for it, at the present time. One that nobody
  /// knows does nothing, but counts as a step.
  /// @param component  place in components().
  Stop give(const std::string& event, std::optional<std::uint32_t> component = {});
  /// Goes to the beginning and forgets steps and events; breakpoints stay.
  void restart();

  /// Model time [s]; the mission time once the end was reached.
  double now_s() const;
  /// At the end of the mission, or where it failed: step() and give() do nothing more.
  bool ended() const;
  std::uint64_t seed() const;
  /// Steps and events that step_back() would undo.
  std::size_t steps() const;
  /// Of the history so far (World::fingerprint).
  std::uint64_t fingerprint() const;
  /// Transitions taken, and what parts of other notations did; of very many (100,000) only the last.
  const std::vector<Happened>& trace() const;
  /// Who moved since this was last asked for, since a step back, or since the beginning; of very many the last.
  std::vector<Moved> take_moves();
  /// Who is where now, of the notations that say so (RunningPart::present()).
  std::vector<Present> present() const;
  /// Why the model cannot go on, when step() said failure.
  const Diagnostics& failure() const;
  /// Names of the charts' instances: "EDG[2]".
  std::vector<std::string> components() const;
  /// Elements of the states in which a component is; of all components when none is named.
  std::set<ElementId> active(std::optional<std::uint32_t> component = {}) const;
  /// Clocks, delayed events, the next shock of each common-cause group and whatever else waits, earliest first.
  std::vector<Waiting> scheduled() const;
  /// All named slots, in the order of the slot table. O(slots), with their texts.
  std::vector<Watched> variables() const;
  /// Events that the model knows.
  std::vector<std::string> events() const;
  /// States and transitions at which step() says breakpoint.
  void set_breakpoints(std::set<ElementId> elements);

  /// Seed, replication, which model (its hash, scenario, values set, files), what was given, every transition taken
  /// with its exact time (of very many the last 100,000, and how many there were before them) and the values at the
  /// end: format "ergode-trace", for replay().
  Value trace_json() const;
  /// Asks for the history that a trace was saved of: its seed, scenario and the values that were set.
  /// @returns errors (STP001) when it is no trace
  static Diagnostics ask_as_saved(const Value& saved, RunRequest& request);
  /// Makes a saved history again and compares it; afterwards this history stands where the saved one ends, unless that
  /// could not be read.
  /// @returns an error (STP001) when it is another; a warning (STP002) when it is the same, but the model is not.
  Diagnostics replay(const Value& saved);

 private:
  struct Parts;
  explicit Stepper(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace ergode
