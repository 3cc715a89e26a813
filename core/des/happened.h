#pragma once
#include <string>

#include "core/base/element_id.h"

namespace ergode {

/// What a part did, for people.
struct Happened {
  double time_s = 0.0;
  std::string who;    ///< "EDG[2]", "bucket"
  ElementId element;  ///< where it is drawn
  std::string text;   ///< "Up -> Down  rate(lambda)"
};

/// Told of it; only where somebody watches a single history.
class Witness {
 public:
  virtual ~Witness() = default;
  virtual void happened(Happened what) = 0;
};

/// Something that waits for its time, for people.
struct Waiting {
  double time_s = 0.0;  ///< infinity: when is not known yet
  std::string who, text;
  ElementId element = {};
};

}  // namespace ergode
