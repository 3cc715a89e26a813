#include "solvers/reliability/repair_roles.h"

#include <algorithm>

namespace ergode {
namespace {

/// Sets of states of one chart.
class Territory {
 public:
  explicit Territory(const StateChart& chart) : chart_(chart), in_(chart.states.size()) {}
  bool holds(int state) const { return in_[static_cast<std::size_t>(state)]; }
  /// The state with those around it and in it: whoever is in one may be in another. Not the chart itself.
  bool add(int state) {
    bool grown = false;
    for (int s = 1; s < static_cast<int>(in_.size()); ++s)
      if (!holds(s) && (chart_.inside(s, state) || chart_.inside(state, s)))
        in_[static_cast<std::size_t>(s)] = grown = true;
    return grown;
  }

 private:
  const StateChart& chart_;
  std::vector<bool> in_;
};

bool is_choice(const StateChart& chart, int state) {
  return chart.states[static_cast<std::size_t>(state)].kind == State::Kind::choice;
}

}  // namespace

std::vector<ElementId> repairs_without_role(const StateChart& chart) {
  const auto with = [&](TransitionRole role) {
    return std::any_of(chart.transitions.begin(), chart.transitions.end(),
                       [&](const Transition& t) { return t.role == role; });
  };
  if (!with(TransitionRole::failure) || with(TransitionRole::repair)) return {};
  // Where failures begin, choices that decide on one included; and what they lead to, up to there.
  Territory sound(chart), failed(chart);
  for (bool grown = true; grown;) {
    grown = false;
    for (const Transition& t : chart.transitions) {
      const bool chooses =
          std::any_of(t.targets.begin(), t.targets.end(), [&](int s) { return is_choice(chart, s) && sound.holds(s); });
      if (t.source > 0 && (t.role == TransitionRole::failure || chooses)) grown = sound.add(t.source) || grown;
    }
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (const Transition& t : chart.transitions)
      if (t.role == TransitionRole::failure || (t.source > 0 && failed.holds(t.source)))
        for (const int target : t.targets)
          if (!sound.holds(target)) grown = failed.add(target) || grown;
  }
  std::vector<ElementId> out;
  for (const Transition& t : chart.transitions)
    if (t.role == TransitionRole::none && t.source > 0 && failed.holds(t.source) && !sound.holds(t.source) &&
        std::any_of(t.targets.begin(), t.targets.end(), [&](int s) { return sound.holds(s); }) &&
        std::find(out.begin(), out.end(), t.element) == out.end())
      out.push_back(t.element);
  return out;
}

}  // namespace ergode
