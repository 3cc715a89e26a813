#pragma once
#include "core/study/solver.h"

namespace ergode {

/// The exact distribution of the number of failed members of a common-cause group without repair, for any delay law:
/// the void probability of a marked Poisson process (see bfr_closed_form.h). Answers every measure that depends on the
/// model only through how many members are failed.
///
/// It takes a model in which the members of one group go from one working state to one failed state by constant rates
/// and by the group, and in which nothing else can happen to them. Whether a drawn repair can happen is decided by
/// interval arithmetic on its guard, so that `when(count(EDG[*].Repairing) < crews)` with no crews is understood.
class CcfClosedFormSolver : public Solver {
 public:
  const SolverSpec& spec() const override;
  using Solver::fits, Solver::solve;
  Diagnostics fits(const Question& question) const override;
  ResultSet solve(const Question& question, RunControl& control) const override;
};

}  // namespace ergode
