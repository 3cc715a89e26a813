#include "core/des/last_news.h"

#include <algorithm>
#include <map>
#include <string>

namespace ergode {

void LastNews::add(const World& world, One news) {
  // What is left of another moment, which came to rest in time, is forgotten.
  if (world.now() != since_s_) kept_.clear();
  since_s_ = world.now();
  if (kept_.size() < most) kept_.push_back(news);
  if (world.steps_at_moment > world.patience) fail(world);
}

void LastNews::fail(const World& world) const {
  std::map<std::uint32_t, NamedSlot> named;
  for (NamedSlot& slot : world.table().named()) named.emplace(slot.slot, std::move(slot));
  std::vector<std::string> names;
  ElementId element;
  const auto add = [&](std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  };
  const auto add_slot = [&](std::uint32_t number) {
    const auto slot = named.find(number);
    if (slot == named.end()) return;
    add('"' + slot->second.name + '"');
    if (element.bits() == 0) element = slot->second.element;
  };
  for (const One& news : kept_) {
    if (news.kind == News::written) add_slot(news.number);
    if (news.kind == News::raised && news.number < world.table().events.names.size())
      add("event \"" + world.table().events.names[news.number] + '"');
    if (news.kind == News::woken)
      for (const std::uint32_t slot : world.table().readers()[news.number].slots()) add_slot(slot);
  }
  std::string text = "The model does not come to rest: its parts tell each other of changes without end at time " +
                     std::to_string(world.now() / 3600.0) + " h";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? ", of " : i + 1 == names.size() ? " and " : ", ") + names[i];
  throw ModelFailure({.code = "RUN002",
                      .element = element,
                      .message = text + ".",
                      .hint = "Look for a circle in which each changes the next without time going by."});
}

}  // namespace ergode
