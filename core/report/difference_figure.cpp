#include "core/report/difference_figure.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/drawing/plot_picture.h"
#include "core/drawing/text_metrics.h"
#include "core/report/course_figure.h"
#include "core/report/gantt_figure.h"
#include "core/report/scatter_figure.h"

namespace ergode {
namespace {

struct DrawnDifference {
  std::string choice;
  double at = 0.0, lower = 0.0, upper = 0.0;
};

struct DifferenceBlock {
  std::string title;
  std::vector<DrawnDifference> rows;
};

std::vector<DifferenceBlock> blocks_of(const ResultTable& table) {
  std::vector<DifferenceBlock> out;
  for (const auto& row : table.rows) {
    const auto* measure = std::get_if<std::string>(&row[0]);
    if (measure == nullptr) continue;
    if (std::holds_alternative<std::string>(row[4])) {
      const std::string unit = cell_text(row[1]);
      out.push_back({*measure + (unit.empty() ? "" : " [" + unit + "]"), {}});
      continue;  // the choice that the others are compared with
    }
    const auto* at = std::get_if<double>(&row[4]);
    if (out.empty() || at == nullptr || !std::isfinite(*at)) continue;
    DrawnDifference one{cell_text(row[2]), *at, *at, *at};
    const auto *lower = std::get_if<double>(&row[5]), *upper = std::get_if<double>(&row[6]);
    if (lower != nullptr && upper != nullptr && std::isfinite(*lower) && std::isfinite(*upper))
      one.lower = *lower, one.upper = *upper;
    out.back().rows.push_back(std::move(one));
  }
  std::erase_if(out, [](const DifferenceBlock& block) { return block.rows.empty(); });
  return out;
}

}  // namespace

bool is_comparison(const ResultTable& table) {
  return table.name == "comparison" && table.columns.size() == 7 && table.columns[0].label == "measure" &&
         table.columns[1].label == "unit" && table.columns[3].label == "mean" && table.columns[4].label == "difference";
}

std::optional<Picture> difference_figure(const ResultTable& table) {
  if (!is_comparison(table)) return std::nullopt;
  std::vector<DifferenceBlock> blocks = blocks_of(table);
  if (blocks.empty()) return std::nullopt;
  const std::size_t all = blocks.size();
  blocks.resize(std::min(all, most_compared_measures));
  constexpr double width = 660, row_height = 18, dot = 3.5, whisker = 4;
  constexpr Font title{11.5, true}, font{10.5};
  double left = 60;
  for (const DifferenceBlock& block : blocks)
    for (const DrawnDifference& row : block.rows) left = std::max(left, text_width(row.choice, font) + 18);
  left = std::min(left, width * 0.35);
  const double room = width - left - 30;
  Picture out;
  double y = 8;
  for (const DifferenceBlock& block : blocks) {
    out.words({}, {6, y + 10}, elided(block.title, title, width - 12), title, Role::text);
    y += 18;
    double low = 0.0, high = 0.0;
    for (const DrawnDifference& row : block.rows) low = std::min(low, row.lower), high = std::max(high, row.upper);
    if (!(high > low)) low -= 1.0, high += 1.0;  // all alike
    const double margin = 0.06 * (high - low);
    low -= margin, high += margin;
    const auto x_of = [&](double value) { return left + (value - low) / (high - low) * room; };
    const double bottom = y + row_height * static_cast<double>(block.rows.size());
    const AxisTicks ticks = axis_ticks(low, high, 5, false);
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
      const double x = x_of(ticks.at[i]);
      out.polyline({}, {{x, y}, {x, bottom}}, Role::grid).line_width = 1.0;
      out.words({}, {x, bottom + 13}, ticks.labels[i], font, Role::muted, Anchor::middle);
    }
    if (ticks.exponent != 0)
      out.words({}, {6, bottom + 13}, "x 10^" + std::to_string(ticks.exponent), font, Role::muted);
    out.polyline({}, {{x_of(0.0), y}, {x_of(0.0), bottom}}, Role::text).line_width = 1.2;
    for (const DrawnDifference& row : block.rows) {
      const double middle = y + row_height / 2, a = x_of(row.lower), b = x_of(row.upper);
      out.words({}, {left - 8, middle + 3.5}, elided(row.choice, font, left - 12), font, Role::text, Anchor::end);
      if (b > a) {
        out.polyline({}, {{a, middle}, {b, middle}}, Role::series_0).line_width = 1.6;
        for (const double end : {a, b})
          out.polyline({}, {{end, middle - whisker}, {end, middle + whisker}}, Role::series_0).line_width = 1.6;
      }
      const bool differs = row.lower > 0.0 || row.upper < 0.0;
      out.ellipse({}, {x_of(row.at) - dot, middle - dot, 2 * dot, 2 * dot}, Role::series_0,
                  differs ? Role::series_0 : Role::canvas);
      y += row_height;
    }
    y = bottom + 26;
  }
  if (all > blocks.size()) {
    out.words({}, {6, y + 6}, "The first " + std::to_string(blocks.size()) + " of " + std::to_string(all) + " measures",
              font, Role::muted);
    y += 20;
  }
  out.view = {0, 0, width, std::ceil(y)};
  return out;
}

std::optional<Picture> table_figure(const ResultTable& table) {
  if (auto gantt = gantt_figure(table)) return gantt;
  if (auto scatter = scatter_figure(table)) return scatter;
  if (auto course = course_figure(table)) return course;
  return difference_figure(table);
}

}  // namespace ergode
