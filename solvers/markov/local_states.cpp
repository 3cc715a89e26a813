#include "solvers/markov/local_states.h"

#include <bit>
#include <limits>

namespace ergode {
namespace {

// What events carried and nothing can read before the next one comes means nothing at rest: only transitions on an
// event read it. Otherwise states that differ in nothing else would be told apart.
void drop_spent_values(const CompiledModel& model, std::vector<std::vector<std::uint32_t>>& variables) {
  std::vector<std::uint8_t> read(model.table->size(), 0);
  const auto note = [&](std::int32_t program) {
    if (program < 0) return;
    for (const std::uint32_t slot : model.programs[static_cast<std::size_t>(program)].slots()) read[slot] = 1;
  };
  const auto act = [&](const Instance& owner, const MemberNumber* begin, const MemberNumber* end) {
    for (const MemberNumber* a = begin; a != end; ++a) {
      const ActionSpec& action = model.actions[a->of(owner.member)];
      note(action.program), note(action.condition);
      for (std::uint32_t p = action.parameters; p != action.parameters_end; ++p)
        note(model.event_parameters[p].program);
    }
  };
  const MemberNumber* const values = model.state_values.data();
  for (std::uint32_t i = 0; i < model.instances.size(); ++i) {
    const Instance& instance = model.instances[i];
    const StateChart& chart = model.charts[instance.chart].chart;
    for (std::uint32_t t = 0; t < chart.transitions.size(); ++t) {
      if (chart.transitions[t].trigger.kind == Trigger::Kind::event) continue;
      const std::size_t row = instance.rows + t;
      const GuardSpec guard = model.guard(i, t);
      note(guard.program), note(guard.weight);
      if (guard.kind == GuardSpec::Kind::fault) {
        const MemberNumber action{guard.action, 0};
        act(instance, &action, &action + 1);
      }
      act(instance, model.transition_actions.begin(row), model.transition_actions.end(row));
    }
    for (std::size_t s = 0; s < chart.states.size(); ++s) {
      const StateInfo& state = model.states[instance.state_base + s];
      act(instance, values + state.entry, values + state.entry_end);
      act(instance, values + state.exit, values + state.exit_end);
    }
  }
  for (const TimerSpec& timer : model.timers) note(timer.program);
  for (const FlowSpec& flow : model.flows) note(flow.program);
  for (const Program& observer : model.table->observers())
    for (const std::uint32_t slot : observer.slots()) read[slot] = 1;
  for (std::uint32_t i = 0; i < variables.size(); ++i) {
    const auto spent = [&](std::uint32_t slot) {
      if (read[slot] != 0 || slot == model.event_name_slots[i]) return false;
      for (const std::uint32_t* s = model.event_slots.begin(i); s < model.event_slots.end(i); s += 2)
        if (s[1] == slot) return true;
      return false;
    };
    std::erase_if(variables[i], spent);
  }
}

}  // namespace

LocalStates::LocalStates(const CompiledModel& model, const std::vector<SymmetricArray>& arrays)
    : model_(model), variables_(variables_of(model)) {
  drop_spent_values(model, variables_);
  const std::size_t n = model.instances.size();
  timers_.resize(n), delays_.resize(n), kind_.resize(n);
  for (std::uint32_t t = 0; t < model.timers.size(); ++t) {
    timers_[model.timers[t].instance].push_back(t);
    if (model.timers[t].kind == Trigger::Kind::after) delays_[model.timers[t].instance].push_back(t);
  }
  for (const ChartTables& tables : model.charts) {
    fresh_inside_.emplace_back();
    for (const std::uint32_t h : tables.histories)
      fresh_inside_.back().push_back(
          idle_while_inside(tables.chart, static_cast<int>(h)) ? tables.chart.states[h].parent : -1);
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    bool shared = false;
    for (const SymmetricArray& array : arrays) shared = shared || (array.first < i && i < array.first + array.count);
    if (shared) {
      kind_[i] = kind_[i - 1];
      continue;
    }
    const ChartTables& tables = model.charts[model.instances[i].chart];
    const std::size_t width =
        tables.words * (1 + tables.histories.size()) + variables_[i].size() + (delays_[i].size() + 3) / 4;
    kind_[i] = static_cast<std::uint32_t>(records_.size());
    records_.emplace_back(width);
  }
}

bool LocalStates::idle_while_inside(const StateChart& chart, int history) {
  const int around = chart.states[static_cast<std::size_t>(history)].parent;
  for (const Transition& t : chart.transitions)
    if (chart.inside(t.source, around) && std::find(t.targets.begin(), t.targets.end(), history) != t.targets.end())
      return false;
  return true;
}

void LocalStates::read(std::uint32_t instance, const ChartReplication& charts, const PhaseVector& phases,
                       std::vector<std::uint64_t>& record) const {
  record.clear();
  const Instance& owner = model_.instances[instance];
  const ChartTables& tables = model_.charts[owner.chart];
  for (std::uint32_t w = 0; w < tables.words; ++w) record.push_back(charts.configuration()[owner.configuration + w]);
  for (std::size_t h = 0; h < tables.histories.size(); ++h) {
    const int around = fresh_inside_[owner.chart][h];
    const bool fresh = around >= 0 && charts.active(instance, around);
    for (std::size_t w = 0; w < tables.words; ++w)
      record.push_back(fresh ? 0 : charts.histories()[owner.history + h * tables.words + w]);
  }
  for (const std::uint32_t slot : variables_[instance])
    record.push_back(std::bit_cast<std::uint64_t>(charts.slots()[slot] + 0.0));  // no negative zero
  for (std::size_t d = 0; d < delays_[instance].size(); ++d) {
    // Four phases of 16 bits to a word.
    if (d % 4 == 0) record.push_back(0);
    record.back() |= std::uint64_t{phases[delays_[instance][d]]} << (d % 4 * 16);
  }
}

std::uint32_t LocalStates::pack(std::uint32_t instance, const ChartReplication& charts, const PhaseVector& phases) {
  read(instance, charts, phases, one_);
  return records_[kind_[instance]].add(one_.data());
}

bool LocalStates::alike(std::uint32_t one, std::uint32_t other, const ChartReplication& charts,
                        const PhaseVector& phases) const {
  read(one, charts, phases, one_), read(other, charts, phases, other_);
  if (one_ != other_) return false;
  // Within a moment, clocks that were armed or went off since are not in the phases yet.
  for (std::size_t d = 0; d < delays_[one].size(); ++d) {
    const std::uint32_t a = delays_[one][d], b = delays_[other][d];
    if (charts.waiting(a) != charts.waiting(b)) return false;
    if (charts.waiting(a) && (charts.time_of(a) == parked) != (charts.time_of(b) == parked)) return false;
  }
  return true;
}

bool LocalStates::active(const ChartHistory::Saved& moving, std::uint32_t instance, int state) const {
  const auto s = static_cast<std::uint32_t>(state);
  return (moving.charts.configuration[model_.instances[instance].configuration + s / 64] >> (s % 64) & 1U) != 0;
}

void LocalStates::unpack(const std::uint32_t* numbers, ChartHistory::Saved& moving, PhaseVector& phases) const {
  moving.world.slots = model_.table->initial();
  moving.world.timers.clear();
  moving.charts.delayed.clear(), moving.charts.values.clear(), moving.charts.free_values.clear();
  std::fill(moving.charts.parts.begin(), moving.charts.parts.end(), ChartPart::no_failure);
  std::fill(moving.charts.demand_parts.begin(), moving.charts.demand_parts.end(), ChartPart::no_failure);
  moving.charts.standing = {};
  std::fill(moving.charts.remaining.begin(), moving.charts.remaining.end(), std::numeric_limits<double>::quiet_NaN());
  moving.world.events = moving.world.steps_at_moment = 0;
  std::fill(phases.begin(), phases.end(), std::uint16_t{0});
  for (std::uint32_t i = 0; i < kind_.size(); ++i) {
    const Instance& owner = model_.instances[i];
    const ChartTables& tables = model_.charts[owner.chart];
    const std::uint64_t* record = records_[kind_[i]][numbers[i]];
    for (std::uint32_t w = 0; w < tables.words; ++w) moving.charts.configuration[owner.configuration + w] = *record++;
    for (std::size_t w = 0; w < tables.words * tables.histories.size(); ++w)
      moving.charts.histories[owner.history + w] = *record++;
    for (const std::uint32_t slot : variables_[i]) moving.world.slots[slot] = std::bit_cast<double>(*record++);
    for (std::size_t d = 0; d < delays_[i].size(); ++d) {
      const auto phase = static_cast<std::uint16_t>(record[d / 4] >> (d % 4 * 16));
      phases[delays_[i][d]] = phase;
      if (phase != 0) moving.world.timers.schedule(delays_[i][d], parked);
    }
  }
  for (const CountSlot& slot : model_.count_slots) {
    std::uint32_t count = 0;
    for (std::uint32_t i = slot.first; i < slot.first + slot.count; ++i)
      count += active(moving, i, slot.state) ? 1U : 0U;
    moving.world.slots[slot.slot] = count;
  }
  for (std::uint32_t t = 0; t < model_.timers.size(); ++t) {
    const TimerSpec& timer = model_.timers[t];
    if (timer.constant && timer.kind == Trigger::Kind::rate) continue;
    if (timer.kind != Trigger::Kind::rate && timer.kind != Trigger::Kind::becomes) continue;
    const int source = model_.charts[model_.instances[timer.instance].chart].ways[timer.transition].source;
    if (!active(moving, timer.instance, source)) continue;
    const double value = model_.programs[static_cast<std::size_t>(timer.program)].evaluate(moving.world.slots.data());
    if (timer.kind == Trigger::Kind::rate) moving.charts.rates[t] = value, moving.charts.hazards[t] = 1.0;
    else moving.charts.hazards[t] = value != 0.0 ? 1.0 : 0.0;
  }
}

}  // namespace ergode
