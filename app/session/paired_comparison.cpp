#include "app/session/paired_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/stats/interval.h"
#include "core/stats/tally.h"

namespace ergode {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

double answer_of(const SweepPoint& point, const std::string& measure) {
  const MeasureResult* m = point.results == nullptr ? nullptr : point.results->measure(measure);
  return m == nullptr || !m->answered() ? no_value : m->estimate;
}

bool alike(const Sweep& a, const Sweep& b) {
  for (std::size_t p = 0; p < a.points.size(); ++p) {
    if (a.points[p].results == nullptr || b.points[p].results == nullptr) return false;
    for (const MeasureResult& m : a.points[p].results->measures) {
      const double x = answer_of(a.points[p], m.id), y = answer_of(b.points[p], m.id);
      if (x != y && !(std::isnan(x) && std::isnan(y))) return false;
    }
  }
  return true;
}

Value number_or_null(double x) { return std::isfinite(x) ? Value(x) : Value(); }

}  // namespace

PairedComparison compare_choices(const SweepOrder& order, const SweepAxis& axis, std::size_t pairs,
                                 const std::vector<std::string>& measures, const std::function<bool()>& stopped,
                                 const std::function<void(std::size_t)>& paired) {
  PairedComparison out;
  out.axis = axis, out.confidence = order.request.confidence;
  SweepOrder one = order;
  const auto own = parse_number(trim(order.document.model().text("seed")));
  const std::uint64_t first = order.request.seed   ? *order.request.seed
                              : own && *own >= 0.0 ? static_cast<std::uint64_t>(*own)
                                                   : 1;
  std::vector<Sweep> made;
  for (std::size_t pair = 0; pair < pairs && !stopped() && !out.same; ++pair) {
    one.request.seed = first + pair;
    Sweep sweep = std::get<Sweep>(Sweep::of({axis}));
    for (SweepPoint& point : sweep.points) {
      if (stopped()) break;
      solve_point(one, sweep, point, stopped);
      out.warnings.hear(static_cast<std::size_t>(&point - sweep.points.data()), point.said);
      const std::string problem = axis.name + " = " + axis.text(point.values.front()) + ": " + point.problem;
      if (!point.problem.empty() && std::find(out.problems.begin(), out.problems.end(), problem) == out.problems.end())
        out.problems.push_back(problem);
    }
    if (stopped()) break;
    if (out.base == nullptr) out.base = sweep.points.front().results;
    made.push_back(std::move(sweep));
    if (paired) paired(made.size());
    out.same = made.size() == 2 && alike(made[0], made[1]);
  }
  out.pairs = made.size();
  if (made.empty()) return out;
  for (const std::string& id : sweep_measures(made.front(), measures)) {
    for (std::size_t choice = 0; choice < axis.values.size(); ++choice) {
      PairedDifference row{.measure = id, .unit = {}, .choice = axis.text(axis.values[choice])};
      Tally means, differences;
      for (const Sweep& sweep : made) {
        const double x = answer_of(sweep.points[choice], id), base = answer_of(sweep.points.front(), id);
        if (!std::isfinite(x) || !std::isfinite(base)) continue;
        // Equal answers that were summed in another order differ by their rounding, which is no difference.
        constexpr double rounding = 1e-13;
        const double apart = x - base;
        means.observe(x);
        differences.observe(std::fabs(apart) <= rounding * std::max(std::fabs(x), std::fabs(base)) ? 0.0 : apart);
        row.unit = sweep.points[choice].results->measure(id)->unit;
      }
      row.pairs = means.n();
      row.mean = row.difference = row.lower = row.upper = no_value;
      if (row.pairs > 0) row.mean = means.mean(), row.difference = differences.mean();
      if (row.pairs > 1) {
        const Interval ends = student_t(differences.mean(), differences.variance(), differences.n(), out.confidence);
        row.lower = ends.lower, row.upper = ends.upper;
      }
      out.rows.push_back(std::move(row));
    }
  }
  return out;
}

std::shared_ptr<const ResultSet> comparison_record(const PairedComparison& comparison) {
  if (comparison.base == nullptr || comparison.rows.empty()) return nullptr;
  auto out = std::make_shared<ResultSet>(*comparison.base);
  ResultTable table = comparison_table(comparison);
  table.solver = out->provenance.solver, table.exact = comparison.same;
  out->tables.insert(out->tables.begin(), std::move(table));
  return out;
}

std::string comparison_label(const PairedComparison& comparison) {
  std::string out = "compared: " + comparison.axis.name + " = ";
  for (std::size_t i = 0; i < comparison.axis.values.size(); ++i)
    out += (i == 0 ? "" : ", ") + comparison.axis.text(comparison.axis.values[i]);
  return out;
}

ResultTable comparison_table(const PairedComparison& comparison) {
  const std::string percent = number_text(100.0 * comparison.confidence, 4) + " %";
  ResultTable out{
      .name = "comparison",
      .title = "Compared with " + comparison.axis.name + " = " + comparison.axis.text(comparison.axis.values.front()),
      .columns = {{"measure"},
                  {"unit"},
                  {comparison.axis.name},
                  {"mean"},
                  {"difference"},
                  {"lower " + percent},
                  {"upper " + percent}}};
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const PairedDifference& row = comparison.rows[i];
    const bool first = i % comparison.axis.values.size() == 0;
    const auto cell = [&](double x) { return first ? ResultTable::Cell(std::string()) : ResultTable::Cell(x); };
    out.rows.push_back(
        {row.measure, row.unit, row.choice, row.mean, cell(row.difference), cell(row.lower), cell(row.upper)});
  }
  out.note = comparison.same ? "Nothing that is measured is random: differences are exact."
                             : std::to_string(comparison.pairs) +
                                   " runs of each, in pairs with one seed; Student's intervals of the "
                                   "differences.";
  return out;
}

std::string comparison_csv(const PairedComparison& comparison) {
  std::string out = "measure,unit," + csv_cell(comparison.axis.name) + ",mean,difference,lower,upper,pairs\r\n";
  const auto cell = [](double x) { return (std::isfinite(x) ? number_text(x) : std::string()) + ","; };
  for (const PairedDifference& row : comparison.rows)
    out += csv_cell(row.measure) + "," + csv_cell(row.unit) + "," + csv_cell(row.choice) + "," + cell(row.mean) +
           cell(row.difference) + cell(row.lower) + cell(row.upper) + std::to_string(row.pairs) + "\r\n";
  return out;
}

Value comparison_json(const PairedComparison& comparison) {
  Value rows = Value::array(), problems = Value::array(), choices = Value::array();
  for (const PairedDifference& row : comparison.rows)
    rows.push_back({{"measure", row.measure},
                    {"unit", row.unit},
                    {"choice", row.choice},
                    {"mean", number_or_null(row.mean)},
                    {"difference", number_or_null(row.difference)},
                    {"lower", number_or_null(row.lower)},
                    {"upper", number_or_null(row.upper)},
                    {"pairs", row.pairs}});
  for (const std::string& one : comparison.problems) problems.push_back(one);
  for (const double value : comparison.axis.values) choices.push_back(comparison.axis.text(value));
  return {{"compare", {{"name", comparison.axis.name}, {"values", choices}}},
          {"pairs", comparison.pairs},
          {"confidence", comparison.confidence},
          {"deterministic", comparison.same},
          {"rows", rows},
          {"problems", problems}};
}

}  // namespace ergode
