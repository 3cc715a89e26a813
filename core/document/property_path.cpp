#include "core/document/property_path.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {
namespace {

constexpr const char* header = "model";

/// Whether values of its properties may be set for a run: parameters are set by their names, and the rest says nothing
/// of what runs.
bool may_be_set(const Element& element) {
  return element.section == Section::node || element.section == Section::edge || element.section == Section::measure;
}

std::string with_diagram(const Document& document, const Element& element) {
  const Element* diagram = document.find(element.diagram);
  return diagram == nullptr ? element.name() : diagram->name() + "." + element.name();
}

Diagnostic not_found(const Document& document, std::string_view name, std::string_view path) {
  std::vector<std::string> names = {header};
  for (const Element& element : document.elements())
    if (may_be_set(element) && !element.name().empty()) names.push_back(element.name());
  const std::string near = nearest_word(std::string(name), names);
  constexpr std::size_t most = 12;
  std::string known;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) known += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) known += ", ...";
  return {.code = "PAR009",
          .message = "\"" + quotable(path) + "\": no element of the model is called \"" + quotable(name) + "\".",
          .hint = near.empty() ? "There are: " + known + "." : "Did you mean " + near + "?"};
}

}  // namespace

bool is_property_path(std::string_view name) { return name.find('.') != std::string_view::npos; }

std::variant<PropertyPath, Diagnostic> find_property(const Document& document, std::string_view path) {
  const auto dot = path.rfind('.');
  const std::string_view name = path.substr(0, dot);
  const std::string property(path.substr(dot + 1));
  std::vector<const Element*> found;
  for (const Element& element : document.elements()) {
    if (!may_be_set(element) || element.name().empty()) continue;
    const std::string own = element.name();
    const bool plain = name == own;
    const bool in_diagram = name.size() > own.size() && name.ends_with(own) && name == with_diagram(document, element);
    if (plain || in_diagram) found.push_back(&element);
  }
  if (found.empty() && name == header) return PropertyPath{document.model().id, property};
  if (found.empty()) return not_found(document, name, path);
  if (found.size() == 1) return PropertyPath{found.front()->id, property};
  std::string which;
  for (const Element* element : found) which += (which.empty() ? "" : ", ") + document.path(element->id);
  return Diagnostic{.code = "PAR009",
                    .message = "\"" + quotable(path) + "\": " + std::to_string(found.size()) +
                               " elements are called \"" + quotable(name) + "\": " + which + ".",
                    .hint = "Put the diagram before it: \"" + with_diagram(document, *found.front()) + "." + property +
                            "\"; of one diagram give them names of their own."};
}

std::vector<NamedElement> elements_with_paths(const Document& document) {
  std::map<std::string, int> named;
  for (const Element& element : document.elements())
    if (may_be_set(element)) ++named[element.name()], ++named[with_diagram(document, element)];
  std::vector<NamedElement> out;
  if (!named.contains(header)) out.push_back({header, &document.model()});
  for (const Element& element : document.elements()) {
    if (!may_be_set(element) || element.name().empty()) continue;
    // Of a measure, which has no diagram, both are the same.
    const std::string name = element.name(), full = with_diagram(document, element);
    if (named.at(name) == (full == name ? 2 : 1)) out.push_back({name, &element});
    else if (full != name && named.at(full) == 1) out.push_back({full, &element});
  }
  return out;
}

Document with_properties(const Document& document, const std::map<std::string, std::string>& values,
                         Diagnostics& problems) {
  Document out = document;
  std::map<std::pair<ElementId, std::string>, std::string> set;
  for (const auto& [path, text] : values) {
    if (!is_property_path(path)) continue;
    const auto found = find_property(document, path);
    if (const auto* problem = std::get_if<Diagnostic>(&found)) {
      problems.push_back(*problem);
      continue;
    }
    const auto& [id, property] = std::get<PropertyPath>(found);
    const auto [other, first] = set.try_emplace({id, property}, path);
    if (!first) {
      problems.push_back({.code = "PAR009",
                          .element = id,
                          .pointer = property,
                          .message = "\"" + quotable(path) + "\" and \"" + quotable(other->second) +
                                     "\" are one property; wanted one value."});
      continue;
    }
    const std::size_t index = out.index_of(id);
    Element changed = out.elements()[index];
    changed.properties[property] = text;
    out.replace(index, std::move(changed));
  }
  return out;
}

}  // namespace ergode
