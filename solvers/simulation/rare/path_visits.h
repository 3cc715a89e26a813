#pragma once
#include <cstdint>
#include <vector>

#include "core/study/tallies.h"
#include "solvers/model/analysis_model.h"

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
      : rows_(model.charts.guards.size()), places_(rows_ + shock_clocks) {}

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

  std::size_t rows_;
  std::vector<Place> places_;
  std::vector<std::size_t> met_;
  bool paused_ = false;
};

/// Length of Tallies::sums that PathVisits::hand_over() wants; every group has at most three kinds of shocks.
inline std::size_t visit_sums(const AnalysisModel& model) {
  return PathVisits::sums_of_place * (model.charts.guards.size() + 3 * model.groups.size());
}

}  // namespace ergode
