#include "app/session/label.h"

#include <cctype>

#include "app/session/catalogue.h"
#include "app/session/rename.h"
#include "core/base/text.h"
#include "core/base/unit.h"
#include "core/expression/syntax.h"

namespace ergode {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Command set_texts(const Document& document, const Element& element, std::string what, const PropertyTexts& texts) {
  Edit edit(document, std::move(what));
  for (const auto& [property, value] : texts)
    if (element.text(property) != value) edit.set(element.id, property, value.empty() ? Value() : Value(value));
  return edit.finish();
}

/// An expression is refused where it does not parse, a mere number where its unit has another dimension; what names
/// mean is for the checks.
std::optional<Diagnostic> expression_problem(const KindSpec& kind, const Element& element, const PropertySpec& spec,
                                             const std::string& text) {
  if (spec.type != PropertyType::quantity && spec.type != PropertyType::expression &&
      spec.type != PropertyType::integer && spec.type != PropertyType::predicate)
    return std::nullopt;
  const auto parsed = parse_expression(text);
  if (const auto* error = std::get_if<SyntaxError>(&parsed))
    return Diagnostic{.code = error->code, .message = error->message, .column = error->column};
  const Syntax& number = std::get<Syntax>(parsed);
  const std::string wanted = wanted_unit(kind, element, spec);
  if (spec.type != PropertyType::quantity || number.kind != Syntax::Kind::number || wanted == "*") return std::nullopt;
  const auto unit = parse_unit(number.unit), right = parse_unit(wanted);
  if (unit && right && unit->dimension == right->dimension) return std::nullopt;
  return Diagnostic{.code = "EXP004",
                    .message = number.unit.empty() ? "the number has no unit" : "\"" + number.unit + "\" does not fit",
                    .hint = "write a value in " + (wanted.empty() ? "no unit" : wanted),
                    .column = (number.unit.empty() ? number.end : number.unit_begin) + 1};
}

/// What a label of expressions sets, or why it is none.
std::variant<PropertyTexts, Diagnostic> read(const Document& document, const Element& element, const KindSpec& kind,
                                             const std::string& text) {
  if (kind.read_label) return kind.read_label(document, element, text);
  const PropertySpec& spec = *kind.property(kind.label_property);
  if (text.empty() && !spec.required) return PropertyTexts{{spec.name, text}};
  if (auto problem = expression_problem(kind, element, spec, text)) return *problem;
  return PropertyTexts{{spec.name, text}};
}

}  // namespace

std::string editable_label(const Document& document, const Element& element) {
  const KindSpec* kind = catalogue().kind_of(document, element);
  return kind != nullptr ? kind->label_of(element) : element.name();
}

std::string with_column(const Diagnostic& problem) {
  return (problem.column > 0 ? "Column " + std::to_string(problem.column) + ": " : std::string()) + problem.message;
}

std::optional<Diagnostic> label_problem(const Document& document, ElementId id, const std::string& text) {
  const Element* element = document.find(id);
  const KindSpec* kind = element != nullptr ? catalogue().kind_of(document, *element) : nullptr;
  if (kind == nullptr || !kind->expression_label()) return std::nullopt;
  const auto label = read(document, *element, *kind, std::string(trim(text)));
  const auto* problem = std::get_if<Diagnostic>(&label);
  return problem != nullptr ? std::optional(*problem) : std::nullopt;
}

std::optional<Command> relabel(const Document& document, ElementId id, const std::string& text, std::string& why_not) {
  const Element* element = document.find(id);
  if (element == nullptr) return std::nullopt;
  const KindSpec* kind = catalogue().kind_of(document, *element);
  const std::string wanted(trim(text));
  if (kind != nullptr && kind->expression_label()) {
    const auto label = read(document, *element, *kind, wanted);
    if (const auto* problem = std::get_if<Diagnostic>(&label)) {
      why_not = with_column(*problem) + (problem->hint.empty() ? "." : "; " + problem->hint + ".");
      return std::nullopt;
    }
    return set_texts(document, *element, "Edit " + lower(kind->label) + " label", std::get<PropertyTexts>(label));
  }
  if (kind != nullptr && kind->free_label())
    return set_texts(document, *element, "Edit " + lower(kind->label), {{kind->label_property, wanted}});
  if (wanted == element->name()) return Edit(document, "Rename").finish();
  const bool free_text = kind != nullptr && kind->free_name;
  const bool may_be_empty = kind != nullptr && !kind->named;
  if (wanted.empty() ? !may_be_empty : (!free_text && !is_identifier(wanted))) {
    why_not = "A name has letters, digits and _ and does not begin with a digit: \"" + wanted + "\" is not one.";
    return std::nullopt;
  }
  return rename_element(document, id, wanted);
}

}  // namespace ergode
