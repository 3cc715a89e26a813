#pragma once
#include <string>

#include "core/base/element_id.h"

namespace ergode {

/// What a part did, for people: a line of a trace.
struct Happened {
  double time_s = 0.0;  ///< since the beginning of the history
  std::string who;      ///< "EDG[2]", "bucket"
  ElementId element;    ///< where it is drawn
  std::string text;     ///< "Up -> Down  rate(lambda)"
};

/// Told of what parts do, in the order in which it happens, on the thread of the history; only where somebody watches a
/// single history (World::witness), because texts are made for it.
/// World::witness says who it is; parts of a notation of one's own speak by World::tell(), charts by their own
/// listener.
class Witness {
 public:
  virtual ~Witness() = default;
  virtual void happened(Happened what) = 0;
};

/// Something that waits for its time, for people: a row of the list beside a model that is stepped through.
struct Waiting {
  double time_s = 0.0;     ///< at which it happens, since the beginning; infinity: when is not known yet
  std::string who, text;   ///< what waits ("EDG[2]"), and for what
  ElementId element = {};  ///< where it is drawn
};

}  // namespace ergode
