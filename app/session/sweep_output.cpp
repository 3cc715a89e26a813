// What a sweep looks like: tables, CSV, JSON, series and plots.
#include <algorithm>
#include <cmath>

#include "app/session/company.h"
#include "app/session/sweep.h"
#include "core/base/csv.h"
#include "core/base/special_values.h"
#include "core/base/text.h"
#include "core/drawing/pdf.h"
#include "core/drawing/plot_picture.h"
#include "core/drawing/result_style.h"
#include "core/drawing/svg.h"
#include "core/results/answer.h"
#include "core/results/occurrence.h"

namespace ergode {
namespace {

constexpr std::size_t most_lines = 8;  // that colours tell apart

/// What a point knows of a measure; NaN what it does not.
struct Known {
  double value = nan, lower = nan, upper = nan, exact = nan;
  bool limit = false;  ///< is_limit()
  std::string note;    ///< occurrence_note()
};
Known known(const SweepPoint& point, const std::string& measure) {
  Known out;
  const MeasureResult* m = point.results == nullptr ? nullptr : point.results->measure(measure);
  if (m == nullptr) return out;
  out.value = m->estimate, out.lower = m->lower, out.upper = m->upper;
  out.limit = is_limit(*m, *point.results);
  out.note = occurrence_note(*m, point.results->replications);
  // What a mission tends to is no exact value of it.
  if (m->exact && !out.limit) out.exact = m->estimate;
  else if (const MeasureResult* beside = exact_beside(*point.results, measure)) out.exact = beside->estimate;
  return out;
}

const MeasureResult* any(const Sweep& sweep, const std::string& measure) {
  for (const SweepPoint& point : sweep.points)
    if (point.results != nullptr)
      if (const MeasureResult* m = point.results->measure(measure)) return m;
  return nullptr;
}

std::string unit_of(const Sweep& sweep, const std::string& measure) {
  const MeasureResult* m = any(sweep, measure);
  return m == nullptr ? "" : m->unit;
}

/// Of columns without an entry in any row nothing is to be read; axes stay, and what was asked for.
void leave_out_empty(ResultTable& table, std::size_t kept_first) {
  const auto empty = [](const ResultTable::Cell& cell) {
    const auto* x = std::get_if<double>(&cell);
    return x != nullptr ? std::isnan(*x) : std::get<std::string>(cell).empty();
  };
  for (std::size_t c = table.columns.size(); c-- > kept_first;) {
    if (!std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return empty(row[c]); })) continue;
    const auto at = static_cast<std::ptrdiff_t>(c);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
}

Value number(double x) { return std::isfinite(x) ? Value(x) : Value(); }
Value value_at(const SweepAxis& axis, double x) { return axis.words.empty() ? Value(x) : Value(axis.text(x)); }
/// Codes of what a point warns of, each once: what they mean is said where warnings are.
std::string warnings_of(const SweepPoint& point) {
  std::vector<std::string> codes;
  for (const Diagnostic& d : point.said)
    if (d.severity == Severity::warning) codes.push_back(d.code);
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  std::string out;
  for (const std::string& code : codes) out += (out.empty() ? "" : ", ") + code;
  return out;
}
std::string run_of(const SweepPoint& point) { return point.results == nullptr ? "" : point.results->provenance.run_id; }

}  // namespace

bool sweep_limits(const Sweep& sweep, const std::string& measure) {
  return std::any_of(sweep.points.begin(), sweep.points.end(),
                     [&](const SweepPoint& point) { return known(point, measure).limit; });
}

ResultTable sweep_table(const Sweep& sweep, const std::vector<std::string>& measures) {
  ResultTable out{.name = "sweep", .title = "Sweep", .solver = {}, .columns = {}, .rows = {}};
  for (const SweepAxis& axis : sweep.axes) out.columns.push_back({axis.name, axis.unit});
  for (const std::string& id : measures) {
    const std::string unit = unit_of(sweep, id);
    const std::string of = sweep_limits(sweep, id) ? id + " in the long run" : id;
    for (const char* what : {"", " lower", " upper"}) out.columns.push_back({of + what, unit});
    out.columns.push_back({id + " exact", unit});
    out.columns.push_back({id + " note"});
  }
  out.columns.push_back({"warnings"});
  out.columns.push_back({"problem"});
  for (const SweepPoint& point : sweep.points) {
    std::vector<ResultTable::Cell> row;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
      if (sweep.axes[i].words.empty()) row.emplace_back(point.values[i]);
      else row.emplace_back(sweep.axes[i].text(point.values[i]));
    }
    for (const std::string& id : measures) {
      const Known k = known(point, id);
      row.insert(row.end(), {k.value, k.lower, k.upper, k.exact, k.note});
    }
    row.emplace_back(warnings_of(point));
    row.emplace_back(point.problem);
    out.rows.push_back(std::move(row));
  }
  leave_out_empty(out, sweep.axes.size() + (measures.empty() ? 0 : 1));
  return out;
}

std::string sweep_csv(const Sweep& sweep, const std::vector<std::string>& measures) {
  std::string out;
  for (const SweepAxis& axis : sweep.axes)
    out += csv_cell(axis.name + (axis.unit.empty() ? "" : " [" + axis.unit + "]")) + ",";
  for (const std::string& id : measures) {
    const std::string unit = unit_of(sweep, id);
    const std::string of = sweep_limits(sweep, id) ? id + ".long_run" : id;
    for (const char* what : {"", ".lower", ".upper"})
      out += csv_cell(of + what + (unit.empty() ? "" : " [" + unit + "]")) + ",";
    out += csv_cell(id + ".exact" + (unit.empty() ? "" : " [" + unit + "]")) + "," + csv_cell(id + ".note") + ",";
  }
  out += "run,warnings,problem\r\n";
  const auto cell = [](double x) { return (std::isfinite(x) ? number_text(x) : std::string()) + ","; };
  for (const SweepPoint& point : sweep.points) {
    for (std::size_t i = 0; i < sweep.axes.size(); ++i)
      out += sweep.axes[i].words.empty() ? cell(point.values[i]) : csv_cell(sweep.axes[i].text(point.values[i])) + ",";
    for (const std::string& id : measures) {
      const Known k = known(point, id);
      out += cell(k.value) + cell(k.lower) + cell(k.upper) + cell(k.exact) + csv_cell(k.note) + ",";
    }
    out += run_of(point) + "," + csv_cell(warnings_of(point)) + "," + csv_cell(point.problem) + "\r\n";
  }
  return out;
}

Value sweep_json(const Sweep& sweep, const std::vector<std::string>& measures) {
  Value vary = Value::array(), points = Value::array();
  for (const SweepAxis& axis : sweep.axes) {
    Value values = Value::array();
    for (const double x : axis.values) values.push_back(value_at(axis, x));
    vary.push_back({{"name", axis.name}, {"unit", axis.unit}, {"values", values}});
  }
  for (const SweepPoint& point : sweep.points) {
    Value values = Value::object(), answers = Value::object();
    for (std::size_t i = 0; i < sweep.axes.size(); ++i)
      values[sweep.axes[i].name] = value_at(sweep.axes[i], point.values[i]);
    for (const std::string& id : measures) {
      const Known k = known(point, id);
      answers[id] = {{"estimate", number(k.value)},
                     {"lower", number(k.lower)},
                     {"upper", number(k.upper)},
                     {"exact", number(k.exact)},
                     {"unit", unit_of(sweep, id)},
                     {"long_run", k.limit},
                     {"note", k.note}};
    }
    const std::string run = run_of(point);
    points.push_back({{"values", values},
                      {"run", run.empty() ? Value() : Value(run)},
                      {"problem", point.problem.empty() ? Value() : Value(point.problem)},
                      {"measures", answers}});
  }
  return {{"vary", vary}, {"points", points}};
}

std::vector<Series> sweep_series(const Sweep& sweep, const std::string& measure, bool exact) {
  std::vector<Series> out;
  const MeasureResult* m = any(sweep, measure);
  if (m == nullptr) return out;
  std::size_t lines = 1;
  for (std::size_t i = 1; i < sweep.axes.size(); ++i) lines *= sweep.axes[i].values.size();
  for (std::size_t line = 0; line < std::min(lines, most_lines); ++line) {
    Series s{.measure = measure,
             .kind = "sweep",
             .label = m->label.empty() ? measure : m->label,
             .x_label = sweep.axes.front().name,
             .x_unit = sweep.axes.front().unit,
             .y_label = measure,
             .y_unit = m->unit,
             .x = {},
             .y = {},
             .lower = {},
             .upper = {},
             .exact = exact || m->exact,
             .solver = m->solver};
    std::string where;
    for (std::size_t i = 1; i < sweep.axes.size(); ++i)
      where +=
          (where.empty() ? "" : ", ") + sweep.axes[i].name + " = " + sweep.axes[i].text(sweep.points[line].values[i]);
    if (!where.empty()) s.label = where;
    for (std::size_t p = line; p < sweep.points.size(); p += lines) {
      const Known k = known(sweep.points[p], measure);
      const double y = exact && !k.limit ? k.exact : k.value;
      if (std::isnan(y)) continue;
      s.x.push_back(sweep.points[p].values.front()), s.y.push_back(y);
      if (!s.exact) s.lower.push_back(k.lower), s.upper.push_back(k.upper);
    }
    if (!s.x.empty()) out.push_back(std::move(s));
  }
  return out;
}

std::optional<std::string> sweep_plot(const Sweep& sweep, const std::string& measure, const std::string& format,
                                      Diagnostics& problems) {
  const MeasureResult* m = any(sweep, measure);
  const std::vector<Series> lines = sweep_series(sweep, measure, false);
  if (m == nullptr || lines.empty()) {
    problems.push_back({.code = "RES012",
                        .pointer = "plot",
                        .message = "The sweep has no answer to \"" + measure + "\" that could be drawn."});
    return std::nullopt;
  }
  PlotSpec spec;
  spec.title = m->label.empty() ? measure : m->label;
  const std::vector<std::string>& words = sweep.axes.front().words;
  spec.x_label = lines.front().x_label, spec.x_unit = words.empty() ? lines.front().x_unit : "";
  spec.x_words = words;
  spec.y_label = axis_words(*m, "sweep", "").y, spec.y_unit = m->unit;
  const auto draw = [&](const Series& s, const std::string& label, std::size_t place) {
    PlotSeries line{.label = label, .x = s.x, .y = s.y, .lower = s.lower, .upper = s.upper};
    line.points = !words.empty();
    // Points of several lines stand beside each other at their word.
    const double apart = words.empty() ? 0.0 : std::min(0.15, 0.7 / static_cast<double>(lines.size()));
    for (double& x : line.x) x += apart * (static_cast<double>(place) - 0.5 * static_cast<double>(lines.size() - 1));
    if (!words.empty()) line.role = series_role(place);
    else if (sweep.axes.front().values.front() > sweep.axes.front().values.back()) {
      for (auto* list : {&line.x, &line.y, &line.lower, &line.upper}) std::reverse(list->begin(), list->end());
    }
    spec.series.push_back(std::move(line));
  };
  const bool limit = sweep_limits(sweep, measure);
  const std::string own = to_text(limit ? Answer::long_run : lines.front().exact ? Answer::exact : Answer::estimate);
  const std::string level = number_text(100.0 * m->confidence, 12) + " % interval";
  const bool bars = !words.empty() && !m->exact;  // are not shaded: their name stands with the points
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Series& s = lines[i];
    draw(s, (lines.size() == 1 ? own : limit ? s.label + ", " + own : s.label) + (bars ? ", " + level : ""), i);
  }
  if (!lines.front().exact) {
    const std::vector<Series> exact = sweep_series(sweep, measure, true);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      draw(exact[i], lines.size() > 1 ? exact[i].label + ", exact" : "exact", i);
      if (lines.size() == 1 && !words.empty()) spec.series.back().role = answer_style(Answer::exact).role;
      spec.series.back().dash = Dash::dashed;
    }
  }
  if (!m->exact && words.empty()) spec.band_label = level;
  const Provenance* p = nullptr;
  for (const SweepPoint& point : sweep.points)
    if (p == nullptr && point.results != nullptr) p = &point.results->provenance;
  spec.caption = std::to_string(sweep.points.size()) + " points" +
                 (m->exact ? std::string() : ", seed " + std::to_string(p->seed) + " at each");
  const Picture picture = draw_plot(spec);
  const std::string title = p->model_name + ": " + spec.title + " over " + lines.front().x_label;
  const std::vector<std::pair<std::string, std::string>> provenance = {{"program", "Ergode " + p->version},
                                                                       {"model", p->model_name},
                                                                       {"semantic_hash", p->semantic_hash},
                                                                       {"solver", p->solver},
                                                                       {"scenario", p->scenario},
                                                                       {"seed", std::to_string(p->seed)},
                                                                       {"measure", measure}};
  if (format == "pdf") return to_pdf(picture, Theme::print(), {.title = title, .provenance = provenance});
  SvgOptions options;
  options.title = title, options.provenance = provenance;
  return to_svg(picture, Theme::print(), options);
}

}  // namespace ergode
