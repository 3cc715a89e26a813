#pragma once
#include <memory>

#include "core/study/runner.h"
#include "solvers/model/analysis_model.h"
#include "solvers/simulation/ccf_runtime.h"
#include "solvers/simulation/first_failure.h"
#include "solvers/simulation/replication_pulse.h"

namespace ergode {

/// A model ready to be replicated; const, shared by all threads.
class SimulationSource : public ReplicationSource {
 public:
  SimulationSource(std::shared_ptr<const AnalysisModel> model, std::uint64_t seed);
  std::unique_ptr<ReplicationWorker> make_worker() const override;
  std::span<const MeasureSpec> measures() const override { return specs_; }
  std::string identity() const override { return "simulation, seed " + std::to_string(seed_); }

  FirstFailure& failure() const { return failure_; }
  ReplicationPulse& pulse() const { return pulse_; }
  std::optional<Diagnostic> late(double waited_s) const override { return pulse_.late(*model_, waited_s); }

 private:
  std::shared_ptr<const AnalysisModel> model_;
  CcfProgram groups_;
  std::uint64_t seed_;
  std::vector<MeasureSpec> specs_;
  mutable FirstFailure failure_;
  mutable ReplicationPulse pulse_;
};

}  // namespace ergode
