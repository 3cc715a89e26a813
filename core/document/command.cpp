#include "core/document/command.h"

#include <algorithm>
#include <unordered_set>

namespace ergode {

std::vector<ElementId> Command::touched() const {
  std::vector<ElementId> out;
  std::unordered_set<ElementId> seen;
  for (const Change& change : changes_) {
    const ElementId id = change.after ? change.after->id : change.before->id;
    if (seen.insert(id).second) out.push_back(id);
  }
  return out;
}

void Command::apply(Document& document) const {
  for (const Change& change : changes_) {
    if (!change.before) document.insert(change.index, *change.after);
    else if (!change.after) document.remove(change.index);
    else document.replace(change.index, *change.after);
  }
}

void Command::revert(Document& document) const {
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    if (!change->before) document.remove(change->index);
    else if (!change->after) document.insert(change->index, *change->before);
    else document.replace(change->index, *change->before);
  }
}

void Edit::record(Change change) {
  if (!change.before) scratch_.insert(change.index, *change.after);
  else if (!change.after) scratch_.remove(change.index);
  else {
    if (*change.before == *change.after) return;
    scratch_.replace(change.index, *change.after);
    // Typing and dragging touch the same element again and again: one change is enough.
    if (!command_.changes_.empty()) {
      Change& last = command_.changes_.back();
      if (last.after && last.index == change.index && last.after->id == change.after->id) {
        last.after = std::move(change.after);
        return;
      }
    }
  }
  command_.changes_.push_back(std::move(change));
}

ElementId Edit::insert(Element element) {
  if (!element.id) element.id = ElementId::make();
  const ElementId id = element.id;
  std::size_t index = 0;
  const auto all = scratch_.elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool before =
        all[i].section < element.section ||
        (all[i].section == element.section &&
         (element.section < Section::node || element.section > Section::edge || all[i].diagram == element.diagram));
    if (before) index = i + 1;
  }
  record({index, std::nullopt, std::move(element)});
  return id;
}

void Edit::remove(ElementId id) {
  const Element* found = scratch_.find(id);
  if (found == nullptr || found->section == Section::model) return;
  const Element element = *found;
  std::vector<ElementId> first;
  for (const Element& other : scratch_.elements()) {
    const bool inside = element.is_node() && other.is_node() && other.parent == id;
    const bool joined = element.is_node() && other.is_edge() && (other.source == id || other.target == id);
    const bool drawn = element.section == Section::diagram && other.diagram == id;
    if (inside || joined || drawn) first.push_back(other.id);
  }
  for (const ElementId other : first) remove(other);
  // What went with it may have moved it, or taken it along.
  const std::size_t index = scratch_.index_of(id);
  if (index < scratch_.elements().size()) record({index, scratch_.elements()[index], std::nullopt});
}

void Edit::set(ElementId id, std::string_view property, Value value) {
  const Element* found = scratch_.find(id);
  if (found == nullptr) return;
  Element after = *found;
  if (value.is_null()) after.properties.erase(std::string(property));
  else after.properties[std::string(property)] = std::move(value);
  replace(id, std::move(after));
}

void Edit::replace(ElementId id, Element element) {
  const Element* found = scratch_.find(id);
  if (found == nullptr) return;
  element.id = id;
  record({scratch_.index_of(id), *found, std::move(element)});
}

void Edit::set_layout(ElementId id, Layout layout) {
  const Element* found = scratch_.find(id);
  if (found == nullptr) return;
  Element after = *found;
  after.layout = std::move(layout);
  replace(id, std::move(after));
}

void Edit::move(const std::vector<ElementId>& ids, double dx, double dy) {
  std::unordered_set<ElementId> moving(ids.begin(), ids.end());
  // To the bottom, whatever the order of parents and children in the document.
  for (std::size_t before = 0; before != moving.size();) {
    before = moving.size();
    for (const Element& element : scratch_.elements())
      if (element.is_node() && moving.contains(element.parent)) moving.insert(element.id);
  }
  std::vector<Element> moved;
  for (const Element& element : scratch_.elements()) {
    const bool node = element.is_node() && moving.contains(element.id);
    const bool edge = element.is_edge() && moving.contains(element.source) && moving.contains(element.target);
    if (!node && !edge) continue;
    Element after = element;
    if (after.layout.bounds) after.layout.bounds->x += dx, after.layout.bounds->y += dy;
    for (Point& point : after.layout.way_points) point.x += dx, point.y += dy;
    moved.push_back(std::move(after));
  }
  for (Element& element : moved) {
    const ElementId id = element.id;
    replace(id, std::move(element));
  }
}

void Edit::set_parent(ElementId id, ElementId parent) {
  const Element* found = scratch_.find(id);
  const Element* around = scratch_.find(parent);
  if (found == nullptr || (parent && (around == nullptr || around->diagram != found->diagram))) return;
  for (const Element* up = around; up != nullptr; up = scratch_.find(up->parent))
    if (up->id == id) return;
  Element after = *found;
  after.parent = parent;
  replace(id, std::move(after));
}

Command Edit::finish() {
  std::erase_if(command_.changes_, [](const Change& c) { return c.before && c.after && *c.before == *c.after; });
  Document before = scratch_;
  command_.revert(before);
  if (before == scratch_) command_.changes_.clear();
  return std::move(command_);
}

void CommandStack::push(Command command) {
  if (command.empty()) return;
  // The state that was written lies on the branch that is forgotten now.
  if (clean_ && *clean_ > position_) clean_.reset();
  history_.resize(position_, Command(std::string()));
  command.apply(document_);
  history_.push_back(std::move(command));
  ++position_;
  if (changed) changed(history_.back().touched());
}

void CommandStack::join(Command command) {
  if (command.empty()) return;
  if (!can_undo() || can_redo() || clean()) return push(std::move(command));
  command.apply(document_);
  std::vector<Change>& changes = history_.back().changes_;
  changes.insert(changes.end(), command.changes_.begin(), command.changes_.end());
  if (changed) changed(command.touched());
}

std::string CommandStack::undo_text() const { return can_undo() ? history_[position_ - 1].text() : std::string(); }
std::string CommandStack::redo_text() const { return can_redo() ? history_[position_].text() : std::string(); }

void CommandStack::undo() {
  if (!can_undo()) return;
  history_[--position_].revert(document_);
  if (changed) changed(history_[position_].touched());
}

void CommandStack::redo() {
  if (!can_redo()) return;
  const Command& command = history_[position_++];
  command.apply(document_);
  if (changed) changed(command.touched());
}

}  // namespace ergode
