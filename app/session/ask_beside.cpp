// Which exact solvers a run is accompanied by.
#include <algorithm>

#include "app/session/run.h"
#include "core/catalogue/measure_kinds.h"
#include "solvers/markov/markov_options.h"
#include "solvers/simulation/simulation_options.h"

namespace ergode {
namespace {

bool asks_for_the_long_run(const Document& document) {
  const auto measures = document.of(Section::measure);
  return std::any_of(measures.begin(), measures.end(), [](const Element* e) {
    const MeasureKind* kind = find_measure_kind(e->text("type"));
    return kind != nullptr && kind->without_end();
  });
}

}  // namespace

void Run::Order::ask_beside(Beside which, const std::vector<const Solver*>& known) {
  beside = which;
  company.clear();
  if (which == Beside::all)
    state_limit = markov_options().read(question.request()).state_limit,
    company_limits = question.request().wall_time_s ? Limits{.time_s = question.request().wall_time_s}
                                                    : Limits{.time_s = all_patience_s, .operations = all_operations};
  if (which == Beside::none || solver == nullptr || solver->spec().exact) return;
  // One long run estimates limits alone: what holds for the mission is no exact value of them.
  const bool one_long_run = simulation_options().read(question.request()).output_analysis != "replications";
  // A measure of the long run has its exact value there; the others' limits come along.
  const bool limits = which != Beside::quick || one_long_run || asks_for_the_long_run(question.document());
  const bool missions = which == Beside::all || !one_long_run;
  for (const Solver* other : known)
    if (other->spec().exact && (other->spec().long_run ? limits : missions)) company.push_back(other);
}

}  // namespace ergode
