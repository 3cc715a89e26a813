// What the finished chart must satisfy: beginnings, choices, reachability.
#include <algorithm>

#include "statecharts/lower/chart_lowering.h"

namespace ergode {

void ChartLowering::initials() {
  if (chart_.states.size() == 1)
    return report("SCH001", diagram_.id, "", "The chart \"" + chart_.name + "\" has no states.", "Draw at least one.");
  for (std::size_t i = 0; i < chart_.states.size(); ++i) {
    State& s = chart_.states[i];
    const auto drawn = initials_.find(static_cast<int>(i));
    const std::size_t count = drawn == initials_.end() ? 0 : drawn->second.size();
    if (count > 1)
      report("SCH002", drawn->second[1]->id, "",
             "There are " + std::to_string(count) + " initial states in one place; wanted one.");
    if (s.kind == State::Kind::parallel) {
      if (count > 0)
        report("SCH002", drawn->second[0]->id, "",
               "A state with regions needs no initial state; each region has its own.");
      continue;
    }
    if (s.kind != State::Kind::composite) continue;
    const std::string where =
        i == 0 ? "The chart \"" + s.name + "\"" : "\"" + state_path(chart_, static_cast<int>(i)) + "\"";
    if (count == 0)
      report("SCH001", s.element, "",
             where + " has no initial state; wanted one, with a transition to the state where it begins.",
             "Add an initial state and connect it.");
    else if (s.initial < 0)
      report("SCH001", drawn->second[0]->id, "",
             "The initial state of " + (i == 0 ? "the chart \"" + s.name + "\"" : where) +
                 " leads nowhere; wanted one transition from it.");
  }
}

// A history of a composite falls back on the parent's default entry; of regions too. It leads somewhere or nowhere.
void ChartLowering::histories() {
  for (const State& s : chart_.states)
    if (s.history() && s.parent == 0)
      report("SCH018", s.element, "", "The history stands in the chart itself, which is never left.", {},
             Severity::warning);
}

std::vector<std::vector<const Transition*>> ChartLowering::ways_out() const {
  std::vector<std::vector<const Transition*>> out(chart_.states.size());
  for (const Transition& t : chart_.transitions)
    if (t.source >= 0) out[static_cast<std::size_t>(t.source)].push_back(&t);
  return out;
}

void ChartLowering::choices() {
  const std::vector<std::vector<const Transition*>> leaving = ways_out();
  for (std::size_t i = 0; i < chart_.states.size(); ++i) {
    if (chart_.states[i].kind != State::Kind::choice) continue;
    int ways = 0, weighted = 0, otherwise = 0, both = 0, triggered = 0;
    bool demand = false;
    for (const Transition* way : leaving[i]) {
      const Transition& t = *way;
      demand = demand || !t.demand_cause.empty();
      ++ways;
      if (t.trigger.kind == Trigger::Kind::branch) ++weighted;
      else if (t.trigger.kind != Trigger::Kind::none) ++triggered;
      if (t.otherwise || (t.guard_text.empty() && t.trigger.kind == Trigger::Kind::none)) ++otherwise;
      else if (!t.guard_text.empty() && t.trigger.kind == Trigger::Kind::branch) ++both;
    }
    const ElementId id = chart_.states[i].element;
    if (ways == 0) report("SCH008", id, "", "The choice has no way out.");
    if (triggered > 0)
      report("SCH008", id, "", "A branch of the choice waits for a trigger; wanted guards or p(...) only.");
    if (weighted > 0 && weighted != ways && !(weighted == ways - 1 && otherwise == 1))
      report("SCH008", id, "",
             "Some branches have probabilities and some have not; wanted p(...) on all, or on all but one `else`.");
    if (weighted == 0 && otherwise == 0 && ways > 0 && !demand)
      report("SCH008", id, "", "The choice has no `else`; it would be stuck when no guard holds.",
             "Give one branch the guard else.");
    if (both > 0) report("SCH008", id, "", "A branch of the choice has a probability and a guard; wanted one of them.");
  }
  for (const Transition& t : chart_.transitions)
    if (t.trigger.kind == Trigger::Kind::branch &&
        chart_.states[static_cast<std::size_t>(t.source)].kind != State::Kind::choice)
      report("SCH008", t.element, "trigger", "p(...) stands on a transition that does not leave a choice.");
}

void ChartLowering::reachable() {
  std::vector<bool> seen(chart_.states.size());
  std::vector<int> open = {0};
  // A state that is entered has the states around it entered too.
  const auto enter = [&](int s) {
    for (int at = s; at >= 0; at = state(at).parent)
      if (!seen[static_cast<std::size_t>(at)]) seen[static_cast<std::size_t>(at)] = true, open.push_back(at);
  };
  seen[0] = true;
  const std::vector<std::vector<const Transition*>> leaving = ways_out();
  while (!open.empty()) {
    const int s = open.back();
    open.pop_back();
    if (state(s).kind == State::Kind::parallel)
      for (const int region : state(s).children)
        if (!state(region).history()) enter(region);
    for (const Transition* t : leaving[static_cast<std::size_t>(s)])
      for (const int target : t->targets) enter(target);
  }
  for (std::size_t i = 1; i < chart_.states.size(); ++i)
    if (!seen[i])
      report("SCH010", chart_.states[i].element, "",
             "\"" + state_path(chart_, static_cast<int>(i)) + "\" can never be reached: no transition leads to it.", {},
             Severity::warning);
}

}  // namespace ergode
