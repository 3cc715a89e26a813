#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ergode {

/// How a table is drawn as points, one a row: labels of its columns.
struct TableScatter {
  std::string x, y;
  std::string front = {};  ///< A row stands on the front where this holds "yes", "true" or a number other than 0.
  std::string label = {};  ///< What a point is called; empty: nothing.
};

/// A table that a solver hands over beside measures and series: what it knows and no measure asked for. Files and
/// reports show it as it is; nothing reads it back but from_json().
/// Numbers are in the units of their columns, not SI: what is shown is what is kept.
struct ResultTable {
  struct Column {
    std::string label;
    std::string unit = {};  ///< Of the numbers below; empty: dimensionless, or words.
  };
  using Cell = std::variant<double, std::string>;  ///< NaN: there is no number.

  std::string name;   ///< Stable, letters, digits and _: names files and JSON.
  std::string title;  ///< Sentence for people, without a full stop.
  std::string solver;
  bool exact = false;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;       ///< Each as long as columns.
  std::string note = {};                     ///< Below the table; may be empty.
  std::optional<TableScatter> scatter = {};  ///< It is drawn as points, too.
};

/// A cell as people read it: six significant digits, a dash for no number.
std::string cell_text(const ResultTable::Cell& cell);
/// "Time [h]"; without a unit the label alone.
std::string column_text(const ResultTable::Column& column);

}  // namespace ergode
