#include "app/session/expressions_of.h"

#include "core/expression/declarations.h"

namespace ergode {

void walk_property(const PropertySpec& spec, std::string_view text, const std::function<void(const Syntax&)>& visit) {
  switch (spec.type) {
    case PropertyType::integer:
    case PropertyType::quantity:
    case PropertyType::predicate:
    case PropertyType::expression:
    case PropertyType::trigger: {
      const auto parsed = parse_expression(text);
      if (const auto* syntax = std::get_if<Syntax>(&parsed)) walk(*syntax, visit);
      return;
    }
    case PropertyType::actions: {
      const auto parsed = parse_actions(text);
      const auto* list = std::get_if<std::vector<ActionSyntax>>(&parsed);
      if (list == nullptr) return;
      for (const ActionSyntax& action : *list) {
        if (action.target) walk(*action.target, visit);
        walk(action.value, visit);
      }
      return;
    }
    case PropertyType::arguments: {
      const auto parsed = parse_declarations(text);  // with or without types
      if (const auto* list = std::get_if<std::vector<DeclarationSyntax>>(&parsed))
        for (const DeclarationSyntax& one : *list) walk(one.value.value, visit);
      return;
    }
    default:
      return;
  }
}

}  // namespace ergode
