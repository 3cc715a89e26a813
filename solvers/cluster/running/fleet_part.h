#pragma once
#include <atomic>

#include "core/des/running_part.h"
#include "solvers/cluster/model/fleet_model.h"
#include "solvers/cluster/running/cost_log.h"

namespace ergode {

/// All fleets of GPUs drawn in a model, as it keeps them among its parts (AnalysisModel::others).
class FleetPart : public LoweredPart {
 public:
  FleetModel model;

  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override;
  /// DEV018: a rate at which jobs come must announce its changes.
  void know_flows(std::span<const std::uint32_t> flowing, std::span<const Range> ranges,
                  Diagnostics& problems) override;
  /// `devices` and `jobs` of the first history of the run before (fleet_tables()), and `spend` where it costs anything.
  std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const override;
  std::vector<Stay> stays() const override;
  std::vector<Program*> programs() override;

 private:
  mutable CostLog log_;
  mutable std::atomic<std::uint64_t> seed_{1};  ///< of the run that was begun last: tables are about it
};

/// Of each fleet the GPUs that the first history draws, a row each, and where all its jobs end by themselves and are at
/// most 100,000 what becomes of them, as that history has it where nothing else is in their way. With several fleets
/// names end with theirs.
std::vector<ResultTable> fleet_tables(const FleetModel& model, std::uint64_t seed);

}  // namespace ergode
