// Events on their way, what they carry, and what histories remember.
#include <algorithm>
#include <limits>

#include "statecharts/execute/chart_replication.h"

namespace ergode {

std::uint32_t ChartReplication::keep_values(const ActionSpec& action, std::uint32_t number) {
  if (action.parameters == action.parameters_end) return no_values;
  Values made;
  made.action = number;
  for (std::uint32_t i = action.parameters; i != action.parameters_end; ++i) {
    const Program& program = model_.programs[static_cast<std::size_t>(model_.event_parameters[i].program)];
    made.value[i - action.parameters] = program.evaluate(slots_);
  }
  if (free_values_.empty()) {
    values_.push_back(made);
    return static_cast<std::uint32_t>(values_.size() - 1);
  }
  const std::uint32_t place = free_values_.back();
  free_values_.pop_back();
  values_[place] = made;
  return place;
}

std::uint32_t ChartReplication::copy_values(std::uint32_t values) {
  if (values == no_values) return values;
  values_.push_back(Values(values_[values]));
  return static_cast<std::uint32_t>(values_.size() - 1);
}

// Each receiver has its own copy of what the event carries.
void ChartReplication::send_out(std::uint32_t first, std::uint32_t last, std::uint32_t event, std::uint32_t values) {
  for (std::uint32_t i = first; i <= last; ++i) queue_external(i, event, i == first ? values : copy_values(values));
}

void ChartReplication::show_offers() {
  offers_.clear();
  for (std::size_t i = external_at_; i < external_.size(); ++i)
    offers_.push_back({external_[i].instance, external_[i].event});
  watcher_->receiving(offers_);
}

// What a component knows of the event that it handles.
void ChartReplication::note_event(std::uint32_t instance, std::uint32_t event, std::uint32_t values) {
  const auto put = [&](std::uint32_t slot, double value) {
    const double before = slots_[slot];
    if (before == value) return;
    slots_[slot] = value;
    slot_changed(slot, before);
  };
  if (const std::uint32_t slot = model_.event_name_slots[instance]; slot != 0) put(slot, event);
  const std::uint32_t* const end = model_.event_slots.end(instance);
  for (const std::uint32_t* pair = model_.event_slots.begin(instance); pair != end; pair += 2) {
    double value = std::numeric_limits<double>::quiet_NaN();
    if (values != no_values) {
      const Values& carried = values_[values];
      const ActionSpec& action = model_.actions[carried.action];
      for (std::uint32_t i = action.parameters; i != action.parameters_end; ++i)
        if (model_.event_parameters[i].name == pair[0]) value = carried.value[i - action.parameters];
    }
    put(pair[1], value);
  }
}

void ChartReplication::heard(std::uint32_t event) {
  if (listener_ != nullptr) listener_->event(event, now());
  const Rows& hearers = model_.hearers;
  for (const std::uint32_t* i = hearers.begin(event); i != hearers.end(event); ++i)
    queue_external(*i, event, no_values);
}

// Before anything is left: a shallow history notes its brothers, a deep one the innermost states beside it.
void ChartReplication::remember(const Instance& owner, const ChartTables& tables, std::uint32_t first,
                                std::uint32_t last) {
  const std::uint64_t* const now = &configuration_[owner.configuration];
  for (std::size_t h = 0; h < tables.histories.size(); ++h) {
    const State& history = tables.chart.states[tables.histories[h]];
    const auto parent = static_cast<std::uint32_t>(history.parent);
    if (parent < first || parent > last || (now[parent / 64] >> (parent % 64) & 1U) == 0) continue;
    std::uint64_t* const kept = &histories_[owner.history + h * tables.words];
    std::fill_n(kept, tables.words, std::uint64_t{0});
    const State& around = tables.chart.states[parent];
    const auto keep = [&](int s) {
      const auto bit = static_cast<std::uint32_t>(s);
      kept[bit / 64] |= now[bit / 64] & (std::uint64_t{1} << (bit % 64));
    };
    if (history.kind == State::Kind::history_shallow) {
      for (const int child : around.children) keep(child);
    } else {
      for (int s = history.parent + 1; s <= around.last; ++s)
        if ((tables.atomic[static_cast<std::size_t>(s) / 64] >> (s % 64) & 1U) != 0) keep(s);
    }
  }
}

void ChartReplication::enter_way(const Instance& owner, std::uint32_t instance, const ChartTables& tables,
                                 std::uint32_t transition) {
  const ChartTables::Way& way = tables.ways[transition];
  if (!way.remembers) return enter(owner, instance, tables.entries.begin(way.entry), tables.entries.end(way.entry));
  EntrySet& entry = entry_sets_[static_cast<std::size_t>(entry_set_of_[owner.chart])];
  entry.complete(static_cast<int>(way.exit_first) - 1, tables.chart.transitions[transition].targets,
                 &histories_[owner.history]);
  const std::vector<std::uint32_t>& list = entry.listed();
  enter(owner, instance, list.data(), list.data() + list.size());
}

bool ChartReplication::halted(std::uint32_t instance) const {
  const ChartTables& tables = model_.charts[model_.instances[instance].chart];
  const std::vector<int>& top = tables.chart.states[0].children;
  return std::any_of(top.begin(), top.end(),
                     [&](int s) { return tables.is_final[static_cast<std::size_t>(s)] != 0 && active(instance, s); });
}

}  // namespace ergode
