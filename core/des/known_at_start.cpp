#include "core/des/known_at_start.h"

#include <algorithm>
#include <set>

namespace ergode {

bool reads_known_at_start(const SlotTable& table, const Syntax& syntax) {
  bool any = false;
  walk(syntax, [&](const Syntax& s) {
    if (s.kind != Syntax::Kind::path || s.segments.size() < 2) return;
    const SlotTable::Declared* const thing = table.declared(s.segments.front().word);
    any = any || (thing != nullptr && thing->known_at_start);
  });
  return any;
}

bool all_known_at_start(const SlotTable& table, std::span<const std::uint32_t> slots) {
  std::set<ElementId> things;
  for (const auto& [name, thing] : table.things())
    if (thing.known_at_start) things.insert(thing.element);
  std::set<std::uint32_t> known;
  for (const NamedSlot& one : table.named())
    if (things.contains(one.element)) known.insert(one.slot);
  return std::all_of(slots.begin(), slots.end(), [&](std::uint32_t slot) { return known.contains(slot); });
}

}  // namespace ergode
