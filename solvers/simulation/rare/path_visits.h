#pragma once
#include <cstdint>
#include <vector>

#include "core/study/tallies.h"
#include "solvers/model/analysis_model.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// What weighted paths met and what they took of it: for each branch of a choice, each clock with a rate and each kind
/// of shock, how often it is taken in a replication of the model, by its probability or rate (the sum of weight times
/// probability, or of weight times rate times time), and what was taken of it in fact: the weight of the paths that
/// took it, which has the same mean, and their number. A place that is expected and was hardly ever taken, or with far
/// too little weight, is a way to the event of which the estimate knows nothing or only a small part.
///
/// Places: transitions by row (CompiledModel), then shock clocks by number.
class PathVisits {
 public:
  explicit PathVisits(const AnalysisModel& model, std::size_t shock_clocks)
      : rows_(model.charts.guards.size()), places_(rows_ + shock_clocks), drawn_(model.charts.timers.size(), -1.0) {
    for (std::uint32_t t = 0; t < model.charts.timers.size(); ++t) {
      const TimerSpec& timer = model.charts.timers[t];
      if (timer.kind == Trigger::Kind::after && timer.random && !timer.resume && timer.distribution >= 0)
        delays_.push_back({t, timer.row, &model.charts.distributions[static_cast<std::size_t>(timer.distribution)]});
    }
  }

  std::size_t shock(std::size_t clock) const { return rows_ + clock; }
  void expect(std::size_t place, double mass) {
    if (paused_) return;
    note(place).expected += mass;
  }
  void take(std::size_t place, double weight) {
    if (paused_) return;
    Place& p = note(place);
    p.taken += weight, p.times += 1.0;
  }
  /// Random delays that were drawn since the last look: each is expected to end within what is left of the mission with
  /// the probability of its law, and taken when the one drawn does. Called after every event, before any other.
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
  void clear() {
    for (const std::size_t place : met_) places_[place] = {};
    met_.clear();
  }
  /// Adds everything to Tallies::sums and clears it: weight expected, weight taken and times taken of each place.
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
    double expected = 0.0, taken = 0.0, times = 0.0;
    bool met = false;
  };
  Place& note(std::size_t place) {
    Place& p = places_[place];
    if (!p.met) met_.push_back(place), p.met = true;
    return p;
  }

  struct Delay {
    std::uint32_t timer;
    std::uint32_t row;
    const Distribution* law;
  };
  std::size_t rows_;
  std::vector<Place> places_;
  std::vector<std::size_t> met_;
  std::vector<Delay> delays_;
  std::vector<double> drawn_;  ///< by timer: when the delay ends that was seen last; -1: none waits
  bool paused_ = false;
};

/// Length of Tallies::sums that PathVisits::hand_over() wants; every group has at most three kinds of shocks.
inline std::size_t visit_sums(const AnalysisModel& model) {
  return PathVisits::sums_of_place * (model.charts.guards.size() + 3 * model.groups.size());
}

}  // namespace ergode
