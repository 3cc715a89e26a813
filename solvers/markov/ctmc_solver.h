#pragma once
#include "core/study/solver.h"

namespace ergode {

/// Answers the measures of a mission exactly, from the continuous-time Markov chain of the model: see
/// generate_states(). method: uniformisation (default; every value with its error bound) or cvode (stiff models; error
/// controlled only).
class CtmcTransientSolver : public Solver {
 public:
  const SolverSpec& spec() const override;
  std::vector<RunOption> options() const override;
  /// They stand in the record with what became of them: bound reached, states, arrays lumped.
  void record(const RunRequest&, std::map<std::string, std::string>&) const override {}
  using Solver::fits, Solver::solve;
  Diagnostics fits(const Question& question) const override;
  ResultSet solve(const Question& question, RunControl& control) const override;
};

/// Answers what the measures tend to when the mission goes on for ever: probabilities and averages in the long run,
/// probabilities of ever, frequencies instead of counts, and unconditional mean times.
/// method: direct, iterative; default: direct for small chains, else iterative.
class CtmcSteadyStateSolver : public Solver {
 public:
  const SolverSpec& spec() const override;
  std::vector<RunOption> options() const override;
  /// They stand in the record with what became of them: bound reached, states, arrays lumped.
  void record(const RunRequest&, std::map<std::string, std::string>&) const override {}
  using Solver::fits, Solver::solve;
  Diagnostics fits(const Question& question) const override;
  ResultSet solve(const Question& question, RunControl& control) const override;
};

}  // namespace ergode
