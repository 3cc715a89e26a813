#pragma once
#include <atomic>

#include "core/des/running_part.h"
#include "solvers/cluster/model/fleet_model.h"
#include "solvers/cluster/running/cost_log.h"
#include "solvers/cluster/running/fleet_job_log.h"
#include "solvers/cluster/running/history_end.h"

namespace ergode {

/// All fleets of GPUs drawn in a model, as it keeps them among its parts (AnalysisModel::others).
class FleetPart : public LoweredPart {
 public:
  FleetModel model;

  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override;
  /// DEV018: a rate at which jobs come must announce its changes.
  void know_slots(const KnownSlots& known, Diagnostics& problems) override;
  /// Of the first history of the run before `devices` (the GPUs that it drew, a row each), `jobs` (what became of
  /// them), and `spend` where it costs anything. With several fleets names end with theirs.
  std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const override;
  std::vector<Stay> stays() const override;
  /// RUN046: more jobs came in the first history than their table has rows.
  Diagnostics told() const override;
  std::vector<Program*> programs() override;

 private:
  mutable CostLog log_;
  mutable FleetJobLog jobs_;
  mutable HistoryEnd end_;
  mutable std::atomic<std::uint64_t> seed_{1};  ///< of the run that was begun last: tables are about it
};

}  // namespace ergode
