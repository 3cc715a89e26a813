#pragma once
#include "solvers/queueing/solve/network_solver.h"

namespace ergode {

/// `fluid`: what networks with many customers come to, by differential equations: amounts over the mission, with
/// curves, and where they settle. FluidEquations says which networks, and how near that is. Approximate: nothing has
/// ends.
///
/// Answers averages over the mission, values at its end and at a time, of any expression over numbers of customers, and
/// measures of the long run as other solvers of networks do. A network that settles at nothing, as an overloaded one,
/// has no measures of the long run. Probabilities are not answered: amounts have none.
class FluidSolver : public NetworkSolver {
 public:
  const SolverSpec& spec() const override;

 protected:
  const KnownElements& known() const override;
  void reasons(const NetworkModel& networks, const RunRequest& request, Diagnostics& found) const override;
  std::optional<Diagnostic> answer(const Task& task) const override;
};

}  // namespace ergode
