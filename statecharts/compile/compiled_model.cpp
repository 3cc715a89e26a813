#include "statecharts/compile/compiled_model.h"

namespace ergode {

std::vector<Range> CompiledModel::slot_ranges(double horizon_s) const {
  std::vector<Range> out = table->ranges(horizon_s);
  for (const CountSlot& slot : count_slots) out[slot.slot] = {0.0, static_cast<double>(slot.count)};
  return out;
}

}  // namespace ergode
