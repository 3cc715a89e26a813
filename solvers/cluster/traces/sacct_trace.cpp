// Accounts of Slurm: cells between bars, commas or blanks.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include "core/base/csv.h"
#include "core/base/file_access.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/cluster/traces/text_lines.h"
#include "solvers/cluster/traces/trace_rows.h"

namespace ergode {
namespace {

using SacctRows = std::vector<std::vector<std::string>>;

std::vector<std::string> cells_between_blanks(std::string_view line) {
  std::vector<std::string> out;
  while (!(line = trim(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    out.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return out;
}

bool is_rule(std::string_view line) {
  return !trim(line).empty() && line.find_first_not_of("- \t") == std::string_view::npos;
}

/// A row of dashes is one without cells, so that rows below it keep their number.
std::variant<SacctRows, std::string> sacct_cells(std::string_view text) {
  std::string_view rest = text;
  std::string_view header;
  while (!rest.empty() && trim(header).empty()) header = next_line(rest);
  const bool bars = header.find('|') != std::string_view::npos;
  if (!bars && header.find(',') != std::string_view::npos) return parse_csv(text);
  SacctRows out;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (trim(line).empty()) continue;
    if (is_rule(line)) out.emplace_back();
    else out.push_back(bars ? split(line, '|') : cells_between_blanks(line));
  }
  return out;
}

/// Digits alone, all of them.
std::optional<int> whole(std::string_view text) {
  int out = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || text.front() == '-' || fault != std::errc() || end != text.data() + text.size()) return {};
  return out;
}

/// 2023-02-27T01:16:44, in s since 1970.
std::optional<double> moment(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd";
  if (text.size() != form.size()) return {};
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return {};
  const auto at = [&](std::size_t begin, std::size_t length) { return *whole(text.substr(begin, length)); };
  using namespace std::chrono;
  const year_month_day date(year(at(0, 4)), month(static_cast<unsigned>(at(5, 2))),
                            day(static_cast<unsigned>(at(8, 2))));
  const int hour = at(11, 2), minute = at(14, 2), second = at(17, 2);
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return {};
  return static_cast<double>(sys_days(date).time_since_epoch().count()) * 86400.0 + hour * 3600.0 + minute * 60.0 +
         second;
}

/// [days-]hours:minutes:seconds, in s.
std::optional<double> length(std::string_view text) {
  int days = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto found = whole(text.substr(0, dash));
    if (!found) return {};
    days = *found, text.remove_prefix(dash + 1);
  }
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 3) return {};
  const auto hours = whole(parts[0]), minutes = whole(parts[1]), seconds = whole(parts[2]);
  if (!hours || !minutes || !seconds || *minutes > 59 || *seconds > 59) return {};
  return days * 86400.0 + *hours * 3600.0 + *minutes * 60.0 + *seconds;
}

constexpr std::size_t no_column = ~std::size_t{0};

class SacctReader {
 public:
  SacctReader(const SacctRows& rows, const std::string& file, std::size_t most) : rows_(rows), out_(file, most) {}

  JobTraceOr read() {
    if (std::string why = columns(); !why.empty()) return why;
    for (std::size_t r = 1; r < rows_.size(); ++r)
      if (!rows_[r].empty()) row(static_cast<std::uint32_t>(r + 1), rows_[r]);
    return std::move(out_.trace());
  }

 private:
  std::size_t column(std::string_view name) {
    const HeaderColumn found = header_column(rows_[0], {name});
    if (twice_.empty()) twice_ = found.twice;
    return found.place < rows_[0].size() ? found.place : no_column;
  }
  std::string columns() {
    for (auto [at, name] :
         {std::pair(&id_, "JobID"), {&submit_, "Submit"}, {&start_, "Start"}, {&end_, "End"}, {&hosts_, "NNodes"}})
      if ((*at = column(name)) == no_column) return missing(name);
    for (const char* name : {"TimelimitR_min", "TimelimitRaw", "TimelimitR", "Timelimit"})
      if (limit_ == no_column) limit_ = column(name), limit_name_ = name;
    if (limit_ == no_column) return missing("TimelimitRaw");
    user_ = column("User");
    if (!twice_.empty()) return out_.file() + ", row 1: " + twice_;
    in_minutes_ = std::string_view(limit_name_) != "Timelimit";
    return {};
  }
  std::string missing(const char* name) const {
    std::string seen;
    for (const std::string& one : rows_[0]) seen += (seen.empty() ? "" : ", ") + std::string(trim(one));
    constexpr std::size_t most_letters = 120;
    return out_.file() + " has no column '" + name +
           "'; wanted JobID, Submit, Start, End, TimelimitRaw and NNodes, there are " +
           quotable(seen.substr(0, most_letters));
  }
  void wrong(std::uint32_t row, const char* column, const std::string& cell, const char* wanted) {
    out_.problem(row, std::string(column) + " is '" + quotable(excerpt(cell)) + "', wanted " + wanted);
  }

  void row(std::uint32_t number, const std::vector<std::string>& cells) {
    JobTrace& trace = out_.trace();
    ++trace.seen;
    if (cells.size() != rows_[0].size())
      return out_.problem(number, std::to_string(cells.size()) + " cells, wanted " + std::to_string(rows_[0].size()) +
                                      " as in the header");
    const std::string id(trim(cells[id_]));
    if (id.empty()) return wrong(number, "JobID", id, "an identifier");
    if (id.find('.') != std::string::npos) {
      ++trace.steps;
      return;
    }
    if (has_not_been(cells[start_]) || has_not_been(cells[end_])) {
      ++trace.not_run;
      return;
    }
    const auto submit = time(number, "Submit", cells[submit_]), start = time(number, "Start", cells[start_]),
               end = time(number, "End", cells[end_]);
    if (!submit || !start || !end) return;
    if (*start < *submit) return wrong(number, "Start", cells[start_], "a time not before Submit");
    if (*end < *start) return wrong(number, "End", cells[end_], "a time not before Start");
    const bool endless = trim(cells[limit_]) == "UNLIMITED";
    const auto limit = endless       ? std::optional(std::numeric_limits<double>::infinity())
                       : in_minutes_ ? minutes(cells[limit_])
                                     : length(trim(cells[limit_]));
    if (!limit || !(*limit > 0.0))
      return wrong(number, limit_name_, cells[limit_],
                   in_minutes_ ? "minutes above 0 or UNLIMITED" : "[days-]hours:minutes:seconds above 0 or UNLIMITED");
    const auto hosts = whole(trim(cells[hosts_]));
    if (!hosts || *hosts < 1) return wrong(number, "NNodes", cells[hosts_], "a whole number from 1");
    constexpr double day_s = 86400.0;
    if (!trace.calendar()) trace.zero_s = day_s * std::floor(*submit / day_s);
    out_.add(number, id,
             {.submit_s = *submit - trace.zero_s,
              .run_s = *end - *start,
              .limit_s = *limit,
              .hosts = static_cast<std::uint32_t>(*hosts)},
             *start - *submit, true, user_ == no_column ? std::string() : std::string(trim(cells[user_])));
  }
  std::optional<double> time(std::uint32_t row, const char* column, const std::string& cell) {
    const auto out = moment(trim(cell));
    if (!out) wrong(row, column, cell, "a time, as in 2023-02-27T01:16:44");
    return out;
  }
  /// Of a moment: that of a job that waits or runs, or never started.
  static bool has_not_been(const std::string& cell) {
    const std::string_view word = trim(cell);
    return word == "Unknown" || word == "None";
  }
  static std::optional<double> minutes(const std::string& cell) {
    const auto out = parse_number(cell);
    if (!out || !std::isfinite(*out)) return {};
    return *out * 60.0;
  }

  const SacctRows& rows_;
  TraceRows out_;
  std::size_t id_ = no_column, submit_ = no_column, start_ = no_column, end_ = no_column, hosts_ = no_column,
              limit_ = no_column, user_ = no_column;
  const char* limit_name_ = "";
  std::string twice_;  ///< what is wrong with the header
  bool in_minutes_ = true;
};

}  // namespace

JobTraceOr read_sacct(std::string_view text, const std::string& file, std::size_t most) {
  if (const auto fault = nul_fault(text)) return file + ", " + *fault;
  const auto rows = sacct_cells(without_mark(text));
  if (const auto* why = std::get_if<std::string>(&rows)) return file + ", " + *why;
  const auto& cells = std::get<SacctRows>(rows);
  if (cells.empty()) return file + " is empty, wanted a header and rows of jobs";
  return SacctReader(cells, file, most).read();
}

}  // namespace ergode
