#include "solvers/markov/symmetry.h"

#include <algorithm>
#include <numeric>

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

/// Compares the model with itself after two neighbours were swapped.
class Swap {
 public:
  Swap(const AnalysisModel& model, const std::vector<std::vector<std::uint32_t>>& variables, std::uint32_t one)
      : model_(model), charts_(model.charts), variables_(variables), one_(one), other_(one + 1) {}

  bool changes_nothing() { return slots() && programs() && structure() && groups(); }

 private:
  // Where each slot goes; a slot that counts one of the two must have a counterpart that counts the other.
  bool slots() {
    map_.resize(charts_.initial_slots.size());
    std::iota(map_.begin(), map_.end(), 0U);
    const std::vector<std::uint32_t>&a = variables_[one_], &b = variables_[other_];
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) exchange(a[i], b[i]);
    for (const CountSlot& slot : charts_.count_slots) {
      const bool has_one = slot.first <= one_ && one_ < slot.first + slot.count;
      const bool has_other = slot.first <= other_ && other_ < slot.first + slot.count;
      if (has_one == has_other) continue;
      if (slot.count != 1) return false;
      const std::uint32_t wanted = has_one ? other_ : one_;
      const auto partner =
          std::find_if(charts_.count_slots.begin(), charts_.count_slots.end(),
                       [&](const CountSlot& s) { return s.first == wanted && s.count == 1 && s.state == slot.state; });
      if (partner == charts_.count_slots.end()) return false;
      if (has_one) exchange(slot.slot, partner->slot);
    }
    for (std::size_t s = 0; s < map_.size(); ++s)
      if (charts_.initial_slots[s] != charts_.initial_slots[map_[s]]) return false;
    return true;
  }
  void exchange(std::uint32_t a, std::uint32_t b) { map_[a] = b, map_[b] = a; }

  bool becomes(std::int32_t program, std::int32_t image) const {
    if (program < 0 || image < 0) return program == image;
    return charts_.programs[static_cast<std::size_t>(program)].becomes(
        charts_.programs[static_cast<std::size_t>(image)], map_);
  }

  // Programs of other components, of groups and of measures must be their own images.
  bool programs() const {
    for (std::uint32_t i = 0; i < charts_.instances.size(); ++i)
      if (!component(i, i == one_ ? other_ : i == other_ ? one_ : i)) return false;
    for (const Program& observer : charts_.observers)
      if (!observer.becomes(observer, map_)) return false;
    for (const Measure& measure : model_.measures)
      if (!measure.program.becomes(measure.program, map_)) return false;
    return true;
  }

  bool component(std::uint32_t from, std::uint32_t to) const {
    const Instance &a = charts_.instances[from], &b = charts_.instances[to];
    if (a.chart != b.chart) return false;
    const std::size_t transitions = charts_.charts[a.chart].chart.transitions.size();
    for (std::size_t t = 0; t < transitions; ++t) {
      const GuardSpec &g = charts_.guards[a.transition_base + t], &h = charts_.guards[b.transition_base + t];
      if (g.kind != h.kind || g.cause != h.cause || g.otherwise != h.otherwise || !becomes(g.program, h.program) ||
          !becomes(g.weight, h.weight))
        return false;
    }
    std::vector<const ActionSpec*> mine, theirs;
    each_action(charts_, from, [&](const ActionSpec& action) { mine.push_back(&action); });
    each_action(charts_, to, [&](const ActionSpec& action) { theirs.push_back(&action); });
    if (mine.size() != theirs.size()) return false;
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (!action(*mine[i], *theirs[i])) return false;
    return true;
  }

  bool action(const ActionSpec& a, const ActionSpec& b) const {
    if (a.kind != b.kind || !becomes(a.program, b.program) || !becomes(a.condition, b.condition)) return false;
    if (a.kind == ActionSpec::Kind::assign) return map_[a.slot] == b.slot;
    if (a.event != b.event || a.parameters_end - a.parameters != b.parameters_end - b.parameters) return false;
    for (std::uint32_t p = 0; p < a.parameters_end - a.parameters; ++p) {
      const EventParameter &x = charts_.event_parameters[a.parameters + p],
                           &y = charts_.event_parameters[b.parameters + p];
      if (x.name != y.name || !becomes(x.program, y.program)) return false;
    }
    if (a.kind != ActionSpec::Kind::send) return true;
    const bool has_one = a.first <= one_ && one_ <= a.last, has_other = a.first <= other_ && other_ <= a.last;
    return has_one == has_other && a.first == b.first && a.last == b.last;
  }

  bool structure() const {
    std::vector<const TimerSpec*> mine, theirs;
    for (const TimerSpec& timer : charts_.timers) {
      if (timer.instance == one_) mine.push_back(&timer);
      else if (timer.instance == other_) theirs.push_back(&timer);
      else if (!timer.constant && !becomes(timer.program, timer.program)) return false;
    }
    if (mine.size() != theirs.size()) return false;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const TimerSpec &a = *mine[i], &b = *theirs[i];
      if (a.kind != b.kind || a.constant != b.constant || a.random != b.random || a.resume != b.resume ||
          a.transition != b.transition || a.alternatives != b.alternatives || !becomes(a.program, b.program))
        return false;
      if (a.constant && !a.random && a.value != b.value) return false;
      if (a.random && !same_distribution(a.distribution, b.distribution)) return false;
    }
    return true;
  }

  bool same_distribution(std::int32_t one, std::int32_t other) const {
    const Distribution &a = charts_.distributions[static_cast<std::size_t>(one)],
                       &b = charts_.distributions[static_cast<std::size_t>(other)];
    if (a.family() != b.family() || a.mean() != b.mean() || a.variance() != b.variance()) return false;
    const auto x = a.phases(), y = b.phases();
    if (!x || !y || x->initial != y->initial || x->rate != y->rate) return false;
    for (std::size_t i = 0; i < x->jumps.size(); ++i) {
      if (x->jumps[i].size() != y->jumps[i].size()) return false;
      for (std::size_t j = 0; j < x->jumps[i].size(); ++j)
        if (x->jumps[i][j].phase != y->jumps[i][j].phase || x->jumps[i][j].probability != y->jumps[i][j].probability)
          return false;
    }
    return true;
  }

  bool groups() const {
    for (const CcfGroup& group : model_.groups) {
      const auto place = [&](std::uint32_t member) {
        return std::find(group.members.begin(), group.members.end(), member) - group.members.begin();
      };
      const auto a = place(one_), b = place(other_), size = static_cast<std::ptrdiff_t>(group.members.size());
      if ((a == size) != (b == size)) return false;
      for (std::ptrdiff_t m = 0; m < static_cast<std::ptrdiff_t>(group.exposed.size()); ++m) {
        const std::ptrdiff_t image = a != size && m == a ? b : a != size && m == b ? a : m;
        if (!group.exposed[static_cast<std::size_t>(m)].becomes(group.exposed[static_cast<std::size_t>(image)], map_))
          return false;
      }
    }
    return true;
  }

  const AnalysisModel& model_;
  const CompiledModel& charts_;
  const std::vector<std::vector<std::uint32_t>>& variables_;
  std::uint32_t one_, other_;
  std::vector<std::uint32_t> map_;  ///< slot -> slot
};

}  // namespace

std::vector<std::vector<std::uint32_t>> variables_of(const CompiledModel& charts) {
  std::vector<std::vector<std::uint32_t>> out(charts.instances.size());
  std::vector<std::uint8_t> taken(charts.initial_slots.size(), 0);
  const auto take = [&](std::uint32_t instance, std::uint32_t slot) {
    if (slot == CompiledModel::now_slot || taken[slot] != 0) return;
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

std::vector<SymmetricArray> symmetric_arrays(const AnalysisModel& model) {
  std::vector<SymmetricArray> out;
  const auto variables = variables_of(model.charts);
  for (const ComponentArray& array : model.charts.arrays) {
    if (array.count < 2) continue;
    bool alike = true;
    for (std::uint32_t i = array.first; alike && i + 1 < array.first + array.count; ++i)
      alike = Swap(model, variables, i).changes_nothing();
    if (alike) out.push_back({array.first, array.count});
  }
  return out;
}

}  // namespace ergode
