#pragma once
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "statecharts/compile/compiled_model.h"

namespace ergode {

/// Of two transitions that leave a common state the inner source wins, else the one whose state comes first: SCXML
/// (2015), appendix D, removeConflictingTransitions. O(selected^2); no allocation once `kept` has grown.
/// @param selected  transitions of one component that react together, in the order of their states.
/// @param kept      receives those that are taken.
void resolve_conflicts(const ChartTables& tables, const std::vector<std::uint32_t>& selected,
                       std::vector<std::uint32_t>& kept);

/// Remembers what an event does to a configuration: which guards decide, and for each way they can turn out the
/// configuration afterwards and the flat list of what is done on the way. A step is then a few look-ups, as in an
/// automaton that is built while it runs (Thompson's construction of regular expressions, Communications of the ACM
/// 11(6), 1968, pp. 419-422, made lazily), with a guard or two on the way.
///
/// Not remembered, and left to the general algorithm: charts of more than 64 states or with histories, joint demands,
/// conditions whose becoming true matters, probabilistic branches, and entering a final state. The results are the same
/// bit for bit: the list has the general algorithm's order.
///
/// One per replication: it grows while running, up to a fixed size (1 MB of steps, 16 MB of effects); past it what is
/// not known is left to the general algorithm, so results do not depend on it. A look-up allocates nothing. One thread.
class StepMemo {
 public:
  /// What is known of a step: a guard to ask (its number, and `by_program` where it is more than a comparison), an
  /// outcome (`outcome | number`), or one of the words below.
  using Next = std::uint32_t;
  static constexpr Next outcome = 0x80000000U, by_program = 0x40000000U;
  static constexpr Next unknown = ~Next{0}, general = unknown - 1, nothing = unknown - 2;

  /// One thing that is done. `number` is a row (stamp), a slot (add, add_unseen, set), an action, a timer, or a
  /// TransitionRole (role).
  struct Effect {
    enum class Kind : std::uint8_t {
      stamp,
      add,         ///< value to the slot, which somebody may depend on
      add_unseen,  ///< the same where nobody does
      set,         ///< the slot to the value
      act,         ///< an action of any other kind
      cancel,
      keep_age,  ///< of a timer that is cancelled and will go on where it was
      arm,
      role,
      demanded_role  ///< a joint demand decided: it knows the cause
    };
    Kind kind = Kind::stamp;
    std::uint32_t number = 0;
    double value = 0.0;
  };
  /// What some transitions, taken together, do.
  struct Outcome {
    std::uint64_t configuration = 0;    ///< afterwards
    std::uint32_t word = 0;             ///< its place among the configurations
    std::uint32_t node = 0, steps = 0;  ///< for moved()
    /// Nothing but one stamp and a value added to a slot on which nobody depends: `row`, `slot` and `value` say it all.
    bool plain = false;
    bool eventless = false;  ///< states are active then from which eventless transitions lead
    std::uint32_t row = 0, slot = 0;
    double value = 0.0;
    std::uint32_t effects = 0, effects_end = 0;  ///< range of effect()
    std::uint32_t transition = 0;                ///< the first taken, in its chart
  };

  /// @param model  must outlive it
  explicit StepMemo(const CompiledModel& model);
  /// From now on everything is worked out by the general algorithm; for tests that compare the two.
  void forget_all();

  /// What the event does to the component in this configuration, guards asked: `nothing`, an outcome, or `general` when
  /// it must be worked out.
  /// @param event  as in ChartTables::candidates.
  /// @param configurations  the words of all components.
  /// @param slots           in which guards are asked
  [[gnu::always_inline]] Next react(std::uint32_t instance, const std::uint64_t* configurations, std::uint32_t event,
                                    const double* slots) {
    Place& place = places_[instance];
    const std::uint64_t configuration = configurations[place.word];
    if (place.configuration != configuration || place.node == none) [[unlikely]] {
      if (!look_up(instance, configuration)) return general;
    }
    Next next = steps_[place.steps + event];
    if (next == unknown) [[unlikely]]
      next = learn(instance, event);
    while ((next & outcome) == 0) {
      const Test& test = tests_[next & ~by_program];
      const bool holds = (next & by_program) == 0
                             ? slots[test.slot] >= test.least && slots[test.slot] <= test.most
                             : model_.programs[static_cast<std::size_t>(test.program)].holds(slots);
      next = holds ? test.yes : test.no;
    }
    return next;
  }
  /// The same where nothing has to be learnt and no program asked: a function that does no more has no call in it.
  /// @returns `unknown`: ask react().
  [[gnu::always_inline]] Next at_once(std::uint32_t instance, const std::uint64_t* configurations, std::uint32_t event,
                                      const double* slots) const {
    const Place& place = places_[instance];
    if (place.configuration != configurations[place.word] || place.node == none) [[unlikely]]
      return unknown;
    Next next = steps_[place.steps + event];
    while ((next & outcome) == 0) {
      if ((next & by_program) != 0) [[unlikely]]
        return unknown;
      const Test& test = tests_[next];
      next = slots[test.slot] >= test.least && slots[test.slot] <= test.most ? test.yes : test.no;
    }
    return next;
  }
  /// What one transition of the component does to this configuration, its guard aside: an outcome or `general`.
  Next take(std::uint32_t instance, const std::uint64_t* configurations, std::uint32_t transition) {
    Place& place = places_[instance];
    const std::uint64_t configuration = configurations[place.word];
    if (place.configuration != configuration || place.node == none) [[unlikely]] {
      if (!look_up(instance, configuration)) return general;
    }
    const std::uint32_t ways = nodes_[place.node].ways;
    const Next next = ways == none ? unknown : steps_[ways + transition];
    return next != unknown ? next : learn_way(instance, transition);
  }
  /// @param next  an outcome that react() or take() gave; valid until the next of them.
  const Outcome& outcome_of(Next next) const { return outcomes_[next & ~outcome]; }
  /// Effects from this number on; valid as long as an outcome.
  const Effect* effect(std::uint32_t number) const { return effects_.data() + number; }
  /// Does the first part of an outcome of a component whose place was just looked up: sets the configuration.
  void moved(std::uint32_t instance, const Outcome& to, std::uint64_t* configurations) {
    Place& place = places_[instance];
    // A store only where something changes: the next look-up then need not wait for this one's last load.
    if (place.node == to.node) return;
    configurations[to.word] = place.configuration = to.configuration, place.node = to.node, place.steps = to.steps;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0}, unusable = none - 1;
  /// The node of a component's latest configuration.
  struct Place {
    std::uint64_t configuration = 0;
    std::uint32_t node = none;
    std::uint32_t steps = 0;  ///< `unusable`: nothing of this component is remembered
    std::uint32_t word = 0;   ///< of the configurations
  };
  struct Node {
    std::uint64_t configuration = 0;
    std::uint32_t steps = 0;    ///< by event
    std::uint32_t ways = none;  ///< by transition
  };
  /// A guard: the slot lies within bounds, or a program holds.
  struct Test {
    double least = 0.0, most = 0.0;
    std::uint32_t slot = 0;
    std::int32_t program = -1;
    Next yes = general, no = general;
  };
  struct Key {
    std::uint32_t instance;
    std::uint64_t configuration;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>((key.configuration ^ key.instance * 0x9E3779B97F4A7C15ULL) *
                                      0xFF51AFD7ED558CCDULL);
    }
  };
  enum class Answer : std::uint8_t { open, no, yes };

  /// The place of a component gets the node of its configuration. @returns false: nothing of it is remembered, or there
  /// is no room for it. One look-up in a hash table.
  bool look_up(std::uint32_t instance, std::uint64_t configuration);
  /// The node of a configuration, a new one where it was not met before; none: there is no room.
  std::uint32_t node(std::uint32_t instance, std::uint64_t configuration);
  /// Whether the tables may grow by so many steps; what is there stays when they may not.
  bool room_for(std::size_t steps) const;
  /// Works a step out and remembers it; general where it cannot be remembered, which is remembered too.
  Next learn(std::uint32_t instance, std::uint32_t event);
  Next learn_way(std::uint32_t instance, std::uint32_t transition);
  /// @name Learning one step; see step_memo.cpp and step_effects.cpp
  /// @{
  /// Fills `leaves_` with the transitions that may react, up to the first of each leaf that needs no guard. @returns
  /// false: something else than the value of a condition decides.
  bool find_candidates(std::uint32_t event);
  /// The branches of a choice as one more leaf, `else` last. @returns false: they have probabilities, or as above.
  bool add_choice(const std::uint32_t* begin, const std::uint32_t* end);
  /// Depth first over the ways guards can turn out: decide() what the leaves from this one on add, ask() from a
  /// candidate of the leaf on, choose() when one is taken. `general`: more than 64 guards, or an outcome that cannot be
  /// remembered.
  Next decide(std::size_t leaf);
  Next ask(std::size_t leaf, std::size_t candidate);
  Next choose(std::size_t leaf, std::uint32_t transition);
  /// A comparison of one slot with a constant becomes an interval, anything else its program.
  Test test_of(const GuardSpec& guard) const;
  /// What the transitions selected do together, as a new outcome.
  Next outcome_of_selected();
  /// Sets Outcome::plain where it holds.
  void set_plain(Outcome& of) const;
  /// The effects of `kept_` in the order of ChartReplication::take(), and the configuration after them; @returns false:
  /// they depend on more than the configuration (histories, final states).
  bool add_effects(std::uint64_t& configuration);
  bool add_hop(std::uint64_t& configuration, std::uint32_t transition);
  void add_leaving(std::uint64_t& configuration, const ChartTables::Way& way);
  bool add_entering(std::uint64_t& configuration, const ChartTables::Way& way);
  void add_change(std::uint32_t slot, double by);
  /// Assignments of a constant, or of the slot plus a constant, become effects of their own.
  void add_action(std::uint32_t number);
  void add_actions(std::uint32_t transition);
  void add_role(std::uint32_t transition);
  void add(Effect::Kind kind, std::uint32_t number, double value = 0.0) { effects_.push_back({kind, number, value}); }
  /// @}

  const CompiledModel& model_;
  std::vector<Place> places_;
  std::vector<Node> nodes_;
  std::vector<Next> steps_;  ///< rows by Node::steps and Node::ways
  std::vector<Test> tests_;  ///< by number of a guard
  std::vector<Outcome> outcomes_;
  std::vector<Effect> effects_;
  std::unordered_map<Key, std::uint32_t, Hash> known_;  ///< node of a component's configuration

  /// @name While a step is learnt
  /// @{
  struct Candidate {
    std::uint32_t transition = 0;
    bool otherwise = false;  ///< taken when none before it was
  };
  const Instance* owner_ = nullptr;
  const ChartTables* tables_ = nullptr;
  std::uint32_t instance_ = 0;
  std::uint64_t before_ = 0;
  std::vector<std::vector<Candidate>> leaves_;  ///< by innermost active state, in the order in which they are asked
  std::vector<Answer> answers_;                 ///< by transition: what is known of its guard on this way down
  std::vector<std::uint32_t> selected_, kept_;
  std::size_t first_test_ = 0;
  /// @}
};

}  // namespace ergode
