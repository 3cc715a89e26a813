#include "core/document/document.h"

#include <algorithm>
#include <optional>

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

template <typename Wanted>
std::vector<const Element*> Document::drawn(ElementId diagram, Wanted wanted) const {
  std::vector<const Element*> out;
  const auto found = drawn_.find(diagram);
  if (found == drawn_.end()) return out;
  for (const std::size_t index : found->second)
    if (wanted(elements_[index])) out.push_back(&elements_[index]);
  return out;
}

std::vector<const Element*> Document::children(ElementId diagram, ElementId parent) const {
  return drawn(diagram, [&](const Element& element) { return element.is_node() && element.parent == parent; });
}

std::vector<const Element*> Document::nodes(ElementId diagram) const {
  return drawn(diagram, [](const Element& element) { return element.is_node(); });
}

std::vector<const Element*> Document::edges(ElementId diagram) const {
  return drawn(diagram, [](const Element& element) { return element.is_edge(); });
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
  if (index < elements_.size())
    for (auto& [diagram, indices] : drawn_)
      // Ascending, so only the end of each list moves.
      for (auto at = indices.rbegin(); at != indices.rend() && *at >= index; ++at) ++*at;
  elements_.insert(elements_.begin() + static_cast<std::ptrdiff_t>(index), std::move(element));
  list(index);
  reindex(index);
}

void Document::replace(std::size_t index, Element element) {
  index_.erase(elements_[index].id);
  index_[element.id] = index;
  const auto listed_in = [](const Element& e) {
    return e.is_node() || e.is_edge() ? std::optional(e.diagram) : std::nullopt;
  };
  // Most changes leave it where it is; moving indices costs as much as the diagram is large.
  const bool stays = listed_in(elements_[index]) == listed_in(element);
  if (!stays) unlist(index);
  elements_[index] = std::move(element);
  if (!stays) list(index);
}

void Document::remove(std::size_t index) {
  index_.erase(elements_[index].id);
  unlist(index);
  for (auto& [diagram, indices] : drawn_)
    for (auto at = indices.rbegin(); at != indices.rend() && *at > index; ++at) --*at;
  elements_.erase(elements_.begin() + static_cast<std::ptrdiff_t>(index));
  reindex(index);
}

void Document::reindex(std::size_t from) {
  for (std::size_t i = from; i < elements_.size(); ++i) index_[elements_[i].id] = i;
}

void Document::list(std::size_t index) {
  const Element& element = elements_[index];
  if (!element.is_node() && !element.is_edge()) return;
  std::vector<std::size_t>& indices = drawn_[element.diagram];
  indices.insert(std::lower_bound(indices.begin(), indices.end(), index), index);
}

void Document::unlist(std::size_t index) {
  const Element& element = elements_[index];
  if (!element.is_node() && !element.is_edge()) return;
  const auto found = drawn_.find(element.diagram);
  std::vector<std::size_t>& indices = found->second;
  indices.erase(std::lower_bound(indices.begin(), indices.end(), index));
  if (indices.empty()) drawn_.erase(found);
}

}  // namespace ergode
