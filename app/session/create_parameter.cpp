#include "app/session/create_parameter.h"

#include <cctype>

#include "app/session/catalogue.h"
#include "core/base/text.h"
#include "core/document/command.h"

namespace ergode {
namespace {

bool part_of_a_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The property whose whole text `part` is; null: it is a part of more, or of what no kind knows.
const PropertySpec* property_alone(const Document& document, const Element& element, const std::string& pointer,
                                   const std::string& part) {
  const KindSpec* kind = trim(element.text(pointer)) == part ? catalogue().kind_of(document, element) : nullptr;
  return kind != nullptr ? kind->property(pointer) : nullptr;
}

/// The unit that a field wants of `part`, when it stands there alone: "/h" in `rate(part)`.
std::string unit_of_part(const Document& document, const Element& element, const std::string& pointer,
                         const std::string& part) {
  const std::string text(trim(element.text(pointer)));
  const std::string time = document.model().text("time_unit", "h");
  if (text == "rate(" + part + ")") return "/" + time;
  if (text == "after(" + part + ")") return time;
  const PropertySpec* property = property_alone(document, element, pointer, part);
  if (property == nullptr) return {};
  if (element.kind == "parameter" && pointer == "value") return element.text("unit");
  const std::string unit = wanted_unit(*catalogue().kind_of(document, element), element, *property);
  if (unit == "*") return {};
  // A time, or one over it, is to be a number of the model's own unit, whichever the kind names.
  if (unit == "h" || unit == "s") return time;
  return unit == "/h" || unit == "/s" ? "/" + time : unit;
}

/// What the place wants, when the name stands there alone or one is divided by it.
std::string unit_wanted(const Document& document, const Diagnostic& problem, const std::string& name) {
  const Element* element = document.find(problem.element);
  if (const std::string own = unit_of_part(document, *element, problem.pointer, name); !own.empty()) return own;
  for (const char* over : {"1/", "1 / ", "1 /", "1/ "})
    if (std::string own = unit_of_divisor(document, problem.element, problem.pointer, over + name, name); !own.empty())
      return own;
  return {};
}

}  // namespace

std::string unit_of_divisor(const Document& document, ElementId element, const std::string& property,
                            const std::string& divided, const std::string& name) {
  const Element* owner = document.find(element);
  if (owner == nullptr || !divided.ends_with(name)) return {};
  const std::string unit = unit_of_part(document, *owner, property, divided);
  if (unit.starts_with("/")) return unit.substr(1);
  return unit.empty() || unit.find_first_of("/^.- ") != std::string::npos ? "" : "/" + unit;
}

void insert_parameter(Edit& edit, const std::string& name, NumberOf what, const std::string& unit) {
  Element parameter;
  parameter.section = Section::parameter;
  parameter.kind = "parameter";
  parameter.properties["name"] = name;
  if (!unit.empty()) parameter.properties["unit"] = unit;
  if (what == NumberOf::things) parameter.properties["type"] = "integer";
  edit.insert(parameter);
}

std::optional<std::string> undefined_name(const Document& document, const Diagnostic& problem) {
  const Element* element = document.find(problem.element);
  if (problem.code != "EXP002" || element == nullptr || problem.column < 1) return std::nullopt;
  const std::string text = element->text(problem.pointer);
  const auto begin = static_cast<std::size_t>(problem.column - 1);
  if (begin >= text.size()) return std::nullopt;
  std::size_t end = begin;
  while (end < text.size() && part_of_a_word(text[end])) ++end;
  const std::string name = text.substr(begin, end - begin);
  // The text may have been filled in before it was compiled ({m} of a family): then the place is another one.
  if (!is_identifier(name) || problem.message.find('"' + name + '"') == std::string::npos) return std::nullopt;
  while (end < text.size() && text[end] == ' ') ++end;
  if (end < text.size() && (text[end] == '.' || text[end] == '[' || text[end] == '(')) return std::nullopt;
  if (begin > 0 && text[begin - 1] == '.') return std::nullopt;
  return name;
}

std::optional<QuickFix> create_parameter_fix(const Document& document, const Diagnostic& problem) {
  const auto name = undefined_name(document, problem);
  if (!name || document.named(Section::parameter, *name) != nullptr) return std::nullopt;
  Edit edit(document, "Create parameter " + *name);
  const PropertySpec* alone = property_alone(document, *document.find(problem.element), problem.pointer, *name);
  const bool whole = alone != nullptr && alone->type == PropertyType::integer;
  insert_parameter(edit, *name, whole ? NumberOf::things : NumberOf::anything, unit_wanted(document, problem, *name));
  return QuickFix{"Create parameter " + *name, std::make_shared<const Command>(edit.finish())};
}

}  // namespace ergode
