#include "core/catalogue/catalogue.h"

namespace ergode {

std::string choice_label(const std::vector<Choice>& choices, std::string_view name) {
  for (const Choice& choice : choices)
    if (choice.name == name) return choice.label;
  return std::string(name);
}

std::string choice_name(const std::vector<Choice>& choices, std::string_view text) {
  for (const Choice& choice : choices)
    if (choice.label == text) return choice.name;
  return std::string(text);
}

const PropertySpec* KindSpec::property(std::string_view wanted) const {
  for (const PropertySpec& spec : properties)
    if (spec.name == wanted) return &spec;
  return nullptr;
}

const KindSpec* NotationSpec::kind(std::string_view wanted) const {
  for (const KindSpec& spec : kinds)
    if (spec.kind == wanted) return &spec;
  return nullptr;
}

void Catalogue::add(NotationSpec notation) {
  for (NotationSpec& known : notations_) {
    if (known.name != notation.name) continue;
    // A room adds kinds to a notation of another room: each kind keeps the rules of the room it came from.
    const auto old_edge = known.edge_kind;
    const auto new_edge = notation.edge_kind;
    const auto old_parent = known.refuse_parent;
    const auto new_parent = notation.refuse_parent;
    std::vector<std::string> added;
    for (const KindSpec& kind : notation.kinds) added.push_back(kind.kind);
    known.edge_kind = [old_edge, new_edge](const Document& d, const Element& s, const Element& t, std::string& why) {
      std::string first_why;
      std::string kind = old_edge(d, s, t, first_why);
      return kind.empty() ? new_edge(d, s, t, why) : kind;
    };
    known.refuse_parent = [old_parent, new_parent, added](const Document& d, const std::string& kind,
                                                          const Element* p) {
      for (const std::string& name : added)
        if (name == kind) return new_parent(d, kind, p);
      return old_parent(d, kind, p);
    };
    for (KindSpec& kind : notation.kinds) known.kinds.push_back(std::move(kind));
    return;
  }
  notations_.push_back(std::move(notation));
}

void Catalogue::add(KindSpec model_kind) { model_kinds_.push_back(std::move(model_kind)); }

const NotationSpec* Catalogue::notation(std::string_view name) const {
  for (const NotationSpec& spec : notations_)
    if (spec.name == name) return &spec;
  return nullptr;
}

const KindSpec* Catalogue::kind_of(const Document& document, const Element& element) const {
  if (element.section == Section::node || element.section == Section::edge) {
    const Element* diagram = document.find(element.diagram);
    const NotationSpec* spec = diagram != nullptr ? notation(diagram->text("notation")) : nullptr;
    return spec != nullptr ? spec->kind(element.kind) : nullptr;
  }
  for (const KindSpec& spec : model_kinds_)
    if (spec.section == element.section && spec.kind == element.kind) return &spec;
  return nullptr;
}

std::string wanted_unit(const KindSpec& kind, const Element& element, const PropertySpec& property) {
  if (property.dimension_of.empty()) return property.dimension;
  const std::string value = property_text(kind, element, property.dimension_of);
  for (const auto& [of, unit] : property.dimensions)
    if (of == value) return unit;
  return property.dimension;  // the name of a choice parameter may stand for any
}

std::string property_text(const KindSpec& kind, const Element& element, std::string_view property) {
  if (element.has(property)) return element.text(property);
  const PropertySpec* spec = kind.property(property);
  return spec != nullptr ? spec->default_text : std::string();
}

}  // namespace ergode
