#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plugin_support {

/// A column that a reader asks for.
struct CsvColumn {
  std::vector<std::string_view> names;  ///< any of them heads it; the first is told to people
  bool text = false;                    ///< else numbers, finite
  bool wanted = true;                   ///< else it may be missing
};

/// A table with a header line, commas between cells, perhaps quotes around them ("" is one within). Lines without a
/// filled cell are passed over, other columns too. Nothing is guessed: a missing column or cell and what is no number
/// are errors.
class CsvTable {
 public:
  /// O(size). @throws std::invalid_argument  "line 3: ms is "x"; wanted a number"
  CsvTable(std::string_view text, const std::vector<CsvColumn>& columns);
  std::size_t rows() const { return lines_.size(); }  ///< at least one
  bool has(std::size_t column) const { return there_[column]; }
  double number(std::size_t row, std::size_t column) const { return numbers_[column][row]; }
  const std::string& text(std::size_t row, std::size_t column) const { return texts_[column][row]; }
  /// Throws what is wrong with a cell, in the words of the others: "line 3: ms is -1; wanted a time above 0".
  [[noreturn]] void refuse(std::size_t row, std::size_t column, const std::string& wanted) const;

 private:
  std::vector<CsvColumn> columns_;
  std::vector<bool> there_;
  std::vector<std::vector<double>> numbers_;  ///< by column
  std::vector<std::vector<std::string>> texts_;
  std::vector<std::size_t> lines_;  ///< by row, from 1
};

/// The bytes of a regular file (input_file.h), with its path in what is said. @throws std::invalid_argument  "\"PATH\"
/// cannot be read"
std::string file_content(const std::string& path);

}  // namespace plugin_support
