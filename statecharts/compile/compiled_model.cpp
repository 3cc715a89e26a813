#include "statecharts/compile/compiled_model.h"

#include <limits>

namespace ergode {

std::vector<Range> CompiledModel::slot_ranges(double horizon_s) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<Range> out(initial_slots.size(), {-infinity, infinity});
  out[World::now_slot] = {0.0, horizon_s};
  for (const CountSlot& slot : count_slots) out[slot.slot] = {0.0, static_cast<double>(slot.count)};
  for (const NamedVariable& variable : variables)
    if (variable.boolean) out[variable.slot] = {0.0, 1.0};
  return out;
}

}  // namespace ergode
