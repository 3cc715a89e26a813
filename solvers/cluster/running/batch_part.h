#pragma once
#include <atomic>
#include "core/des/running_part.h"
#include "solvers/cluster/model/batch_model.h"
#include "solvers/cluster/running/batch_job_log.h"
#include "solvers/cluster/running/cost_log.h"
#include "solvers/cluster/running/history_end.h"
#include "solvers/cluster/running/tables_once.h"

namespace ergode {

/// All pools of hosts drawn in a model, as it keeps them among its parts (AnalysisModel::others).
class BatchPart : public LoweredPart {
 public:
  BatchModel model;

  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override;
  /// BAT010: a rate at which jobs come, and whether hosts are up, must announce their changes.
  void know_slots(const KnownSlots& known, Diagnostics& problems) override;
  /// `jobs` of each pool whose jobs come by a trace, and `decisions` of each provisioner (batch_tables.h), worked out
  /// by whoever asks first: they depend on nothing that is drawn.
  bool work_out_tables(const std::function<bool()>& give_up) const override;
  /// Those, and of the first history of the run before `jobs` of the other pools and `spend` of each that costs
  /// anything.
  std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const override;
  std::vector<Stay> stays() const override;
  /// RUN046: more jobs came in the first history than their table has rows. RUN049: more replications than a
  /// provisioner has starts.
  Diagnostics told() const override;
  std::vector<Program*> programs() override;

 private:
  mutable std::atomic<std::uint64_t> seed_{0};
  mutable TablesOnce tables_;
  mutable CostLog log_;
  mutable BatchJobLog jobs_;
  mutable HistoryEnd end_;
  mutable std::atomic<std::uint64_t> starts_{0};
};

}  // namespace ergode
