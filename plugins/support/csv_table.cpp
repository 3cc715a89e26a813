#include "plugins/support/csv_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "plugins/support/input_file.h"

namespace plugin_support {
namespace {

[[noreturn]] void refuse_line(std::size_t line, const std::string& why) {
  throw std::invalid_argument("line " + std::to_string(line) + ": " + why);
}

/// Takes one line off the text, quotes and all.
std::vector<std::string> take_line(std::string_view& text, std::size_t& line) {
  std::vector<std::string> out(1);
  bool quoted = false, was_quoted = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') out.back() += c, ++i;
    else if (c == '"') quoted = !quoted, was_quoted = true;
    else if (c == '\n' && !quoted) break;
    else if (c == ',' && !quoted) out.emplace_back();
    else out.back() += c;
  }
  if (quoted) refuse_line(line, "a quote is not closed");
  line += static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i), '\n'));
  text.remove_prefix(std::min(i + 1, text.size()));
  const bool spaces = was_quoted;
  for (std::string& cell : out) {
    while (!cell.empty() && (cell.back() == '\r' || (!spaces && cell.back() == ' '))) cell.pop_back();
    cell.erase(0, spaces ? 0 : std::min(cell.find_first_not_of(' '), cell.size()));
  }
  return out;
}

}  // namespace

CsvTable::CsvTable(std::string_view text, const std::vector<CsvColumn>& columns)
    : columns_(columns), there_(columns.size(), false), numbers_(columns.size()), texts_(columns.size()) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::vector<std::size_t> where(columns.size(), 0);
  bool headed = false;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t begins = line;
    const std::vector<std::string> cells = take_line(text, line);
    if (std::all_of(cells.begin(), cells.end(), [](const std::string& cell) { return cell.empty(); })) continue;
    if (!headed) {
      headed = true;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto& names = columns[c].names;
        for (std::size_t i = 0; i < cells.size(); ++i) {
          if (std::find(names.begin(), names.end(), cells[i]) == names.end()) continue;
          if (there_[c]) refuse_line(begins, "two columns are headed \"" + cells[i] + "\" or what means the same");
          where[c] = i, there_[c] = true;
        }
        if (there_[c] || !columns[c].wanted) continue;
        std::string all;
        for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
        refuse_line(begins, "there is no column " + std::string(names.size() > 1 ? "of " : "") + all);
      }
      continue;
    }
    lines_.push_back(begins);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!there_[c]) continue;
      const std::string cell = where[c] < cells.size() ? cells[where[c]] : std::string();
      if (columns[c].text) {
        texts_[c].push_back(cell);
        continue;
      }
      double value = 0.0;
      const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
      if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
        refuse_line(begins, std::string(columns[c].names.front()) + " is \"" + cell + "\"; wanted a number");
      numbers_[c].push_back(value);
    }
  }
  if (!headed) throw std::invalid_argument("it is empty");
  if (lines_.empty()) throw std::invalid_argument("there is no row below the header");
}

void CsvTable::refuse(std::size_t row, std::size_t column, const std::string& wanted) const {
  std::string seen = columns_[column].text ? '"' + texts_[column][row] + '"' : "";
  if (!columns_[column].text) {
    // The shortest that reads back the same; 1e+308 is not written as its 309 digits.
    std::array<char, 64> digits{};
    constexpr double most_written_out = 1e18, least_written_out = 1e-6;
    const double x = number(row, column), size = std::fabs(x);
    const bool written_out = size == 0.0 || (size >= least_written_out && size < most_written_out);
    const auto format = written_out ? std::chars_format::fixed : std::chars_format::general;
    seen.assign(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x, format).ptr);
  }
  refuse_line(lines_[row], std::string(columns_[column].names.front()) + " is " + seen + "; wanted " + wanted);
}

std::string file_content(const std::string& path) {
  if (!std::filesystem::exists(path)) throw std::invalid_argument("\"" + path + "\" cannot be read");
  try {
    return regular_file_content(path);
  } catch (const std::invalid_argument& why) {
    throw std::invalid_argument("\"" + path + "\" cannot be read: " + why.what());
  }
}

}  // namespace plugin_support
