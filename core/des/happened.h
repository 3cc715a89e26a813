#pragma once
#include <cstdint>
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

/// Somebody (a customer, a token) passed from one node to another, came into being at a node, or was gone from it. So
/// at every node those who came less those who left are there (RunningPart::present()), once the model is at rest.
struct Moved {
  double time_s = 0.0;     ///< since the beginning of the history; World::tell() sets it
  ElementId edge = {};     ///< along which; null: along none
  ElementId from = {};     ///< null: he came into being
  ElementId to = {};       ///< null: he is gone
  ElementId sort = {};     ///< what he was told apart by before (Present::sort)
  ElementId becomes = {};  ///< and afterwards
  std::uint32_t who = 0;   ///< the same number is the same one, as long as he is there
};

/// Told of what parts do, in the order in which it happens, on the thread of the history; only where somebody watches a
/// single history (World::witness), because texts are made for it.
/// World::witness says who it is; parts of a notation of one's own speak by World::tell(), charts by their own
/// listener.
class Witness {
 public:
  virtual ~Witness() = default;
  virtual void happened(Happened what) = 0;
  virtual void moved(const Moved& what) { static_cast<void>(what); }
};

/// Something that waits for its time, for people: a row of the list beside a model that is stepped through.
struct Waiting {
  double time_s = 0.0;     ///< at which it happens, since the beginning; infinity: when is not known yet
  std::string who, text;   ///< what waits ("EDG[2]"), and for what
  ElementId element = {};  ///< where it is drawn
};

}  // namespace ergode
