#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/des/running_part.h"
#include "core/des/world.h"
#include "core/random/exponentials_ahead.h"
#include "core/random/random_stream.h"
#include "core/random/uniform_blocks.h"
#include "statecharts/compile/compiled_model.h"
#include "statecharts/compile/entry_set.h"
#include "statecharts/execute/chart_part.h"
#include "statecharts/execute/chart_watchers.h"
#include "statecharts/execute/delayed_events.h"
#include "statecharts/execute/start_image.h"
#include "statecharts/execute/step_memo.h"

namespace ergode {

/// The charts of one history: everything that moves in their components but what the world holds, the clock, variables
/// and timers. No allocation, strings or locks per event.
///
/// Semantics: the W3C SCXML algorithm within each component; see statecharts/README.md. The whole model is at rest
/// between events: every internal event is handled and no eventless transition is enabled.
///
/// A part of Advance. Its timers are the model's clocks in their order, so a clock's number is its id in the world, and
/// after them one for events on their way where the model sends any with a delay.
///
/// Made once per history and used for one replication after the other, which depend on their number and the seed alone;
/// one thread. Whatever steps may throw ModelFailure (RUN002, with the transition or state): 1,000,000 steps at one
/// moment, a rate that is no finite number >= 0 at rest, a delay < 0, a period that is not > 0, a branch's probability
/// outside [0, 1], branches whose probabilities do not sum to 1 (with `else`: to more). After that only start() and
/// restore() may be called.
class ChartReplication {
 public:
  /// Keys of the random streams are made from the seed once. Asks the world for its timers before any other part.
  /// O(components + clocks), and all the memory that a history needs but for queues and what StepMemo learns.
  /// @param model, world  must outlive it; the world is made over the model's SlotTable
  ChartReplication(const CompiledModel& model, World& world, std::uint64_t seed);
  ChartReplication(const ChartReplication&) = delete;
  ChartReplication& operator=(const ChartReplication&) = delete;
  /// Whoever is told or asked must outlive its use; null: nobody. Without a demand source every demand succeeds.
  void set_demand_source(DemandSource* source) { demands_ = source; }
  void set_event_listener(EventListener* listener) { listener_ = listener; }
  void set_transition_listener(TransitionListener* listener) { follower_ = listener; }
  /// Branches are then asked for instead of drawn; null: drawn again.
  void set_chance_source(ChanceSource* source) { chance_ = source; }
  /// Before start(): changes that passed unnoticed before are not told.
  void set_order_watcher(OrderWatcher* watcher) { watcher_ = watcher; }
  /// Works every step out anew from now on, which gives the same results; for tests that compare the two ways.
  void forget_steps() { memo_.forget_all(); }
  /// Enters every component at the start of a history, which gives the same results; for the same tests.
  void forget_start() { image_.reset(); }

  static constexpr std::uint32_t first_timer() { return 0; }
  /// Time zero of a replication, after World::start(): enters every component, in document order, and comes to rest.
  void start(std::uint64_t replication);
  /// A clock goes off now, or the first of the events on their way arrives. The caller calls settle() afterwards.
  void fire(std::uint32_t timer) {
    if (timer != delayed_timer_) [[likely]]
      go_off(timer);
    else arrive();
  }
  /// Does what is left to do at this moment: eventless transitions of all components in document order, then internal
  /// events, then external ones, until none is left. @returns false: nothing was.
  bool settle() {
    if (!unsettled_) return false;
    come_to_rest();
    return true;
  }

  /// Sets the clock of every transition with this common cause that waits in the component, unless it goes off earlier
  /// anyway; the failure then belongs to `part`. @returns whether there was one. The caller calls settle() when all
  /// members have been told. O(states of the chart).
  /// @param time_s  at or after now [s]
  bool set_common_cause_clock(std::uint32_t instance, std::uint32_t cause, double time_s, SplitPart part);
  /// Gives an event to one component from outside. The caller calls settle() afterwards. Each may cause as many steps
  /// as a moment of model time.
  void send(std::uint32_t instance, std::uint32_t event) {
    queue_external(instance, event, no_values);
    world_.steps_at_moment = 0;
  }
  /// send() and settle() in one, for a model at rest: the event needs no queue.
  void give(std::uint32_t instance, std::uint32_t event);
  /// Another part has changed this slot, whose new value stands there already.
  void written(std::uint32_t slot);
  /// Another part has raised this event: it goes to every component that may react to it, in document order.
  void heard(std::uint32_t event);

  /// @name For state-space generation, rare-event methods and stepping
  /// @{
  /// What moves at rest besides the world: configurations, events on their way, random streams. Streams are saved as
  /// they would be had nothing been drawn ahead. Integrals are not: integral() means nothing after restore().
  struct Saved;
  void save(Saved& into) const;
  /// After World::restore(). What was queued and not settled is forgotten. @param from  of the same model
  void restore(const Saved& from);
  /// Lets the clock go off now, whatever its time, and comes to rest.
  void fire_now(std::uint32_t timer) {
    go_off(timer);
    settle();
  }
  /// Whether the clock is armed: its source state is active and a time is set. A rate of zero waits for no time.
  bool waiting(std::uint32_t timer) const { return clocks_.armed(timer); }
  /// When a waiting clock goes off [s]; infinity where it does not wait.
  double time_of(std::uint32_t timer) const { return clocks_.time_of(timer); }
  /// Rate at which a waiting rate(...) clock goes off [1/s]; of one that does not wait, and of other clocks, nothing in
  /// particular.
  double rate_in_force(std::uint32_t timer) const {
    const TimerSpec& spec = model_.timers.shared(timer);
    return spec.constant ? 1.0 / spec.value : rates_[timer];
  }
  /// Sets when a waiting clock goes off [s], at or after now.
  void redraw(std::uint32_t timer, double time_s) { clocks_.schedule(timer, time_s); }
  /// An event sent with a delay, on its way.
  struct Pending {
    double time_s;
    std::uint32_t event, first, last;  ///< received by these components
  };
  /// Those on their way, in no particular order. Allocates.
  std::vector<Pending> pending() const;
  /// Appends clocks that run and events on their way, for people. O(clocks).
  void waiting(std::vector<Waiting>& out) const;
  /// Events sent with a delay that have not come yet.
  std::size_t pending_events() const { return delayed_.size(); }
  const CompiledModel& model() const { return model_; }
  /// Words of all configurations, in the order of the components; bit s of a component's words for state s.
  const std::vector<std::uint64_t>& configuration() const { return configuration_; }
  /// What histories remember: by Instance::history, `words` words for each history of the chart; all zero: nothing yet.
  const std::vector<std::uint64_t>& histories() const { return histories_; }
  /// Whether a clock of continuously changing rate (TimerSpec::hazard) runs, and what is left of its unit-exponential
  /// hazard: whoever integrates the flows brings it to zero and calls fire_now() then. It is never armed.
  bool hazard_runs(std::uint32_t timer) const {
    const TimerSpec spec = model_.timers[timer];
    return active(spec.instance, model_.charts[model_.instances[spec.instance].chart].ways[spec.transition].source);
  }
  double hazard_left(std::uint32_t timer) const { return hazards_[timer]; }
  void set_hazard_left(std::uint32_t timer, double hazard) { hazards_[timer] = hazard; }
  /// Sets a variable from outside (what flows did to it); the caller calls settle() afterwards.
  void set_variable(std::uint32_t slot, double value) {
    const double before = slots_[slot];
    if (before == value) return;
    slots_[slot] = value;
    slot_changed(slot, before);
  }
  /// Whether the component has reached a final state of its chart: nothing happens to it any more.
  bool halted(std::uint32_t instance) const;
  /// @}

  World& world() { return world_; }
  const World& world() const { return world_; }
  double now() const { return slots_[World::now_slot]; }
  const double* slots() const { return slots_; }
  /// Whether the state, a number of the instance's chart, is active. O(1).
  bool active(std::uint32_t instance, int state) const {
    const Instance& owner = model_.instances[instance];
    return (configuration_[owner.configuration + static_cast<std::uint32_t>(state) / 64] >> (state % 64) & 1U) != 0;
  }
  /// What the count of CompiledModel::slots[slot].integral was since time zero, times how long [s], up to `end_s`. Only
  /// for slots that have one (SlotInfo::integral not 0), at or after now. For a history from its start on: saving and
  /// restoring leave it aside.
  double integral(std::uint32_t slot, double end_s) const {
    Integral up_to_end = integrals_[model_.slots[slot].integral - 1];
    up_to_end.add(slots_[slot], end_s);
    return up_to_end.area;
  }
  /// The part in force: the gravest among those that the failures standing now belong to.
  SplitPart split_part() const {
    // Worked out when asked: asked at few events, where the counts change at most of them.
    SplitPart part = most_split_parts - 1;
    while (part != ChartPart::no_failure && standing_[part] == 0) --part;
    return part;
  }
  /// Components whose failure stands now: whose latest transition with a role was one of failure.
  std::uint32_t failures_standing() const {
    std::uint32_t out = 0;
    for (SplitPart p = ChartPart::own_failure; p < most_split_parts; ++p) out += standing_[p];
    return out;
  }

 private:
  /// Of a count over time.
  struct Integral {
    double area = 0.0, since = 0.0;  ///< [s]
    void add(double value, double until_s) {
      area += value * (until_s - since);
      since = until_s;
    }
  };
  static constexpr std::uint32_t no_values = ~std::uint32_t{0};
  /// What an event carries: the action that made it names the parameters.
  struct Values {
    std::uint32_t action = 0;
    std::array<double, most_event_parameters> value{};
  };
  struct Sent {
    std::uint32_t instance, event;
    std::uint32_t values;  ///< number of Values, or no_values
  };

  /// The loop of settle(): components marked, then internal events, then external ones, each to the end of what it
  /// causes before the next of a later kind; at last the rates that were bad on the way. Throws as the class says.
  void come_to_rest();
  void queue_internal(std::uint32_t instance, std::uint32_t event, std::uint32_t values) {
    internal_.push_back({instance, event, values});
    unsettled_ = true;
  }
  void queue_external(std::uint32_t instance, std::uint32_t event, std::uint32_t values) {
    external_.push_back({instance, event, values});
    unsettled_ = true;
  }
  /// To be looked at again at rest.
  void suspect_rate(std::uint32_t timer) {
    bad_rates_.push_back(timer);
    unsettled_ = true;
  }
  /// Most often a clock has few consequences, all of them known.
  void go_off(std::uint32_t timer) {
    if (clock_hops_.empty()) [[unlikely]]
      return one_of_many_goes_off(timer);
    const ClockHop& hop = clock_hops_[timer];
    if (hop.known) [[likely]]
      take_clock_hop(timer, hop);
    else go_off_generally(timer);
  }
  /// go_off() where there are many clocks; asks the memory for what the next clock will need.
  void one_of_many_goes_off(std::uint32_t timer);
  /// The whole step of a clock with a known hop, from its one cache line: counted as an event and a step, no guard
  /// asked.
  void take_clock_hop(std::uint32_t timer, const ClockHop& hop);
  /// The same for whatever arms a clock by its number.
  template <class Hop, class Of, class Arm>
  void step_of_clock(std::uint32_t timer, const Hop& hop, std::uint32_t member, const Of& of, const Arm& arm_clock);
  /// Draws the next unit exponential of each clock in thirsty_, all their blocks side by side.
  void draw_ahead();
  /// Any clock: of the transitions that share it the first enabled is taken. Where none is, the clock of every(...) and
  /// rate(...) starts anew, any other waits until its state is entered again.
  void go_off_generally(std::uint32_t timer);
  /// The first of the events on their way goes to its receivers.
  void arrive();
  /// The timer of events on their way stands at the first of them.
  void await_delayed();
  /// Starts a clock. The plain exponential is by far the most frequent and stays inline.
  void arm(std::uint32_t timer) {
    if (rate_clocks_.empty()) [[unlikely]]
      return arm_one_of_many(timer);
    RateClock& clock = rate_clocks_[timer];
    if (clock.mean_s >= 0.0) [[likely]]
      clocks_.schedule(timer, slots_[World::now_slot] + clock.units.next(streams_[timer]) * clock.mean_s);
    else arm_other(timer);
  }
  /// In large models: what lies ahead of so many clocks would not stay in the caches until it is needed.
  [[gnu::noinline]] void arm_one_of_many(std::uint32_t timer) {
    const double mean_s = means_s_[model_.timers.places[timer].spec];
    if (!(mean_s >= 0.0)) [[unlikely]]
      return arm_other(timer);
    double unit = std::exchange(next_units_[timer], none);
    if (unit < 0.0) unit = stream(timer).exponential();
    clocks_.schedule(timer, slots_[World::now_slot] + unit * mean_s);
  }
  /// Starts any clock but an exponential one of constant rate: draws from its own stream, and from no other. at(...) of
  /// a time that is past, or has come already, does not start; common-cause clocks wait for a shock. Throws RUN002 on a
  /// delay that is not >= 0 or a period that is not > 0.
  void arm_other(std::uint32_t timer);
  void enter_all();
  void enter_image();
  /// Arms clocks that draw for the first time in this history.
  void arm_first(std::span<const std::uint32_t> timers);
  /// A stream in this history.
  RandomStream& stream(std::size_t number) {
    if (!begun_.empty() && begun_[number] == 0) [[unlikely]] {
      begun_[number] = 1;
      streams_[number].restart(replication_);
    }
    return streams_[number];
  }
  /// A slot that the rate of a clock reads has changed: what is left of the unit-exponential hazard runs on at the new
  /// rate, so nothing is drawn and the law is exact. O(1) but for the rate's program.
  void reread(std::uint32_t timer);
  /// Value of the clock's program now, in SI: rate, delay, time, period or condition.
  double rate_of(const TimerSpec& spec) const;
  static bool is_rate(double rate) { return rate >= 0.0 && rate <= std::numeric_limits<double>::max(); }
  /// At rest: of rates that were none in the middle of a step, those that still are fail the model (RUN002).
  void refuse_bad_rates();
  /// Enters what ChartTables::entries lists, in its order; of each state its bit, counts, entry actions, clocks, and
  /// the events of what is done then.
  void enter(const Instance& owner, std::uint32_t instance, const std::uint32_t* begin, const std::uint32_t* end);
  /// Leaves the active states among first ... last, innermost first; of each its exit actions, its bit, clocks, counts.
  void leave(const Instance& owner, std::uint32_t instance, std::uint32_t first, std::uint32_t last);
  /// Before leaving: what the histories of these states are to remember.
  void remember(const Instance& owner, const ChartTables& tables, std::uint32_t first, std::uint32_t last);
  /// What the transition enters, with what histories remember; entry sets are made once and used again.
  void enter_way(const Instance& owner, std::uint32_t instance, const ChartTables& tables, std::uint32_t transition);
  /// SCXML's isInFinalState: an active final child, or regions that are all done.
  bool is_done(std::uint32_t instance, const ChartTables& tables, int state) const;
  /// Works out what an event carries, or no_values; free_values() gives the place back.
  std::uint32_t keep_values(const ActionSpec& action, std::uint32_t number);
  std::uint32_t copy_values(std::uint32_t values);
  void free_values(std::uint32_t values) {
    if (values != no_values) free_values_.push_back(values);
  }
  /// Queues the event for instances first ... last, each with its own copy of what it carries.
  void send_out(std::uint32_t first, std::uint32_t last, std::uint32_t event, std::uint32_t values);
  /// Actions in order, each where its condition holds then. An assignment of the value a slot has changes nothing.
  void act(std::uint32_t instance, const MemberNumber* begin, const MemberNumber* end);
  void act(std::uint32_t instance, std::uint32_t number);
  /// @param before  what the slot held.
  [[gnu::always_inline]] void slot_changed(std::uint32_t slot, double before) {
    const SlotInfo& info = model_.slots[slot];
    if (info.integral != 0) integrals_[info.integral - 1].add(before, slots_[World::now_slot]);
    const std::uint32_t* const dependents = model_.dependents.data();
    for (std::uint32_t i = info.observers; i != info.instances; ++i) world_.observe(dependents[i]);
    if (info.observed != info.observed_end) pass_observed(info, before, slots_[slot]);
    if (info.instances != info.end) tell_components(info, before, slots_[slot]);
  }
  /// Components whose conditions or rates read the slot. Out of line: most slots have none.
  [[gnu::noinline]] void tell_components(const SlotInfo& info, double before, double after) {
    const std::uint32_t* const dependents = model_.dependents.data();
    for (std::uint32_t i = info.instances; i != info.comparing; ++i) mark(dependents[i]);
    if (info.comparing != info.timers) pass_thresholds(info, before, after);
    for (std::uint32_t i = info.timers; i != info.end; ++i) reread(dependents[i]);
  }
  /// Observers whose truth changes between the two values of a count.
  [[gnu::always_inline]] void pass_observed(const SlotInfo& info, double before, double after) {
    const CompiledModel::Observed* at = &model_.observed[info.observed];
    const CompiledModel::Observed* const end = at + (info.observed_end - info.observed);
    const double low = std::min(before, after), high = std::max(before, after);
    constexpr std::ptrdiff_t few = 8;
    if (end - at > few) [[unlikely]]
      at = std::upper_bound(at, end, low, [](double value, const CompiledModel::Observed& o) { return value < o.at; });
    for (; at != end && at->at <= high; ++at)
      if (at->at > low) world_.observe(at->observer);
  }
  /// Marks the components that compare the slot and whose condition turned true between the two values; all of them
  /// where one is NaN or somebody watches the order.
  void pass_thresholds(const SlotInfo& info, double before, double after);
  /// Queues the done events of a state that has just entered a final child, and of the parallel state around it where
  /// all its regions are done now. Nothing for the chart itself, 0.
  void done(std::uint32_t instance, const ChartTables& tables, int state);
  /// One microstep: transitions that the event enables, conflicts resolved.
  /// @param event  of the chart's table; ChartTables::events: none, transitions that need no event.
  /// @returns false: none.
  bool react(std::uint32_t instance, std::uint32_t event);
  /// The same, inline into its callers: what StepMemo knows is done here.
  bool react_at_once(std::uint32_t instance, std::uint32_t event);
  /// Asks the guard, which may draw, remember an edge or raise an event.
  bool enabled(std::uint32_t instance, std::uint32_t transition);
  /// The branch of a choice that is taken; -1: none. With probabilities one uniform of the component's own stream
  /// decides, and what they lack to one falls to `else` or to the last branch; without, the first whose guard holds.
  /// @param begin, end  transitions that leave the choice, in order.
  std::int32_t choose_branch(std::uint32_t instance, const std::uint32_t* begin, const std::uint32_t* end);
  /// Takes these transitions together: all are left, then all actions, then all is entered.
  /// @param clock_part  the part that a failure among them belongs to
  void take(std::uint32_t instance, const std::uint32_t* begin, std::size_t count, SplitPart clock_part);
  /// Asks the demand source and keeps the part for the role of the transition that is taken then.
  bool demand_fails(std::uint32_t instance, std::uint32_t cause);
  /// take() for a transition that is known.
  void take_hop(std::uint32_t instance, std::uint32_t transition, const Hop& hop, SplitPart clock_part);
  void change_slot(std::uint32_t slot, float delta) {
    const double before = slots_[slot];
    slots_[slot] = before + static_cast<double>(delta);
    slot_changed(slot, before);
  }
  /// react() for what StepMemo does not remember.
  bool react_generally(std::uint32_t instance, std::uint32_t event);
  /// take() for what it does.
  void follow(std::uint32_t instance, const StepMemo::Outcome& outcome, SplitPart clock_part);
  // Which transition, when: whatever changes a run changes its fingerprint.
  void stamp(std::size_t row) {
    world_.stamp(row);
    if (follower_ != nullptr) follower_->taken(row, slots_[World::now_slot]);
  }
  void set_part(std::uint32_t instance, SplitPart part) {
    SplitPart& now = parts_[instance];
    --standing_[now];
    ++standing_[part];
    now = part;
  }
  /// The component is to be asked for eventless transitions, where its states have some.
  void mark(std::uint32_t instance) {
    if (is_dirty_[instance] == 0) mark_anew(instance);
  }
  /// Only where an active state has eventless transitions. O(log marked + words).
  void mark_anew(std::uint32_t instance);
  /// Tells the watcher of all external events that wait, when there are two or more.
  void show_offers();
  void count_microstep(std::uint32_t instance, std::uint32_t transition) {
    if (++world_.steps_at_moment > world_.patience) [[unlikely]]
      never_at_rest(instance, transition);
  }
  [[noreturn]] void never_at_rest(std::uint32_t instance, std::uint32_t transition);
  /// In builds without NDEBUG: stops the program when the component's configuration is not legal.
  void assert_legal([[maybe_unused]] std::uint32_t instance) const {
#ifndef NDEBUG
    stop_if_illegal(instance);
#endif
  }
  void stop_if_illegal(std::uint32_t instance) const;
  /// Three words, not a Sent: put together in memory and read back at once, it would stall.
  void receive(std::uint32_t instance, std::uint32_t event, std::uint32_t values);
  void receive_at_once(std::uint32_t instance, std::uint32_t event, std::uint32_t values);
  /// give() where the step is not known or takes more than a few stores: all of it; what the outcome says, and rest.
  void give_generally(std::uint32_t instance, std::uint32_t event);
  void follow_to_rest(std::uint32_t instance, const StepMemo::Outcome& outcome);
  /// Puts the event's number and what it carries where the component's expressions read them.
  void note_event(std::uint32_t instance, std::uint32_t event, std::uint32_t values);
  /// @param transition  number in the instance's chart, whose element the diagnostic names
  [[noreturn]] void fail(std::uint32_t instance, std::uint32_t transition, std::string message);
  /// @param sum  of the branches of which `transition` is the first. @param otherwise  one of them is `else`
  [[noreturn]] void fail_branches(std::uint32_t instance, std::uint32_t transition, double sum, bool otherwise);
  [[noreturn]] void fail_send(std::uint32_t instance, std::uint32_t action, double delay);
  ElementId element_of_action(std::uint32_t instance, std::uint32_t number) const;

  const CompiledModel& model_;
  World& world_;
  double* const slots_;  ///< of the world
  EventQueue& clocks_;   ///< of the world
  /// Of the events on their way; past all timers when there are none ever.
  std::uint32_t delayed_timer_ = ~std::uint32_t{0};
  /// From so many clocks on they draw one number ahead, or none, instead of a cache line of them each.
  static constexpr std::size_t many_clocks = 4096;
  std::vector<RandomStream> streams_;  ///< in the order of CompiledModel::stream_keys()
  /// Where there are many clocks: by stream, whether it is at its place in this history already. Going over all of them
  /// at the beginning would cost more than all else that happens then.
  std::vector<std::uint8_t> begun_;
  std::uint64_t replication_ = 0;
  std::optional<StartImage> image_;
  std::vector<double> means_s_;  ///< by TimerTable::Place::spec: of exponential clocks of constant rate; others < 0
  /// By timer: the exponential clocks of constant rate, with what they have drawn ahead; others have a mean below zero.
  /// Empty where there are many clocks.
  struct alignas(64) RateClock {
    double mean_s = -1.0;
    ExponentialsAhead units;
  };
  std::vector<RateClock> rate_clocks_;
  std::vector<ClockHop> clock_hops_;  ///< by timer; empty where there are many clocks
  /// Where there are many: by timer, what its exponential clock will draw next, or none. It is drawn when the clock has
  /// gone off, so that nobody waits for it.
  std::vector<double> next_units_;
  /// Clocks whose next number is still to be drawn, until there are enough for as many blocks at once.
  std::array<std::uint32_t, streams_at_once> thirsty_{};
  std::size_t thirsty_count_ = 0;
  static constexpr double none = -1.0, awaited = -2.0;
  std::vector<std::uint64_t> configuration_;  ///< by Instance::configuration
  std::vector<Integral> integrals_;           ///< by SlotInfo::integral - 1
  DelayedEvents delayed_;
  std::vector<std::uint32_t> bad_rates_;  ///< timers whose rate was none in the middle of a step
  std::vector<double> rates_, hazards_;   ///< by timer: rate in force and unit-exponential hazard left (rate clocks)
  std::vector<std::uint32_t> moments_;    ///< timers at(...): their hazard is when they went off last, < 0: never
  std::vector<SplitPart> clock_parts_;    ///< by timer
  std::vector<SplitPart> parts_, demand_parts_;  ///< by instance: standing failure; outcome of the latest demand
  std::array<std::uint32_t, most_split_parts> standing_{};  ///< by part
  std::vector<std::uint64_t> histories_;
  std::vector<double>
      remaining_;  ///< by timer: what is left of a delay that keeps its age; NaN: nothing. Empty: none does
  std::vector<Values> values_;              ///< of events on their way
  std::vector<std::uint32_t> free_values_;  ///< places in `values_` that can be used again
  std::vector<EntrySet> entry_sets_;        ///< of charts with histories
  std::vector<std::int32_t> entry_set_of_;  ///< by chart; -1: no history
  std::vector<Sent> internal_, external_;   ///< queues of this moment; emptied at rest
  std::size_t internal_at_ = 0, external_at_ = 0;
  std::vector<std::uint32_t> dirty_;  ///< instances to look at again, a heap with the first in document order on top
  std::vector<std::uint8_t> is_dirty_;
  bool unsettled_ = false;                      ///< whether dirty_, internal_, external_ or bad_rates_ holds something
  std::vector<std::uint32_t> selected_, kept_;  ///< scratch of react_generally()
  StepMemo memo_;
  /// By instance, what every event asks.
  struct Receiver {
    std::uint32_t events = 0;  ///< of its chart
    bool notes = false;        ///< keeps the event's name or what it carries
  };
  std::vector<Receiver> receivers_;
  DemandSource* demands_ = nullptr;
  EventListener* listener_ = nullptr;
  TransitionListener* follower_ = nullptr;
  ChanceSource* chance_ = nullptr;
  OrderWatcher* watcher_ = nullptr;
  std::vector<OrderWatcher::Offer> offers_;   ///< scratch
  std::vector<double> branch_probabilities_;  ///< scratch of choose_branch()
};

struct ChartReplication::Saved {
  std::vector<RandomStream> streams;
  std::vector<std::uint64_t> configuration, histories;
  DelayedEvents delayed;
  std::vector<double> rates, hazards, remaining;
  std::vector<SplitPart> clock_parts, parts, demand_parts;
  std::array<std::uint32_t, most_split_parts> standing{};
  std::vector<Values> values;
  std::vector<std::uint32_t> free_values;
};

}  // namespace ergode
