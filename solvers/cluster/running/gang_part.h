#pragma once
#include <vector>

#include "core/des/running_part.h"
#include "solvers/cluster/model/gang_model.h"
#include "solvers/cluster/running/gang_log.h"
#include "solvers/cluster/running/history_end.h"
#include "solvers/cluster/running/tables_once.h"

namespace ergode {

/// All clusters of GPUs under a scheduler of gangs drawn in a model, as it keeps them among its parts.
class GangPart : public LoweredPart {
 public:
  GangModel model;

  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override;
  /// GNG009: a rate at which jobs come, and whether hosts are up, must announce their changes.
  void know_slots(const KnownSlots& known, Diagnostics& problems) override;
  /// Of each cluster whose jobs all come by traces its schedule until the end of the run, worked out by whoever asks
  /// first; of the others
  /// the first history of the run before; of all what they spend (gang_tables.h).
  bool work_out_tables(const std::function<bool()>& give_up) const override;
  std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const override;
  std::vector<Stay> stays() const override;
  /// RUN046: more jobs came in the first history than their table has rows.
  Diagnostics told() const override;
  std::vector<Program*> programs() override;

 private:
  mutable TablesOnce tables_;
  mutable GangLog log_;
  mutable HistoryEnd end_;
};

}  // namespace ergode
