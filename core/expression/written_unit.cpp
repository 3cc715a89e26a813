#include "core/expression/written_unit.h"

#include <functional>

#include "core/base/text.h"
#include "core/expression/syntax.h"

namespace ergode {
namespace {

/// The unit of what a name stands for; nothing: none, or nobody knows it.
using UnitOfName = std::function<std::optional<Unit>(const std::string&)>;

/// The first unit in the order of the text. Recursion is as deep as Syntax::height, which is bounded.
std::optional<Unit> first_unit(const Syntax& syntax, const UnitOfName& named, const Dimension& wanted) {
  const auto fits = [&](const std::optional<Unit>& unit) { return unit && unit->dimension == wanted; };
  if (syntax.kind == Syntax::Kind::path && syntax.segments.size() == 1)
    if (auto unit = named(syntax.segments.front().word); fits(unit)) return unit;
  for (std::size_t i = 0; i < syntax.children.size(); ++i) {
    const Syntax& child = syntax.children[i];
    // Of a column of a file: unit = "ms".
    const bool said = child.kind == Syntax::Kind::text && i < syntax.names.size() && syntax.names[i] == "unit";
    if (auto unit = said ? parse_unit(child.word) : first_unit(child, named, wanted); fits(unit)) return unit;
  }
  if (syntax.unit.empty()) return std::nullopt;
  const auto unit = parse_unit(syntax.unit);
  return fits(unit) ? unit : std::nullopt;
}

std::optional<Unit> first_unit(const std::string& text, const UnitOfName& named, const Dimension& wanted) {
  const auto parsed = parse_expression(text);
  if (const auto* syntax = std::get_if<Syntax>(&parsed)) return first_unit(*syntax, named, wanted);
  const auto arguments = parse_arguments(text);
  if (const auto* all = std::get_if<std::vector<ArgumentSyntax>>(&arguments))
    for (const ArgumentSyntax& one : *all)
      if (auto unit = first_unit(one.value, named, wanted)) return unit;
  return std::nullopt;
}

/// The unit a parameter is shown in, or that in which its value is written; of chains of them, the first few links.
std::optional<Unit> unit_of_parameter(const Document& document, const std::string& name, const Dimension& wanted,
                                      int links) {
  const Element* parameter = document.named(Section::parameter, name);
  if (parameter == nullptr || links == 0) return std::nullopt;
  if (const std::string shown = parameter->text("unit"); !shown.empty()) return parse_unit(shown);
  const auto next = [&](const std::string& other) { return unit_of_parameter(document, other, wanted, links - 1); };
  return first_unit(parameter->text("value"), next, wanted);
}

/// "min" of "/min"; nothing where the inverse of a unit has no name of its own.
std::optional<std::string> unit_under(std::string symbol) {
  if (symbol == "Hz" || symbol == "s-1" || symbol == "s^-1") return "s";
  if (symbol.starts_with('1')) symbol.erase(0, 1);
  if (!symbol.starts_with('/')) return std::nullopt;
  symbol = trim(symbol.substr(1));
  const auto unit = parse_unit(symbol);
  return unit && unit->dimension == Dimension::of_time() ? std::optional(symbol) : std::nullopt;
}

}  // namespace

Unit written_unit(const std::string& text, const ParameterTable& parameters, const std::string& usual) {
  const Unit otherwise = parse_unit(usual).value_or(Unit{});
  const auto parsed = parse_expression(text);
  const auto* syntax = std::get_if<Syntax>(&parsed);
  if (syntax == nullptr) return otherwise;
  const auto named = [&](const std::string& word) -> std::optional<Unit> {
    const Parameter* found = parameters.find(word);
    return found != nullptr && !found->unit.symbol.empty() ? std::optional(found->unit) : std::nullopt;
  };
  return first_unit(*syntax, named, otherwise.dimension).value_or(otherwise);
}

std::optional<std::string> written_time_unit(const std::string& text, const Document& document) {
  constexpr int most_links = 8;
  for (const Dimension& wanted : {Dimension::of_time(), Dimension::per_time()}) {
    const auto named = [&](const std::string& word) { return unit_of_parameter(document, word, wanted, most_links); };
    const auto unit = first_unit(text, named, wanted);
    if (!unit) continue;
    return wanted == Dimension::of_time() ? std::optional(unit->symbol) : unit_under(unit->symbol);
  }
  return std::nullopt;
}

std::string in_unit(double si, const Unit& unit) {
  return number_text(unit.from_si(si), 6) + (unit.symbol.empty() ? "" : " " + unit.symbol);
}

}  // namespace ergode
