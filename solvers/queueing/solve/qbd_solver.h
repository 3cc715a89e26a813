#pragma once
#include "solvers/queueing/solve/network_solver.h"

namespace ergode {

/// `qbd`: single servers that stand for themselves, fed by one class of customers from sources whose gaps are
/// phase-type (thinned by routers and superposed), with phase-type services: MAP/PH/1 by matrix-analytic methods
/// (map_ph_1()). Answers what answer_networks() says; the table "levels" has how fast great numbers become unlikely.
class QbdSolver : public NetworkSolver {
 public:
  const SolverSpec& spec() const override;

 protected:
  const KnownElements& known() const override;
  void reasons(const NetworkModel& networks, const RunRequest& request, Diagnostics& found) const override;
  std::optional<Diagnostic> answer(const Task& task) const override;
};

}  // namespace ergode
