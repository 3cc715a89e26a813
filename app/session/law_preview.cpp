#include "app/session/law_preview.h"

#include <algorithm>

#include "core/expression/compile.h"
#include "core/expression/syntax.h"
#include "solvers/queueing/lowering/gaps_seen.h"
#include "solvers/queueing/lowering/process_forms.h"

namespace ergode {

std::variant<LawPreview, std::string> law_preview(const Element& element, std::string_view property,
                                                  const std::string& text, Scope& scope, const DataFiles& files) {
  const auto parsed = parse_expression(text);
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) return error->message;
  const Syntax& syntax = std::get<Syntax>(parsed);
  if (auto seen = gaps_seen(syntax, times_with_memory(element, property), scope, files)) {
    if (auto* gaps = std::get_if<GapsSeen>(&*seen)) return LawPreview{std::move(gaps->law), gaps->neighbours};
    const Diagnostics& wrong = std::get<Diagnostics>(*seen);
    return wrong.empty() ? "This is no time." : wrong.front().message;
  }
  auto checked = compile_random(syntax, Dimension::of_time(), scope, files);
  if (const auto* error = std::get_if<ExpressionError>(&checked))
    return error->hint.empty() ? error->message : error->message + " " + error->hint;
  auto& random = std::get<RandomQuantity>(checked);
  if (auto* law = std::get_if<Distribution>(&random)) return LawPreview{std::move(*law), {}};
  const Program& fixed = std::get<Program>(random);
  if (!fixed.is_constant()) return "This changes during a run.";
  return LawPreview{Distribution::deterministic(fixed.value()), {}};
}

std::vector<DistributionForm> forms_at(const Element& element, std::string_view property) {
  std::vector<DistributionForm> out;
  for (const DistributionForm& form : distribution_forms()) {
    if (form.dimensionless) continue;
    out.push_back(form);
    if (form.family == "empirical")
      out.push_back({"empirical",
                     {{"file", ArgumentDimension::none, false, true, "a CSV file"},
                      {"column", ArgumentDimension::none, false, false, "its name in the first row, or its number"},
                      {"unit", ArgumentDimension::none, false, true, "of its values: s, ms, h"}},
                     form.reference,
                     "One of the values in a column of a file, each equally likely."});
  }
  for (DistributionForm& form : process_forms(times_with_memory(element, property))) out.push_back(std::move(form));
  return out;
}

bool is_quoted(const DistributionArgument& argument) {
  return argument.name == "file" || argument.name == "column" || argument.name == "unit";
}

bool reads_file(const DistributionForm& form) {
  return std::any_of(form.arguments.begin(), form.arguments.end(),
                     [](const DistributionArgument& one) { return one.name == "file"; });
}

}  // namespace ergode
