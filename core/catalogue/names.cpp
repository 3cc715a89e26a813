#include "core/catalogue/names.h"

#include <algorithm>

namespace ergode {
namespace {

/// Whether the words are the path of a name, or may stand for it: its last word, and words before it in their order.
bool may_mean(const DeclaredName& name, const std::vector<std::string>& words, std::size_t first, std::size_t last) {
  std::size_t left = last, at = name.path.size();
  if (!name.shortened && at != last - first) return false;
  while (left > first && at > 0) {
    const bool same = name.path[at - 1] == words[left - 1];
    if (same) --left;
    else if (left == last || !name.shortened) return false;
    --at;
  }
  return left == first;
}

}  // namespace

Names::Names(const Document& document, const Catalogue& catalogue) {
  for (const Element* parameter : document.of(Section::parameter))
    all_.push_back({.path = {parameter->name()}, .element = parameter->id});
  for (const Element* diagram : document.of(Section::diagram)) {
    const NotationSpec* notation = catalogue.notation(diagram->text("notation"));
    if (notation == nullptr || !notation->names) continue;
    for (DeclaredName& name : notation->names(document, *diagram)) all_.push_back(std::move(name));
  }
  for (const DeclaredName& name : all_) {
    by_word_[name.scope][name.path.back()].push_back(&name);
    const Element* element = document.find(name.element);
    if (element != nullptr && element->section != Section::parameter && !name.scope && name.path.size() == 1)
      global_.emplace(name.element, &name);
  }
}

const Names::Found& Names::ending_in(ElementId scope, std::string_view word) const {
  static const Found none;
  const auto names = by_word_.find(scope);
  if (names == by_word_.end()) return none;
  const auto found = names->second.find(std::string(word));
  return found == names->second.end() ? none : found->second;
}

const DeclaredName* Names::find(ElementId scope, const std::vector<std::string>& words, std::size_t first,
                                std::size_t last) const {
  const DeclaredName* one = nullptr;
  for (const DeclaredName* name : ending_in(scope, words[last - 1])) {
    if (name->value || !may_mean(*name, words, first, last)) continue;
    if (one != nullptr && name->shortened) return nullptr;  // Nobody can say which.
    if (one == nullptr) one = name;
  }
  return one;
}

ElementId Names::value_in(ElementId scope, std::string_view word) const {
  for (const DeclaredName* name : ending_in(scope, word))
    if (name->value && name->path.size() == 1) return name->element;
  return {};
}

ElementId Names::members_of(ElementId element) const {
  const auto found = global_.find(element);
  return found == global_.end() ? ElementId() : found->second->members;
}

bool Names::global(ElementId element) const { return global_.contains(element); }

std::vector<std::pair<std::size_t, ElementId>> Names::meaning(const std::vector<std::string>& words, bool indexed,
                                                              ElementId scope) const {
  std::vector<std::pair<std::size_t, ElementId>> out;
  const auto means = [&](std::size_t word, ElementId element) {
    if (element) out.emplace_back(word, element);
  };
  /// States and the like, of which every beginning of the path may be one.
  const auto beginnings = [&](ElementId where, std::size_t first) {
    for (std::size_t last = first + 1; last <= words.size(); ++last)
      if (const DeclaredName* name = find(where, words, first, last)) means(last - 1, name->element);
  };
  const std::string& head = words.front();
  const bool bare = words.size() == 1 && !indexed;
  const ElementId own = scope ? value_in(scope, head) : ElementId();
  const bool hidden = static_cast<bool>(own);
  if (bare && hidden) means(0, own);
  if (bare && !hidden)
    for (const DeclaredName* name : ending_in({}, head))
      if (name->value && name->path.size() == 1) means(0, name->element);
  const DeclaredName* outer = find({}, words, 0, 1);
  if (outer == nullptr) {
    if (scope) beginnings(scope, 0);
    return out;
  }
  if (!hidden) means(0, outer->element);
  if (!outer->members || words.size() == 1) return out;
  if (words.size() == 2) means(1, value_in(outer->members, words[1]));
  beginnings(outer->members, 1);
  return out;
}

bool hides(const std::vector<DeclaredName>& names, ElementId scope, std::string_view word) {
  return std::any_of(names.begin(), names.end(), [&](const DeclaredName& name) {
    return name.value && name.scope == scope && name.path.size() == 1 && name.path.front() == word;
  });
}

}  // namespace ergode
