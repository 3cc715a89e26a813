#include "core/expression/written_unit.h"

#include "core/base/text.h"
#include "core/expression/syntax.h"

namespace ergode {
namespace {

/// The first unit in the order of the text. Recursion is as deep as Syntax::height, which is bounded.
std::optional<Unit> first_unit(const Syntax& syntax, const ParameterTable& parameters, const Dimension& wanted) {
  const auto fits = [&](const std::optional<Unit>& unit) { return unit && unit->dimension == wanted; };
  if (syntax.kind == Syntax::Kind::path && syntax.segments.size() == 1)
    if (const Parameter* named = parameters.find(syntax.segments.front().word);
        named != nullptr && !named->unit.symbol.empty() && fits(named->unit))
      return named->unit;
  for (const Syntax& child : syntax.children)
    if (auto unit = first_unit(child, parameters, wanted)) return unit;
  if (syntax.unit.empty()) return std::nullopt;
  const auto unit = parse_unit(syntax.unit);
  return fits(unit) ? unit : std::nullopt;
}

}  // namespace

Unit written_unit(const std::string& text, const ParameterTable& parameters, const std::string& usual) {
  const Unit otherwise = parse_unit(usual).value_or(Unit{});
  const auto parsed = parse_expression(text);
  const auto* syntax = std::get_if<Syntax>(&parsed);
  if (syntax == nullptr) return otherwise;
  return first_unit(*syntax, parameters, otherwise.dimension).value_or(otherwise);
}

std::string in_unit(double si, const Unit& unit) {
  return number_text(unit.from_si(si), 6) + (unit.symbol.empty() ? "" : " " + unit.symbol);
}

}  // namespace ergode
