#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/csv.h"
#include "core/expression/compile.h"

namespace ergode {

/// A column of a data file that an expression names: NAME("file.csv", column = "gap", unit = "s"), the file also as
/// file = "...", the column also by its number.
struct DataColumn {
  std::string file;    ///< for messages: the path that was opened
  CsvNumbers numbers;  ///< values in SI; those that are infinite there are told as problems
};
/// Reads it; what is read stands in the provenance of every answer (DataFiles).
/// @param others  names of arguments that are the caller's own
/// @param most    problems of rows that are told
/// EXP004 another unit than `dimension`, EXP005 wrong arguments, no such file or column, EXP008 a file that may not be
/// read, UNI001.
Checked<DataColumn> read_column(const Syntax& call, Dimension dimension, const DataFiles& files,
                                const std::vector<std::string_view>& others, std::size_t most);

}  // namespace ergode
