#pragma once
#include <cstdint>
#include <vector>

#include "solvers/markov/record_set.h"
#include "solvers/markov/symmetry.h"
#include "statecharts/execute/chart_history.h"

namespace ergode {

/// Everything that moves in one component of a model at rest, as a number: active states, what histories remember,
/// variables, phases of delays. Memoryless clocks leave nothing; counts of states, and what edge-triggered conditions
/// were when last looked at, follow from the rest. Components that may be exchanged share their numbers.
class LocalStates {
 public:
  /// By clock: 0 when it is no delay or does not wait, else one more than its phase.
  using PhaseVector = std::vector<std::uint16_t>;
  /// The time to which unpack() sets delays that wait: one armed for another time was armed since.
  static constexpr double parked = 1e200;

  LocalStates(const CompiledModel& model, const std::vector<SymmetricArray>& arrays);

  /// The number of a component's present state. @param phases  of every delay that waits
  std::uint32_t pack(std::uint32_t instance, const ChartReplication& charts, const PhaseVector& phases);
  /// Sets everything that moves in `moving`, which ChartHistory::save of the same model made, and the phases.
  /// @param numbers  one for each component
  void unpack(const std::uint32_t* numbers, ChartHistory::Saved& moving, PhaseVector& phases) const;
  /// Whether two components of one chart are in the same local state now.
  bool alike(std::uint32_t one, std::uint32_t other, const ChartReplication& charts, const PhaseVector& phases) const;

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
