#pragma once
#include "core/study/solver.h"

namespace ergode {

/// `mva`: what queueing networks with a product form settle at, exactly.
///
/// Answers measures of the long run (averages, means by cycles, means and rates of observations) of a number at a
/// station or of the times spent there, and the table "stations". Besides what the model asks it reports for every
/// station, and every class where classes are drawn, `queue_length/STATION/CLASS`, `response_time/...`,
/// `utilisation/...` and `throughput/...`.
class MeanValueSolver : public Solver {
 public:
  const SolverSpec& spec() const override;
  using Solver::fits, Solver::solve;
  /// SOL001 for each element that prevents it.
  Diagnostics fits(const Question& question) const override;
  ResultSet solve(const Question& question, RunControl& control) const override;
};

}  // namespace ergode
