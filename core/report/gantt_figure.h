#pragma once
#include <optional>

#include "core/drawing/picture.h"
#include "core/results/result_table.h"

namespace ergode {

/// Whether a table says who was where from when to when: its first column is a lane (host, job), its second who was
/// there, and it has columns `from_s` and `to_s`, or `from_us` and `to_us`; a column
/// `gpus` or `hosts` tells how much of the lane each had, else 1. Where lanes are whole numbers a column `last_host`
/// says up to which one a row goes, and what it had is of all these lanes together.
bool is_gantt(const ResultTable& table);

/// The Gantt chart of such a table, on the screen and in reports alike: a lane above the other in the order in which
/// they first come, numbers by their value; in a lane those who were there together side by side. Each bar has its
/// colour by its name and the name itself where there is room. Of more than `most_lanes` lanes or `most_bars` bars the
/// first are drawn, which the caption says.
/// @returns nothing for other tables, and for one without rows. O(rows log rows + bars of a lane * its width)
std::optional<Picture> gantt_figure(const ResultTable& table);

inline constexpr std::size_t most_gantt_lanes = 40, most_gantt_bars = 3000;

}  // namespace ergode
