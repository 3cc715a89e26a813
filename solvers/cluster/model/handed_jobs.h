#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/element_id.h"

namespace ergode {

/// Jobs that are customers of a queueing network before: they come when these arrive at a sink, and have what these
/// bring by name.
struct HandedJobs {
  static constexpr std::uint32_t none = ~0U;
  std::uint32_t handover = none;                         ///< place in SlotTable::handovers; none: jobs come otherwise
  std::uint32_t time_in_system = none;                   ///< stream of observations: since the customer was born
  std::array<std::int32_t, 4> place = {-1, -1, -1, -1};  ///< by word of the stream: among what is brought; -1: drawn
  std::size_t values = 0;                                ///< that are brought

  bool any() const { return handover != none; }
  /// Whether customers bring this word; else it is drawn.
  bool brings(std::size_t word) const { return place[word] >= 0; }
  /// How many numbers are handed over for each job: when the customer was born is the first.
  std::size_t width() const { return 1 + values; }
  /// What a customer brings of a word; null where it is drawn.
  const double* of(const double* row, std::size_t word) const {
    return row == nullptr || place[word] < 0 ? nullptr : row + 1 + place[word];
  }
};

/// Jobs that become customers of a queueing network when they are done, or when they want more than there is.
struct HandedOn {
  struct Way {
    std::uint32_t handover = HandedJobs::none;  ///< place in SlotTable::handovers; none: they leave the model
    std::vector<std::uint32_t> words;           ///< what goes with them: places among what these jobs have
  };
  Way done, rejected;

  bool any() const { return done.handover != HandedJobs::none || rejected.handover != HandedJobs::none; }
};

/// A number that a customer brings; ModelFailure RUN002 where it is not at least `least`, or not finite.
double checked_of_customer(double value, double least, const char* word, ElementId stream, const std::string& name);

}  // namespace ergode
