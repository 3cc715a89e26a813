#pragma once
#include "solvers/queueing/solve/network_solver.h"

namespace ergode {

/// `mva`: what queueing networks with a product form settle at: exactly, for great populations approximately, or as
/// bounds (option `mva-method`). Load-dependent speeds and classes that change are exact, and refused with
/// approximations and bounds.
///
/// Answers measures of the long run (averages, means by cycles, means and rates of observations) of a number at a
/// station or of the times spent there, and what answer_networks() adds. With bounds only throughputs and response
/// times of classes have ends, and there are tables "bounds" and "demands", which says where the network saturates.
class MeanValueSolver : public NetworkSolver {
 public:
  const SolverSpec& spec() const override;
  std::vector<RunOption> options() const override;

 protected:
  const KnownElements& known() const override;
  void reasons(const NetworkModel& networks, const RunRequest& request, Diagnostics& found) const override;
  /// Some five minutes: who wants to wait longer says how long.
  std::optional<double> most_operations() const override { return 1e11; }
  std::optional<Diagnostic> answer(const Task& task) const override;
};

}  // namespace ergode
