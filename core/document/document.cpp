#include "core/document/document.h"

#include <algorithm>

namespace ergode {

Document::Document() {
  Element header;
  header.id = ElementId::make();
  header.section = Section::model;
  header.kind = "model";
  append(std::move(header));
}

const Element* Document::find(ElementId id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : &elements_[found->second];
}

const Element& Document::model() const { return elements_.front(); }

std::size_t Document::index_of(ElementId id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? elements_.size() : found->second;
}

std::vector<const Element*> Document::of(Section section) const {
  std::vector<const Element*> out;
  for (const Element& element : elements_)
    if (element.section == section) out.push_back(&element);
  return out;
}

std::vector<const Element*> Document::children(ElementId diagram, ElementId parent) const {
  std::vector<const Element*> out;
  for (const Element& element : elements_)
    if (element.is_node() && element.diagram == diagram && element.parent == parent) out.push_back(&element);
  return out;
}

std::vector<const Element*> Document::nodes(ElementId diagram) const {
  std::vector<const Element*> out;
  for (const Element& element : elements_)
    if (element.is_node() && element.diagram == diagram) out.push_back(&element);
  return out;
}

std::vector<const Element*> Document::edges(ElementId diagram) const {
  std::vector<const Element*> out;
  for (const Element& element : elements_)
    if (element.is_edge() && element.diagram == diagram) out.push_back(&element);
  return out;
}

std::vector<const Element*> Document::incident(ElementId node) const {
  std::vector<const Element*> out;
  for (const Element& element : elements_)
    if (element.is_edge() && (element.source == node || element.target == node)) out.push_back(&element);
  return out;
}

const Element* Document::named(Section section, std::string_view name) const {
  for (const Element& element : elements_)
    if (element.section == section && element.name() == name) return &element;
  return nullptr;
}

std::string Document::path(ElementId id) const {
  const Element* element = find(id);
  if (element == nullptr) return {};
  const auto own = [this](const Element& e) -> std::string {
    if (!e.name().empty()) return e.name();
    if (!e.is_edge()) return e.kind;
    const Element* from = find(e.source);
    const Element* to = find(e.target);
    const auto end = [](const Element* n) {
      return n == nullptr ? std::string("?") : n->name().empty() ? n->kind : n->name();
    };
    return end(from) + " → " + end(to);
  };
  std::string out = own(*element);
  for (const Element* parent = find(element->parent); parent != nullptr; parent = find(parent->parent))
    out = own(*parent) + " / " + out;
  if (const Element* diagram = find(element->diagram)) out = own(*diagram) + " / " + out;
  return out;
}

void Document::insert(std::size_t index, Element element) {
  elements_.insert(elements_.begin() + static_cast<std::ptrdiff_t>(index), std::move(element));
  reindex(index);
}

void Document::replace(std::size_t index, Element element) {
  index_.erase(elements_[index].id);
  index_[element.id] = index;
  elements_[index] = std::move(element);
}

void Document::remove(std::size_t index) {
  index_.erase(elements_[index].id);
  elements_.erase(elements_.begin() + static_cast<std::ptrdiff_t>(index));
  reindex(index);
}

void Document::reindex(std::size_t from) {
  for (std::size_t i = from; i < elements_.size(); ++i) index_[elements_[i].id] = i;
}

}  // namespace ergode
