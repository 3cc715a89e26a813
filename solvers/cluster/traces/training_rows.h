#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace ergode {

/// All that is wrong with the rows of a table of training jobs, as RND011, up to a number that can be read.
class RowProblems {
 public:
  explicit RowProblems(std::string file) : file_(std::move(file)) {}
  bool any() const { return !found_.empty(); }
  /// @param row  from 1; 0: the whole file
  void add(std::size_t row, const std::string& seen_and_wanted);
  Diagnostics take();

  /// A whole number in [least, most] that a cell of `column` holds; else told, and nothing.
  std::optional<std::int64_t> whole(std::size_t row, const char* column, std::string_view cell, std::int64_t least,
                                    std::int64_t most);
  /// A finite number from `least` on.
  std::optional<double> number(std::size_t row, const char* column, std::string_view cell, double least);

 private:
  std::string file_;
  Diagnostics found_;
  std::size_t untold_ = 0;
};

/// Rows of cells between tabs, empty lines left out; what ends a line as in parse_csv().
struct TabbedRow {
  std::size_t row = 0;  ///< line of the file, from 1
  std::vector<std::string> cells;
};
std::vector<TabbedRow> tabbed_rows(std::string_view text);

/// "Model (batch size b)", or "Model" alone, whose batch size then is 1: it has one only. @returns the model and b in
/// [1, 1e9], or nothing.
struct JobTypeName {
  std::string model;
  int batch_size = 1;
};
std::optional<JobTypeName> parse_job_type(std::string_view text);

}  // namespace ergode
