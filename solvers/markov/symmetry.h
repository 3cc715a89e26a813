#pragma once
#include <cstdint>
#include <vector>

#include "core/study/budget.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// Components [first, first + count) that nothing in the model tells apart: the members of an array, or single
/// components of one chart that follow each other.
struct SymmetricArray {
  std::uint32_t first = 0, count = 0;
};

/// The arrays whose members may be exchanged: swapping any two neighbours leaves every program, clock, action, group
/// and measure of the model as it is. Members with different arguments, named by index in an expression, or of which
/// only some are in a group or in a range are told apart. What the tables cannot show, the order in which members react
/// at one moment, is watched while states are generated. Buchholz, Exact and ordinary lumpability in finite Markov
/// chains, Journal of Applied Probability 31, 1994.
///
/// Of single components a condition of somebody else may name each, if exchanging two neighbours never changes its
/// value (by its truth table; at most 14 states): the inputs of a gate that are alike.
/// O(what the arrays' tables say and who reads them); what was found so far when the budget's owner stops.
/// @param observed  programs besides those of the model that must not tell them apart
/// @param matters   by component: 0 where nobody asks; arrays of those alone are left out. Empty: all matter.
/// @returns arrays of at least two, ascending, without overlap. They refer to the numbers of instances in this model.
/// @throws OverBudget when the time is over
std::vector<SymmetricArray> symmetric_arrays(const AnalysisModel& model,
                                             const std::vector<const Program*>& observed = {},
                                             const std::vector<std::uint8_t>& matters = {}, const Budget& budget = {});

/// The slots of variables that belong to each component, by instance, ascending: those that its actions assign and its
/// events fill. One that several assign belongs to the first of them. O(tables of the model).
std::vector<std::vector<std::uint32_t>> variables_of(const CompiledModel& charts);

/// The components whose actions raise, send or record an event, ascending. O(tables of the model).
std::vector<std::uint32_t> raisers_of(const CompiledModel& charts, std::uint32_t event);

/// Asks for every action of a component: those of its transitions, then of entering and leaving its states.
/// @param visit  gets each ActionSpec
template <class Visit>
void each_action(const CompiledModel& charts, std::uint32_t index, const Visit& visit) {
  const Instance& owner = charts.instances[index];
  const StateChart& chart = charts.charts[owner.chart].chart;
  for (std::size_t t = 0; t < chart.transitions.size(); ++t) {
    const std::size_t row = owner.rows + t;
    for (const MemberNumber* a = charts.transition_actions.begin(row); a != charts.transition_actions.end(row); ++a)
      visit(charts.actions[a->of(owner.member)]);
  }
  for (std::size_t s = 0; s < chart.states.size(); ++s) {
    const StateInfo& info = charts.states[owner.state_base + s];
    for (std::uint32_t a = info.entry; a != info.entry_end; ++a)
      visit(charts.actions[charts.state_values[a].of(owner.member)]);
    for (std::uint32_t a = info.exit; a != info.exit_end; ++a)
      visit(charts.actions[charts.state_values[a].of(owner.member)]);
  }
}

}  // namespace ergode
