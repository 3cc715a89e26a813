#include "core/results/result_table.h"

#include "core/results/answer.h"
#include "core/results/value_text.h"

namespace ergode {

std::string cell_text(const ResultTable::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const double x = std::get<double>(cell);
  return value_texts(x, x, x).value;
}

std::string column_text(const ResultTable::Column& column) { return axis_title(column.label, column.unit); }

}  // namespace ergode
