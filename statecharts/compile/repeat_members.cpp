// Large arrays: the first two members are compiled as any component, all others from the second. What the second has of
// its own (clocks, slots, programs, actions) they have too, each further on by a constant, so their tables are one.
#include <algorithm>

#include "statecharts/compile/compiler.h"

namespace ergode {

ModelCompiler::Sizes ModelCompiler::sizes() const {
  return {table_->size(),       model_.programs.size(), model_.actions.size(),     model_.event_parameters.size(),
          model_.timers.size(), model_.flows.size(),    model_.count_slots.size(), last_send_id_};
}

/// Whether all members from the third on are what the second is, which was compiled just now. Otherwise each of them is
/// compiled by itself: what reads `index` differs, and so may what names one of them.
bool ModelCompiler::repeats(const ComponentArray& array, const Sizes& before) const {
  if (!array.array || array.count < large_array || reading_.index) return false;
  if (variables_of_[array.first] != variables_of_[array.first + 1]) return false;
  const auto& own = variables_[variables_of_[array.first]];
  const auto mine = [&](std::uint32_t slot) {
    return slot >= before.slots || std::any_of(own.begin(), own.end(), [&](const auto& entry) {
             const Variable& v = entry.second;
             return !v.constant && v.slot + v.step == slot;
           });
  };
  for (const std::uint32_t slot : reading_.own)
    if (!mine(slot)) return false;
  for (const std::uint32_t slot : reading_.named)
    if (mine(slot)) return false;
  // Of what the member counts of itself nobody may have one already.
  const bool counts = before.counts < model_.count_slots.size();
  for (std::size_t c = 0; counts && c < before.counts; ++c) {
    const CountSlot& slot = model_.count_slots[c];
    if (slot.count == 1 && slot.first > array.first && slot.first < array.first + array.count) return false;
  }
  return true;
}

void ModelCompiler::repeat(const ComponentArray& array, const Sizes& before) {
  const std::uint32_t one = array.first + 1, from = repeated_from;
  const StateChart& chart = lowered_[array.chart];
  const Sizes after = sizes();
  std::uint32_t variables = 0, first_variable = 0;
  for (const auto& [name, v] : variables_[variables_of_[one]]) {
    if (v.constant) continue;
    if (variables == 0 || v.slot + v.step < first_variable) first_variable = v.slot + v.step;
    variables = v.step;
  }
  const auto slots = static_cast<std::uint32_t>(after.slots - before.slots);
  // How far the slot is from that of the next member; 0: it is the same for all.
  const auto step_of = [&](std::uint32_t slot) {
    if (slot >= before.slots && slot < after.slots) return slots;
    return slot >= first_variable && slot < first_variable + variables ? variables : 0U;
  };
  const auto slot_of = [&](std::uint32_t slot, std::uint32_t member) { return slot + (member - 1) * step_of(slot); };
  const auto from_place = [&](std::size_t base, std::size_t place, std::size_t step) {
    return MemberNumber{static_cast<std::uint32_t>(base + place - from * step), static_cast<std::uint32_t>(step)};
  };

  // Slots: what counts the states of a member, and what it keeps of events.
  const std::vector<double> fresh(table_->initial().begin() + static_cast<std::ptrdiff_t>(before.slots),
                                  table_->initial().end());
  if (slots != 0) table_->add(array.name, array.count - from, {}, fresh);
  Repeated& repeated = repeated_[model_.instances[one].array];
  repeated.first = array.first, repeated.count = array.count, repeated.slots = slots;
  for (std::size_t c = before.counts; c < after.counts; ++c) {
    const CountSlot counted = model_.count_slots[c];
    repeated.counts.emplace_back(counted.state, MemberNumber{counted.slot - slots, slots});
    for (std::uint32_t m = from; m < array.count; ++m)
      model_.count_slots.push_back({slot_of(counted.slot, m), array.first + m, 1, counted.state});
  }

  // Programs that read something of the member's own.
  std::vector<std::size_t> own;
  std::vector<std::int64_t> place(after.programs - before.programs, -1);  // among those of a member
  for (std::size_t p = before.programs; p < after.programs; ++p) {
    const auto read = model_.programs[p].slots();
    if (std::none_of(read.begin(), read.end(), [&](std::uint32_t slot) { return step_of(slot) != 0; })) continue;
    place[p - before.programs] = static_cast<std::int64_t>(own.size());
    own.push_back(p);
  }
  model_.programs.reserve(after.programs + own.size() * (array.count - from));
  for (std::uint32_t m = from; m < array.count && !own.empty(); ++m)
    for (const std::size_t p : own) {
      const Program& pattern = model_.programs[p];
      const auto read = pattern.slots();
      const std::uint32_t step = step_of(read.front());
      const bool moves =
          std::all_of(read.begin(), read.end(), [&](std::uint32_t slot) { return step_of(slot) == step; });
      Program made = moves ? pattern.moved_by((m - 1) * step)
                           : pattern.renamed([&](std::uint32_t slot) { return slot_of(slot, m); });
      model_.programs.push_back(std::move(made));
    }
  const auto program_of = [&](std::int32_t program) {
    const auto number = static_cast<std::uint32_t>(program);
    const bool mine = program >= 0 && number >= before.programs && place[number - before.programs] >= 0;
    return mine ? from_place(after.programs, static_cast<std::size_t>(place[number - before.programs]), own.size())
                : MemberNumber{number, 0};
  };
  const auto program = [&](std::int32_t number, std::uint32_t member) {
    return static_cast<std::int32_t>(program_of(number).of(member));
  };

  // What events carry, and actions: all of a member's, or none where they are the same for all.
  const std::size_t parameters = after.parameters - before.parameters, actions = after.actions - before.actions;
  bool differ = false;
  for (std::size_t p = before.parameters; p < after.parameters; ++p)
    differ = differ || program_of(model_.event_parameters[p].program).step != 0;
  for (std::size_t a = before.actions; a < after.actions; ++a) {
    const ActionSpec& action = model_.actions[a];
    differ = differ || action.id != 0 || program_of(action.program).step != 0 ||
             program_of(action.condition).step != 0 ||
             (action.kind == ActionSpec::Kind::assign && step_of(action.slot) != 0);
  }
  model_.event_parameters.reserve(after.parameters + (differ ? parameters * (array.count - from) : 0));
  model_.actions.reserve(after.actions + (differ ? actions * (array.count - from) : 0));
  const std::uint32_t ids = after.ids - before.ids;
  for (std::uint32_t m = from; m < array.count && differ; ++m) {
    for (std::size_t p = before.parameters; p < after.parameters; ++p) {
      const EventParameter pattern = model_.event_parameters[p];
      model_.event_parameters.push_back({pattern.name, program(pattern.program, m)});
    }
    const auto parameters_by = static_cast<std::uint32_t>(parameters + (m - from) * parameters);
    for (std::size_t a = before.actions; a < after.actions; ++a) {
      ActionSpec action = model_.actions[a];
      if (action.kind == ActionSpec::Kind::assign) action.slot = slot_of(action.slot, m);
      action.program = program(action.program, m), action.condition = program(action.condition, m);
      if (action.parameters != action.parameters_end)
        action.parameters += parameters_by, action.parameters_end += parameters_by;
      if (action.id > before.ids) action.id += (m - 1) * ids;
      model_.actions.push_back(action);
    }
  }
  last_send_id_ += ids * (array.count - from);
  const auto action_of = [&](MemberNumber number) {
    return differ ? from_place(after.actions, number.first - before.actions, actions) : number;
  };
  const auto actions_of = [&](std::vector<MemberNumber> list) {
    for (MemberNumber& action : list) action = action_of(action);
    return list;
  };

  // Clocks.
  TimerTable& table = model_.timers;
  const std::size_t timers = after.timers - before.timers;
  const auto timer_of = [&](std::uint32_t timer) { return from_place(after.timers, timer - before.timers, timers); };
  repeated.timers = static_cast<std::uint32_t>(table.specs.size());
  for (std::size_t t = before.timers; t < after.timers; ++t) {
    TimerTable::Shared spec = table.shared(t);
    spec.instance = array.first;
    spec.row = model_.instances[array.first].transition_base + spec.transition;
    spec.row_step = static_cast<std::uint32_t>(chart.transitions.size());
    if (spec.program >= 0) {
      const MemberNumber number = program_of(spec.program);
      spec.program = static_cast<std::int32_t>(number.first), spec.program_step = number.step;
    }
    table.specs.push_back(spec);
  }
  repeated.timers_end = static_cast<std::uint32_t>(table.specs.size());
  table.places.reserve(after.timers + timers * (array.count - from));
  for (std::uint32_t m = from; m < array.count; ++m)
    for (std::uint32_t s = repeated.timers; s != repeated.timers_end; ++s) table.places.push_back({s, m});

  // Tables by transition and by state.
  const Instance second = model_.instances[one];
  const auto rows = static_cast<std::uint32_t>(model_.guards.size());
  for (std::uint32_t t = 0; t < chart.transitions.size(); ++t) {
    SharedGuard guard = model_.guards[second.rows + t];
    const MemberNumber condition = program_of(guard.program), weight = program_of(guard.weight);
    guard.program = static_cast<std::int32_t>(condition.first), guard.program_step = condition.step;
    guard.weight = static_cast<std::int32_t>(weight.first), guard.weight_step = weight.step;
    if (guard.kind == GuardSpec::Kind::becomes) {
      const MemberNumber timer = timer_of(guard.timer);
      guard.timer = timer.first, guard.timer_step = timer.step;
    }
    if (guard.kind == GuardSpec::Kind::fault) {
      const MemberNumber action = action_of({guard.action, 0});
      guard.action = action.first, guard.action_step = action.step;
    }
    model_.guards.push_back(guard);
    model_.roles.push_back(TransitionRole{model_.roles[second.rows + t]});
    model_.transition_actions.push(
        actions_of({model_.transition_actions.begin(second.rows + t), model_.transition_actions.end(second.rows + t)}));
  }
  const auto states = static_cast<std::uint32_t>(timers_of_state_.size());
  for (std::uint32_t s = 0; s < chart.states.size(); ++s) {
    std::vector<MemberNumber> of_state = timers_of_state_[second.state_base + s];
    for (MemberNumber& timer : of_state) timer = timer_of(timer.first);
    timers_of_state_.push_back(std::move(of_state));
    entry_of_state_.push_back(actions_of(entry_of_state_[second.state_base + s]));
    exit_of_state_.push_back(actions_of(exit_of_state_[second.state_base + s]));
  }

  // What flows.
  for (std::uint32_t m = from; m < array.count; ++m) {
    for (std::size_t f = before.flows; f < after.flows; ++f) {
      FlowSpec flow = model_.flows[f];
      flow.instance = array.first + m;
      flow.slot = slot_of(flow.slot, m), flow.program = program(flow.program, m);
      model_.flows.push_back(flow);
      model_.continuous_slots.push_back(flow.slot);
    }
    Instance& member = model_.instances[array.first + m];
    member.rows = rows, member.state_base = states;
    if (const std::uint32_t slot = model_.event_name_slots[one]; slot != 0)
      model_.event_name_slots[array.first + m] = slot_of(slot, m);
  }
  auto& continuous = model_.continuous_slots;
  std::sort(continuous.begin(), continuous.end());
  continuous.erase(std::unique(continuous.begin(), continuous.end()), continuous.end());
}

// Who counts a state. A slot that counts all members of an array is everybody's; one that counts some of them cuts it
// into pieces with tables of their own.
void ModelCompiler::place_count_slots() {
  state_slots_.resize(timers_of_state_.size());
  std::unordered_map<std::uint32_t, std::vector<CountSlot>> partial;  // by array
  for (const CountSlot& slot : model_.count_slots) {
    const std::uint32_t array = model_.instances[slot.first].array;
    const auto repeated = repeated_.find(array);
    const std::uint32_t shared =
        repeated == repeated_.end() ? ~std::uint32_t{0} : repeated->second.first + repeated_from;
    const std::uint32_t end = slot.first + slot.count;
    for (std::uint32_t i = slot.first; i < std::min(shared, end); ++i)
      state_slots_[model_.instances[i].state_base + static_cast<std::uint32_t>(slot.state)].push_back({slot.slot, 0});
    if (end <= shared) continue;
    const std::uint32_t first = std::max(slot.first, shared);
    if (first == shared && end == repeated->second.first + repeated->second.count)
      state_slots_[model_.instances[shared].state_base + static_cast<std::uint32_t>(slot.state)].push_back(
          {slot.slot, 0});
    else if (slot.count != 1 ||
             std::none_of(repeated->second.counts.begin(), repeated->second.counts.end(), [&](const auto& own) {
               return own.first == slot.state && own.second.of(model_.instances[first].member) == slot.slot;
             }))
      partial[array].push_back({slot.slot, first, end - first, slot.state});
  }
  for (const auto& [array, repeated] : repeated_)
    for (const auto& [state, slot] : repeated.counts)
      state_slots_[model_.instances[repeated.first + repeated_from].state_base + static_cast<std::uint32_t>(state)]
          .push_back(slot);
  for (const auto& [array, slots] : partial) cut(model_.arrays[array], slots);
}

void ModelCompiler::cut(const ComponentArray& array, const std::vector<CountSlot>& partial) {
  const Repeated repeated = repeated_.at(model_.instances[array.first].array);
  const auto states = static_cast<std::uint32_t>(lowered_[array.chart].states.size());
  const std::uint32_t common = model_.instances[array.first + repeated_from].state_base;
  std::map<std::uint32_t, std::vector<CountSlot>> begin, end;  // by component
  for (const CountSlot& slot : partial) begin[slot.first].push_back(slot), end[slot.first + slot.count].push_back(slot);
  std::vector<std::uint32_t> cuts;
  for (const auto* edges : {&begin, &end})
    for (const auto& [at, slots] : *edges) cuts.push_back(at);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::map<std::uint32_t, CountSlot> counting;  // by slot
  std::unordered_map<std::uint32_t, std::uint32_t> spec_of;
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
    if (const auto some = end.find(cuts[c]); some != end.end())
      for (const CountSlot& slot : some->second) counting.erase(slot.slot);
    if (const auto some = begin.find(cuts[c]); some != begin.end())
      for (const CountSlot& slot : some->second) counting.emplace(slot.slot, slot);
    if (counting.empty()) continue;
    const auto base = static_cast<std::uint32_t>(timers_of_state_.size());
    for (std::uint32_t s = 0; s < states; ++s) {
      for (auto* table : {&timers_of_state_, &entry_of_state_, &exit_of_state_, &state_slots_}) {
        std::vector<MemberNumber> copy = (*table)[common + s];
        table->push_back(std::move(copy));
      }
      for (const auto& [number, slot] : counting)
        if (slot.state == static_cast<int>(s)) state_slots_.back().push_back({number, 0});
    }
    // Their clocks do something else when they go off.
    spec_of.clear();
    for (std::uint32_t i = cuts[c]; i < cuts[c + 1]; ++i) {
      model_.instances[i].state_base = base;
      for (std::uint32_t s = 0; s < states; ++s)
        for (const MemberNumber timer : timers_of_state_[common + s]) {
          TimerTable::Place& place = model_.timers.places[timer.of(model_.instances[i].member)];
          const auto [own, fresh] = spec_of.emplace(place.spec, static_cast<std::uint32_t>(model_.timers.specs.size()));
          if (fresh) model_.timers.specs.push_back(TimerTable::Shared(model_.timers.specs[place.spec]));
          place.spec = own->second;
        }
    }
  }
}

}  // namespace ergode
