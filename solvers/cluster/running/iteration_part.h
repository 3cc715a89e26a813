#pragma once
#include <mutex>
#include <vector>

#include "core/des/running_part.h"
#include "solvers/cluster/model/iteration_model.h"
#include "solvers/cluster/running/history_end.h"
#include "solvers/cluster/running/iteration_log.h"

namespace ergode {

/// What one scheduler made of its jobs, and its baseline of the same.
struct ScheduledIterations {
  IterationRun run, baseline;
};

/// All schedulers of iterations drawn in a model, as it keeps them among its parts (AnalysisModel::others). Of those of
/// which nothing is random a schedule is worked out once, by whoever asks first, and every history plays it; the others
/// run as they go.
class IterationPart : public LoweredPart {
 public:
  IterationModel model;

  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override;
  /// ITR009: a rate at which jobs come, and whether hosts are up, must announce their changes.
  void know_slots(const KnownSlots& known, Diagnostics& problems) override;
  /// Of each scheduler what iteration_tables() tells: of its schedule, or of the first history.
  std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const override;
  std::vector<Stay> stays() const override;
  /// RUN046: more jobs came in the first history than their table has rows.
  Diagnostics told() const override;
  std::vector<Program*> programs() override;
  /// By scheduler; empty of those that run as they go.
  const std::vector<ScheduledIterations>& schedules() const;
  IterationLog& log() const { return log_; }

 private:
  mutable HistoryEnd end_;
  mutable IterationLog log_;
  mutable std::once_flag worked_out_;
  mutable std::vector<ScheduledIterations> schedules_;
};

}  // namespace ergode
