#include "solvers/markov/symmetry.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

namespace ergode {
namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// Who reads what, made once for all arrays of a model, so that each is checked at the cost of what concerns it.
class Tables {
 public:
  Tables(const AnalysisModel& model, const std::vector<const Program*>& observed)
      : variables(variables_of(model.charts)),
        timers(model.charts.instances.size()),
        counts(timers.size()),
        groups(timers.size()),
        readers(model.charts.table->size()),
        exposed(readers.size()),
        counts_one(readers.size(), 0),
        slot_cuts_(timers.size() + 2, 0),
        send_cuts_(slot_cuts_),
        owner(readers.size(), nobody),
        map(readers.size()),
        values(model.charts.table->initial()) {
    const CompiledModel& charts = model.charts;
    for (std::uint32_t t = 0; t < charts.timers.size(); ++t) timers[charts.timers[t].instance].push_back(t);
    for (const CountSlot& slot : charts.count_slots) {
      counts_one[slot.slot] = slot.count == 1 ? 1 : 0;
      if (slot.count == 1) counts[slot.first].push_back({static_cast<std::uint32_t>(slot.state), slot.slot});
      else ++slot_cuts_[slot.first], ++slot_cuts_[slot.first + slot.count];
    }
    const auto read = [&](const Program& program, std::int32_t number) {
      for (const std::uint32_t slot : program.slots()) readers[slot].push_back({&program, number});
    };
    for (std::size_t p = 0; p < charts.programs.size(); ++p) read(charts.programs[p], static_cast<std::int32_t>(p));
    if (!model.part)
      for (const Program& observer : charts.table->observers()) read(observer, -1);
    for (const Measure& measure : model.measures) read(measure.program, -1);
    for (const Program* program : observed) read(*program, -1);
    for (std::uint32_t i = 0; i < timers.size(); ++i)
      each_action(charts, i, [&](const ActionSpec& action) {
        if (action.kind != ActionSpec::Kind::send || action.first > action.last || action.last >= timers.size()) return;
        ++send_cuts_[action.first], ++send_cuts_[action.last + 1];
      });
    for (std::uint32_t g = 0; g < model.groups.size(); ++g) {
      const CcfGroup& group = model.groups[g];
      for (std::size_t m = 0; m < group.members.size(); ++m) {
        auto& in = groups[group.members[m]];
        if (in.empty() || in.back().first != g) in.push_back({g, m});
      }
      for (std::size_t m = 0; m < group.exposed.size(); ++m)
        for (const std::uint32_t slot : group.exposed[m].slots()) exposed[slot].push_back(group.members[m]);
    }
    for (auto* cuts : {&slot_cuts_, &send_cuts_}) std::partial_sum(cuts->begin(), cuts->end(), cuts->begin());
    std::iota(map.begin(), map.end(), 0U);
  }

  /// Whether a count or an event concerns some members only, and more than one of them: it begins or ends among them.
  bool splits(const SymmetricArray& array) const {
    const auto cut = [&](const std::vector<std::uint32_t>& cuts) {
      return cuts[array.first + array.count - 1] != cuts[array.first];
    };
    return cut(slot_cuts_) || cut(send_cuts_);
  }

  struct Reader {
    const Program* program;
    std::int32_t number;  ///< of a program of the charts, else -1
  };
  std::vector<std::vector<std::uint32_t>> variables, timers;  ///< by component
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      counts;                                                              ///< by component: state and slot of its own
  std::vector<std::vector<std::pair<std::uint32_t, std::size_t>>> groups;  ///< by component: group and place in it
  std::vector<std::vector<Reader>> readers;                                ///< by slot
  std::vector<std::vector<std::uint32_t>> exposed;                         ///< by slot: members whose exposure reads it
  std::vector<std::uint8_t> counts_one;                                    ///< by slot: the state of one component

 private:
  std::vector<std::uint32_t> slot_cuts_, send_cuts_;  ///< sums over components: what begins or ends before each

 public:
  // Scratch of one check; as it was after it.
  std::vector<std::uint32_t> owner;  ///< by slot: the member it belongs to, or nobody
  std::vector<std::uint32_t> map;    ///< slot -> slot of the next member
  std::vector<double> values;
};

/// Whether members of one array can be told apart. A program of theirs may read slots of its own component and slots
/// that concern all members alike; a program of anybody else no slot of a single member. Then swapping two members is
/// renaming the slots of each to those of the other, which must turn the programs of the one into those of the other.
/// O(what the members' tables say and who reads them).
class ArrayCheck {
 public:
  ArrayCheck(const AnalysisModel& model, Tables& tables, const SymmetricArray& array, bool single)
      : model_(model), charts_(model.charts), tables_(tables), array_(array), single_(single) {}
  ~ArrayCheck() {
    for (const auto& list : own_)
      for (const auto& [key, slot] : list) tables_.owner[slot] = nobody;
  }
  ArrayCheck(const ArrayCheck&) = delete;
  ArrayCheck& operator=(const ArrayCheck&) = delete;

  bool alike() {
    if (tables_.splits(array_)) return false;
    slots();
    return outsiders() && members() && groups();
  }

 private:
  bool member(std::uint32_t instance) const {
    return array_.first <= instance && instance < array_.first + array_.count;
  }

  // Who owns each slot, and which slot of the next member corresponds to it.
  void slots() {
    own_.assign(array_.count, {});
    const auto own = [&](std::uint32_t instance, std::uint32_t slot, std::uint64_t key) {
      tables_.owner[slot] = instance;
      own_[instance - array_.first].push_back({key, slot});
    };
    for (std::uint32_t i = array_.first; i < array_.first + array_.count; ++i) {
      for (std::size_t v = 0; v < tables_.variables[i].size(); ++v) own(i, tables_.variables[i][v], v);
      for (const auto& [state, slot] : tables_.counts[i]) own(i, slot, (std::uint64_t{1} << 32U) + state);
    }
    for (auto& list : own_) std::sort(list.begin(), list.end());
  }

  bool reads_member(const Program& program) const {
    return std::any_of(program.slots().begin(), program.slots().end(),
                       [&](std::uint32_t slot) { return tables_.owner[slot] != nobody; });
  }

  /// Exchanging two single components never changes the value of a program that reads what states they are in.
  bool exchangeable(const Program& program) const {
    constexpr std::size_t most = 14;
    if (!single_ || program.slots().size() > most) return false;
    std::vector<std::uint32_t> slots(program.slots().begin(), program.slots().end());
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
    if (slots.size() > most) return false;
    for (const std::uint32_t slot : slots)
      if (tables_.counts_one[slot] == 0) return false;
    std::vector<double>& values = tables_.values;
    bool same = true;
    for (std::size_t row = 0; same && row < std::size_t{1} << slots.size(); ++row) {
      for (std::size_t k = 0; k < slots.size(); ++k) values[slots[k]] = static_cast<double>(row >> k & 1U);
      const double before = program.evaluate(values.data());
      for (const auto& [one, other] : pairs) std::swap(values[one], values[other]);
      same = program.evaluate(values.data()) == before;
    }
    for (const std::uint32_t slot : slots) values[slot] = charts_.table->initial()[slot];
    return same;
  }
  bool tells_apart(const Program& program) const { return reads_member(program) && !exchangeable(program); }

  bool outsiders() const {
    std::set<std::int32_t> of_members;
    for (std::uint32_t i = array_.first; i < array_.first + array_.count; ++i)
      for (const Part& part : parts(i)) of_members.insert(part.program);
    std::set<const Program*> seen;
    for (const auto& list : own_)
      for (const auto& [key, slot] : list)
        for (const Tables::Reader& reader : tables_.readers[slot]) {
          if (reader.number >= 0 && of_members.contains(reader.number)) continue;
          if (seen.insert(reader.program).second && tells_apart(*reader.program)) return false;
        }
    return true;
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
      const GuardSpec guard = charts_.guard(i, static_cast<std::uint32_t>(t));
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
    for (const std::uint32_t t : tables_.timers[i]) {
      const TimerSpec& timer = charts_.timers[t];
      out.push_back(
          {{5, number(timer.kind), number(timer.constant), number(timer.random), number(timer.resume),
            number(timer.transition), number(timer.alternatives), timer.constant && !timer.random ? timer.value : 0.0},
           timer.program});
    }
    return out;
  }

  bool members() {
    // Neighbours only: exchanges of neighbours make up every other.
    std::vector<Part> now = parts(array_.first);
    for (std::uint32_t i = array_.first; i < array_.first + array_.count; ++i) {
      for (const Part& part : now)
        if (part.program >= 0 && reads_another(charts_.programs[static_cast<std::size_t>(part.program)], i))
          return false;
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
    return std::any_of(program.slots().begin(), program.slots().end(), [&](std::uint32_t slot) {
      return tables_.owner[slot] != nobody && tables_.owner[slot] != self;
    });
  }

  // Slots of this member become those of the next; one without a counterpart becomes none, which no program reads.
  void rename(std::uint32_t i, bool on) {
    const auto &mine = own_[i - array_.first], &theirs = own_[i + 1 - array_.first];
    for (const auto& [key, slot] : mine) {
      const auto at = std::lower_bound(theirs.begin(), theirs.end(), std::pair<std::uint64_t, std::uint32_t>(key, 0));
      tables_.map[slot] = !on ? slot : at != theirs.end() && at->first == key ? at->second : nobody;
    }
  }

  bool correspond(const std::vector<Part>& mine, const std::vector<Part>& theirs) const {
    if (mine.size() != theirs.size()) return false;
    for (std::size_t p = 0; p < mine.size(); ++p) {
      if (mine[p].numbers != theirs[p].numbers) return false;
      if ((mine[p].program < 0) != (theirs[p].program < 0)) return false;
      if (mine[p].program >= 0 && !charts_.programs[static_cast<std::size_t>(mine[p].program)].becomes(
                                      charts_.programs[static_cast<std::size_t>(theirs[p].program)], tables_.map))
        return false;
      if ((mine[p].slot == nobody) != (theirs[p].slot == nobody)) return false;
      if (mine[p].slot != nobody && tables_.map[mine[p].slot] != theirs[p].slot) return false;
    }
    return true;
  }

  bool same_start(std::uint32_t i) const {
    if (tables_.variables[i].size() != tables_.variables[i + 1].size()) return false;
    for (std::size_t v = 0; v < tables_.variables[i].size(); ++v)
      if (charts_.table->initial()[tables_.variables[i][v]] != charts_.table->initial()[tables_.variables[i + 1][v]])
        return false;
    return true;
  }

  bool same_delays(std::uint32_t one, std::uint32_t other) const {
    for (std::size_t t = 0; t < tables_.timers[one].size(); ++t) {
      const TimerSpec &a = charts_.timers[tables_.timers[one][t]], &b = charts_.timers[tables_.timers[other][t]];
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
    const auto &mine_in = tables_.groups[i], &theirs_in = tables_.groups[i + 1];
    if (mine_in.size() != theirs_in.size()) return false;
    for (std::size_t k = 0; k < mine_in.size(); ++k) {
      if (mine_in[k].first != theirs_in[k].first) return false;
      const CcfGroup& group = model_.groups[mine_in[k].first];
      if (group.exposed.empty()) continue;
      const Program &mine = group.exposed[mine_in[k].second], &theirs = group.exposed[theirs_in[k].second];
      if (reads_another(mine, i) || reads_another(theirs, i + 1) || !mine.becomes(theirs, tables_.map)) return false;
    }
    return true;
  }

  // Exposure of components outside the array must not hang on a single member.
  bool groups() const {
    for (const auto& list : own_)
      for (const auto& [key, slot] : list)
        for (const std::uint32_t exposed : tables_.exposed[slot])
          if (!member(exposed)) return false;
    return true;
  }

  const AnalysisModel& model_;
  const CompiledModel& charts_;
  Tables& tables_;
  SymmetricArray array_;
  bool single_;  ///< two single components, not members of an array
  std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>> own_;  ///< by member: what a slot is, and the slot
};

}  // namespace

std::vector<std::vector<std::uint32_t>> variables_of(const CompiledModel& charts) {
  std::vector<std::vector<std::uint32_t>> out(charts.instances.size());
  std::vector<std::uint8_t> taken(charts.table->size(), 0);
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

std::vector<std::uint32_t> raisers_of(const CompiledModel& charts, std::uint32_t event) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < charts.instances.size(); ++i) {
    bool raises = false;
    const auto look = [&](const ActionSpec& action) {
      const bool tells = action.kind == ActionSpec::Kind::raise || action.kind == ActionSpec::Kind::send ||
                         action.kind == ActionSpec::Kind::record;
      raises = raises || (tells && action.event == event);
    };
    each_action(charts, i, look);
    const Instance& owner = charts.instances[i];
    for (std::uint32_t t = 0; t < charts.charts[owner.chart].chart.transitions.size(); ++t)
      if (const GuardSpec guard = charts.guard(i, t); guard.kind == GuardSpec::Kind::fault)
        look(charts.actions[guard.action]);
    if (raises) out.push_back(i);
  }
  return out;
}

std::vector<SymmetricArray> symmetric_arrays(const AnalysisModel& model, const std::vector<const Program*>& observed,
                                             const std::vector<std::uint8_t>& matters, const Budget& budget) {
  std::vector<SymmetricArray> out;
  Tables tables(model, observed);
  const auto alike = [&](const SymmetricArray& array, bool single) {
    if (!matters.empty() && matters[array.first] == 0 && matters[array.first + 1] == 0) return false;
    return ArrayCheck(model, tables, array, single).alike();
  };
  const ComponentArray* before = nullptr;
  bool begun = false;  // the last of `out` is made of single components, the latest of which is `before`
  for (const ComponentArray& array : model.charts.arrays) {
    if (budget.stop_requested()) return out;
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
