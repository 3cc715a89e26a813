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
///
/// Probabilities have a relative error of about 1e-13, averages and mean times, which are integrated, of about 1e-11;
/// no bound is stated. A time to an event is the mean given that it comes within the mission. The distribution of the
/// number failed at the end comes as the table "failed_members".
class CcfClosedFormSolver : public Solver {
 public:
  const SolverSpec& spec() const override;
  using Solver::fits, Solver::solve;
  /// SOL001 for each element that prevents it, SOL004 for other notations.
  Diagnostics fits(const Question& question) const override;
  ResultSet solve(const Question& question, RunControl& control) const override;
};

}  // namespace ergode
