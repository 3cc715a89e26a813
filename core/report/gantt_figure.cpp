#include "core/report/gantt_figure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/drawing/plot_picture.h"
#include "core/drawing/result_style.h"
#include "core/drawing/text_metrics.h"

namespace ergode {
namespace {

constexpr std::size_t no_gantt_column = ~std::size_t{0};

std::size_t column_of(const ResultTable& table, const char* label) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].label == label) return c;
  return no_gantt_column;
}

/// In what its times are, and where they stand.
struct GanttTimes {
  std::size_t from = no_gantt_column, to = no_gantt_column;
  bool microseconds = false;
};
std::optional<GanttTimes> times_of(const ResultTable& table) {
  if (table.columns.size() < 4) return std::nullopt;
  for (const bool micro : {false, true}) {
    const GanttTimes out{column_of(table, micro ? "from_us" : "from_s"), column_of(table, micro ? "to_us" : "to_s"),
                         micro};
    if (out.from >= 2 && out.to >= 2 && out.from != no_gantt_column && out.to != no_gantt_column) return out;
  }
  return std::nullopt;
}

struct GanttBar {
  std::string name;
  double from = 0.0, to = 0.0;
  std::size_t wide = 1;
};

struct GanttLane {
  std::string name;
  double number = 0.0;  ///< of those whose name is one
  std::vector<GanttBar> bars;
  std::size_t high = 1;                        ///< in rows: the most at one time
  std::vector<std::vector<std::size_t>> rows;  ///< by bar
};

/// Gives every bar rows of its lane that are free while it lasts, the uppermost ones.
void stack(GanttLane& lane) {
  std::stable_sort(lane.bars.begin(), lane.bars.end(),
                   [](const GanttBar& a, const GanttBar& b) { return a.from < b.from; });
  std::vector<double> free_from;  // by row
  for (const GanttBar& bar : lane.bars) {
    std::vector<std::size_t>& mine = lane.rows.emplace_back();
    for (std::size_t row = 0; mine.size() < bar.wide; ++row) {
      if (row == free_from.size()) free_from.push_back(bar.from);
      if (free_from[row] > bar.from) continue;
      free_from[row] = std::max(bar.to, bar.from), mine.push_back(row);
    }
  }
  lane.high = std::max<std::size_t>(1, free_from.size());
}

/// The same name has the same colour in every chart.
Role colour_of(const std::string& name) {
  std::uint32_t hash = 2166136261U;  // Fowler, Noll and Vo
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  constexpr std::uint32_t colours = 5;  // the last one is too dark for letters
  return static_cast<Role>(static_cast<std::uint32_t>(Role::series_0) + (hash >> 8U) % colours);
}

/// A row that says who was there, in one lane or in several that follow each other.
struct GanttRow {
  const std::vector<ResultTable::Cell>* cells = nullptr;
  double from = 0.0, to = 0.0;
  double first = 0.0, last = 0.0;  ///< lanes, where they are numbers
  std::size_t wide = 1;            ///< of each lane
};

/// Rows whose times are in order.
std::vector<GanttRow> rows_of(const ResultTable& table) {
  const GanttTimes times = times_of(table).value_or(GanttTimes());
  const std::size_t from = times.from, to = times.to,
                    wide = std::min(column_of(table, "gpus"), column_of(table, "hosts")),
                    last = column_of(table, "last_host");
  std::vector<GanttRow> out;
  for (const auto& row : table.rows) {
    const auto *a = std::get_if<double>(&row[from]), *b = std::get_if<double>(&row[to]);
    if (a == nullptr || b == nullptr || !std::isfinite(*a) || !std::isfinite(*b) || *b < *a) continue;
    GanttRow one{.cells = &row, .from = *a, .to = *b};
    one.first = one.last = parse_number(cell_text(row[0])).value_or(0.0);
    const auto* end = last == no_gantt_column ? nullptr : std::get_if<double>(&row[last]);
    if (end != nullptr && std::isfinite(*end)) one.last = std::max(one.first, *end);
    const auto* share = wide == no_gantt_column ? nullptr : std::get_if<double>(&row[wide]);
    constexpr double widest = 1024;
    const double each = share != nullptr ? *share / (one.last - one.first + 1.0) : 1.0;
    one.wide = static_cast<std::size_t>(each >= 1.0 ? std::min(each, widest) : 1.0);
    out.push_back(one);
  }
  return out;
}

/// The first lanes of rows that go over several, which are whole numbers. O(rows log rows).
std::vector<GanttLane> numbered_lanes(std::vector<GanttRow> rows, std::size_t& all_lanes) {
  std::sort(rows.begin(), rows.end(), [](const GanttRow& a, const GanttRow& b) { return a.first < b.first; });
  std::vector<GanttLane> out;
  double next = -std::numeric_limits<double>::infinity(), count = 0.0;
  for (const GanttRow& row : rows) {
    const double first = std::max(next, row.first);
    if (first > row.last) continue;
    for (double lane = first; lane <= row.last && out.size() < most_gantt_lanes; ++lane)
      out.push_back({.name = number_text(lane, 15), .number = lane});
    count += row.last - first + 1.0, next = row.last + 1.0;
  }
  all_lanes = static_cast<std::size_t>(count);
  return out;
}

std::vector<GanttLane> named_lanes(const std::vector<GanttRow>& rows, std::map<std::string, std::size_t>& place,
                                   std::size_t& all_lanes) {
  std::vector<GanttLane> out;
  bool numbers = true;
  for (const GanttRow& row : rows) {
    const std::string name = cell_text(row.cells->front());
    if (!place.emplace(name, out.size()).second) continue;
    out.push_back({.name = name, .number = row.first});
    numbers = numbers && parse_number(name).has_value();
  }
  if (numbers)
    std::stable_sort(out.begin(), out.end(),
                     [](const GanttLane& a, const GanttLane& b) { return a.number < b.number; });
  all_lanes = out.size();
  if (out.size() > most_gantt_lanes) out.resize(most_gantt_lanes);
  place.clear();
  for (std::size_t i = 0; i < out.size(); ++i) place[out[i].name] = i;
  return out;
}

/// Lanes with their bars; what is beyond the limits is counted.
std::vector<GanttLane> lanes_of(const ResultTable& table, std::size_t& all_lanes, std::size_t& drawn) {
  const std::vector<GanttRow> rows = rows_of(table);
  std::map<std::string, std::size_t> place;
  const bool several = column_of(table, "last_host") != no_gantt_column;
  std::vector<GanttLane> lanes = several ? numbered_lanes(rows, all_lanes) : named_lanes(rows, place, all_lanes);
  for (const GanttRow& row : rows) {
    const GanttBar bar{cell_text((*row.cells)[1]), row.from, row.to, row.wide};
    if (!several) {
      if (const auto at = place.find(cell_text(row.cells->front())); at != place.end())
        lanes[at->second].bars.push_back(bar);
      continue;
    }
    const auto from = std::lower_bound(lanes.begin(), lanes.end(), row.first,
                                       [](const GanttLane& lane, double number) { return lane.number < number; });
    for (auto lane = from; lane != lanes.end() && lane->number <= row.last; ++lane) lane->bars.push_back(bar);
  }
  drawn = 0;
  for (GanttLane& lane : lanes) {
    std::stable_sort(lane.bars.begin(), lane.bars.end(),
                     [](const GanttBar& a, const GanttBar& b) { return a.from < b.from; });
    lane.bars.resize(std::min(lane.bars.size(), most_gantt_bars - drawn));
    drawn += lane.bars.size();
    stack(lane);
  }
  return lanes;
}

}  // namespace

bool is_gantt(const ResultTable& table) { return times_of(table).has_value(); }

std::optional<Picture> gantt_figure(const ResultTable& table) {
  const std::optional<GanttTimes> times = times_of(table);
  if (!times) return std::nullopt;
  std::size_t all = 0, drawn = 0;
  const std::vector<GanttLane> lanes = lanes_of(table, all, drawn);
  if (drawn == 0) return std::nullopt;
  double begin = lanes[0].bars.empty() ? 0.0 : lanes[0].bars[0].from, end = begin;
  for (const GanttLane& lane : lanes)
    for (const GanttBar& bar : lane.bars) begin = std::min(begin, bar.from), end = std::max(end, bar.to);
  if (!(end > begin)) end = begin + 1.0;
  const bool in_hours = !times->microseconds && end - begin > 7200.0;
  const double unit = in_hours ? 3600.0 : 1.0;
  constexpr double width = 660, gap = 5;
  constexpr Font font{10.5};
  double left = 30;
  for (const GanttLane& lane : lanes) left = std::max(left, text_width(lane.name, font) + 14);
  left = std::min(left, width * 0.3);
  const double room = width - left - 14;
  const auto x_of = [&](double at) { return left + (at - begin) / (end - begin) * room; };
  std::size_t rows = 0;
  for (const GanttLane& lane : lanes) rows += lane.high;
  const double row = std::clamp(480.0 / static_cast<double>(rows), 2.0, 16.0);
  Picture out;
  double y = 6;
  for (const GanttLane& lane : lanes) {
    const double high = row * static_cast<double>(lane.high);
    out.rectangle({}, {left, y, room, high}, 0, Role::none, Role::node_fill);
    out.words({}, {left - 6, y + high / 2 + 3.5}, elided(lane.name, font, left - 10), font, Role::text, Anchor::end);
    for (std::size_t b = 0; b < lane.bars.size(); ++b) {
      const GanttBar& bar = lane.bars[b];
      const std::vector<std::size_t>& mine = lane.rows[b];
      const double x = x_of(bar.from), w = std::max(0.6, x_of(bar.to) - x);
      for (std::size_t i = 0; i < mine.size();) {
        std::size_t next = i + 1;
        while (next < mine.size() && mine[next] == mine[next - 1] + 1) ++next;
        const double top = y + row * static_cast<double>(mine[i]), tall = row * static_cast<double>(next - i);
        Primitive& shape = out.rectangle({}, {x, top + 0.4, w, tall - 0.8}, 0, Role::canvas, colour_of(bar.name));
        shape.line_width = 0.4, shape.fill_opacity = 0.72;
        if (i == 0 && tall >= 9.0 && w > text_width(bar.name, font) + 6)
          out.words({}, {x + w / 2, top + tall / 2 + 3.6}, bar.name, font, Role::text, Anchor::middle);
        i = next;
      }
    }
    y += high + gap;
  }
  const AxisTicks ticks = axis_ticks(begin / unit, end / unit, 8, false, in_hours);
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    const double x = x_of(ticks.at[i] * unit);
    out.polyline({}, {{x, y - gap + 1}, {x, y + 3}}, Role::muted).line_width = 0.8;
    const std::string label = ticks.exponent == 0 ? ticks.labels[i] : number_text(ticks.at[i], 4);
    out.words({}, {x, y + 15}, label, font, Role::muted, Anchor::middle);
  }
  std::string caption = std::string("Time [") +
                        (times->microseconds ? "us"
                         : in_hours          ? "h"
                                             : "s") +
                        "], " + table.columns[0].label + " by " + table.columns[0].label;
  if (all > lanes.size()) caption += "; the first " + std::to_string(lanes.size()) + " of " + std::to_string(all);
  if (drawn == most_gantt_bars) caption += "; the first " + std::to_string(drawn) + " bars";
  out.words({}, {left + room / 2, y + 31}, caption, font, Role::text, Anchor::middle);
  out.view = {0, 0, width, y + 38};
  return out;
}

}  // namespace ergode
