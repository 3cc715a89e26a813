#pragma once
#include <mutex>
#include <vector>

#include "core/des/running_part.h"
#include "solvers/cluster/model/iteration_model.h"
#include "solvers/cluster/running/history_end.h"

namespace ergode {

/// What one scheduler made of its jobs, and its baseline of the same.
struct ScheduledIterations {
  IterationRun run, baseline;
};

/// All schedulers of iterations drawn in a model, as it keeps them among its parts (AnalysisModel::others). Nothing is
/// random, so a schedule is worked out once, by whoever asks first, and every history plays it.
class IterationPart : public LoweredPart {
 public:
  IterationModel model;

  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override;
  /// Of each scheduler `schedule` (it and its baseline, whole), `jobs` (as they were at the end of the run), `layers`
  /// (over how many workers the gradients of groups of layers are averaged) and `iterations` (a Gantt chart: what each
  /// GPU did, the first pieces).
  std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const override;
  const std::vector<ScheduledIterations>& schedules() const;

 private:
  mutable HistoryEnd end_;
  mutable std::once_flag worked_out_;
  mutable std::vector<ScheduledIterations> schedules_;
};

}  // namespace ergode
