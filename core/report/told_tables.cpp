#include "core/report/told_tables.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/unit.h"

namespace ergode {
namespace {

const Dimension& time_dimension() {
  static const Dimension time = parse_unit("s")->dimension;
  return time;
}
const Dimension& rate_dimension() {
  static const Dimension rate = parse_unit("/s")->dimension;
  return rate;
}

/// Six digits of a number that is far from one in its unit say less than those of one that is not.
bool readable(double x) { return x == 0.0 || !std::isfinite(x) || (std::fabs(x) >= 1e-3 && std::fabs(x) < 1e6); }

void take_unit(ResultTable& table, std::size_t column, const Unit& unit) {
  ResultTable::Column& head = table.columns[column];
  const auto own = parse_unit(head.unit);
  if (head.unit.empty() || head.unit == unit.symbol || !own || !(own->dimension == unit.dimension)) return;
  if (own->offset != 0.0 || unit.offset != 0.0) return;
  const double factor = own->scale / unit.scale;
  const auto number = [&](auto& row) { return column < row.size() ? std::get_if<double>(&row[column]) : nullptr; };
  for (const auto& row : table.rows)
    if (const double* x = number(row); x != nullptr && !readable(*x * factor)) return;
  for (auto& row : table.rows)
    if (double* x = number(row)) *x *= factor;
  head.unit = unit.symbol;
}

/// Whether a reader sees the same: who tells it is not looked at.
bool read_alike(const ResultTable& a, const ResultTable& b) {
  if (a.name != b.name || a.title != b.title || a.exact != b.exact || a.note != b.note) return false;
  if (a.columns.size() != b.columns.size() || a.rows.size() != b.rows.size()) return false;
  for (std::size_t c = 0; c < a.columns.size(); ++c)
    if (column_text(a.columns[c]) != column_text(b.columns[c])) return false;
  for (std::size_t r = 0; r < a.rows.size(); ++r)
    if (!std::equal(a.rows[r].begin(), a.rows[r].end(), b.rows[r].begin(), b.rows[r].end(),
                    [](const auto& x, const auto& y) { return cell_text(x) == cell_text(y); }))
      return false;
  return true;
}

}  // namespace

std::string time_unit_of(const ResultSet& run) {
  std::set<std::string> units;
  for (const MeasureResult& m : run.measures)
    if (const auto unit = parse_unit(m.unit); m.element && unit && unit->dimension == time_dimension())
      units.insert(m.unit);
  return units.size() == 1 ? *units.begin() : std::string();
}

std::vector<ToldTable> told_tables(const std::vector<ResultSet>& results, const std::string& time_unit) {
  const auto time = parse_unit(time_unit), rate = parse_unit("/" + time_unit);
  const bool converted =
      !time_unit.empty() && time && rate && time->dimension == time_dimension() && rate->dimension == rate_dimension();
  std::vector<ToldTable> out;
  for (const ResultSet& set : results)
    for (const ResultTable& one : set.tables) {
      ToldTable told{one, {one.solver}};
      for (std::size_t c = 0; converted && c < one.columns.size(); ++c)
        take_unit(told.table, c, *time), take_unit(told.table, c, *rate);
      const auto same = std::find_if(out.begin(), out.end(),
                                     [&](const ToldTable& known) { return read_alike(known.table, told.table); });
      if (same == out.end()) out.push_back(std::move(told));
      else same->solvers.push_back(one.solver);
    }
  return out;
}

}  // namespace ergode
