#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>

#include "core/des/last_news.h"
#include "core/des/world.h"

namespace ergode {

/// Nothing happens between events: the flow of a model whose slots change at events only. Costs nothing.
/// What a flow is: see Advance. With flows() constant false the compiler leaves out all that concerns it.
struct NothingFlows {
  static constexpr bool flows() { return false; }
  static double advance(double until_s) { return until_s; }
  static void commit() {}
  static int path() { return 0; }
};

/// Nobody looks: for stepping and traces, where what happens is told by the parts themselves. What a watch is:
/// until(time_s) is called while everything still stands as it was, before the clock moves to `time_s` [s];
/// follow(from_s, to_s, path) for a stretch in which something flowed, after until(to_s).
struct NobodyWatches {
  void until(double) {}
  template <class Path>
  void follow(double, double, Path&&) {}
};

/// The one loop of every history: the next timer, a word to the watch, the clock, what happens, and rest. Simulation,
/// methods for rare events, step mode and traces are watches of it; nobody else lets a timer go off or moves the clock.
/// Methods that bias a history set timers before a step, and stop at moments of their own by pass().
///
/// Parts are known when this is compiled, so nothing per event is virtual; a part without timers costs a comparison. A
/// part has
///
///     std::uint32_t first_timer() const;    // id of its first timer; parts in ascending order
///     void fire(std::uint32_t timer);       // the timer went off now; numbered from zero within the part
///     bool settle();                        // does what is left to do at this moment; false: nothing was (optional)
///     void written(std::uint32_t slot);     // a slot that was asked for by World::hear() was set (optional)
///     void heard(std::uint32_t event);      // another part has raised this event (optional)
///     void woken(std::uint32_t reader);     // slots of a program given to SlotTable::wake() changed (optional)
///
/// `Flow` is what happens between events: flows(), advance(until_s) -> time reached [s] without touching anything,
/// path() to what was gone through, and commit(), which hands over what was reached and comes to rest.
///
/// It holds references: world, flow and parts must outlive it and are not copied. One thread. No allocation here; per
/// event O(log timers) and what the parts do.
///
/// One step, in words:
///
///     t := time of the next timer
///     where something flows and min(t, end_s) > now:
///       integrate towards min(t, end_s); watch.until(time reached); watch.follow(...); commit; that was the step
///     where t > end_s: nothing happens any more
///     where t > now: watch.until(t), while all values are still those of before
///     the clock is t; the part that owns the timer fires
///     until there is no news and no part did anything:
///       hand on slots that were set, readers woken, events raised, each kind in the order in which it came
///       the parts settle in their order; from the first again when one did something
///
/// So within a moment a part that comes earlier in `Parts` always settles before one that comes later does anything
/// more.
template <class Flow, class... Parts>
class Advance {
 public:
  /// All timers must have been asked for (World::add_timers()); parts in the order in which they asked.
  Advance(World& world, Flow& flow, Parts&... parts)
      : world_(world), flow_(flow), parts_(parts...), first_{parts.first_timer()...} {}

  /// When the next timer goes off [s]; infinity: nothing waits. What flows may come to something earlier.
  double next_time() const noexcept { return world_.timers.next_time(); }
  /// Whether what comes next, be it before `end_s` [s] or not, is later than now; otherwise something more happens at
  /// this moment.
  bool moves_on(double end_s) const {
    const double next = next_time();
    return (flow_.flows() ? std::min(next, end_s) : next) > world_.now();
  }

  /// Goes on to the next timer at or before `end_s` [s] and comes to rest, or, where something flows, to a step of the
  /// integration before it. Before the clock moves `watch.until(time_s)` is called; of a stretch in which something
  /// flowed `watch.follow(from_s, to_s, flow)` tells.
  /// @returns false: nothing more happens up to `end_s`.
  /// @throws ModelFailure  RUN002 where parts tell each other of changes without end; what parts and flow throw.
  template <class Watch>
  bool step(double end_s, Watch& watch) {
    const double next = next_time(), now = world_.now();
    if (flow_.flows() && std::min(next, end_s) > now) {
      const double reached = flow_.advance(std::min(next, end_s));
      watch.until(reached);
      watch.follow(now, reached, flow_.path());
      flow_.commit();
      return true;
    }
    if (!(next <= end_s)) return false;
    if (next > now) watch.until(next);
    go_off(next);
    return true;
  }
  /// Time passes to `time_s` [s], and nothing happens: for whoever stops at moments of his own. The watch is told
  /// before the clock moves. Only where no timer goes off before, and nothing flows.
  template <class Watch>
  void pass(double time_s, Watch& watch) {
    watch.until(time_s);
    world_.move(time_s);
  }
  /// Comes to rest: hands on news and asks parts in their order, from the first again after each that did something,
  /// until no part has anything left to do at this moment. Also after start() of world and parts, before the first
  /// step. Throws as step() does.
  void settle() {
    do {
      if (world_.news()) [[unlikely]]
        hand_on();
    } while (std::apply([](auto&... part) { return (settle_part(part) || ...); }, parts_) || world_.news());
  }

 private:
  /// The next timer, whose time has just been asked for.
  void go_off(double time_s) {
    world_.move(time_s);
    fire(world_.timers.winner(), std::index_sequence_for<Parts...>());
    settle();
  }
  template <std::size_t... I>
  void fire(std::uint32_t timer, std::index_sequence<I...>) {
    // The last part that begins at or before the timer has it.
    static_cast<void>((... || fire_part<sizeof...(I) - 1 - I>(timer)));
  }
  template <std::size_t I>
  bool fire_part(std::uint32_t timer) {
    if (I > 0 && timer < first_[I]) return false;
    std::get<I>(parts_).fire(timer - first_[I]);
    return true;
  }
  template <class Part>
  static bool settle_part(Part& part) {
    if constexpr (requires { part.settle(); }) return part.settle();
    else return false;
  }

  // In the order in which it came; what parts do about it may be news again. Out of line: most events are no news.
  [[gnu::noinline]] void hand_on() {
    std::uint32_t what = 0;
    const auto tell = [&](News kind, auto&& one) {
      if (++world_.steps_at_moment > world_.patience - LastNews::most) [[unlikely]]
        last_news_.add(world_, {kind, what});
      std::apply([&](auto&... part) { (one(part), ...); }, parts_);
    };
    while (world_.next_written(what))
      tell(News::written, [&](auto& part) {
        if constexpr (requires { part.written(what); }) part.written(what);
      });
    while (world_.next_woken(what))
      tell(News::woken, [&](auto& part) {
        if constexpr (requires { part.woken(what); }) part.woken(what);
      });
    while (world_.next_raised(what))
      tell(News::raised, [&](auto& part) {
        if constexpr (requires { part.heard(what); }) part.heard(what);
      });
    world_.all_told();
  }

  World& world_;
  Flow& flow_;
  std::tuple<Parts&...> parts_;
  LastNews last_news_;
  std::array<std::uint32_t, sizeof...(Parts)> first_;
};

}  // namespace ergode
