#include <algorithm>

#include "solvers/markov/modules.h"
#include "solvers/markov/relevance.h"
#include "solvers/markov/symmetry.h"

namespace ergode {
namespace {

using Meaning = MeasureKind::Meaning;

bool never_left(const CompiledModel& charts, const CountSlot& counted) {
  const StateChart& chart = charts.charts[charts.instances[counted.first].chart].chart;
  if (chart.states[static_cast<std::size_t>(counted.state)].kind != State::Kind::atomic) return false;
  const std::vector<std::uint8_t> initial = initial_ways(chart);
  for (std::size_t t = 0; t < chart.transitions.size(); ++t)
    if (initial[t] == 0 && chart.inside(counted.state, chart.transitions[t].source)) return false;
  return true;
}

/// What the measure is for 0, 1, ..., count members in the state: nowhere negative, and growing where that is asked
/// for.
bool good_function(const AnalysisModel& model, const Measure& measure, const CountSlot& counted, bool growing) {
  std::vector<double> slots = model.charts.table->initial();
  bool held = false;
  for (std::uint32_t k = 0; k <= counted.count; ++k) {
    slots[counted.slot] = k;
    const double value = measure.program.evaluate(slots.data());
    if (!(value >= 0.0) || (growing && held && value == 0.0)) return false;
    held = value != 0.0;
  }
  return true;
}

}  // namespace

std::optional<Modules> find_crowds(const AnalysisModel& model, const Budget& budget) {
  const CompiledModel& charts = model.charts;
  std::vector<const CountSlot*> count_slot(charts.table->size(), nullptr);
  for (const CountSlot& slot : charts.count_slots) count_slot[slot.slot] = &slot;
  Modules out;
  for (const Measure& measure : model.measures) {
    const MeasureKind& kind = *measure.spec.kind;
    const bool first = kind.first_passage();
    if (!kind.simulated_only.empty() || kind.without_end() || measure.stream >= 0) {
      out.crowds.push_back({});  // not answered by any chain
      continue;
    }
    if (measure.counts_event || (kind.meaning != Meaning::at_time && kind.meaning != Meaning::average && !first))
      return std::nullopt;
    const auto slots = measure.program.slots();
    const CountSlot* const counted = slots.size() == 1 ? count_slot[slots[0]] : nullptr;
    if (counted == nullptr || counted->count < 2 || (first && !never_left(charts, *counted)) ||
        !good_function(model, measure, *counted, first))
      return std::nullopt;
    out.crowds.push_back({counted->first, counted->count, counted->slot});
  }
  const auto asks = [](const Crowd& crowd) { return crowd.count > 0; };
  if (std::none_of(out.crowds.begin(), out.crowds.end(), asks)) return std::nullopt;

  // Members that read nobody and share no shock are independent, not only alike.
  const Relevance relevance(model, {});
  const std::vector<SymmetricArray> arrays = symmetric_arrays(model, {}, {}, budget);
  std::vector<std::uint8_t> struck(charts.instances.size(), 0);
  for (const CcfGroup& group : model.groups)
    for (const std::uint32_t member : group.members) struck[member] = 1;
  for (const Crowd& crowd : out.crowds) {
    if (!asks(crowd)) continue;
    const auto holds = [&](const SymmetricArray& array) {
      return array.first <= crowd.first && crowd.first + crowd.count <= array.first + array.count;
    };
    if (std::none_of(arrays.begin(), arrays.end(), holds)) return std::nullopt;
    for (std::uint32_t i = crowd.first; i < crowd.first + crowd.count; ++i) {
      const std::vector<std::uint32_t>& reads = relevance.reads(i);
      if (struck[i] != 0 || std::any_of(reads.begin(), reads.end(), [&](std::uint32_t r) { return r != i; }))
        return std::nullopt;
    }
  }
  return out;
}

}  // namespace ergode
