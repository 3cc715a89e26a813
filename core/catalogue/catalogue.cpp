#include "core/catalogue/catalogue.h"

#include <algorithm>

#include "core/base/text.h"

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

PropertySpec name_property(std::string help) {
  return {.name = "name",
          .label = "Name",
          .type = PropertyType::text,
          .group = "Identity",
          .help = std::move(help),
          .required = true,
          .absence_told_elsewhere = true};
}

PropertySpec behaviour_property(std::string name, std::string label, PropertyType type, std::string help,
                                std::string default_text, std::string dimension) {
  return {.name = std::move(name),
          .label = std::move(label),
          .type = type,
          .group = "Behaviour",
          .default_text = std::move(default_text),
          .dimension = std::move(dimension),
          .help = std::move(help)};
}

const PropertySpec* KindSpec::first(PropertyType type) const {
  for (const PropertySpec& spec : properties)
    if (spec.type == type) return &spec;
  return nullptr;
}

std::string KindSpec::label_of(const Element& element) const {
  return write_label ? write_label(element) : property_text(*this, element, label_property);
}

bool KindSpec::free_label() const {
  const PropertySpec* spec = write_label ? nullptr : property(label_property);
  return spec != nullptr && spec->type == PropertyType::notes;
}

bool KindSpec::expression_label() const {
  return read_label || (labelled() && label_property != "name" && !free_label());
}

std::string prefixed(const std::string& prefix, const std::string& name) {
  return name.starts_with(prefix) ? name : prefix + " " + name;
}

const KindSpec* NotationSpec::kind(std::string_view wanted) const {
  for (const KindSpec& spec : kinds)
    if (spec.kind == wanted) return &spec;
  return nullptr;
}

namespace {

/// Both rooms are asked, the older first, and what they say is put together.
template <class Made, class... Given>
std::function<std::vector<Made>(Given...)> both(std::function<std::vector<Made>(Given...)> older,
                                                std::function<std::vector<Made>(Given...)> newer) {
  if (!older || !newer) return older ? older : newer;
  return [older, newer](Given... given) {
    std::vector<Made> all = older(given...);
    for (Made& one : newer(given...)) all.push_back(std::move(one));
    return all;
  };
}

/// A room adds kinds to a notation of another room: each kind keeps the rules of the room it came from.
void extend(NotationSpec& known, NotationSpec added) {
  std::vector<std::string> own;
  for (const KindSpec& kind : added.kinds) own.push_back(kind.kind);
  // Where nobody joins two nodes, the room that was there first says why.
  known.edge_kind = [older = known.edge_kind, newer = added.edge_kind](const Document& d, const Element& s,
                                                                       const Element& t, std::string& why) {
    std::string unheard;
    std::string kind = older(d, s, t, why);
    return kind.empty() ? newer(d, s, t, unheard) : kind;
  };
  known.refuse_parent = [older = known.refuse_parent, newer = added.refuse_parent, own](
                            const Document& d, const std::string& kind, const Element* parent) {
    const bool is_own = std::find(own.begin(), own.end(), kind) != own.end();
    return is_own ? newer(d, kind, parent) : older(d, kind, parent);
  };
  known.names = both(known.names, added.names);
  known.fixes = both(known.fixes, added.fixes);
  known.use_unused = both(known.use_unused, added.use_unused);
  known.reports_unknown_kinds = known.reports_unknown_kinds || added.reports_unknown_kinds;
  for (DiagramKind& diagram : added.diagrams) known.diagrams.push_back(std::move(diagram));
  for (KindSpec& kind : added.kinds) known.kinds.push_back(std::move(kind));
}

}  // namespace

void Catalogue::add(NotationSpec notation) {
  if (!notation.refuse_parent)
    notation.refuse_parent = [](const Document&, const std::string&, const Element* parent) -> std::string {
      return parent == nullptr ? "" : "It stands directly in the diagram.";
    };
  if (!notation.edge_kind)
    notation.edge_kind = [](const Document&, const Element&, const Element&, std::string& why) -> std::string {
      why = "Nothing is joined in this notation.";
      return {};
    };
  for (NotationSpec& known : notations_)
    if (known.name == notation.name) return extend(known, std::move(notation));
  notations_.push_back(std::move(notation));
}

void Catalogue::add(KindSpec model_kind) { model_kinds_.push_back(std::move(model_kind)); }

const NotationSpec* Catalogue::notation(std::string_view name) const {
  for (const NotationSpec& spec : notations_)
    if (spec.name == name) return &spec;
  return nullptr;
}

const NotationSpec* Catalogue::notation_of(const Document& document, ElementId diagram) const {
  const Element* element = document.find(diagram);
  return element != nullptr ? notation(element->text("notation")) : nullptr;
}

std::pair<const NotationSpec*, const DiagramKind*> Catalogue::diagram_kind(std::string_view name) const {
  for (const NotationSpec& spec : notations_)
    for (const DiagramKind& diagram : spec.diagrams)
      if (diagram.name == name) return {&spec, &diagram};
  return {nullptr, nullptr};
}

const KindSpec* Catalogue::kind_of(const Document& document, const Element& element) const {
  if (element.section == Section::node || element.section == Section::edge) {
    const NotationSpec* spec = notation_of(document, element.diagram);
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
  return spec != nullptr ? default_of(*spec, element) : std::string();
}

namespace {

/// The first of these properties, separated by blanks, that is written; empty: none.
std::string first_written(const std::string& properties, const Element& element) {
  for (const std::string& one : split(properties, ' '))
    if (!trim(element.text(one)).empty()) return one;
  return {};
}

}  // namespace

std::string replaced_by(const PropertySpec& property, const Element& element) {
  return first_written(property.instead, element);
}

bool is_replaced(const PropertySpec& property, const Element& element) {
  return !replaced_by(property, element).empty();
}

std::string default_of(const PropertySpec& property, const Element& element) {
  const bool applies = !is_replaced(property, element) && first_written(property.no_default_with, element).empty();
  return applies ? property.default_text : std::string();
}

}  // namespace ergode
