#pragma once
#include <memory>

#include "core/study/runner.h"
#include "solvers/model/analysis_model.h"
#include "solvers/simulation/ccf_runtime.h"
#include "solvers/simulation/first_failure.h"
#include "solvers/simulation/replication_pulse.h"
#include "solvers/simulation/unfinished.h"

namespace ergode {

/// A model ready to be replicated by plain Monte Carlo: independent replications, each from time zero to the mission
/// time, in which every measure makes its observation (MeasureRecorder). Law, Simulation Modeling and Analysis, 5th
/// ed., 2015. Const, shared by all threads: what moves is in the workers, each of which has a ModelHistory of its own.
class SimulationSource : public ReplicationSource {
 public:
  /// @param model  not null; kept as long as the source and its workers live
  SimulationSource(std::shared_ptr<const AnalysisModel> model, std::uint64_t seed);
  /// A worker may not outlive its source. It looks whether to give up every events_between_polls() steps of the loop;
  /// ModelFailure leaves run() after failure() has it.
  std::unique_ptr<ReplicationWorker> make_worker() const override;
  /// All measures of the model, in its order.
  std::span<const MeasureSpec> measures() const override { return specs_; }
  /// Those of unfinished().
  std::size_t sums() const override { return unfinished_.sums(); }
  const UnfinishedStays& unfinished() const { return unfinished_; }
  std::string identity() const override { return "simulation, seed " + std::to_string(seed_); }

  /// Why the first replication that failed did so, for a diagnostic with its place; empty unless a run failed.
  FirstFailure& failure() const { return failure_; }
  /// Where the workers tell how far they have come.
  ReplicationPulse& pulse() const { return pulse_; }
  std::optional<Diagnostic> late(double waited_s) const override { return pulse_.late(*model_, waited_s); }
  double share_under_way() const override { return pulse_.share(); }

 private:
  std::shared_ptr<const AnalysisModel> model_;
  CcfProgram groups_;
  UnfinishedStays unfinished_;
  std::uint64_t seed_;
  std::vector<MeasureSpec> specs_;
  mutable FirstFailure failure_;
  mutable ReplicationPulse pulse_;
};

}  // namespace ergode
