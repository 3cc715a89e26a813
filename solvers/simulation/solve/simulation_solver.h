#pragma once
#include "core/study/solver.h"

namespace ergode {

/// Monte Carlo: independent replications of charts, common-cause groups, what flows and other notations in one event
/// list; plain (SimulationSource) or, as the option variance-reduction says, by a method for rare events
/// (solve_rare_events()). `auto` is decided first by choose_method(), and RUN027 says what it came to.
///
/// With the option output-analysis it is one history that goes on until it is precise (solve_one_long_run()).
///
/// Answers every measure; a method for rare events only probabilities at and by a time. Numbers depend on model, seed,
/// options and number of replications, never on threads. A replication that throws ends the run as failed: with the
/// model's own diagnostic, else with RUN001.
class SimulationSolver : public Solver {
 public:
  const SolverSpec& spec() const override;
  std::vector<RunOption> options() const override;
  /// Only options that the method in use reads; none for plain simulation.
  using Solver::fits, Solver::solve;
  /// Problems of building the model and, with a method for rare events, those of rare_event_problems().
  Diagnostics fits(const Question& question) const override;
  ResultSet solve(const Question& question, RunControl& control) const override;
};

}  // namespace ergode
