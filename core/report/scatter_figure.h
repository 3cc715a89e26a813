#pragma once
#include <optional>

#include "core/drawing/picture.h"
#include "core/results/result_table.h"

namespace ergode {

/// Of more rows the first are drawn, which is said below; as many points of the front carry their names at most.
inline constexpr std::size_t most_scatter_points = 5000, most_scatter_names = 40;

/// The rows of a table as points (ResultTable::scatter): those on the front filled, joined where they rise or fall all
/// along, and called by their names where there is room, the others hollow. An axis on which all values are positive
/// and the greatest is more than 30 times the least is logarithmic. Rows in which x or y is no finite number are left
/// out and counted below.
/// @returns nothing for other tables, for columns that are not there, and without points. O(points log points + names²)
std::optional<Picture> scatter_figure(const ResultTable& table);

}  // namespace ergode
