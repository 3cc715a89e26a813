#include "statecharts/compile/entry_set.h"

#include <algorithm>
#include <bit>

namespace ergode {

EntrySet::EntrySet(const StateChart& chart) : chart_(chart), words_((chart.states.size() + 63) / 64) {
  const std::size_t n = chart.states.size();
  entered_.resize(n), initial_.assign(n, -1), default_content_.assign(n, -1);
  history_number_.assign(n, -1);
  list_.reserve(2 * n), marked_.reserve(n);
  int number = 0;
  for (std::size_t s = 0; s < n; ++s)
    if (chart.states[s].history()) history_number_[s] = number++;
}

void EntrySet::clear() {
  // What was marked only: most transitions enter few of many states.
  for (const int s : marked_) entered_[static_cast<std::size_t>(s)] = 0, initial_[static_cast<std::size_t>(s)] = -1;
  for (const int s : recalled_) default_content_[static_cast<std::size_t>(s)] = -1;
  marked_.clear(), recalled_.clear();
  fixed_ = true;
}

bool EntrySet::complete(int domain, const std::vector<int>& targets, const std::uint64_t* memory) {
  clear();
  memory_ = memory;
  for (const int target : targets) descend(target);
  for (const int target : targets) climb(target, domain);
  return fixed_;
}

void EntrySet::complete_chart() {
  clear();
  memory_ = nullptr;
  descend(0);
}

bool EntrySet::any_inside(int s) const {
  const auto first = entered_.begin() + s, last = entered_.begin() + state(s).last + 1;
  return std::find(first, last, std::uint8_t{1}) != last;
}

void EntrySet::complete_regions(int parallel) {
  for (const int region : state(parallel).children)
    if (!state(region).history() && !any_inside(region)) descend(region);
}

void EntrySet::descend(int s) {
  if (state(s).history()) return recall(s);
  mark(s);
  if (state(s).kind == State::Kind::parallel) return complete_regions(s);
  if (state(s).kind != State::Kind::composite) return;
  const int transition = state(s).initial;
  initial_[static_cast<std::size_t>(s)] = transition;
  const std::vector<int>& targets = chart_.transitions[static_cast<std::size_t>(transition)].targets;
  for (const int target : targets) descend(target);
  for (const int target : targets) climb(target, s);
}

// Marks what lies between a state and the domain around it; a parallel state on the way brings its other regions.
void EntrySet::climb(int s, int domain) {
  for (int above = state(s).parent; above > domain; above = state(above).parent) {
    mark(above);
    if (state(above).kind == State::Kind::parallel) complete_regions(above);
  }
}

void EntrySet::recall(int history) {
  fixed_ = false;
  const int parent = state(history).parent;
  const auto number = static_cast<std::size_t>(history_number_[static_cast<std::size_t>(history)]);
  const std::uint64_t* const remembered = memory_ != nullptr ? memory_ + number * words_ : nullptr;
  bool any = false;
  const auto each = [&](auto visit) {
    for (std::size_t w = 0; remembered != nullptr && w < words_; ++w)
      for (std::uint64_t mask = remembered[w]; mask != 0; mask &= mask - 1)
        any = true, visit(static_cast<int>(w * 64) + std::countr_zero(mask));
  };
  // All of them first: a region on the way up must not begin anew because what it remembers comes later.
  each([&](int s) { descend(s); });
  each([&](int s) { climb(s, parent); });
  if (any) return;
  const int transition = state(history).initial;
  if (transition >= 0) {
    default_content_[static_cast<std::size_t>(parent)] = transition;
    recalled_.push_back(parent);
    const std::vector<int>& targets = chart_.transitions[static_cast<std::size_t>(transition)].targets;
    for (const int target : targets) descend(target);
    for (const int target : targets) climb(target, parent);
  } else if (state(parent).kind == State::Kind::parallel) {
    complete_regions(parent);
  } else if (chart_.transitions[static_cast<std::size_t>(state(parent).initial)].targets != std::vector<int>{history}) {
    descend(parent);
  }
}

const std::vector<std::uint32_t>& EntrySet::listed() {
  list_.clear();
  std::sort(marked_.begin(), marked_.end());
  for (const int state : marked_) {
    const auto s = static_cast<std::size_t>(state);
    list_.push_back(static_cast<std::uint32_t>(s));
    for (const std::int32_t transition : {initial_[s], default_content_[s]})
      if (transition >= 0) list_.push_back(action_flag | static_cast<std::uint32_t>(transition));
  }
  return list_;
}

}  // namespace ergode
