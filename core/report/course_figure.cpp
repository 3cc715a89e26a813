#include "core/report/course_figure.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include "core/drawing/plot_picture.h"

namespace ergode {
namespace {

constexpr std::string_view so_far = "_so_far";

bool is_so_far(const ResultTable::Column& column) { return std::string_view(column.label).ends_with(so_far); }

/// "cost" of "cost_so_far".
std::string amount(const ResultTable::Column& column) {
  std::string out = column.label.substr(0, column.label.size() - so_far.size());
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

}  // namespace

bool is_course(const ResultTable& table) {
  return !table.columns.empty() && table.columns.front().label == "time" &&
         std::any_of(table.columns.begin(), table.columns.end(), is_so_far);
}

std::optional<Picture> course_figure(const ResultTable& table) {
  if (!is_course(table)) return std::nullopt;
  const auto first = std::find_if(table.columns.begin(), table.columns.end(), is_so_far);
  PlotSpec spec{.x_label = "time", .x_unit = table.columns.front().unit, .y_label = "so far", .y_unit = first->unit};
  constexpr Role roles[] = {Role::series_0, Role::series_1, Role::series_2};
  for (std::size_t c = 1; c < table.columns.size() && spec.series.size() < std::size(roles); ++c) {
    if (!is_so_far(table.columns[c]) || table.columns[c].unit != first->unit) continue;
    PlotSeries line;
    line.label = amount(table.columns[c]), line.role = roles[spec.series.size()];
    for (const auto& row : table.rows) {
      const double* const x = std::get_if<double>(&row[0]);
      const double* const y = std::get_if<double>(&row[c]);
      if (x == nullptr || y == nullptr || !std::isfinite(*x) || !std::isfinite(*y)) continue;
      line.x.push_back(*x), line.y.push_back(*y);
    }
    if (line.x.size() > 1) spec.series.push_back(std::move(line));
  }
  if (spec.series.empty()) return std::nullopt;
  return draw_plot(spec);
}

}  // namespace ergode
