#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "solvers/simulation/ccf_runtime.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// The exponential clocks of a history that run at present, for failure biasing: those of transitions, and those of the
/// kinds of common-cause shocks that would find somebody. Their numbers are those of their timers in the world.
///
/// survey() fills the public members; they hold until the next event. Rates that change continuously are no matter:
/// such models are refused. A clock that waits at a rate of zero is not among those that run.
class RunningClocks {
 public:
  struct Clock {
    std::uint32_t number;  ///< of its timer
    double rate;           ///< [1/s], > 0
    bool fails;            ///< a transition with the role failure, or a shock
  };

  /// @param charts, groups  of one history of this model; all must outlive it
  RunningClocks(const AnalysisModel& model, ChartReplication& charts, CcfRuntime& groups)
      : parked(2.0 * model.horizon_s + 1.0),
        model_(model),
        timers_(charts.world().timers),
        charts_(charts),
        groups_(groups) {}

  /// Clocks that are chosen among by hand stand here: later than anything, and still a time.
  /// Two missions and a second from time zero [s].
  const double parked;
  std::vector<Clock> running;                   ///< by number: charts first, then shocks
  std::size_t failures = 0;                     ///< how many of them fail something
  double failure_rate = 0.0, total_rate = 0.0;  ///< [1/s]
  bool repairs = false;                         ///< something is under repair, by a clock of any kind
  bool others = false;                          ///< a clock of another kind goes off within the mission

  /// Looks at what runs. Shocks that would find nobody are set to `parked`; everything else is left as it is. No
  /// allocation once `running` has grown. O(clocks of the model).
  void survey() {
    running.clear();
    failure_rate = total_rate = 0.0, failures = 0;
    repairs = others = false;
    for (std::uint32_t t = 0; t < of_charts(); ++t) {
      if (!charts_.waiting(t)) continue;
      repairs = repairs || role_of(t) == TransitionRole::repair;
      if (model_.charts.timers[t].kind == Trigger::Kind::rate)
        add({t, charts_.rate_in_force(t), role_of(t) == TransitionRole::failure});
      else others = others || charts_.time_of(t) <= model_.horizon_s;
    }
    // What other notations wait for keeps its own law.
    for (std::uint32_t t = groups_.first_timer() + static_cast<std::uint32_t>(groups_.shock_clocks());
         t < timers_.timers(); ++t)
      others = others || timers_.time_of(t) <= model_.horizon_s;
    // A shock that would find nobody changes nothing: it is left out until somebody is exposed again.
    for (std::uint32_t s = 0; s < groups_.shock_clocks(); ++s) {
      const std::uint32_t timer = groups_.first_timer() + s;
      if (groups_.finds_anybody(s)) add({timer, groups_.shock_rate(s), true});
      else if (timers_.time_of(timer) != parked) timers_.schedule(timer, parked);
    }
  }

  /// Numbers below this are clocks of the charts; from CcfRuntime::first_timer() on those of shocks.
  std::uint32_t of_charts() const { return static_cast<std::uint32_t>(model_.charts.timers.size()); }
  /// When the clock goes off [s], also one that is parked.
  double time_of(std::uint32_t clock) const { return timers_.time_of(clock); }
  /// Moves a clock to a time at or after now [s].
  void set_time(std::uint32_t clock, double time_s) { timers_.schedule(clock, time_s); }
  /// Its place among PathVisits: the row of its transition for clocks of the charts, past all rows for shocks. O(1).
  std::size_t place_of(const Clock& c) const {
    return c.number >= of_charts() ? model_.charts.transitions + (c.number - groups_.first_timer())
                                   : model_.charts.timers[c.number].row;
  }
  /// When the first repair ends [s], by a clock of any kind; infinity: none. O(clocks of the charts).
  double next_repair() const {
    double out = std::numeric_limits<double>::infinity();
    for (std::uint32_t t = 0; t < of_charts(); ++t)
      if (charts_.waiting(t) && role_of(t) == TransitionRole::repair) out = std::min(out, charts_.time_of(t));
    return out;
  }

  /// One in proportion to the rates, among all or all that are no failures: what a race of exponential clocks would
  /// choose. O(running). One uniform draw; only after a survey() that found such a clock.
  Clock naturally(RandomStream& stream, bool without_failures) const {
    double left = stream.uniform() * (total_rate - (without_failures ? failure_rate : 0.0));
    Clock last = running.back();
    for (const Clock& c : running) {
      if (without_failures && c.fails) continue;
      last = c;
      if ((left -= c.rate) < 0.0) break;
    }
    return last;
  }
  /// Any of the failures, all equally likely, whatever their rates. O(running). One uniform draw; only where
  /// `failures` > 0.
  Clock equally(RandomStream& stream) const {
    auto place = static_cast<std::size_t>(stream.uniform() * static_cast<double>(failures));
    Clock last = running.back();
    for (const Clock& c : running) {
      if (!c.fails) continue;
      last = c;
      if (place-- == 0) break;
    }
    return last;
  }

 private:
  TransitionRole role_of(std::uint32_t timer) const { return model_.charts.role(model_.charts.timers[timer]); }
  void add(Clock clock) {
    if (!(clock.rate > 0.0)) return;  // it waits for ever: nothing to make likelier
    running.push_back(clock);
    total_rate += clock.rate;
    if (clock.fails) ++failures, failure_rate += clock.rate;
  }

  const AnalysisModel& model_;
  EventQueue& timers_;
  ChartReplication& charts_;
  CcfRuntime& groups_;
};

}  // namespace ergode
