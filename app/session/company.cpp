#include "app/session/company.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/catalogue/measure_kinds.h"
#include "core/results/answer.h"
#include "solvers/registry.h"

namespace ergode {

bool is_long_run(const ResultSet& results) {
  if (results.long_run) return true;
  // Records of older versions do not say it.
  const Solver* solver = find_solver(results.provenance.solver);
  return solver != nullptr && solver->spec().long_run;
}

bool is_limit(const MeasureResult& answer, const ResultSet& of) {
  const MeasureKind* kind = find_measure_kind(answer.kind);
  if (!(is_long_run(of) || (is_one_long_run(of) && answer.answered())) || kind == nullptr || kind->without_end())
    return false;
  using Meaning = MeasureKind::Meaning;
  const Meaning asked = kind->meaning;
  // The fluid limit follows amounts over the mission too; only of what is observed it knows where they settle.
  return of.provenance.solver != "fluid" ||
         (asked != Meaning::average && asked != Meaning::at_end && asked != Meaning::at_time);
}

std::vector<ResultSet> with_company(const ResultSet& run) {
  std::vector<ResultSet> out = {run};
  for (const auto& beside : run.company) out.push_back(*beside);
  for (ResultSet& set : out) set.long_run = is_long_run(set);
  return out;
}

std::vector<const MeasureResult*> exact_answers(const ResultSet& run, const CompanyResults& company,
                                                const std::string& measure) {
  std::vector<const MeasureResult*> out;
  for (const auto& set : company) {
    const MeasureResult* m = set->measure(measure);
    if (m != nullptr && comparable(*m, is_long_run(*set), run)) out.push_back(m);
  }
  return out;
}

const MeasureResult* long_run_answer(const CompanyResults& company, const std::string& measure) {
  for (const auto& set : company)
    if (is_long_run(*set))
      if (const MeasureResult* m = set->measure(measure); m != nullptr && m->not_available.empty()) return m;
  return nullptr;
}

bool inside(const MeasureResult& estimate, const MeasureResult& exact) {
  return interval_holds(estimate, exact.estimate);
}

bool all_inside(const MeasureResult& estimate, const std::vector<const MeasureResult*>& exact) {
  return !exact.empty() &&
         std::all_of(exact.begin(), exact.end(), [&](const MeasureResult* m) { return inside(estimate, *m); });
}

std::string difference_text(const MeasureResult& m, const std::vector<const MeasureResult*>& exact) {
  if (exact.empty() || !m.not_available.empty() || exact.front()->unit != m.unit || exact.front()->estimate == 0.0 ||
      answer_of(*exact.front(), false) == Answer::bounds)
    return "";
  return number_text(100.0 * (m.estimate / exact.front()->estimate - 1.0), 2);
}

bool of_another_kind(const Declined& declined) {
  if (declined.fits) return false;
  return std::any_of(declined.reasons.begin(), declined.reasons.end(),
                     [](const Diagnostic& d) { return d.code == "SOL004" || (d.code == "SOL001" && !d.element); });
}

std::string why(const Declined& declined) {
  for (const Diagnostic& d : declined.reasons)
    if (d.severity == Severity::error) return d.code.empty() ? d.message : d.code + ": " + d.message;
  return "It gave no reason.";
}

}  // namespace ergode
