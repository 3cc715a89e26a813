// The standard workload format.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/file_access.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/cluster/traces/text_lines.h"
#include "solvers/cluster/traces/trace_rows.h"

namespace ergode {
namespace {

constexpr std::size_t swf_columns = 18;
constexpr double most_hosts = 1e9;

void read_swf_comment(std::string_view line, JobTrace& trace) {
  constexpr std::string_view word = "UnixStartTime:";
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return;
  // Of a moment beyond all calendars nothing is known.
  const auto zero_s = parse_number(line.substr(at + word.size()));
  if (zero_s && std::fabs(*zero_s) <= JobTrace::end_of_calendar_s) trace.zero_s = *zero_s;
}

/// The numbers of a row; a sentence about the first cell that is none.
std::string read_swf_cells(std::string_view line, std::array<double, swf_columns>& into) {
  std::size_t count = 0;
  for (; !(line = trim(line)).empty(); ++count) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view cell = line.substr(0, end);
    line.remove_prefix(end);
    const auto number = parse_number(cell);
    if (!number || !std::isfinite(*number))
      return "column " + std::to_string(count + 1) + " is '" + quotable(excerpt(cell)) + "', wanted a finite number";
    if (count < swf_columns) into[count] = *number;
  }
  if (count == swf_columns) return {};
  return std::to_string(count) + " numbers, wanted " + std::to_string(swf_columns);
}

std::string wrong_number(const char* what, double value, const char* wanted) {
  return std::string(what) + " is " + number_text(value) + ", wanted " + wanted;
}

void read_swf_row(std::uint32_t row, std::string_view line, TraceRows& out) {
  std::array<double, swf_columns> cells{};
  ++out.trace().seen;
  if (const std::string why = read_swf_cells(line, cells); !why.empty()) return out.problem(row, why);
  const double number = cells[0], submit_s = cells[1], wait_s = cells[2], run_s = cells[3],
               hosts = cells[7] > 0.0 ? cells[7] : cells[4], limit_s = cells[8];
  if (submit_s < 0.0) return out.problem(row, wrong_number("the submission (column 2)", submit_s, "0 s or more"));
  if (wait_s < 0.0 && wait_s != -1.0)
    return out.problem(row, wrong_number("the wait (column 3)", wait_s, "0 s or more, or -1 where it is unknown"));
  constexpr double unknown = -1.0, cancelled = 5.0;
  if (run_s == unknown || hosts == unknown || (hosts == 0.0 && cells[10] == cancelled)) {
    ++out.trace().not_run;
    return;
  }
  if (run_s < 0.0) return out.problem(row, wrong_number("the run time (column 4)", run_s, "0 s or more"));
  if (!(hosts >= 1.0 && hosts <= most_hosts && hosts == std::floor(hosts)))
    return out.problem(row, wrong_number("the number of processors (columns 8 and 5)", hosts, "a whole number from 1"));
  if (!(limit_s > 0.0) && limit_s != -1.0)
    return out.problem(row,
                       wrong_number("the requested time (column 9)", limit_s, "above 0 s, or -1 where there is none"));
  out.add(row, number_text(number),
          {.submit_s = submit_s,
           .run_s = run_s,
           .limit_s = limit_s > 0.0 ? limit_s : std::numeric_limits<double>::infinity(),
           .hosts = static_cast<std::uint32_t>(hosts)},
          wait_s >= 0.0 ? wait_s : std::numeric_limits<double>::quiet_NaN(), true,
          cells[11] >= 0.0 ? number_text(cells[11]) : std::string());
}

}  // namespace

JobTraceOr read_swf(std::string_view text, const std::string& file, std::size_t most) {
  if (const auto fault = nul_fault(text)) return file + ", " + *fault;
  text = without_mark(text);
  TraceRows out(file, most);
  std::uint32_t row = 0;
  while (!text.empty()) {
    const std::string_view line = trim(next_line(text));
    if (line.empty()) continue;
    ++row;
    if (line.front() == ';') read_swf_comment(line, out.trace());
    else read_swf_row(row, line, out);
  }
  if (out.trace().seen == 0) return file + " has no rows of jobs, wanted 18 numbers for each";
  return std::move(out.trace());
}

}  // namespace ergode
