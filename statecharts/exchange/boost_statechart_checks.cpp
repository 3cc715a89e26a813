// What a chart says that Boost.Statechart cannot.
#include "statecharts/exchange/boost_statechart_program.h"

namespace ergode {
namespace {

using Kind = Trigger::Kind;

}  // namespace

// The innermost state around both that is no region's owner: what SCXML leaves everything inside of.
int BoostProgram::common(int a, int b) const {
  for (int s = state(a).parent; s > 0; s = state(s).parent)
    if (state(s).kind != State::Kind::parallel && b != s && chart().inside(b, s)) return s;
  return 0;
}

int BoostProgram::common_of_any_kind(int a, int b) const {
  for (int s = state(a).parent; s > 0; s = state(s).parent)
    if (b != s && chart().inside(b, s)) return s;
  return 0;
}

void BoostProgram::check() {
  for (std::size_t i = 0; i < chart().transitions.size(); ++i) {
    const int index = static_cast<int>(i);
    const Transition& t = transition(index);
    if (is_start(index)) check_start(t);
    else check_way(t);
  }
  for (std::size_t s = 1; s < chart().states.size(); ++s) {
    if (state(static_cast<int>(s)).history()) check_history(static_cast<int>(s));
    if (!state(static_cast<int>(s)).flow.empty())
      refuse(state(static_cast<int>(s)).element, "flow", "Boost.Statechart has no continuous variables.");
  }
  check_regions();
}

void BoostProgram::check_start(const Transition& t) {
  const State& owner = state(t.source);
  if (owner.history()) return;
  if (t.targets.size() != 1 || state(t.targets.front()).parent != t.source)
    refuse(
        t.element, "target",
        "The initial transition leads deeper than to a state of its own; Boost.Statechart begins with inner states.");
  else if (state(t.targets.front()).history())
    refuse(t.element, "target", "An initial transition to a history is not written.");
  if (!t.actions.empty() && t.source != 0)
    refuse(t.element, "action", "Boost.Statechart has no actions on the way to the inner initial state.");
}

void BoostProgram::check_way(const Transition& t) {
  const auto kind = t.trigger.kind;
  if (kind != Kind::none && kind != Kind::event && kind != Kind::when)
    refuse(t.element, "trigger", "\"" + t.trigger.text + "\": the program has no clock and no chance.");
  if (!t.demand_cause.empty()) refuse(t.element, "guard", "The program knows no common-cause groups.");
  if (!t.fault.empty()) refuse(t.element, "guard", "A guard of the program raises no event.");
  if (t.targets.size() > 1)
    refuse(t.element, "target", "Boost.Statechart has one target for each transition; here are several.");
  if (t.targets.size() != 1) return;
  const int target = t.targets.front();
  if (t.internal)
    refuse(t.element, "type", "Boost.Statechart always leaves the source of a transition to another state.");
  else if (common(t.source, target) != common_of_any_kind(t.source, target))
    refuse(t.element, "target",
           "The transition leads from a region to itself or another one; SCXML leaves the whole state around them, "
           "Boost.Statechart does not.");
}

void BoostProgram::check_history(int s) {
  const State& history = state(s);
  const State& owner = state(history.parent);
  const bool composite = owner.kind == State::Kind::composite && history.parent > 0;
  const Transition* way = history.initial < 0 ? nullptr : &transition(history.initial);
  if (!composite) refuse(history.element, "", "A history of regions or of the chart itself is not written.");
  else if (way != nullptr &&
           (!way->actions.empty() || way->targets.size() != 1 || state(way->targets.front()).parent != history.parent))
    refuse(history.element, "", "The history's default is no state beside it, or has actions.");
  if (history.kind == State::Kind::history_deep)
    for (int inner = history.parent; inner <= owner.last; ++inner)
      if (state(inner).kind == State::Kind::parallel) {
        refuse(history.element, "depth", "Boost.Statechart has no deep history above orthogonal regions.");
        break;
      }
}

// On one event only the first region reacts in Boost.Statechart; in SCXML all do.
void BoostProgram::check_regions() {
  for (std::size_t p = 1; p < chart().states.size(); ++p) {
    const State& parallel = state(static_cast<int>(p));
    if (parallel.kind != State::Kind::parallel) continue;
    std::map<std::string, std::pair<int, int>> first;  // event -> region and transition
    for (const int region : parallel.children)
      for (std::size_t i = 0; i < chart().transitions.size(); ++i) {
        const int index = static_cast<int>(i);
        const Transition& t = transition(index);
        if (!chart().inside(t.source, region) || is_start(index)) continue;
        for (const std::string& event : reactions(t)) {
          const auto [known, fresh] = first.try_emplace(event, region, index);
          if (fresh || known->second.first == region) continue;
          const std::string name =
              event == "Completion"
                  ? "without an event"
                  : "on " + (event == "Other" ? std::string("any event") : events_[std::stoul(event.substr(5))]);
          return refuse(t.element, "trigger",
                        "Two regions of \"" + export_.id(static_cast<int>(p)) + "\" react " + name +
                            "; in Boost.Statechart only the first of them would.");
        }
      }
  }
}

}  // namespace ergode
