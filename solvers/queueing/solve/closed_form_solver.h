#pragma once
#include "solvers/queueing/solve/network_solver.h"

namespace ergode {

/// `queueing-closed-form`: stations that stand for themselves (customers come from Poisson sources, through routers or
/// straight, and leave for sinks), each by the formula that fits what is drawn: M/M/c/K, Erlang's loss system and its
/// kin with general times, customers who give up, M/G/1 in order of arrival, by priority, by size or shared, M/G/inf.
/// Answers what answer_networks() says.
class ClosedFormSolver : public NetworkSolver {
 public:
  const SolverSpec& spec() const override;

 protected:
  const KnownElements& known() const override;
  void reasons(const NetworkModel& networks, const RunRequest& request, Diagnostics& found) const override;
  std::optional<Diagnostic> answer(const Task& task) const override;
};

}  // namespace ergode
