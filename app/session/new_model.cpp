#include "app/session/new_model.h"

#include <algorithm>

#include "app/session/catalogue.h"

namespace ergode {

ElementId insert_diagram(Edit& edit, const NotationSpec& notation, const DiagramKind& kind, const std::string& name) {
  const auto& elements = edit.document().elements();
  const bool drawn = std::any_of(elements.begin(), elements.end(), [](const Element& e) { return e.is_node(); });
  const Element& header = edit.document().model();
  const ElementId id = header.id;
  PropertyTexts said;
  for (const auto& [property, text] : kind.header)
    if (!drawn && !header.has(property)) said.emplace_back(property, text);
  for (const auto& [property, text] : said) edit.set(id, property, Value(text));
  Element diagram;
  diagram.section = Section::diagram;
  diagram.kind = "diagram";
  diagram.properties["name"] = name;
  diagram.properties["notation"] = notation.name;
  const ElementId made = edit.insert(diagram);
  if (kind.fill) kind.fill(edit, made);
  return made;
}

Document new_model(const std::string& diagram_kind) {
  const Document nothing;
  Edit edit(nothing, "New model");
  const auto [notation, only] = catalogue().diagram_kind(diagram_kind);
  if (only != nullptr) {
    insert_diagram(edit, *notation, *only, only->stem);
    return edit.document();
  }
  for (const NotationSpec& one : catalogue().notations())
    for (const DiagramKind& kind : one.diagrams)
      if (kind.in_new_model) insert_diagram(edit, one, kind, kind.stem);
  return edit.document();
}

}  // namespace ergode
