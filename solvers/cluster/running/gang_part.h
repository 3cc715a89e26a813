#pragma once
#include <mutex>
#include <vector>

#include "core/des/running_part.h"
#include "solvers/cluster/model/gang_model.h"

namespace ergode {

/// All clusters of GPUs under a scheduler of gangs drawn in a model, as it keeps them among its parts.
class GangPart : public LoweredPart {
 public:
  GangModel model;

  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override;
  /// GNG009: a rate at which jobs come must announce its changes.
  void know_flows(std::span<const std::uint32_t> flowing, std::span<const Range> ranges,
                  Diagnostics& problems) override;
  /// Of each cluster whose jobs all come by traces (gang_tables.h), worked out by whoever asks first.
  std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const override;
  std::vector<Stay> stays() const override;
  std::vector<Program*> programs() override;

 private:
  mutable std::once_flag worked_out_;
  mutable std::vector<ResultTable> tables_;
};

}  // namespace ergode
