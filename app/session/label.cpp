#include "app/session/label.h"

#include <cctype>

#include "app/session/catalogue.h"
#include "app/session/rename.h"
#include "core/base/text.h"

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

}  // namespace

std::string editable_label(const Document& document, const Element& element) {
  const KindSpec* kind = catalogue().kind_of(document, element);
  if (kind == nullptr) return element.name();
  return kind->write_label ? kind->write_label(element) : element.text(kind->label_property);
}

std::string with_column(const Diagnostic& problem) {
  return (problem.column > 0 ? "Column " + std::to_string(problem.column) + ": " : std::string()) + problem.message;
}

std::optional<Diagnostic> label_problem(const Document& document, ElementId id, const std::string& text) {
  const Element* element = document.find(id);
  const KindSpec* kind = element != nullptr ? catalogue().kind_of(document, *element) : nullptr;
  if (kind == nullptr || !kind->read_label) return std::nullopt;
  const auto read = kind->read_label(document, *element, std::string(trim(text)));
  const auto* problem = std::get_if<Diagnostic>(&read);
  return problem != nullptr ? std::optional(*problem) : std::nullopt;
}

std::optional<Command> relabel(const Document& document, ElementId id, const std::string& text, std::string& why_not) {
  const Element* element = document.find(id);
  if (element == nullptr) return std::nullopt;
  const KindSpec* kind = catalogue().kind_of(document, *element);
  const std::string wanted(trim(text));
  if (kind != nullptr && kind->read_label) {
    const auto read = kind->read_label(document, *element, wanted);
    if (const auto* problem = std::get_if<Diagnostic>(&read)) {
      why_not = with_column(*problem) + (problem->hint.empty() ? "." : "; " + problem->hint + ".");
      return std::nullopt;
    }
    return set_texts(document, *element, "Edit " + lower(kind->label) + " label", std::get<PropertyTexts>(read));
  }
  if (kind != nullptr && kind->label_property != "name")
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
