#include "solvers/cluster/traces/training_rows.h"

#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/cluster/traces/text_lines.h"

namespace ergode {
namespace {
constexpr std::size_t most_row_problems = 20;
}

void RowProblems::add(std::size_t row, const std::string& seen_and_wanted) {
  if (found_.size() >= most_row_problems) {
    ++untold_;
    return;
  }
  const std::string where = row > 0 ? ", row " + std::to_string(row) : "";
  found_.push_back({.code = "RND011", .message = file_ + where + ": " + seen_and_wanted});
}

Diagnostics RowProblems::take() {
  if (untold_ > 0) found_.back().hint = std::to_string(untold_) + " more are not shown.";
  return std::move(found_);
}

std::optional<std::int64_t> RowProblems::whole(std::size_t row, const char* column, std::string_view cell,
                                               std::int64_t least, std::int64_t most) {
  const auto value = parse_number(cell);
  if (value && *value == std::floor(*value) && *value >= static_cast<double>(least) &&
      *value <= static_cast<double>(most))
    return static_cast<std::int64_t>(*value);
  add(row, std::string(column) + " is '" + quotable(cell) + "'; wanted a whole number from " + std::to_string(least) +
               " to " + std::to_string(most) + ".");
  return std::nullopt;
}

std::optional<double> RowProblems::number(std::size_t row, const char* column, std::string_view cell, double least) {
  const auto value = parse_number(cell);
  if (value && std::isfinite(*value) && *value >= least) return value;
  add(row, std::string(column) + " is '" + quotable(cell) + "'; wanted a number from " + number_text(least) + " on.");
  return std::nullopt;
}

std::vector<TabbedRow> tabbed_rows(std::string_view text) {
  text = without_mark(text);
  std::vector<TabbedRow> out;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string_view one = next_line(text);
    if (!trim(one).empty()) out.push_back({line, split(one, '\t')});
  }
  return out;
}

std::optional<JobTypeName> parse_job_type(std::string_view text) {
  constexpr std::string_view before = " (batch size ";
  text = trim(text);
  const std::size_t at = text.rfind(before);
  if (at == std::string_view::npos && !text.empty() && text.find_first_of("()") == std::string_view::npos)
    return JobTypeName{std::string(text), 1};
  if (at == std::string_view::npos || at == 0 || text.back() != ')') return std::nullopt;
  const std::string_view digits = text.substr(at + before.size(), text.size() - at - before.size() - 1);
  const auto batch = parse_number(digits);
  if (!batch || *batch != std::floor(*batch) || !(*batch >= 1.0 && *batch <= 1e9)) return std::nullopt;
  return JobTypeName{std::string(trim(text.substr(0, at))), static_cast<int>(*batch)};
}

}  // namespace ergode
