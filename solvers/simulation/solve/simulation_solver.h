#pragma once
#include "core/study/solver.h"

namespace ergode {

/// Monte Carlo: independent replications of charts and common-cause groups in one event list.
class SimulationSolver : public Solver {
 public:
  const SolverSpec& spec() const override;
  std::vector<RunOption> options() const override;
  void record(const RunRequest& request, std::map<std::string, std::string>& options) const override;
  using Solver::fits, Solver::solve;
  Diagnostics fits(const Question& question) const override;
  ResultSet solve(const Question& question, RunControl& control) const override;
};

}  // namespace ergode
