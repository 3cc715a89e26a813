#pragma once
#include <cstdint>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/expression/program.h"

namespace ergode {

/// Places of a part where those who come may become ever more without anybody having been able to say so before the
/// run, and what must be as it is in the long run for a trial of the model to tell.
struct UnsettledPlaces {
  struct Place {
    std::uint32_t number = 0;  ///< slot: so many are there (SlotTable::changes_by_set())
    std::uint32_t passed = 0;  ///< stream that observes each who goes on from there
    /// So many may be there without anybody having to wait, or have been in the part all the time.
    double harmless = 0.0;
    /// By class: seconds of work of each; empty: all alike, or not known.
    std::vector<double> work_s = {};
    std::uint32_t of_class = 0;  ///< where there are some: slot of the number of the first class, the others follow
  };
  std::vector<Place> places;
  /// Slots of the numbers at all places of the part, of which together there may be too many for a trial.
  std::vector<std::uint32_t> numbers;
  /// What lasts so long in the mean must have been seen many times.
  double longest_s = 0.0;
  /// A number of those who came from outside, and by how many it rises in the long run [1/s].
  struct Source {
    std::uint32_t come = 0;  ///< slot (SlotTable::changes_by_set())
    double per_s = 0.0;
  };
  std::vector<Source> sources;
  /// What decides how many come or go on.
  struct Followed {
    Program program;
    double mean = 0.0;  ///< over time in the long run; NaN: it is not known
  };
  std::vector<Followed> followed;
  /// To be said where a trial does not tell: what may be too much.
  Diagnostics otherwise;
};

/// That a place got ever more in a trial.
struct SeenToGrow {
  std::size_t place = 0;  ///< number among UnsettledPlaces::places
  double times = 0.0;     ///< what came over what went on, > 1
  double length_s = 0.0;  ///< of the trial
};

}  // namespace ergode
