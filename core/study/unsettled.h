#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/study/tallies.h"

namespace ergode {

/// Which measures of long runs cannot be trusted: one warning (RUN033) for all of which the same is to be said, where
/// the first of them stands.
class UnsettledMeasures {
 public:
  /// Adds to `out`, or to a warning of this object that is there, if what was tallied is no long run to be trusted;
  /// all calls get the same list, which only grows meanwhile. O(parts of runs). @returns whether it did
  bool look(const MeasureTally& tally, const MeasureSpec& spec, double confidence, Diagnostics& out);

 private:
  struct Group {
    std::size_t at;  ///< in the list
    std::string names, of_one, of_several;
  };
  std::vector<Group> groups_;
};

}  // namespace ergode
