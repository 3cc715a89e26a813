#pragma once
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/value.h"
#include "core/results/result_set.h"

namespace ergode {

/// The result set as one JSON document, keys in a fixed order:
/// `{"format": "ergode-results", "schema": 1, "run": {... , "made": {...}}, "measures": [...], "series": [...],
/// "tables": [...], "split": {...}, "diagnostics": [...], "company": [<such documents>], "declined": [{"solver",
/// "reasons", "fits"}]}`; tables, split, company and declined are absent where there are none. Numbers that do not
/// exist (no estimate, an unbounded end) are null. What differs between two equal runs stands in run.made and
/// run.run_id, nowhere else (in a company: in those of each).
Value to_json(const ResultSet& results);
/// The same as text in one line, bytes that are not UTF-8 replaced; rows of tables are never together in a document, so
/// that it takes little memory beside the results and the text.
std::string results_text(const ResultSet& results);
/// The same document without rows in its tables, for whoever adds members and then writes it with write_lines().
Value to_json_without_rows(const ResultSet& results);
/// Writes a document that to_json_without_rows() began, every member and every row in a line of its own, with the rows
/// of `results`; bytes that are not UTF-8 replaced. Takes little memory beside both. No line end at the end.
void write_lines(std::ostream& out, const Value& document, const ResultSet& results);
/// The `run` object alone: provenance, status and counts, with `made`. Seeds and fingerprints beyond 2^53 are exact.
Value run_to_json(const ResultSet& results);
/// As in `diagnostics`: severity, code, message, and what else it has.
Value to_json(const Diagnostic& diagnostic);

/// Version of the document that to_json() writes; from_json() refuses newer ones.
inline constexpr int results_schema = 1;

/// Reads what to_json() wrote; from_json(to_json(r)) equals r but for infinities, which come back as NaN. Unknown keys
/// are ignored, missing ones keep their defaults except run.run_id, measures and each measure's id.
/// @returns nothing when `problems` received an error (RES002, with the JSON pointer, value seen and value wanted).
/// O(size).
std::optional<ResultSet> from_json(const Value& document, Diagnostics& problems);
/// The same from text; text that is no JSON is RES002 too. Never throws.
std::optional<ResultSet> parse_results(std::string_view text, Diagnostics& problems);

}  // namespace ergode
