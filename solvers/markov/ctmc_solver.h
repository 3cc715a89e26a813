#pragma once
#include "core/study/solver.h"

namespace ergode {

/// Answers the measures of a mission exactly, from the continuous-time Markov chain of the model: see
/// generate_states(). method: uniformisation (default; every value with its error bound) or cvode (stiff models; error
/// controlled only).
///
/// Each measure goes the cheapest way there is for it (answer_measures()): where lumping is on and the model has more
/// than 2,000 states, by its parts (solve_modules()), else by a chain of what it hangs on. Those that cost too much are
/// said not to be answered (SOL005), unless all do. A time to an event is the mean given that it
/// comes within the mission, with its distribution; where it cannot come, the measure says so.
///
/// Errors of a run: those of generate_states(), MKV020 a method that did not get there, MKV022 and RUN003 over budget;
/// cancelling counts as one. The status is failed then, and what was answered before stays in the results.
class CtmcTransientSolver : public Solver {
 public:
  const SolverSpec& spec() const override;
  std::vector<RunOption> options() const override;
  using Solver::fits, Solver::solve;
  /// Those of chain_fits(): the model's errors, MKV001 to MKV009, SOL004, MKV021. Whether the chain is too large only
  /// solve() can tell.
  Diagnostics fits(const Question& question) const override;
  ResultSet solve(const Question& question, RunControl& control) const override;
};

/// Answers what the measures tend to when the mission goes on for ever: probabilities and averages in the long run,
/// probabilities of ever, frequencies instead of counts, and unconditional mean times. method: direct, iterative;
/// default: direct for small chains and where little fills in, else iterative (see
/// LinearOptions). A frequency is per unit of the model's time. Where the event need not ever occur, its mean time is
/// not available and the reason names the probability. Errors as above; the start matters where there are several
/// bottom classes, and the record of the run says how many.
class CtmcSteadyStateSolver : public Solver {
 public:
  const SolverSpec& spec() const override;
  std::vector<RunOption> options() const override;
  using Solver::fits, Solver::solve;
  Diagnostics fits(const Question& question) const override;
  ResultSet solve(const Question& question, RunControl& control) const override;
};

}  // namespace ergode
