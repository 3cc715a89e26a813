#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/catalogue/measure_kinds.h"
#include "core/catalogue/model_kinds.h"
#include "core/report/difference_figure.h"
#include "core/report/report_figures.h"
#include "core/report/report_parts.h"
#include "core/report/told_tables.h"
#include "core/results/answer.h"
#include "core/results/value_text.h"

// What the report says of the run: how its numbers were made, what they are, how they compare.
namespace ergode {
namespace {

constexpr std::size_t figure_limit = 40;
constexpr std::size_t most_rows = 200;  // of a table of the run: some four pages; nobody reads thousands on paper

/// Samples behind an estimate; of weighted ones how many equal ones would be worth the same.
std::string samples_text(const MeasureResult& m) {
  const std::string all = count_text(m.replications);
  return m.effective_samples > 0.0
             ? all + " (" + count_text(static_cast<std::uint64_t>(m.effective_samples)) + " effective)"
             : all;
}

/// A number that has no interval.
std::string plain_text(double value, int digits) { return value_texts(value, value, value, digits).value; }

}  // namespace

void Report::quantification() {
  page_.section("Quantification");
  if (main_ == nullptr) {
    page_.missing("No run, hence no method to describe.");
    return;
  }
  const Provenance& p = main_->provenance;
  ReportTable t;
  t.caption = "How the numbers were made";
  t.columns = {"Aspect", "Value"};
  t.rows = {{"Solver", p.solver},
            {"Replications", main_->replications > 0 ? count_text(main_->replications) : "none (no sampling)"},
            {"Events executed", main_->events > 0 ? count_text(main_->events) : "none"},
            {"Stopped by", or_missing(main_->stop_reason)},
            {"Status", to_text(main_->status)},
            {"Seed", std::to_string(p.seed)},
            {"Random numbers", or_missing(p.generator)},
            {"Naming of streams", or_missing(p.stream_rule)},
            {"Fingerprint", or_missing(main_->fingerprint)}};
  std::set<std::string> methods;
  for (const MeasureResult& m : main_->measures)
    if (!m.method.empty()) methods.insert(m.method);
  std::string joined;
  for (const std::string& m : methods) joined += (joined.empty() ? "" : ", ") + m;
  t.rows.push_back({"Intervals by", or_missing(joined)});
  for (const auto& [about, sentence] : main_->conclusions()) t.rows.push_back({about, sentence});
  page_.table(t);
  page_.heading("Convergence");
  std::vector<const MeasureResult*> estimated;
  for (const MeasureResult* m : headline_)
    if (!without_chance(*m)) estimated.push_back(m);
  if (figures("convergence", estimated, "Convergence of ") == 0)
    page_.missing("No convergence curves: the solver does not sample, the run kept none, or nothing is estimated.");
}

std::size_t Report::figures(const char* kind, const std::vector<const MeasureResult*>& measures,
                            const std::string& caption) {
  std::size_t drawn = 0;
  for (const MeasureResult* m : measures) {
    const auto picture = series_figure(input_.results, m->id, kind);
    if (!picture) continue;
    if (figures_ >= figure_limit) {
      page_.missing("Further curves are in the result file; a report shows at most " + std::to_string(figure_limit) +
                    ".");
      break;
    }
    ++figures_;
    ++drawn;
    page_.figure(*picture, caption + (m->label.empty() ? m->id : m->label));
  }
  return drawn;
}

void Report::results() {
  page_.section("Results");
  if (main_ == nullptr) {
    page_.missing("No results.");
    return;
  }
  std::vector<const MeasureResult*> all;
  for (const MeasureResult& m : main_->measures) all.push_back(&m);
  comparisons();
  page_.heading("Over the mission");
  if (figures("curve", all, "Over time: ") == 0) page_.missing("No measure has a curve over time.");
  page_.heading("Distributions of times and values");
  if (figures("distribution", all, "Distribution: ") == 0) page_.missing("No measure has a distribution.");
  quantiles();
  tables();
  page_.heading("All measures");
  ReportTable t;
  t.caption = "All measures of the run";
  t.columns = {"Name", "Measure", "Kind", "Unit", "Estimate", "Lower", "Upper", "Standard error", "Samples"};
  for (const MeasureResult& m : main_->measures) {
    const bool sampled = !m.exact && !without_spread(m) && m.not_available.empty();
    const ValueTexts texts = value_texts(m.estimate, m.lower, m.upper);
    const MeasureKind* asks = find_measure_kind(m.kind);
    // Of a mission only its limit is known there.
    const bool limit =
        (main_->long_run || (is_one_long_run(*main_) && m.answered())) && asks != nullptr && !asks->without_end();
    t.rows.push_back({m.id, m.label, choice_label(measure_types(), m.kind) + (limit ? ", in the long run" : ""), m.unit,
                      estimate_of(m), sampled ? texts.lower : "", sampled ? texts.upper : "",
                      sampled ? plain_text(m.standard_error, 2) : "",
                      m.exact || without_chance(m) ? "" : samples_text(m)});
  }
  page_.table(t);
  asked();
}

void Report::asked() {
  ReportTable t;
  t.caption = "What the measures ask";
  t.columns = {"Name"};
  const std::vector<std::string> keys = {"expression", "event", "of", "class", "per",
                                         "renewal",    "level", "at", "scale", "precision"};
  const std::vector<KindSpec> kinds = model_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [](const KindSpec& k) { return k.kind == "measure"; });
  for (const std::string& key : keys) {
    const PropertySpec* property = kind != kinds.end() ? kind->property(key) : nullptr;
    t.columns.push_back(property != nullptr ? property->label : key);
  }
  t.columns.push_back("Warm-up left out");
  for (const MeasureResult& m : main_->measures) {
    const Element* e = input_.document != nullptr ? input_.document->find(m.element) : nullptr;
    std::vector<std::string> row = {m.id};
    const MeasureKind* asks = find_measure_kind(m.kind);
    for (const std::string& key : keys)
      row.push_back(e == nullptr || e->section != Section::measure                                   ? ""
                    : key == "level" && asks != nullptr && asks->level && trim(e->text(key)).empty() ? "0.95"
                                                                                                     : e->text(key));
    row.push_back(m.warm_up > 0.0 ? number_text(100.0 * m.warm_up, 3) +
                                        (is_one_long_run(*main_) ? " % of the run" : " % of each replication")
                                  : "");
    t.rows.push_back(std::move(row));
  }
  for (std::size_t c = t.columns.size(); c-- > 1;) {
    if (!std::all_of(t.rows.begin(), t.rows.end(), [&](const auto& row) { return row[c].empty(); })) continue;
    t.columns.erase(t.columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (auto& row : t.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
  if (t.columns.size() > 1) page_.table(t);
}

void Report::quantiles() {
  ReportTable t;
  t.caption = "Distributions of what was observed";
  t.columns = {"Measure", "Unit", "Quantity", "Value", "Lower", "Upper"};
  for (const MeasureResult& m : main_->measures) {
    if (!quantiles_differ(m)) continue;
    for (const auto& [probability, texts] : quantile_texts(m)) {
      const auto found = m.quantile_intervals.find(probability);
      if (found == m.quantile_intervals.end())
        t.note =
            "Quantiles without ends are of the observations of one replication, which depend on each other: more "
            "replications give them intervals.";
      t.rows.push_back({m.label.empty() ? m.id : m.label, m.unit, "quantile " + number_text(probability, 4),
                        texts.value, texts.lower, texts.upper});
    }
    if (const ValueTexts texts = deviation_texts(m); !texts.value.empty())
      t.rows.push_back(
          {m.label.empty() ? m.id : m.label, m.unit, "standard deviation", texts.value, texts.lower, texts.upper});
  }
  if (!t.rows.empty()) page_.table(t);
}

void Report::table(const ResultTable& table, const std::vector<std::string>& solvers) {
  if (table.rows.empty() && table.note.empty()) return;
  ReportTable t;
  std::string by;
  for (std::size_t i = 0; i < solvers.size(); ++i)
    by += (i == 0 ? "" : i + 1 == solvers.size() ? " and " : ", ") + solvers[i];
  t.caption = table.title + " (" + (table.exact ? "exact, " : "") + by + ")";
  for (const ResultTable::Column& column : table.columns) t.columns.push_back(column_text(column));
  const std::size_t rows = std::min(table.rows.size(), most_rows);
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::string>& cells = t.rows.emplace_back();
    for (const ResultTable::Cell& cell : table.rows[r]) cells.push_back(cell_text(cell));
  }
  t.note = table.note;
  if (rows < table.rows.size())
    t.note = "The first " + count_text(rows) + " of " + count_text(table.rows.size()) +
             " rows. All of them: the run with --table " + table.name + ", or exported as CSV or JSON." +
             (t.note.empty() ? "" : " ") + t.note;
  if (const auto picture = table_figure(table)) page_.figure(*picture, table.title);
  page_.table(t);
}

void Report::comparisons() {
  for (const ResultTable& one : main_->tables) {
    if (!is_comparison(one)) continue;
    page_.heading("Comparison");
    page_.paragraph(
        "Choices were run in pairs on the same random numbers; what is told elsewhere in this report is the first run "
        "of the first choice. A hollow point has 0 in its interval.");
    table(one, {one.solver});
  }
}

void Report::tables() {
  bool first = true;
  for (const ToldTable& told : told_tables(input_.results, time_unit_of(*main_))) {
    if (is_comparison(told.table)) continue;
    if (first) page_.heading("Further results");
    first = false;
    table(told.table, told.solvers);
  }
}

std::string difference_percent(const MeasureResult& m, const MeasureResult* exact) {
  if (exact == nullptr || exact->estimate == 0.0 || !std::isfinite(m.estimate - exact->estimate)) return "";
  return plain_text(100 * (m.estimate - exact->estimate) / exact->estimate, 3) + " %";
}

void Report::verification() {
  page_.section("Verification: estimates beside exact values");
  ReportTable t;
  t.caption = "Every measure that has an exact value";
  t.columns = {"Measure",    "Unit",         "Estimate",        "Exact",
               "Difference", "Difference %", "Standard errors", "Exact inside interval"};
  int inside = 0, asked = 0;
  if (main_ != nullptr)
    for (const MeasureResult& m : main_->measures) {
      const MeasureResult* exact = exact_counterpart(input_.results, m.id);
      if (exact == nullptr || m.exact || !m.not_available.empty()) continue;
      const double difference = m.estimate - exact->estimate;
      asked += has_interval(m);
      inside += inside_text(m, exact) == "yes";
      t.rows.push_back(
          {m.id, m.unit, value_text(m), value_text(*exact, 9), plain_text(difference, 3), difference_percent(m, exact),
           m.standard_error > 0 ? plain_text(difference / m.standard_error, 3) : "", inside_text(m, exact)});
    }
  if (t.rows.empty()) {
    page_.missing("No estimate of this run has an exact value to be compared with.");
    unanswered();
    return;
  }
  const double confidence = headline_.empty() ? 0.95 : headline_.front()->confidence;
  page_.paragraph(std::to_string(inside) + " of " + std::to_string(asked) +
                  " exact values lie inside the interval of their estimate; at " + number_text(100 * confidence, 12) +
                  " % confidence " + number_text(asked * confidence, 3) + " are expected on average.");
  page_.table(t);
  unanswered();
}

void Report::unanswered() {
  if (main_ == nullptr || main_->declined.empty()) return;
  ReportTable t;
  t.caption = "Exact solvers that gave no answer";
  t.columns = {"Solver", "Reason", "Hint"};
  for (const Declined& one : main_->declined)
    for (const Diagnostic& d : one.reasons) {
      if (d.severity != Severity::error) continue;
      std::vector<std::string> row = {one.solver, (d.code.empty() ? "" : d.code + ": ") + d.message, d.hint};
      // Of several elements it is said of each; here their names do not stand.
      if (std::find(t.rows.begin(), t.rows.end(), row) == t.rows.end()) t.rows.push_back(std::move(row));
    }
  t.note = "Measures that a solver left out while it answered others stand under Diagnostics.";
  page_.table(t);
}

}  // namespace ergode
