#pragma once
#include <optional>

#include "core/drawing/picture.h"
#include "core/results/result_table.h"

namespace ergode {

/// Whether a table tells what has come together up to each time: its first column is `time`, and one or more are
/// amounts so far (labels that end in `_so_far`).
bool is_course(const ResultTable& table);
/// Those amounts over time, as lines: of the unit of the first of them, such as what was spent beside the budget. Rows
/// without a number are left out. 660 x 380; empty where nothing is to be drawn. O(rows x columns).
std::optional<Picture> course_figure(const ResultTable& table);

}  // namespace ergode
