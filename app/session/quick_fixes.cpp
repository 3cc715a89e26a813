#include "app/session/quick_fixes.h"

#include <iterator>

#include "app/session/catalogue.h"
#include "app/session/create_parameter.h"
#include "app/session/element_numbers.h"
#include "app/session/value_fixes.h"
#include "core/document/command.h"
#include "core/document/layout_limits.h"

namespace ergode {
namespace {

std::vector<QuickFix> place_anew(const Document& document, ElementId id) {
  const Element* element = document.find(id);
  if (element == nullptr) return {};
  Edit edit(document, "Place " + (element->name().empty() ? element->kind : element->name()) + " anew");
  edit.set_layout(id, drawable_part(element->layout));
  return {{element->is_edge() ? "Route it anew" : "Place it anew", std::make_shared<const Command>(edit.finish())}};
}

}  // namespace

std::vector<QuickFix> quick_fixes(const Document& document, const Diagnostic& problem) {
  if (problem.code == "DOC007") return place_anew(document, problem.element);
  if (problem.code == "EXP004") return give_unit(document, problem);
  if (problem.code == "MEA002" || problem.code == "MEA003") return unit_of_measure(document, problem);
  if (problem.code == "DOC002" || problem.code == "PAR007" || problem.code == "PAR003")
    return choose(document, problem);
  if (problem.code == "MEA008") {
    std::vector<QuickFix> all;
    if (auto everything = measure_everything(document)) all.push_back(std::move(*everything));
    for (const NotationSpec& notation : catalogue().notations())
      if (notation.fixes) {
        std::vector<QuickFix> made = notation.fixes(document, problem);
        std::move(made.begin(), made.end(), std::back_inserter(all));
      }
    return all;
  }
  for (const NotationSpec& notation : catalogue().notations())
    if (notation.fixes)
      if (auto made = notation.fixes(document, problem); !made.empty()) return made;
  if (auto fix = create_parameter_fix(document, problem)) return {std::move(*fix)};
  return {};
}

}  // namespace ergode
