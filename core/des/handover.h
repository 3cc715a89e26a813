#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/expression/scope.h"

namespace ergode {

/// Those who leave one part of a model at an element and come to another part at that moment, as something of its own:
/// customers who arrive at a sink become jobs, jobs that are done become customers. Whoever takes them adds this to
/// SlotTable::handovers while it declares; whoever gives them finds it there by its element, checks what is wanted of
/// them when it lowers, and calls World::hand_over() while it runs.
struct Handover {
  /// A number that each of them has by name, and that goes with him.
  struct Wanted {
    std::string name;
    ValueType type;
    std::string property;  ///< of the taker, where it is asked for
  };
  /// Which of those who leave: all who are through, or those who are not let in.
  enum class Whom : std::uint8_t { through, refused };
  ElementId from, to;  ///< who gives them, who takes them
  Whom whom = Whom::through;
  std::vector<Wanted> wanted;  ///< in the order in which values come, behind the time of birth
};

}  // namespace ergode
