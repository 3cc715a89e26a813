#pragma once
#include "solvers/queueing/solve/network_solver.h"

namespace ergode {

/// `ctmc-network-transient`: what a drawn network does within its mission, from all its states (NetworkChain says which
/// networks have small ones), by uniformisation. Answers probabilities at and by a time, values at the end, averages
/// over the mission, of any expression over numbers of customers, with curves. Stations may be overloaded. Where
/// customers may be without number the network is cut at so many that hardly a history gets there: until then both are
/// the same, so of probabilities the ends are a bound, of numbers an estimate. Options `state-limit` and `error-bound`
/// of Markov solvers.
class CtmcNetworkTransientSolver : public NetworkSolver {
 public:
  const SolverSpec& spec() const override;
  std::vector<RunOption> options() const override;

 protected:
  const KnownElements& known() const override;
  void reasons(const NetworkModel& networks, const RunRequest& request, Diagnostics& found) const override;
  std::optional<Diagnostic> answer(const Task& task) const override;
};

}  // namespace ergode
