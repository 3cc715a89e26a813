#pragma once
#include <cstdint>
#include <span>

#include "core/des/slot_table.h"
#include "core/expression/syntax.h"

namespace ergode {

/// Whether an expression names a thing whose values are known when a replication begins
/// (SlotTable::Declared::known_at_start).
bool reads_known_at_start(const SlotTable& table, const Syntax& syntax);
/// Whether all of these are slots of such things. O(slots of the table).
bool all_known_at_start(const SlotTable& table, std::span<const std::uint32_t> slots);

}  // namespace ergode
