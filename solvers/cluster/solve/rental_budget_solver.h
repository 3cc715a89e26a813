#pragma once
#include "core/study/solver.h"

namespace ergode {

/// `rental-budget`: fixed widths of jobs on GPUs that are rented on a budget (width_plan.h). Exact for whatever
/// arrivals and sizes; numbers of GPUs rented at a moment only where all jobs come at random.
///
/// Answers the model's measures as far as means know them, with SOL002 for the others; then, unasked, measures
/// `mean_response_time`, `mean_response_time/STREAM`, `width/STREAM` (GPUs of a job, its mean where two are mixed),
/// `jobs/NAME`, `gpus/NAME` and `spend` of rentals, `gpus_variance` and `idle_probability` where jobs come at random,
/// and of an optimal plan `multiplier`. With several rentals those without a name have that of the rental. Tables:
/// "types", "rentals", "budget_curve", mean response time over the budget, which is a series too, and, where jobs come
/// at random, "occupancy": how many are present and how many GPUs are rented, with shares of the time.
///
/// SOL001, at its element, for everything it does not know: clusters that are shared, failures and checkpoints, rates
/// that change, and other notations.
class RentalBudgetSolver : public Solver {
 public:
  using Solver::fits, Solver::solve;
  const SolverSpec& spec() const override;
  Diagnostics fits(const Question& question) const override;
  ResultSet solve(const Question& question, RunControl& control) const override;
};

}  // namespace ergode
