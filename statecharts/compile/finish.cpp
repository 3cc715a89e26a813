// Closes the tables: who reads which slot, what entering and leaving does, which transitions are known before the run.
#include <algorithm>
#include <map>

#include "statecharts/compile/compiler.h"

namespace ergode {

Hop ModelCompiler::hop(std::uint32_t index, std::uint32_t transition) {
  Hop out;
  const Instance& instance = model_.instances[index];
  const ChartTables& tables = model_.charts[instance.chart];
  const ChartTables::Way& way = tables.ways[transition];
  if (tables.words != 1 || way.exit_first > way.exit_last || way.remembers ||
      !model_.transition_actions.empty(instance.transition_base + transition))
    return out;
  // A composite or parallel source has active states inside, and which is known only while running: they are left even
  // when the source itself is not.
  const State::Kind source = tables.chart.states[static_cast<std::size_t>(way.source)].kind;
  if (source == State::Kind::composite || source == State::Kind::parallel) return out;
  std::vector<std::uint32_t> left, entered;
  for (int s = way.source; s >= static_cast<int>(way.exit_first);
       s = tables.chart.states[static_cast<std::size_t>(s)].parent) {
    // The other regions of a parallel state on the way are left too.
    if (tables.chart.states[static_cast<std::size_t>(s)].kind == State::Kind::parallel) return out;
    left.push_back(static_cast<std::uint32_t>(s));
  }
  for (const std::uint32_t* s = tables.entries.begin(way.entry); s != tables.entries.end(way.entry); ++s) {
    if ((*s & ChartTables::initial_flag) != 0) {
      if (!model_.transition_actions.empty(instance.transition_base + (*s & ~ChartTables::initial_flag))) return out;
      continue;
    }
    if (tables.is_final[*s] != 0) return out;
    entered.push_back(*s);
  }
  std::map<std::uint32_t, float> deltas;
  for (const std::uint32_t h : tables.histories)
    for (const std::uint32_t s : left)
      if (tables.chart.states[h].parent == static_cast<int>(s)) return out;
  for (const std::uint32_t s : left) {
    const StateInfo& info = model_.states[instance.state_base + s];
    if (info.exit != info.exit_end) return out;
    for (std::uint32_t i = info.timers; i != info.timers_end; ++i)
      if (model_.timers[model_.state_values[i]].resume) return out;
    out.clear |= std::uint64_t{1} << s;
    for (std::uint32_t i = info.slots; i != info.slots_end; ++i) deltas[model_.state_values[i]] -= 1.0F;
  }
  for (const std::uint32_t s : entered) {
    const StateInfo& info = model_.states[instance.state_base + s];
    if (info.entry != info.entry_end) return out;
    out.set |= std::uint64_t{1} << s;
    for (std::uint32_t i = info.slots; i != info.slots_end; ++i) deltas[model_.state_values[i]] += 1.0F;
  }
  out.known = true;
  out.role = model_.roles[instance.transition_base + transition];
  out.demand = model_.guards[instance.transition_base + transition].kind == GuardSpec::Kind::demand;
  out.word = instance.configuration;
  out.eventless = tables.eventless[0];
  out.cancel = static_cast<std::uint32_t>(model_.hop_timers.size());
  for (const std::uint32_t s : left)
    for (std::uint32_t i = model_.states[instance.state_base + s].timers;
         i != model_.states[instance.state_base + s].timers_end; ++i)
      model_.hop_timers.push_back(model_.state_values[i]);
  out.arm = static_cast<std::uint32_t>(model_.hop_timers.size());
  for (const std::uint32_t s : entered)
    for (std::uint32_t i = model_.states[instance.state_base + s].timers;
         i != model_.states[instance.state_base + s].timers_end; ++i)
      model_.hop_timers.push_back(model_.state_values[i]);
  out.end = static_cast<std::uint32_t>(model_.hop_timers.size());
  out.slots = static_cast<std::uint32_t>(model_.hop_slots.size());
  for (const auto& [slot, delta] : deltas)
    if (delta != 0.0F) model_.hop_slots.push_back({slot, delta});
  out.slots_end = static_cast<std::uint32_t>(model_.hop_slots.size());
  return out;
}

// Clocks that go off at the same moment come in the order of their numbers: by priority, then document order.
void ModelCompiler::sort_timers() {
  const auto priority = [&](std::uint32_t timer) {
    const TimerSpec& spec = model_.timers[timer];
    return lowered_[model_.instances[spec.instance].chart].transitions[spec.transition].priority;
  };
  std::vector<std::uint32_t> order(model_.timers.size()), place(order.size());
  for (std::uint32_t t = 0; t < order.size(); ++t) order[t] = t;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return priority(a) > priority(b); });
  std::vector<TimerSpec> sorted;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(model_.timers[order[i]]);
  }
  model_.timers = std::move(sorted);
  for (auto& timers : timers_of_state_)
    for (std::uint32_t& timer : timers) timer = place[timer];
  for (GuardSpec& guard : model_.guards)
    if (guard.kind == GuardSpec::Kind::becomes) guard.timer = place[guard.timer];
}

// Components in which a transition may react to an event.
std::vector<std::uint32_t> ModelCompiler::hearers(std::uint32_t event) const {
  std::vector<std::uint32_t> out;
  std::vector<bool> reacts;  // by chart
  for (const ChartTables& tables : model_.charts) {
    const std::size_t states = tables.is_final.size(), row = tables.events + std::size_t{1};
    bool any = false;
    for (std::size_t s = 0; s < states && !any; ++s) any = !tables.candidates.empty(s * row + event);
    reacts.push_back(any);
  }
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i)
    if (reacts[model_.instances[i].chart]) out.push_back(i);
  return out;
}

CompiledModel ModelCompiler::finish() {
  sort_timers();
  model_.hybrid = !model_.flows.empty();
  for (const auto& slots : event_slots_) {
    std::vector<std::uint32_t> row;
    for (const auto& [name, slot] : slots) row.insert(row.end(), {event_parameter(name), slot});
    model_.event_slots.push(row);
  }
  const auto append = [](std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& row, std::uint32_t& begin,
                         std::uint32_t& end) {
    begin = static_cast<std::uint32_t>(to.size());
    to.insert(to.end(), row.begin(), row.end());
    end = static_cast<std::uint32_t>(to.size());
  };
  for (std::size_t s = 0; s < model_.total_states; ++s) {
    StateInfo info;
    append(model_.state_values, timers_of_state_[s], info.timers, info.timers_end);
    append(model_.state_values, state_slots_[s], info.slots, info.slots_end);
    append(model_.state_values, entry_of_state_[s], info.entry, info.entry_end);
    append(model_.state_values, exit_of_state_[s], info.exit, info.exit_end);
    model_.states.push_back(info);
  }
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i)
    for (std::uint32_t t = 0; t < lowered_[model_.instances[i].chart].transitions.size(); ++t)
      model_.hops.push_back(hop(i, t));
  for (std::uint32_t t = 0; t < model_.timers.size(); ++t) model_.clock_hops.push_back(clock_hop(t));
  table_->close();
  const std::size_t slots = table_->size();
  std::vector<std::vector<std::uint32_t>> timers(slots);
  for (std::uint32_t t = 0; t < model_.timers.size(); ++t) {
    const TimerSpec& timer = model_.timers[t];
    const Instance& instance = model_.instances[timer.instance];
    model_.stream_names.push_back(instance.name + "/" + model_.element_of(timer.instance, timer.transition).text());
    if (timer.kind != Trigger::Kind::rate || timer.constant) continue;
    const std::vector<std::uint32_t>& read = model_.programs[static_cast<std::size_t>(timer.program)].slots();
    model_.timers[t].hazard = std::any_of(read.begin(), read.end(), [&](std::uint32_t slot) {
      return slot == World::now_slot || model_.continuous(slot);
    });
    model_.hybrid = model_.hybrid || timer.hazard;
    for (const std::uint32_t slot : read)
      if (!timer.hazard) timers[slot].push_back(t);
  }
  for (const Instance& instance : model_.instances) model_.stream_names.push_back(instance.name + "/branches");
  EventlessReaders readers(slots);
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) eventless_readers(i, readers);
  std::vector<bool> counts(slots);
  for (const CountSlot& count : model_.count_slots) counts[count.slot] = true;
  for (std::uint32_t s = 0; s < slots; ++s) {
    SlotInfo info;
    append(model_.dependents, keep_observed(s, counts[s], info), info.observers, info.instances);
    append(model_.dependents, readers.asked[s], info.instances, info.comparing);
    append(model_.dependents, readers.comparing[s], info.comparing, info.timers);
    append(model_.dependents, timers[s], info.timers, info.end);
    keep_thresholds(readers, s, info);
    model_.slots.push_back(info);
  }
  model_.event_names = table_->events.names;
  for (std::uint32_t e = 0; e < events_of_others_; ++e) model_.hearers.push(hearers(e));
  return std::move(model_);
}

}  // namespace ergode
