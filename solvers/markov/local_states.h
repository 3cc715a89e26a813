#pragma once
#include <cstdint>
#include <vector>

#include "solvers/markov/record_set.h"
#include "solvers/markov/symmetry.h"
#include "statecharts/execute/chart_history.h"

namespace ergode {

/// Everything that moves in one component of a model at rest, as a number: active states, what histories remember,
/// variables, phases of delays. Memoryless clocks leave nothing; counts of states, and what edge-triggered conditions
/// were when last looked at, follow from the rest. Components that may be exchanged share their numbers: equal numbers
/// of two of them are equal states. Values that an event brought and only transitions on an event read are left out,
/// since the next event replaces them. Grows with every new local state; one thread.
class LocalStates {
 public:
  /// By clock: 0 when it is no delay or does not wait, else one more than its phase.
  using PhaseVector = std::vector<std::uint16_t>;
  /// The time to which unpack() sets delays that wait: one armed for another time was armed since.
  static constexpr double parked = 1e200;

  /// @param model   must outlive it; one that why_not_markov() finds nothing against
  /// @param arrays  of symmetric_arrays(), each of members that share their numbers
  LocalStates(const CompiledModel& model, const std::vector<SymmetricArray>& arrays);

  /// The number of a component's present state, a new one where it was not met before. Amortised O(words of the state).
  /// @param charts  at rest. @param phases of every delay that waits
  std::uint32_t pack(std::uint32_t instance, const ChartReplication& charts, const PhaseVector& phases);
  /// Sets everything that moves in `moving`, which ChartHistory::save of the same model made, and the phases.
  /// Time is zero, no event is on its way and no failure stands; delays that wait are armed for `parked`, no other
  /// clock is. O(tables of the model).
  /// @param numbers  one for each component, as pack() gave it
  void unpack(const std::uint32_t* numbers, ChartHistory::Saved& moving, PhaseVector& phases) const;
  /// Whether two components of one chart, which may be exchanged, are in the same local state now; also in the middle
  /// of a moment, where a delay armed since differs from one that still waits.
  bool alike(std::uint32_t one, std::uint32_t other, const ChartReplication& charts, const PhaseVector& phases) const;

  /// Clocks of a component, and those of them that are delays; ascending.
  const std::vector<std::uint32_t>& timers(std::uint32_t instance) const { return timers_[instance]; }
  const std::vector<std::uint32_t>& delays(std::uint32_t instance) const { return delays_[instance]; }
  std::size_t instances() const { return kind_.size(); }

 private:
  void read(std::uint32_t instance, const ChartReplication& charts, const PhaseVector& phases,
            std::vector<std::uint64_t>& record) const;
  /// What a history remembers is written anew when the state around it is left; while that is active it means nothing,
  /// unless a transition from inside leads to the history.
  static bool idle_while_inside(const StateChart& chart, int history);
  bool active(const ChartHistory::Saved& moving, std::uint32_t instance, int state) const;

  const CompiledModel& model_;
  std::vector<std::vector<std::uint32_t>> variables_, timers_, delays_;  ///< by instance, ascending
  std::vector<std::uint32_t> kind_;                                      ///< by instance: which set of records
  std::vector<RecordSet<std::uint64_t>> records_;                        ///< by kind
  std::vector<std::vector<int>> fresh_inside_;      ///< by chart and history: the state around it, or -1
  mutable std::vector<std::uint64_t> one_, other_;  ///< scratch
};

}  // namespace ergode
