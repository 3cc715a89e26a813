#pragma once
#include "solvers/queueing/solve/network_solver.h"

namespace ergode {

/// `gg-approximation`: open networks of stations with any arrivals and services, by means and variabilities: flows are
/// decomposed (decompose()), each station waits as G/G/c by the formula of option `gg-formula`. Exact where it is M/M/c
/// or, with a single server and Poisson arrivals, M/G/1. Nothing that it says is called exact.
class GgSolver : public NetworkSolver {
 public:
  const SolverSpec& spec() const override;
  std::vector<RunOption> options() const override;

 protected:
  const KnownElements& known() const override;
  void reasons(const NetworkModel& networks, const RunRequest& request, Diagnostics& found) const override;
  std::optional<Diagnostic> answer(const Task& task) const override;
};

}  // namespace ergode
