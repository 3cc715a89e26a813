#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/results/result_set.h"

namespace ergode {

/// The measures as CSV (RFC 4180, UTF-8, LF): one row each, a column for each part of the split, the unit beside
/// the values, and last the exact value of the run's company, its solver and whether it is inside the interval. Numbers
/// are the shortest text that reads back as the same double; an absent number is an empty cell.
std::string measures_csv(const ResultSet& results);

/// The quantiles and variances of what measures observed, with their intervals: measure, solver, quantity, level,
/// value, lower, upper, unit; a row each. The header alone where no measure has any.
std::string distributions_csv(const ResultSet& results);

/// All series in long form: measure, kind, solver, x, x_unit, y, y_unit, lower, upper; a row per point. O(points).
std::string series_csv(const ResultSet& results);

/// One series as columns whose header carries the unit: "Time [h]", "Core damage [1]", "lower [1]", "upper [1]".
/// A row per point; cells of an absent band are empty.
std::string series_csv(const Series& series);

/// A table as columns whose header carries the unit: "Time [h]"; a row per row, numbers that do not exist as empty
/// cells.
std::string table_csv(const ResultTable& table);
/// So many of its texts get an apostrophe there, because a spreadsheet would take them for formulas (csv_cell()).
/// O(cells)
std::size_t guarded_cells(const ResultTable& table);

/// Writes the measures to `path`, quantiles and variances (when there are any) to `path` with ".distributions" before
/// its ending, the series with ".series", each table with ".NAME" there, and beside each file FILE.meta.json with the
/// provenance and what each column means. Each file is replaced atomically; files that were there before are replaced
/// unasked.
/// @returns nothing, or the first error (RES001); what was written before it stays.
std::optional<Diagnostic> export_csv(const ResultSet& results, const std::string& path);

/// The files that export_csv() writes, in its order; whether they exist plays no part.
std::vector<std::string> csv_files(const ResultSet& results, const std::string& path);

}  // namespace ergode
