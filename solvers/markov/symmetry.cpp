#include "solvers/markov/symmetry.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace ergode {
namespace {

template <class Visit>
void each_action(const CompiledModel& charts, std::uint32_t index, const Visit& visit) {
  const Instance& owner = charts.instances[index];
  const StateChart& chart = charts.charts[owner.chart].chart;
  for (std::size_t t = 0; t < chart.transitions.size(); ++t) {
    const std::size_t row = owner.transition_base + t;
    for (const std::uint32_t* a = charts.transition_actions.begin(row); a != charts.transition_actions.end(row); ++a)
      visit(charts.actions[*a]);
  }
  for (std::size_t s = 0; s < chart.states.size(); ++s) {
    const StateInfo& info = charts.states[owner.state_base + s];
    for (std::uint32_t a = info.entry; a != info.entry_end; ++a) visit(charts.actions[charts.state_values[a]]);
    for (std::uint32_t a = info.exit; a != info.exit_end; ++a) visit(charts.actions[charts.state_values[a]]);
  }
}

/// Whether members of one array can be told apart. A program of theirs may read slots of its own component and slots
/// that concern all members alike; a program of anybody else no slot of a single member. Then swapping two members is
/// renaming the slots of each to those of the other, which must turn the programs of the one into those of the other.
/// O(size of the model's tables).
class ArrayCheck {
 public:
  ArrayCheck(const AnalysisModel& model, const std::vector<std::vector<std::uint32_t>>& variables,
             const std::vector<std::vector<std::uint32_t>>& timers, const std::vector<const Program*>& observed,
             const SymmetricArray& array, bool single)
      : model_(model),
        charts_(model.charts),
        variables_(variables),
        timers_(timers),
        observed_(observed),
        array_(array),
        single_(single) {}

  bool alike() { return slots() && outsiders() && members() && groups(); }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  bool member(std::uint32_t instance) const {
    return array_.first <= instance && instance < array_.first + array_.count;
  }

  // Who owns each slot, and which slot of the next member corresponds to it.
  bool slots() {
    const std::size_t n = charts_.initial_slots.size();
    owner_.assign(n, nobody);
    own_.assign(array_.count, {});
    const auto own = [&](std::uint32_t instance, std::uint32_t slot, std::uint64_t key) {
      owner_[slot] = instance;
      own_[instance - array_.first].push_back({key, slot});
    };
    for (std::uint32_t i = array_.first; i < array_.first + array_.count; ++i)
      for (std::size_t v = 0; v < variables_[i].size(); ++v) own(i, variables_[i][v], v);
    for (const CountSlot& slot : charts_.count_slots) {
      const std::uint32_t end = slot.first + slot.count, array_end = array_.first + array_.count;
      if (end <= array_.first || slot.first >= array_end) continue;
      if (slot.first <= array_.first && end >= array_end) continue;  // all members alike
      if (slot.count != 1) return false;
      own(slot.first, slot.slot, (std::uint64_t{1} << 32U) + static_cast<std::uint64_t>(slot.state));
    }
    for (auto& list : own_) std::sort(list.begin(), list.end());
    map_.resize(n);
    std::iota(map_.begin(), map_.end(), 0U);
    return true;
  }

  bool reads_member(const Program& program) const {
    return std::any_of(program.slots().begin(), program.slots().end(),
                       [&](std::uint32_t slot) { return owner_[slot] != nobody; });
  }

  /// Exchanging two single components never changes the value of a program that reads what states they are in.
  bool exchangeable(const Program& program) const {
    if (!single_) return false;
    std::vector<std::uint32_t> slots = program.slots();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const auto& [key, slot] : own_[0]) {
      const auto other =
          std::lower_bound(own_[1].begin(), own_[1].end(), std::pair<std::uint64_t, std::uint32_t>(key, 0));
      const bool there = other != own_[1].end() && other->first == key;
      if (there) pairs.emplace_back(slot, other->second), slots.insert(slots.end(), {slot, other->second});
      else if (std::binary_search(program.slots().begin(), program.slots().end(), slot)) return false;
    }
    for (const auto& [key, slot] : own_[1])
      if (std::none_of(pairs.begin(), pairs.end(), [slot = slot](const auto& pair) { return pair.second == slot; }) &&
          std::binary_search(program.slots().begin(), program.slots().end(), slot))
        return false;
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    constexpr std::size_t most = 14;
    if (slots.size() > most) return false;
    for (const std::uint32_t slot : slots)
      if (std::none_of(charts_.count_slots.begin(), charts_.count_slots.end(),
                       [&](const CountSlot& c) { return c.slot == slot && c.count == 1; }))
        return false;
    std::vector<double> values = charts_.initial_slots;
    for (std::size_t row = 0; row < std::size_t{1} << slots.size(); ++row) {
      for (std::size_t k = 0; k < slots.size(); ++k) values[slots[k]] = static_cast<double>(row >> k & 1U);
      const double before = program.evaluate(values.data());
      for (const auto& [one, other] : pairs) std::swap(values[one], values[other]);
      if (!(program.evaluate(values.data()) == before)) return false;
    }
    return true;
  }
  bool tells_apart(const Program& program) const { return reads_member(program) && !exchangeable(program); }

  bool outsiders() const {
    std::vector<std::uint8_t> of_members(charts_.programs.size(), 0);
    const auto take = [&](std::int32_t program) {
      if (program >= 0) of_members[static_cast<std::size_t>(program)] = 1;
    };
    for (std::uint32_t i = array_.first; i < array_.first + array_.count; ++i)
      for (const Part& part : parts(i)) take(part.program);
    for (std::size_t p = 0; p < of_members.size(); ++p)
      if (of_members[p] == 0 && tells_apart(charts_.programs[p])) return false;
    for (const Program& observer : charts_.observers)
      if (tells_apart(observer)) return false;
    for (const Measure& measure : model_.measures)
      if (tells_apart(measure.program)) return false;
    for (const Program* program : observed_)
      if (tells_apart(*program)) return false;
    // What others send must reach all members or none.
    for (std::uint32_t i = 0; i < charts_.instances.size(); ++i)
      if (!member(i) && !sends_to_all_or_none(i)) return false;
    return true;
  }

  bool sends_to_all_or_none(std::uint32_t instance) const {
    bool good = true;
    each_action(charts_, instance, [&](const ActionSpec& action) {
      if (action.kind != ActionSpec::Kind::send) return;
      const bool none = action.last < array_.first || action.first >= array_.first + array_.count;
      const bool all = action.first <= array_.first && action.last + 1 >= array_.first + array_.count;
      good = good && (none || all);
    });
    return good;
  }

  /// One thing that a component's tables say: numbers that must be equal, and a program and a slot that must
  /// correspond.
  struct Part {
    std::array<double, 8> numbers{};
    std::int32_t program = -1;
    std::uint32_t slot = nobody;
  };
  std::vector<Part> parts(std::uint32_t i) const {
    std::vector<Part> out;
    const Instance& owner = charts_.instances[i];
    const auto number = [](auto value) { return static_cast<double>(value); };
    for (std::size_t t = 0; t < charts_.charts[owner.chart].chart.transitions.size(); ++t) {
      const GuardSpec& guard = charts_.guards[owner.transition_base + t];
      out.push_back({{0, number(guard.kind), number(guard.cause), number(guard.otherwise)}, guard.program});
      out.push_back({{1}, guard.weight});
    }
    each_action(charts_, i, [&](const ActionSpec& action) {
      const bool assigns = action.kind == ActionSpec::Kind::assign;
      out.push_back({{2, number(action.kind), assigns ? 0.0 : number(action.event), number(action.first),
                      number(action.last), number(action.id)},
                     action.program,
                     assigns ? action.slot : nobody});
      out.push_back({{3}, action.condition});
      for (std::uint32_t p = action.parameters; p < action.parameters_end; ++p)
        out.push_back({{4, number(charts_.event_parameters[p].name)}, charts_.event_parameters[p].program});
    });
    for (const std::uint32_t t : timers_[i]) {
      const TimerSpec& timer = charts_.timers[t];
      out.push_back(
          {{5, number(timer.kind), number(timer.constant), number(timer.random), number(timer.resume),
            number(timer.transition), number(timer.alternatives), timer.constant && !timer.random ? timer.value : 0.0},
           timer.program});
    }
    return out;
  }

  bool members() {
    std::vector<Part> now = parts(array_.first);
    for (std::uint32_t i = array_.first; i < array_.first + array_.count; ++i) {
      for (const Part& part : now)
        if (part.program >= 0 && reads_another(charts_.programs[static_cast<std::size_t>(part.program)], i))
          return false;
      if (!sends_to_all_or_none(i)) return false;
      if (i + 1 == array_.first + array_.count) break;
      rename(i, true);
      std::vector<Part> next = parts(i + 1);
      const bool good = correspond(now, next) && same_delays(i, i + 1) && same_start(i) && same_exposure(i);
      rename(i, false);
      if (!good) return false;
      now = std::move(next);
    }
    return true;
  }

  bool reads_another(const Program& program, std::uint32_t self) const {
    return std::any_of(program.slots().begin(), program.slots().end(),
                       [&](std::uint32_t slot) { return owner_[slot] != nobody && owner_[slot] != self; });
  }

  // Slots of this member become those of the next; one without a counterpart becomes none, which no program reads.
  void rename(std::uint32_t i, bool on) {
    const auto &mine = own_[i - array_.first], &theirs = own_[i + 1 - array_.first];
    for (const auto& [key, slot] : mine) {
      const auto at = std::lower_bound(theirs.begin(), theirs.end(), std::pair<std::uint64_t, std::uint32_t>(key, 0));
      map_[slot] = !on ? slot : at != theirs.end() && at->first == key ? at->second : nobody;
    }
  }

  bool correspond(const std::vector<Part>& mine, const std::vector<Part>& theirs) const {
    if (mine.size() != theirs.size()) return false;
    for (std::size_t p = 0; p < mine.size(); ++p) {
      if (mine[p].numbers != theirs[p].numbers) return false;
      if ((mine[p].program < 0) != (theirs[p].program < 0)) return false;
      if (mine[p].program >= 0 && !charts_.programs[static_cast<std::size_t>(mine[p].program)].becomes(
                                      charts_.programs[static_cast<std::size_t>(theirs[p].program)], map_))
        return false;
      if ((mine[p].slot == nobody) != (theirs[p].slot == nobody)) return false;
      if (mine[p].slot != nobody && map_[mine[p].slot] != theirs[p].slot) return false;
    }
    return true;
  }

  bool same_start(std::uint32_t i) const {
    if (variables_[i].size() != variables_[i + 1].size()) return false;
    for (std::size_t v = 0; v < variables_[i].size(); ++v)
      if (charts_.initial_slots[variables_[i][v]] != charts_.initial_slots[variables_[i + 1][v]]) return false;
    return true;
  }

  bool same_delays(std::uint32_t one, std::uint32_t other) const {
    for (std::size_t t = 0; t < timers_[one].size(); ++t) {
      const TimerSpec &a = charts_.timers[timers_[one][t]], &b = charts_.timers[timers_[other][t]];
      if (a.random && !same_distribution(a.distribution, b.distribution)) return false;
    }
    return true;
  }

  bool same_distribution(std::int32_t one, std::int32_t other) const {
    const auto x = charts_.distributions[static_cast<std::size_t>(one)].phases(),
               y = charts_.distributions[static_cast<std::size_t>(other)].phases();
    if (!x || !y || x->initial != y->initial || x->rate != y->rate) return false;
    for (std::size_t i = 0; i < x->jumps.size(); ++i) {
      if (x->jumps[i].size() != y->jumps[i].size()) return false;
      for (std::size_t j = 0; j < x->jumps[i].size(); ++j)
        if (x->jumps[i][j].phase != y->jumps[i][j].phase || x->jumps[i][j].probability != y->jumps[i][j].probability)
          return false;
    }
    return true;
  }

  // Exposed alike to the groups it is in.
  bool same_exposure(std::uint32_t i) const {
    for (const CcfGroup& group : model_.groups) {
      const auto place = [&](std::uint32_t instance) {
        return std::find(group.members.begin(), group.members.end(), instance) - group.members.begin();
      };
      const auto a = place(i), b = place(i + 1), size = static_cast<std::ptrdiff_t>(group.members.size());
      if ((a == size) != (b == size)) return false;
      if (a == size || group.exposed.empty()) continue;
      const Program &mine = group.exposed[static_cast<std::size_t>(a)],
                    &theirs = group.exposed[static_cast<std::size_t>(b)];
      if (reads_another(mine, i) || reads_another(theirs, i + 1) || !mine.becomes(theirs, map_)) return false;
    }
    return true;
  }

  // Exposure of components outside the array must not hang on a single member.
  bool groups() const {
    for (const CcfGroup& group : model_.groups)
      for (std::size_t m = 0; m < group.exposed.size(); ++m)
        if (!member(group.members[m]) && reads_member(group.exposed[m])) return false;
    return true;
  }

  const AnalysisModel& model_;
  const CompiledModel& charts_;
  const std::vector<std::vector<std::uint32_t>>&variables_, &timers_;
  const std::vector<const Program*>& observed_;
  SymmetricArray array_;
  bool single_;                       ///< two single components, not members of an array
  std::vector<std::uint32_t> owner_;  ///< by slot: the member it belongs to, or nobody
  std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>> own_;  ///< by member: what a slot is, and the slot
  std::vector<std::uint32_t> map_;                                         ///< slot -> slot of the next member
};

}  // namespace

std::vector<std::vector<std::uint32_t>> variables_of(const CompiledModel& charts) {
  std::vector<std::vector<std::uint32_t>> out(charts.instances.size());
  std::vector<std::uint8_t> taken(charts.initial_slots.size(), 0);
  const auto take = [&](std::uint32_t instance, std::uint32_t slot) {
    if (slot == World::now_slot || taken[slot] != 0) return;
    taken[slot] = 1;
    out[instance].push_back(slot);
  };
  for (std::uint32_t i = 0; i < charts.instances.size(); ++i) {
    each_action(charts, i, [&](const ActionSpec& action) {
      if (action.kind == ActionSpec::Kind::assign) take(i, action.slot);
    });
    if (charts.event_slots.start.size() > i + 1)
      for (const std::uint32_t* s = charts.event_slots.begin(i); s < charts.event_slots.end(i); s += 2) take(i, s[1]);
    if (charts.event_name_slots.size() > i) take(i, charts.event_name_slots[i]);
    std::sort(out[i].begin(), out[i].end());
  }
  return out;
}

std::vector<SymmetricArray> symmetric_arrays(const AnalysisModel& model, const std::vector<const Program*>& observed) {
  std::vector<SymmetricArray> out;
  const auto variables = variables_of(model.charts);
  std::vector<std::vector<std::uint32_t>> timers(model.charts.instances.size());
  for (std::uint32_t t = 0; t < model.charts.timers.size(); ++t) timers[model.charts.timers[t].instance].push_back(t);
  const auto alike = [&](const SymmetricArray& array, bool single) {
    return ArrayCheck(model, variables, timers, observed, array, single).alike();
  };
  const ComponentArray* before = nullptr;
  bool begun = false;  // the last of `out` is made of single components, the latest of which is `before`
  for (const ComponentArray& array : model.charts.arrays) {
    const bool neighbours = before != nullptr && before->count == 1 && array.count == 1 &&
                            before->chart == array.chart && before->first + 1 == array.first;
    if (neighbours && alike({before->first, 2}, true)) {
      if (begun) ++out.back().count;
      else out.push_back({before->first, 2});
      begun = true;
    } else {
      begun = false;
      if (array.count > 1 && alike({array.first, array.count}, false)) out.push_back({array.first, array.count});
    }
    before = &array;
  }
  return out;
}

}  // namespace ergode
