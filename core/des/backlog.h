#pragma once
#include <cstdint>
#include <vector>

#include "core/expression/program.h"

namespace ergode {

/// Places of a part where those who come may become ever more without anybody having been able to say so before the
/// run, and what must be as it is in the long run for a trial of the model to tell.
struct UnsettledPlaces {
  struct Place {
    std::uint32_t number = 0;  ///< slot: so many are there (SlotTable::changes_by_set())
    std::uint32_t passed = 0;  ///< stream that observes each who goes on from there
  };
  std::vector<Place> places;
  /// Slots of the numbers at all places of the part, of which together there may be too many for a trial.
  std::vector<std::uint32_t> numbers;
  /// So many at most can come there from elsewhere in the part, whatever happens.
  double inside_already = 0.0;
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
};

/// That a place got ever more in a trial.
struct SeenToGrow {
  std::size_t place = 0;  ///< number among UnsettledPlaces::places
  double times = 0.0;     ///< who came over who went on, > 1; infinity: nobody went on
  double length_s = 0.0;  ///< of the trial
};

}  // namespace ergode
