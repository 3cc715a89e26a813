#include "core/base/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/file_access.h"
#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {

std::variant<std::vector<std::vector<std::string>>, std::string> parse_csv(std::string_view text,
                                                                           std::vector<std::uint32_t>* lines) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  std::size_t line = 1, begun = 1;
  std::size_t i = 0;
  while (i < text.size()) {
    std::string cell;
    if (text[i] == '"') {
      const std::size_t opened = line;
      for (++i;; ++i) {
        if (i >= text.size())
          return "line " + std::to_string(opened) + ": a quoted cell is never closed, wanted a second \"";
        if (text[i] == '\n') ++line;
        if (text[i] != '"') cell += text[i];
        else if (i + 1 < text.size() && text[i + 1] == '"') cell += text[++i];
        else break;
      }
      ++i;
      if (i < text.size() && text[i] != ',' && text[i] != '\n' && text[i] != '\r')
        return "line " + std::to_string(line) + ": '" + text[i] + "' follows a closed quotation, wanted a comma";
    } else {
      const std::size_t end = std::min(text.find_first_of(",\r\n", i), text.size());
      cell = text.substr(i, end - i);
      i = end;
    }
    row.push_back(std::move(cell));
    if (i < text.size() && text[i] == ',') {
      if (++i == text.size()) row.emplace_back();
      else if (text[i] != '\n' && text[i] != '\r') continue;
      else row.emplace_back();
    }
    const bool ended = i < text.size() && (text[i] == '\r' || text[i] == '\n');
    if (i < text.size() && text[i] == '\r') ++i;
    if (i < text.size() && text[i] == '\n') ++i;
    if (ended) ++line;
    if (row.size() > 1 || !row.front().empty()) {
      rows.push_back(std::move(row));
      if (lines != nullptr) lines->push_back(static_cast<std::uint32_t>(begun));
    }
    row.clear();
    begun = line;
  }
  return rows;
}

HeaderColumn header_column(const std::vector<std::string>& header, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto is_it = [&](const std::string& cell) { return trim(cell) == name; };
    const auto first = std::find_if(header.begin(), header.end(), is_it);
    if (first == header.end()) continue;
    HeaderColumn out{static_cast<std::size_t>(first - header.begin()), {}};
    if (const auto other = std::find_if(first + 1, header.end(), is_it); other != header.end())
      out.twice = "column '" + quotable(std::string(name)) + "' is there twice, as columns " +
                  std::to_string(out.place + 1) + " and " + std::to_string(other - header.begin() + 1) + "; wanted one";
    return out;
  }
  return {header.size(), {}};
}

std::variant<std::vector<double>, std::string> csv_column(std::string_view text, const std::string& file,
                                                          std::string_view column) {
  auto read = csv_numbers(text, file, column, 1);
  if (auto* error = std::get_if<std::string>(&read)) return std::move(*error);
  auto& numbers = std::get<CsvNumbers>(read);
  if (!numbers.problems.empty()) return std::move(numbers.problems.front());
  if (numbers.values.empty()) return file + " has a header only, wanted at least one number";
  return std::move(numbers.values);
}

std::variant<CsvNumbers, std::string> csv_numbers(std::string_view text, const std::string& file,
                                                  std::string_view column, std::size_t most) {
  std::vector<std::uint32_t> lines;
  auto parsed = parse_csv(text, &lines);
  if (const auto* error = std::get_if<std::string>(&parsed)) return file + ", " + *error;
  const auto& rows = std::get<0>(parsed);
  if (rows.empty()) return file + " is empty, wanted at least one row";

  // A number in the first row is no name: there is no header then, and `1` is the first column.
  const auto number_in = [](const std::string& cell) {
    const auto value = parse_number(cell);
    return value && std::isfinite(*value) ? value : std::nullopt;
  };
  const auto is_name = [&](const std::string& cell) { return cell == column && !number_in(cell); };
  const auto named = std::find_if(rows[0].begin(), rows[0].end(), is_name);
  std::size_t at = static_cast<std::size_t>(named - rows[0].begin());
  if (named == rows[0].end()) {
    std::size_t number = 0;
    const auto [end, fault] = std::from_chars(column.data(), column.data() + column.size(), number);
    if (fault != std::errc() || end != column.data() + column.size() || number == 0) {
      std::string names;
      for (const std::string& name : rows[0]) {
        names += (names.empty() ? "" : ", ") + name;
        if (names.size() > 40) break;
      }
      return file + " has no column '" + quotable(column) + "', wanted one of " + quotable(excerpt(names));
    }
    at = number - 1;
  }
  if (at >= rows[0].size())
    return file + " has " + std::to_string(rows[0].size()) + " columns, wanted at least " + std::to_string(at + 1);
  if (named != rows[0].end() && std::find_if(named + 1, rows[0].end(), is_name) != rows[0].end())
    return file + " has two columns '" + quotable(column) + "', wanted one, or the column's number";
  // "1,5;2" is two columns of a country that writes decimal commas, and no number 1.
  const auto two_numbers = [&](const std::string& cell) {
    const std::size_t between = cell.find(';');
    return between != std::string::npos && number_in(cell.substr(0, between)) && number_in(cell.substr(between + 1));
  };
  const auto foreign = [&](const std::vector<std::string>& row) {
    return std::any_of(row.begin(), row.end(), two_numbers);
  };
  if (std::all_of(rows.begin() + (rows.size() > 1 ? 1 : 0), rows.end(), foreign))
    return file + " has columns between semicolons ('" +
           quotable(excerpt(*std::find_if(rows.back().begin(), rows.back().end(), two_numbers))) +
           "'), wanted commas between columns and numbers with a decimal point";
  CsvNumbers out;
  const auto problem_at = [&](std::uint32_t line, const std::string& what) {
    if (out.problems.size() >= most) ++out.untold;
    else out.problems.push_back(file + ", row " + std::to_string(line) + what);
  };
  const auto problem = [&](std::size_t row, const std::string& what) { problem_at(lines[row], what); };
  // "nan" and "1e999" are numbers that went wrong, and no names: a first value would be left out without a word.
  const auto broken_number = [](const std::string& cell) {
    double value = 0.0;
    const auto [end, fault] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return fault != std::errc::invalid_argument && end == cell.data() + cell.size();
  };
  const bool header = named != rows[0].end() || !broken_number(rows[0][at]);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    // A number is missing between others, where a row is nothing but its number.
    if (r > (header ? 1U : 0U) && rows[r].size() == 1 && rows[r - 1].size() == 1 && lines[r] > lines[r - 1] + 1 &&
        rows[r - 1][0].find_first_of("\r\n") == std::string::npos)
      problem_at(lines[r - 1] + 1, ": nothing, wanted a finite number");
    // A decimal comma would make two cells of one number.
    if (rows[r].size() != rows[0].size())
      problem(r, " has " + std::to_string(rows[r].size()) + " cells, wanted " + std::to_string(rows[0].size()) +
                     " as in the first row; numbers have a decimal point");
    else if (const auto value = number_in(rows[r][at])) out.values.push_back(*value), out.rows.push_back(lines[r]);
    else if (r > 0 || !header)
      problem(r, ": '" + quotable(excerpt(rows[r][at])) + "', wanted a finite number with a decimal point");
  }
  return out;
}

std::string csv_cell(std::string_view text) {
  std::string safe;
  // A spreadsheet would take such a text for a formula and run it.
  if (is_guarded(text)) safe = "'";
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n\t", begin), text.size());
    safe += visible(text.substr(begin, end - begin));
    if (end < text.size()) safe += text[end];
    begin = end + 1;
  }
  if (safe.find_first_of(",\"\r\n") == std::string::npos) return safe;
  std::string out = "\"";
  for (const char c : safe) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string out;
  for (const std::string& cell : cells) out += (&cell == cells.data() ? "" : ",") + csv_cell(cell);
  return out + "\n";
}

}  // namespace ergode
