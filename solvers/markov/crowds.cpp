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

/// The arrays all of whose members raise the event; none where only some do.
std::optional<Crowd> crowd_that_raises(const CompiledModel& charts, std::uint32_t event) {
  const std::vector<std::uint32_t> raisers = raisers_of(charts, event);
  std::vector<Crowd> out;
  for (const ComponentArray& array : charts.arrays) {
    const auto begin = std::lower_bound(raisers.begin(), raisers.end(), array.first);
    const auto count = std::lower_bound(begin, raisers.end(), array.first + array.count) - begin;
    if (count == 0) continue;
    if (count != array.count) return std::nullopt;
    out.push_back({array.first, array.count});
  }
  if (out.empty()) return std::nullopt;
  Crowd all = out.front();
  all.others.assign(out.begin() + 1, out.end());
  return all;
}

}  // namespace

std::optional<Crowd> crowd_of(const AnalysisModel& model, std::size_t m) {
  const CompiledModel& charts = model.charts;
  const Measure& measure = model.measures[m];
  const MeasureKind& kind = *measure.spec.kind;
  if (measure.counts_event) return crowd_that_raises(charts, static_cast<std::uint32_t>(measure.event));
  const bool first = kind.first_passage();
  if (kind.meaning != Meaning::at_time && kind.meaning != Meaning::at_end && kind.meaning != Meaning::average && !first)
    return std::nullopt;
  const auto slots = measure.program.slots();
  if (slots.size() != 1) return std::nullopt;
  const auto counted = std::find_if(charts.count_slots.begin(), charts.count_slots.end(),
                                    [&](const CountSlot& slot) { return slot.slot == slots[0]; });
  if (counted == charts.count_slots.end() || counted->count < 2 || (first && !never_left(charts, *counted)) ||
      !good_function(model, measure, *counted, first))
    return std::nullopt;
  return Crowd{counted->first, counted->count, counted->slot};
}

std::optional<Modules> find_crowds(const AnalysisModel& model, const Budget& budget) {
  const CompiledModel& charts = model.charts;
  Modules out;
  for (std::size_t m = 0; m < model.measures.size(); ++m) {
    const Measure& measure = model.measures[m];
    const MeasureKind& kind = *measure.spec.kind;
    if (!kind.simulated_only.empty() || kind.without_end() || measure.stream >= 0) {
      out.crowds.push_back({});  // not answered by any chain
      continue;
    }
    const auto crowd = crowd_of(model, m);
    if (!crowd) return std::nullopt;
    out.crowds.push_back(*crowd);
  }
  const auto asks = [](const Crowd& crowd) { return crowd.count > 0; };
  if (std::none_of(out.crowds.begin(), out.crowds.end(), asks)) return std::nullopt;

  // Members that read nobody and share no shock are independent, not only alike.
  const Relevance relevance(model, {});
  const std::vector<SymmetricArray> arrays = symmetric_arrays(model, {}, {}, budget);
  std::vector<std::uint8_t> struck(charts.instances.size(), 0);
  for (const CcfGroup& group : model.groups)
    for (const std::uint32_t member : group.members) struck[member] = 1;
  const auto independent = [&](const Crowd& crowd) {
    const auto holds = [&](const SymmetricArray& array) {
      return array.first <= crowd.first && crowd.first + crowd.count <= array.first + array.count;
    };
    if (crowd.count > 1 && std::none_of(arrays.begin(), arrays.end(), holds)) return false;
    for (std::uint32_t i = crowd.first; i < crowd.first + crowd.count; ++i) {
      const std::vector<std::uint32_t>& reads = relevance.reads(i);
      if (struck[i] != 0 || std::any_of(reads.begin(), reads.end(), [&](std::uint32_t r) { return r != i; }))
        return false;
    }
    return true;
  };
  for (const Crowd& crowd : out.crowds)
    if (asks(crowd) && (!independent(crowd) || !std::all_of(crowd.others.begin(), crowd.others.end(), independent)))
      return std::nullopt;
  return out;
}

}  // namespace ergode
