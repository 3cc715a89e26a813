#include "app/cli/run_output.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <set>
#include <sstream>
#include <utility>

#include "app/cli/commands.h"
#include "core/base/text.h"
#include "core/results/answer.h"
#include "core/results/occurrence.h"
#include "core/results/result_json.h"
#include "core/results/value_text.h"

namespace ergode::cli {
namespace {

/// Bounds are shown as such: their middle is nobody's answer.
std::string exact_text(const MeasureResult& m) {
  return answer_of(m, false) == Answer::bounds ? interval_text(m) : value_text(m);
}

/// The estimates, and beside them what exact solvers say: one column each when all were asked for, else the first.
class Table {
 public:
  Table(const ResultSet& results, const CompanyResults& company, bool all)
      : results_(results), company_(company), all_(all) {
    simulated_ = !results.measures.empty() && !results.measures.front().exact;
    // Approximations have no intervals.
    sampled_ = std::any_of(results.measures.begin(), results.measures.end(),
                           [](const MeasureResult& m) { return !m.exact && m.confidence < 1.0; });
    for (const MeasureResult& m : results.measures) {
      any_exact_ = any_exact_ || (simulated_ && !exact_answers(results, company, m.id).empty());
      bounded_ = bounded_ || (m.confidence >= 1.0 && m.upper > m.lower);
      any_weight_ = any_weight_ || m.effective_samples > 0.0;
    }
    shown_ = results.split_parts();
    if (!all && any_exact_) exact_ = {"exact"};
    for (const auto& set : company) {
      if (!all) break;
      exact_.push_back(set->provenance.solver);
      if (is_long_run(*set)) limits_.push_back(set->provenance.solver);
    }
  }

  void print() {
    const Answer own = results_.long_run ? Answer::long_run : simulated_ ? Answer::estimate : Answer::exact;
    const bool approximate = simulated_ && !sampled_;
    std::vector<std::string> head = {"measure", std::string(to_text(own)) + (approximate ? ", approximately" : ""),
                                     "unit"};
    std::vector<bool> right = {false, true, false};
    const auto column = [&](const std::string& name, bool number) { head.push_back(name), right.push_back(number); };
    if (sampled_) column(number_text(results_.measures.front().confidence * 100, 12) + " % interval", false);
    if (bounded_) column("error at most", true);
    if (any_weight_) column("effective", true);
    for (const std::string& name : exact_)
      column(all_ ? answer_label(Answer::exact, name) : to_text(Answer::exact), true);
    if (any_exact_) column("Delta %", true);
    if (any_exact_ && sampled_) column("inside", false);
    for (const std::string& name : limits_) column(answer_label(Answer::long_run, name), true);
    for (const SplitPart part : shown_) column(results_.split.parts[part].label, true);
    std::vector<std::vector<std::string>> rows = {std::move(head)};
    for (const MeasureResult& m : results_.measures) rows.push_back(row(m));
    leave_out_empty(rows, right);
    std::cout << text_table(rows, right);
    if (!shown_.empty()) std::cout << "by " << results_.split.by << ": " << results_.split.meaning << "\n";
  }

 private:
  /// Whether an answer of the company is what the run's estimate estimates.
  bool compared(const MeasureResult& answer) const {
    const std::vector<const MeasureResult*> exact = exact_answers(results_, company_, answer.id);
    return std::find(exact.begin(), exact.end(), &answer) != exact.end();
  }
  /// What one solver says of the long run beside what is compared; null: nothing.
  const MeasureResult* limit_of(const std::string& measure, const std::string& solver) const {
    for (const auto& set : company_)
      if (is_long_run(*set) && set->provenance.solver == solver)
        if (const MeasureResult* m = set->measure(measure); m != nullptr && m->answered() && !compared(*m)) return m;
    return nullptr;
  }
  /// What no row has is no column; the value is there even where it is not known.
  static void leave_out_empty(std::vector<std::vector<std::string>>& rows, std::vector<bool>& right) {
    for (std::size_t c = right.size(); c-- > 2;) {
      if (std::any_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return !row[c].empty(); })) continue;
      for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
      right.erase(right.begin() + static_cast<std::ptrdiff_t>(c));
    }
  }
  std::vector<std::string> row(const MeasureResult& m) const {
    const std::string among = m.exact ? "" : occurrence_note(m, results_.replications);
    std::vector<std::string> out = {m.id, value_text(m), m.unit + (among.empty() ? "" : " (" + among + ")")};
    if (sampled_) out.push_back(m.not_available.empty() ? interval_text(m) : m.not_available);
    if (bounded_)
      out.push_back(m.upper > m.lower ? number_text(std::max(m.upper - m.estimate, m.estimate - m.lower), 2) : "");
    if (any_weight_) out.push_back(m.effective_samples > 0.0 ? number_text(std::floor(m.effective_samples), 9) : "");
    const std::vector<const MeasureResult*> exact = exact_answers(results_, company_, m.id);
    for (const std::string& name : exact_) {
      const auto own =
          std::find_if(exact.begin(), exact.end(), [&](const MeasureResult* e) { return !all_ || e->solver == name; });
      out.push_back(own == exact.end() ? "" : exact_text(**own));
    }
    if (any_exact_) out.push_back(difference_text(m, exact));
    if (any_exact_ && sampled_)
      out.push_back(exact.empty() || !m.not_available.empty() || !has_interval(m) ? ""
                    : all_inside(m, exact)                                        ? "yes"
                                                                                  : "no");
    for (const std::string& name : limits_) {
      const MeasureResult* limit = limit_of(m.id, name);
      out.push_back(limit == nullptr        ? ""
                    : limit->unit == m.unit ? value_text(*limit)
                                            : value_text(*limit) + " " + limit->unit);
    }
    for (const SplitPart part : shown_) {
      const std::string& name = results_.split.parts[part].name;
      out.push_back(m.shares && m.shares->contains(name) ? part_text(m, m.shares->at(name)) : "");
    }
    return out;
  }

  const ResultSet& results_;
  const CompanyResults& company_;
  bool all_, simulated_ = false, sampled_ = false, any_exact_ = false, any_weight_ = false, bounded_ = false;
  std::vector<SplitPart> shown_;  ///< parts of the split with a column
  std::vector<std::string> exact_, limits_;
};

/// Quantiles of what was observed, a row for each measure that has some; their intervals are in --json and the report.
void print_quantiles(const ResultSet& results) {
  std::set<double> probabilities;
  for (const MeasureResult& m : results.measures)
    if (quantiles_differ(m))
      for (const auto& [p, value] : m.quantiles) probabilities.insert(p);
  if (probabilities.empty()) return;
  std::vector<std::vector<std::string>> rows(1, {"quantiles", "unit"});
  std::vector<bool> right = {false, false};
  for (const double p : probabilities) rows.front().push_back(number_text(100 * p, 4) + " %"), right.push_back(true);
  rows.front().emplace_back("std. deviation"), right.push_back(true);
  for (const MeasureResult& m : results.measures) {
    if (!quantiles_differ(m)) continue;
    rows.push_back({m.id, m.unit});
    const std::map<double, ValueTexts> texts = quantile_texts(m);
    for (const double p : probabilities) {
      const auto known = texts.find(p);
      rows.back().push_back(known == texts.end() ? "" : known->second.value);
    }
    rows.back().push_back(deviation_texts(m).value);
  }
  std::cout << "\n" << text_table(rows, right);
}

/// What a solver knows besides the measures. A terminal gets the beginning of a long one.
void print_result_table(const ResultTable& table) {
  if (table.rows.empty() && table.note.empty()) return;
  constexpr std::size_t most_rows = 20;
  std::vector<std::vector<std::string>> rows(1);
  std::vector<bool> right;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    rows.front().push_back(column_text(table.columns[c]));
    right.push_back(!table.rows.empty() && std::holds_alternative<double>(table.rows.front()[c]));
  }
  for (std::size_t r = 0; r < std::min(most_rows, table.rows.size()); ++r) {
    rows.emplace_back();
    for (const ResultTable::Cell& cell : table.rows[r]) rows.back().push_back(visible(cell_text(cell)));
  }
  std::cout << "\n" << visible(table.title) << (table.exact ? " (exact, " : " (") << visible(table.solver) << ")\n";
  std::cout << text_table(rows, right);
  if (table.rows.size() > most_rows)
    std::cout << "and " << table.rows.size() - most_rows << " rows more: --table " << table.name
              << " prints all, --json has them\n";
  if (!table.note.empty()) std::cout << visible(table.note) << "\n";
}

Value run_without_rows(const ResultSet& results, const CompanyResults& company, const std::vector<Declined>& declined,
                       const Document* all) {
  Value out = to_json_without_rows(results);
  for (Value& m : out["measures"]) {
    const std::string id = m["id"].text();
    const MeasureResult* own = results.measure(id);
    if (own == nullptr || own->exact) continue;
    const bool answered = own->not_available.empty();
    const std::vector<const MeasureResult*> exact = exact_answers(results, company, id);
    if (!exact.empty()) {
      m["exact_value"] = exact.front()->estimate;
      m["exact_solver"] = exact.front()->solver;
      if (answered && has_interval(*own)) m["exact_inside_interval"] = inside(*own, *exact.front());
    }
    if (all == nullptr) continue;
    m["exact_values"] = Value::array();
    for (const MeasureResult* e : exact) {
      m["exact_values"].push_back({{"solver", e->solver},
                                   {"method", e->method},
                                   {"value", e->estimate},
                                   {"lower", e->lower},
                                   {"upper", e->upper}});
      // Where nothing was estimated there is no interval to be inside of.
      if (answered) m["exact_values"].back()["inside_interval"] = inside(*own, *e);
    }
    if (const MeasureResult* limit = long_run_answer(company, id))
      m["long_run"] = {{"solver", limit->solver}, {"value", limit->estimate}, {"unit", limit->unit}};
  }
  if (all == nullptr) return out;
  out["solvers"] = Value::array();
  out["solvers"].push_back({{"name", results.provenance.solver}, {"answered", true}});
  for (const auto& set : company)
    out["solvers"].push_back({{"name", set->provenance.solver},
                              {"answered", true},
                              {"options", set->provenance.options},
                              {"diagnostics", diagnostics_json(set->diagnostics, all)}});
  for (const Declined& one : declined)
    out["solvers"].push_back(
        {{"name", one.solver}, {"answered", false}, {"reasons", diagnostics_json(one.reasons, all)}});
  return out;
}

}  // namespace

void print_run_table(const ResultSet& results, const CompanyResults& company, bool all) {
  if (!results.measures.empty()) Table(results, company, all).print();
  print_quantiles(results);
  for (const ResultTable& table : results.tables) print_result_table(table);
  if (all)
    for (const auto& other : company)
      for (const ResultTable& table : other->tables) print_result_table(table);
}

void write_run_json(std::ostream& out, const ResultSet& results, const CompanyResults& company,
                    const std::vector<Declined>& declined, const Document* all) {
  write_lines(out, run_without_rows(results, company, declined, all), results);
  out << "\n";
}

std::string run_json_text(const ResultSet& results, const CompanyResults& company,
                          const std::vector<Declined>& declined) {
  std::ostringstream out;
  write_run_json(out, results, company, declined);
  return std::move(out).str();
}

}  // namespace ergode::cli
