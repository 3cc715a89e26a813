#pragma once
#include <optional>

#include "core/drawing/picture.h"
#include "core/results/result_table.h"

namespace ergode {

constexpr std::size_t most_compared_measures = 12;  ///< that one figure has

/// Whether a table compares choices with the first one: columns measure, unit, a name, mean, difference, then the ends
/// of its interval; the first choice of each measure comes first, with a word (an empty one) for its difference.
bool is_comparison(const ResultTable& table);

/// Its differences as points with their intervals, a block for each measure with an axis of its own and a line at 0,
/// where there is no difference; a row for each choice but the first. Intervals that contain 0 are drawn hollow. Rows
/// without a difference are left out, measures beyond the limit are counted below.
/// 660 wide, as high as it must be; empty where nothing is to be drawn. O(rows).
std::optional<Picture> difference_figure(const ResultTable& table);

/// What a table is drawn as beside its rows: a Gantt chart (gantt_figure.h), points (scatter_figure.h),
/// amounts over time (course_figure.h), differences, or not at all.
std::optional<Picture> table_figure(const ResultTable& table);

}  // namespace ergode
