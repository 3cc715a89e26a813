#pragma once
#include "solvers/queueing/solve/network_solver.h"

namespace ergode {

/// `ctmc-network`: what a drawn network settles at, from all its states (NetworkChain says which networks have small
/// ones). Answers what answer_networks() says, and averages of any expression over numbers of customers. Where
/// customers may be without number it is cut; answers have ends where a bound is shown (TruncationBound), else they are
/// estimates, no exact ones (MKV023, warning). Options `state-limit` and `error-bound` of Markov
/// solvers.
class CtmcNetworkSolver : public NetworkSolver {
 public:
  const SolverSpec& spec() const override;
  std::vector<RunOption> options() const override;

 protected:
  const KnownElements& known() const override;
  void reasons(const NetworkModel& networks, const RunRequest& request, Diagnostics& found) const override;
  std::optional<Diagnostic> answer(const Task& task) const override;
};

}  // namespace ergode
