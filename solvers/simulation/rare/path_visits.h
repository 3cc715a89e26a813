#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/study/tallies.h"
#include "solvers/model/analysis_model.h"
#include "solvers/simulation/rare/scheduled_times.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// Where PathVisits keeps what: the numbers of its places. From 0 on, a place for each transition of each component
/// (CompiledModel::transitions), then three for each common-cause group; where failures can be near a known moment,
/// next `2 * decades` for each clock of failures, then as many for each kind of moment (ScheduledTimes). Within those
/// come the decades before the moment, nearest first, then those after it. Fixed by the model alone, so tallies of all
/// threads agree.
class VisitPlaces {
 public:
  static constexpr int decades = 6;
  /// O(clocks + transitions of all components).
  explicit VisitPlaces(const AnalysisModel& model)
      : times_(model), clocks_(model.charts.transitions + 3 * model.groups.size()), failing_(clocks_, none) {
    for (const TimerSpec& timer : model.charts.timers)
      if (timer.kind == Trigger::Kind::rate && model.charts.role(timer) == TransitionRole::failure)
        failing_[timer.row] = 0;
    // Every group has at most three kinds of shocks.
    for (std::size_t place = model.charts.transitions; place < clocks_; ++place) failing_[place] = 0;
    for (std::size_t& number : failing_)
      if (number != none) number = failures_++;
  }

  /// Failures can be near a known moment.
  bool near() const { return times_.any() && failures_ > 0; }
  /// How many places there are.
  std::size_t count() const { return near() ? kinds() + sides * times_.kinds() : clocks_; }
  /// Decade `i` holds distances from edge(i) to edge(i + 1) [s]; edge(decades) is the reach of ScheduledTimes, and the
  /// first decade begins at zero.
  double edge(int i) const { return i == 0 ? 0.0 : times_.reach_s() * std::pow(10.0, i - decades); }
  /// Only where near().
  /// @param clock  its place: a clock of failures. Other clocks have no decades.
  std::size_t of_clock(std::size_t clock, bool before, int decade) const {
    return clocks_ + sides * failing_[clock] + side(before, decade);
  }
  /// All failures together, of a kind of moment below ScheduledTimes::kinds().
  std::size_t of_kind(std::size_t kind, bool before, int decade) const {
    return kinds() + sides * kind + side(before, decade);
  }

  /// @name What a place is
  /// @{
  /// Places below this are transitions and shock clocks.
  std::size_t clocks() const { return clocks_; }
  /// Places from clocks() up to this are decades of one clock, those from here on decades of one kind of moment.
  std::size_t kinds() const { return clocks_ + sides * failures_; }
  /// Of a place from clocks() on: whether its distances lie before the moment.
  bool is_before(std::size_t place) const { return (place - clocks_) % sides < decades; }
  int decade_of(std::size_t place) const { return static_cast<int>((place - clocks_) % decades); }
  /// Of a place from kinds() on.
  std::size_t kind_of(std::size_t place) const { return (place - kinds()) / sides; }
  /// The clock of failures of a place between clocks() and kinds(). O(clocks), for reports.
  std::size_t clock_of(std::size_t place) const {
    const auto found = std::find(failing_.begin(), failing_.end(), (place - clocks_) / sides);
    return static_cast<std::size_t>(found - failing_.begin());
  }
  const ScheduledTimes& times() const { return times_; }
  /// @}

 private:
  static constexpr std::size_t sides = 2 * decades, none = ~std::size_t{0};
  static std::size_t side(bool before, int decade) {
    return static_cast<std::size_t>(before ? decade : decades + decade);
  }
  ScheduledTimes times_;
  std::size_t clocks_, failures_ = 0;
  std::vector<std::size_t> failing_;  ///< by clock: number among those of failures
};

/// What weighted paths met and what they took of it: for each branch of a choice, each clock with a rate and each kind
/// of shock, how often it is taken in a replication of the model, by its probability or rate (the sum of weight times
/// probability, or of weight times rate times time), and what was taken of it in fact: the weight of the paths that
/// took it, which has the same mean, and their number. A place that is expected and was hardly ever taken, or with far
/// too little weight, is a way to the event of which the estimate knows nothing or only a small part.
///
/// Failures near moments that are known in advance (ScheduledTimes) are looked at by decades of their distance, before
/// and after: those of each clock of failures, whatever the moment, and all of them together, for each kind of moment.
///
/// Places (VisitPlaces): transitions by row (CompiledModel), then shock clocks by number; then the decades of each of
/// these clocks, then those of each kind of moment.
///
/// One per thread. Masses are sums over the paths of a replication of weight times a number of events, so the mean over
/// replications is what one replication of the model expects. Between two hand_over() only places that were met cost
/// anything.
class PathVisits {
 public:
  /// @param model  its distributions are referred to: it must outlive this
  explicit PathVisits(const AnalysisModel& model)
      : at_(model), rows_(model.charts.transitions), places_(at_.count()), drawn_(model.charts.timers.size(), -1.0) {
    for (std::uint32_t t = 0; t < model.charts.timers.size(); ++t) {
      const TimerSpec& timer = model.charts.timers[t];
      if (timer.kind == Trigger::Kind::after && timer.random && !timer.resume && timer.distribution >= 0)
        delays_.push_back({t, timer.row, &model.charts.distributions[static_cast<std::size_t>(timer.distribution)]});
    }
  }

  /// The place of a shock clock (CcfRuntime).
  std::size_t shock(std::size_t clock) const { return rows_ + clock; }
  /// `mass` more is expected: weight times probability, or weight times rate times time.
  void expect(std::size_t place, double mass) {
    if (paused_) return;
    note(place).expected += mass;
  }
  /// It was taken, once, by a path of this weight.
  void take(std::size_t place, double weight) {
    if (paused_) return;
    Place& p = note(place);
    p.taken += weight, p.times += 1.0;
  }
  /// Clocks of failures (place of the clock, rate [1/s]) run for `time_s` from now on; nothing where near() is false.
  /// The weight within a decade is taken as that in its middle. O(decades * clocks).
  /// @param times     says of which kind the two moments are
  /// @param ahead_s   how far the next known moment is [s]; infinity: none
  /// @param behind_s  likewise the last
  /// @param weight    weight of the path by the time from now [s]
  template <class Clocks, class Weight>
  void expect_near(const ScheduledTimes& times, double ahead_s, double behind_s, double time_s, const Clocks& clocks,
                   const Weight& weight) {
    if (paused_ || !at_.near()) return;
    const auto decades = [&](std::size_t kind, bool before, double from, double to) {
      for (int i = 0; i < VisitPlaces::decades; ++i) {
        const double low = std::max(std::min(from, to), at_.edge(i));
        const double high = std::min(std::max(from, to), at_.edge(i + 1));
        if (!(high > low)) continue;
        const double mass = weight(std::abs(0.5 * (low + high) - from)) * (high - low);
        for (const auto& [place, rate] : clocks) {
          expect(at_.of_clock(place, before, i), mass * rate);
          expect(at_.of_kind(kind, before, i), mass * rate);
        }
      }
    };
    if (std::isfinite(ahead_s)) decades(times.kind(), true, ahead_s, ahead_s - time_s);
    if (std::isfinite(behind_s)) decades(times.last_kind(), false, behind_s, behind_s + time_s);
  }
  /// A clock of failures went off, at these distances from the next known moment and from the last [s]; infinity: none.
  void take_near(const ScheduledTimes& times, double ahead_s, double behind_s, std::size_t clock, double weight) {
    if (paused_ || !at_.near()) return;
    const auto decade = [&](std::size_t kind, bool before, double distance) {
      for (int i = 0; i < VisitPlaces::decades; ++i)
        if (distance >= at_.edge(i) && distance < at_.edge(i + 1)) {
          take(at_.of_clock(clock, before, i), weight);
          take(at_.of_kind(kind, before, i), weight);
        }
    };
    if (std::isfinite(ahead_s)) decade(times.kind(), true, ahead_s);
    if (std::isfinite(behind_s)) decade(times.last_kind(), false, behind_s);
  }
  /// Random delays that were drawn since the last look: each is expected to end within what is left of the mission with
  /// the probability of its law, and taken when the one drawn does. Called after every event, before any other. A delay
  /// drawn anew is known by its time, so one that comes out at the very time of the last is missed. O(random delays).
  /// @param end_s  mission time [s]
  void look_at_delays(const ChartReplication& charts, double end_s, double weight) {
    for (const Delay& delay : delays_) {
      double& known = drawn_[delay.timer];
      const double time = charts.waiting(delay.timer) ? charts.time_of(delay.timer) : -1.0;
      if (time == known) continue;
      known = time;
      if (time < 0.0) continue;
      expect(delay.row, weight * delay.law->cdf(end_s - charts.now()));
      if (time <= end_s) take(delay.row, weight);
    }
  }
  /// A path begins, or goes on: what waits now was drawn by another.
  void forget_delays(const ChartReplication& charts) {
    for (const Delay& delay : delays_)
      drawn_[delay.timer] = charts.waiting(delay.timer) ? charts.time_of(delay.timer) : -1.0;
  }
  /// At the beginning of the mission: whatever waits was drawn there.
  void no_delays() {
    for (const Delay& delay : delays_) drawn_[delay.timer] = -1.0;
  }
  /// Nothing is counted while paused.
  void pause(bool paused) { paused_ = paused; }
  /// Forgets what was met since the last hand_over(), as of a replication that was given up.
  void clear() {
    for (const std::size_t place : met_) places_[place] = {};
    met_.clear();
  }
  /// Adds everything to Tallies::sums and clears it: weight expected, weight taken and times taken of each place, three
  /// numbers from 3 * place on. O(places met).
  static constexpr std::size_t sums_of_place = 3;
  void hand_over(Tallies& into) {
    for (const std::size_t place : met_) {
      into.sums[sums_of_place * place] += places_[place].expected;
      into.sums[sums_of_place * place + 1] += places_[place].taken;
      into.sums[sums_of_place * place + 2] += places_[place].times;
    }
    clear();
  }

 private:
  struct Place {
    double expected = 0.0, taken = 0.0, times = 0.0;  ///< masses, and number of paths' events
    bool met = false;                                 ///< stands in met_
  };
  Place& note(std::size_t place) {
    Place& p = places_[place];
    if (!p.met) met_.push_back(place), p.met = true;
    return p;
  }

  struct Delay {
    std::uint32_t timer;  ///< number of the clock
    std::uint32_t row;    ///< its place
    const Distribution* law;
  };
  VisitPlaces at_;
  std::size_t rows_;  ///< places of transitions
  std::vector<Place> places_;
  std::vector<std::size_t> met_;  ///< places that differ from zero
  std::vector<Delay> delays_;
  std::vector<double> drawn_;  ///< by timer: when the delay ends that was seen last; -1: none waits
  bool paused_ = false;
};

/// Length of Tallies::sums that PathVisits::hand_over() wants.
inline std::size_t visit_sums(const AnalysisModel& model) {
  return PathVisits::sums_of_place * VisitPlaces(model).count();
}

}  // namespace ergode
