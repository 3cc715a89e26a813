#include "app/session/check.h"

#include <algorithm>
#include <set>

#include "app/session/catalogue.h"
#include "app/session/echoes.h"
#include "app/session/key_check.h"
#include "app/session/quick_fixes.h"
#include "app/session/settable.h"
#include "app/session/unit_or_name.h"
#include "app/session/value_fixes.h"
#include "core/base/known_problems.h"
#include "core/base/text.h"
#include "core/document/command.h"
#include "core/document/layout_limits.h"
#include "solvers/model/analysis_model.h"
#include "solvers/simulation/trial/trial.h"

namespace ergode {
namespace {

constexpr std::size_t most_mended = 50;

void check_properties(const Document& document, Diagnostics& problems) {
  for (const Element& element : document.elements()) {
    const KindSpec* kind = catalogue().kind_of(document, element);
    if (kind == nullptr) {
      // Some notations report their own unknown parts; everything else is reported here, once.
      const NotationSpec* notation = catalogue().notation_of(document, element.diagram);
      if (notation == nullptr || !notation->reports_unknown_kinds)
        problems.push_back({.severity = Severity::warning,
                            .code = "DOC001",
                            .element = element.id,
                            .pointer = "kind",
                            .message = "The kind \"" + element.kind +
                                       "\" is not known to this version; the element is kept but has no effect."});
      continue;
    }
    if (element.section == Section::diagram && catalogue().notation(element.text("notation")) == nullptr)
      problems.push_back({.severity = Severity::warning,
                          .code = "DOC001",
                          .element = element.id,
                          .pointer = "notation",
                          .message = "The notation \"" + element.text("notation") +
                                     "\" is not known to this version; the diagram is kept but has no effect."});
    for (const PropertySpec& spec : kind->properties) {
      const bool missing = trim(element.text(spec.name)).empty();
      if (spec.required && missing && !spec.absence_told_elsewhere)
        problems.push_back({.code = "DOC004",
                            .element = element.id,
                            .pointer = spec.name,
                            .message = "\"" + spec.label + "\" is empty; wanted a value."});
      if (!missing && element.properties[spec.name].is_structured())
        problems.push_back(
            {.code = "DOC002",
             .element = element.id,
             .pointer = spec.name,
             .message = "Here is " + element.text(spec.name).substr(0, 60) + "; wanted a text, number or boolean."});
    }
  }
}

/// What nothing uses is meant to be used: names and units in it are checked as soon as they are drawn, on a copy in
/// which its notation has used it.
void check_unused(const Document& document, const RunRequest& request, Diagnostics& problems) {
  Edit edit(document, "");
  std::set<ElementId> unused;
  for (const NotationSpec& notation : catalogue().notations())
    if (notation.use_unused)
      for (const ElementId diagram : notation.use_unused(edit)) unused.insert(diagram);
  if (unused.empty()) return;
  // Where nothing runs at all, that is said already.
  const bool nothing_runs =
      std::any_of(problems.begin(), problems.end(), [](const Diagnostic& d) { return d.code == "SYS004"; });
  if (!nothing_runs)
    for (const ElementId diagram : unused)
      problems.push_back(
          {.severity = Severity::info,
           .code = "SYS006",
           .element = diagram,
           .message = "Nothing uses " + document.find(diagram)->name() + ": it plays no part in a run."});
  Diagnostics found;
  build_model(edit.document(), request, request.folder, found);
  KnownProblems known;
  for (Diagnostic& d : found) {
    const Element* element = document.find(d.element);
    if (element != nullptr && (unused.contains(element->id) || unused.contains(element->diagram)) &&
        !known.contain(problems, d.code, d.element, d.pointer))
      problems.push_back(std::move(d));
  }
}

}  // namespace

bool integrates(const Question& question) {
  Diagnostics problems;
  const auto model = model_of(question, problems);
  return model == nullptr || model->charts.hybrid;
}

Diagnostics check_model(const Document& document, const RunRequest& request) {
  return check_model(Question::of(document, request));
}

Diagnostics check_model(const Question& question, TriedOut tried) {
  TrialBudget budget;
  const Document& document = question.document();
  const RunRequest& request = question.request();
  Diagnostics problems = check_layout(document);
  check_keys(document, problems);
  check_properties(document, problems);
  if (const auto model = model_of(question, problems)) {
    const Diagnostics unknown = unknown_precisions(*model, request);
    problems.insert(problems.end(), unknown.begin(), unknown.end());
    for (Diagnostic& grows : tried_out(*model, budget)) problems.push_back(std::move(grows));
  }
  for (Diagnostic& unknown : unknown_properties(document, request)) problems.push_back(std::move(unknown));
  for (Diagnostic& idle : values_without_effect(document, request)) problems.push_back(std::move(idle));
  check_choices(document, problems);
  check_unused(document, request, problems);
  KnownProblems known;
  for (const Element* scenario : document.of(Section::scenario)) {
    if (trim(scenario->name()).empty()) {
      problems.push_back(
          {.code = "PAR008", .element = scenario->id, .pointer = "name", .message = "The scenario has no name."});
      continue;
    }
    if (scenario->name() == request.scenario) continue;
    RunRequest other = request;
    other.scenario = scenario->name();
    // Overrides belong to the run that is asked for; a scenario is checked as it stands in the model.
    other.overrides.clear();
    Diagnostics own;
    if (const auto model = model_of(question.with(other), own); model && tried == TriedOut::every_scenario)
      for (Diagnostic& grows : tried_out(*model, budget)) own.push_back(std::move(grows));
    for (Diagnostic& d : own) {
      if (known.contain(problems, d.code, d.element, d.pointer)) continue;
      d.message = "In scenario " + scenario->name() + ": " + d.message;
      d.scenario = scenario->name();
      problems.push_back(std::move(d));
    }
  }
  drop_echoes(document, problems);
  say_units_that_may_be_names(document, problems);
  // Each fix copies the document; nobody mends the thousandth problem before the first.
  std::size_t mended = 0;
  for (Diagnostic& d : problems) {
    if (mended == most_mended) break;
    for (QuickFix& fix : quick_fixes(document, d)) d.fixes.push_back(std::move(fix));
    mended += !d.fixes.empty();
  }
  std::stable_sort(problems.begin(), problems.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    return document.index_of(a.element) < document.index_of(b.element);
  });
  return problems;
}

Diagnostics found_by_the_run(const ResultSet& results, const Diagnostics& by_the_check) {
  Diagnostics out;
  for (const Diagnostic& d : results.diagnostics)
    if (std::none_of(by_the_check.begin(), by_the_check.end(),
                     [&](const Diagnostic& said) { return said.code == d.code && said.message == d.message; }))
      out.push_back(d);
  return out;
}

}  // namespace ergode
