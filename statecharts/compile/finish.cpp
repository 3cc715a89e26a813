// Closes the tables: who reads which slot, what entering and leaving does, which transitions are known before the run.
#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "statecharts/compile/compiler.h"

namespace ergode {

Hop ModelCompiler::hop(std::uint32_t index, std::uint32_t transition) {
  Hop out;
  const Instance& instance = model_.instances[index];
  const ChartTables& tables = model_.charts[instance.chart];
  const ChartTables::Way& way = tables.ways[transition];
  if (tables.words != 1 || way.exit_first > way.exit_last || way.remembers ||
      !model_.transition_actions.empty(instance.rows + transition))
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
      if (!model_.transition_actions.empty(instance.rows + (*s & ~ChartTables::initial_flag))) return out;
      continue;
    }
    if (tables.is_final[*s] != 0) return out;
    entered.push_back(*s);
  }
  std::map<std::uint32_t, SlotDelta> deltas;
  const auto count = [&](const StateInfo& info, float by) {
    for (std::uint32_t i = info.slots; i != info.slots_end; ++i) {
      SlotDelta& one = deltas[model_.state_values[i].of(instance.member)];
      one.slot = model_.state_values[i], one.delta += by;
    }
  };
  for (const std::uint32_t h : tables.histories)
    for (const std::uint32_t s : left)
      if (tables.chart.states[h].parent == static_cast<int>(s)) return out;
  for (const std::uint32_t s : left) {
    const StateInfo& info = model_.states[instance.state_base + s];
    if (info.exit != info.exit_end) return out;
    for (std::uint32_t i = info.timers; i != info.timers_end; ++i)
      if (model_.timers.shared(model_.state_values[i].of(instance.member)).resume) return out;
    out.clear |= std::uint64_t{1} << s;
    count(info, -1.0F);
  }
  for (const std::uint32_t s : entered) {
    const StateInfo& info = model_.states[instance.state_base + s];
    if (info.entry != info.entry_end) return out;
    out.set |= std::uint64_t{1} << s;
    count(info, 1.0F);
  }
  // Each transition has a list of its own: where thousands leave one state they would be thousands of thousands, and
  // what a hop spares is nothing beside that many clocks.
  constexpr std::size_t most_clocks = 256;
  std::size_t clocks = 0;
  for (const auto* states : {&left, &entered})
    for (const std::uint32_t s : *states) {
      const StateInfo& info = model_.states[instance.state_base + s];
      clocks += info.timers_end - info.timers;
    }
  if (clocks > most_clocks) return out;
  out.known = true;
  out.role = model_.roles[instance.rows + transition];
  out.demand = model_.guards[instance.rows + transition].kind == GuardSpec::Kind::demand;
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
    // A count of a state that is left and of one that is entered stays what it is.
    if (delta.delta != 0.0F) model_.hop_slots.push_back(delta);
  out.slots_end = static_cast<std::uint32_t>(model_.hop_slots.size());
  return out;
}

// Clocks that go off at the same moment come in the order of their numbers: by priority, then document order.
void ModelCompiler::sort_timers() {
  TimerTable& timers = model_.timers;
  std::vector<int> priority;  // by clock that members share
  for (const TimerTable::Shared& spec : timers.specs)
    priority.push_back(lowered_[model_.instances[spec.instance].chart].transitions[spec.transition].priority);
  // Counts each level, then where each begins: places within a level keep their order.
  std::map<int, std::uint32_t, std::greater<>> next;
  for (const TimerTable::Place& place : timers.places) ++next[priority[place.spec]];
  std::uint32_t above = 0;
  for (auto& [level, start] : next) above += std::exchange(start, above);
  if (next.size() < 2) return;
  std::vector<std::uint32_t> to(timers.size());
  std::vector<TimerTable::Place> sorted(timers.size());
  for (std::uint32_t t = 0; t < timers.size(); ++t) {
    to[t] = next[priority[timers.places[t].spec]]++;
    sorted[to[t]] = timers.places[t];
  }
  timers.places = std::move(sorted);
  // Of alike members each has as many clocks of a priority as the next.
  const auto moved = [&](MemberNumber timer) {
    if (timer.step == 0) return MemberNumber{to[timer.first], 0};
    const std::uint32_t one = to[timer.of(repeated_from)], step = to[timer.of(repeated_from + 1)] - one;
    return MemberNumber{one - repeated_from * step, step};
  };
  for (auto& of_state : timers_of_state_)
    for (MemberNumber& timer : of_state) timer = moved(timer);
  for (SharedGuard& guard : model_.guards) {
    if (guard.kind != GuardSpec::Kind::becomes) continue;
    const MemberNumber timer = moved({guard.timer, guard.timer_step});
    guard.timer = timer.first, guard.timer_step = timer.step;
  }
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

// What happens to a component that goes from one state to another, and what its clocks do when they go off: of members
// that share their tables once.
void ModelCompiler::keep_hops() {
  std::unordered_map<std::uint64_t, std::uint32_t> known;  // by rows and states
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) {
    Instance& instance = model_.instances[i];
    const auto [place, fresh] = known.emplace(std::uint64_t{instance.rows} << 32U | instance.state_base,
                                              static_cast<std::uint32_t>(model_.hops.size()));
    instance.hops = place->second;
    if (!fresh) continue;
    for (std::uint32_t t = 0; t < lowered_[instance.chart].transitions.size(); ++t) model_.hops.push_back(hop(i, t));
  }
  TimerTable& timers = model_.timers;
  std::vector<std::uint32_t> example(timers.specs.size(), ~std::uint32_t{0});
  for (std::uint32_t t = 0; t < timers.size(); ++t) example[timers.places[t].spec] = t;
  for (std::size_t s = 0; s < example.size(); ++s)
    model_.clock_hops.push_back(example[s] < timers.size() ? clock_hop(timers.specs[s], example[s]) : SharedClockHop());
}

std::vector<std::uint32_t> ModelCompiler::event_slots(std::uint32_t instance) {
  // Values of events have slots of their own in each member, one like the other.
  std::uint32_t from = instance, by = 0;
  if (const auto repeated = repeated_.find(model_.instances[instance].array);
      repeated != repeated_.end() && model_.instances[instance].member >= repeated_from) {
    from = repeated->second.first + 1;
    by = (instance - from) * repeated->second.slots;
  }
  std::vector<std::uint32_t> out;
  if (const auto own = event_slots_.find(from); own != event_slots_.end())
    for (const auto& [name, slot] : own->second) out.insert(out.end(), {event_parameter(name), slot + by});
  return out;
}

CompiledModel ModelCompiler::finish() {
  sort_timers();
  model_.hybrid = !model_.flows.empty();
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) model_.event_slots.push(event_slots(i));
  place_count_slots();
  const auto append = [](auto& to, const auto& row, std::uint32_t& begin, std::uint32_t& end) {
    begin = static_cast<std::uint32_t>(to.size());
    to.insert(to.end(), row.begin(), row.end());
    end = static_cast<std::uint32_t>(to.size());
  };
  for (std::size_t s = 0; s < timers_of_state_.size(); ++s) {
    StateInfo info;
    append(model_.state_values, timers_of_state_[s], info.timers, info.timers_end);
    append(model_.state_values, state_slots_[s], info.slots, info.slots_end);
    append(model_.state_values, entry_of_state_[s], info.entry, info.entry_end);
    append(model_.state_values, exit_of_state_[s], info.exit, info.exit_end);
    model_.states.push_back(info);
  }
  keep_hops();
  table_->close();
  const std::size_t slots = table_->size();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> timers;  // slot, clock
  for (std::uint32_t t = 0; t < model_.timers.size(); ++t) {
    TimerTable::Shared& shared = model_.timers.specs[model_.timers.places[t].spec];
    if (shared.kind != Trigger::Kind::rate || shared.constant) continue;
    const auto read = model_.programs[static_cast<std::size_t>(model_.timers[t].program)].slots();
    shared.hazard = std::any_of(read.begin(), read.end(),
                                [&](std::uint32_t slot) { return slot == World::now_slot || model_.continuous(slot); });
    model_.hybrid = model_.hybrid || shared.hazard;
    for (const std::uint32_t slot : read)
      // The others are read again by whoever integrates the flows.
      if (!shared.hazard) timers.emplace_back(slot, t);
  }
  EventlessReaders readers;
  for (std::uint32_t i = 0; i < model_.instances.size(); ++i) eventless_readers(i, readers);
  // Stable: of what depends on one slot the lesser number stays first.
  const auto by_slot = [](auto& list) {
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  };
  by_slot(timers), by_slot(readers.asked), by_slot(readers.comparing);
  for (auto& kind : readers.thresholds) by_slot(kind);
  std::array<std::size_t, 3> next{}, next_threshold{};
  const auto take = [&](const auto& list, std::size_t& at, std::uint32_t slot, std::uint32_t& begin,
                        std::uint32_t& end) {
    begin = static_cast<std::uint32_t>(model_.dependents.size());
    for (; at < list.size() && list[at].first == slot; ++at) model_.dependents.push_back(list[at].second);
    end = static_cast<std::uint32_t>(model_.dependents.size());
  };
  std::vector<bool> counts(slots);
  for (const CountSlot& count : model_.count_slots) counts[count.slot] = true;
  for (std::uint32_t s = 0; s < slots; ++s) {
    SlotInfo info;
    append(model_.dependents, keep_observed(s, counts[s], info), info.observers, info.instances);
    take(readers.asked, next[0], s, info.instances, info.comparing);
    take(readers.comparing, next[1], s, info.comparing, info.timers);
    take(timers, next[2], s, info.timers, info.end);
    keep_thresholds(readers, s, info, next_threshold);
    model_.slots.push_back(info);
  }
  model_.event_names = table_->events.names;
  for (std::uint32_t e = 0; e < events_of_others_; ++e) model_.hearers.push(hearers(e));
  return std::move(model_);
}

}  // namespace ergode
