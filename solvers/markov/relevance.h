#pragma once
#include <cstdint>
#include <vector>

#include "solvers/model/analysis_model.h"

namespace ergode {

/// Which components still matter to what is asked: those that the measures read, and those that a component that
/// matters may yet read on its way. A component that can leave its state no more reads nothing, so what stands below a
/// gate that has failed matters no more ("don't care" propagation: Volk, Junges, Katoen, Fast dynamic fault tree
/// analysis by model checking techniques, IEEE Trans. Industrial Informatics 14(1), 2018; here for any model). States
/// that differ in components that do not matter are one state of the same chain: what matters never depends on them,
/// now or later.
class Relevance {
 public:
  /// O(tables of the model), and as much memory as all lists of who reads whom.
  /// @param model  must outlive it
  /// @param roots  components that matter whatever happens, each once.
  Relevance(const AnalysisModel& model, const std::vector<std::uint32_t>& roots);

  /// The components that the measures read; all of them when a measure counts events, because anybody may raise one.
  static std::vector<std::uint32_t> roots_of(const AnalysisModel& model);
  /// The components whose state or variables a program reads, ascending.
  std::vector<std::uint32_t> read_by(const Program& program) const;
  /// A program reads what no component writes: the time, or slots of another notation.
  bool reads_others(const Program& program) const;
  /// Some program of a component does, on its way or in what strikes it.
  bool reads_others(std::uint32_t instance) const { return reads_others_[instance] != 0; }

  /// Marks those that matter in this configuration. O(components + what those that matter read). Not for two threads at
  /// once.
  /// @param configuration  words of all components, as CompiledModel::words lays them out
  /// @param matters        by component: 1 where it does, else 0
  void look(const std::uint64_t* configuration, std::vector<std::uint8_t>& matters) const;
  /// Whoever could ever matter because of these, whatever happens; these included, ascending.
  std::vector<std::uint32_t> reach(const std::vector<std::uint32_t>& from) const;
  /// Components that this one may read from its state on, as long as it has a way out; ascending.
  const std::vector<std::uint32_t>& reads(std::uint32_t instance) const { return reads_[instance]; }
  /// How many there are in all these lists: what look() costs at most.
  double entries() const;
  /// Some transition leads from one of the active states, whether its trigger and guard can ever hold or not.
  bool moves(std::uint32_t instance, const std::uint64_t* configuration) const;

 private:
  void find_owners();
  void find_reads();

  const CompiledModel& model_;
  const std::vector<CcfGroup>& groups_;
  std::vector<std::uint32_t> roots_;
  std::vector<std::vector<std::uint32_t>> owners_;    ///< by slot: components that it tells something about
  std::vector<std::vector<std::uint32_t>> reads_;     ///< by component
  std::vector<std::uint8_t> reads_others_;            ///< by component
  std::vector<std::vector<std::uint64_t>> leads_on_;  ///< by chart: mask of states from which something leads
  mutable std::vector<std::uint32_t> open_;           ///< scratch
};

/// By transition of the chart: whether it is the way into a state's first child, which leaves nothing.
std::vector<std::uint8_t> initial_ways(const StateChart& chart);

}  // namespace ergode
