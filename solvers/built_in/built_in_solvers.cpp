#include "solvers/cluster/solve/rental_budget_solver.h"
#include "solvers/markov/ctmc_solver.h"
#include "solvers/queueing/solve/closed_form_solver.h"
#include "solvers/queueing/solve/ctmc_network_solver.h"
#include "solvers/queueing/solve/ctmc_network_transient.h"
#include "solvers/queueing/solve/fluid_solver.h"
#include "solvers/queueing/solve/gg_solver.h"
#include "solvers/queueing/solve/mean_value_solver.h"
#include "solvers/queueing/solve/qbd_solver.h"
#include "solvers/registry.h"
#include "solvers/reliability/solve/ccf_closed_form.h"
#include "solvers/simulation/solve/simulation_solver.h"

namespace ergode {

std::vector<std::unique_ptr<Solver>> built_in_solvers() {
  std::vector<std::unique_ptr<Solver>> made;
  made.push_back(std::make_unique<SimulationSolver>());
  made.push_back(std::make_unique<CcfClosedFormSolver>());
  made.push_back(std::make_unique<CtmcTransientSolver>());
  made.push_back(std::make_unique<CtmcSteadyStateSolver>());
  made.push_back(std::make_unique<MeanValueSolver>());
  made.push_back(std::make_unique<ClosedFormSolver>());
  made.push_back(std::make_unique<GgSolver>());
  made.push_back(std::make_unique<CtmcNetworkSolver>());
  made.push_back(std::make_unique<CtmcNetworkTransientSolver>());
  made.push_back(std::make_unique<QbdSolver>());
  made.push_back(std::make_unique<FluidSolver>());
  made.push_back(std::make_unique<RentalBudgetSolver>());
  return made;
}

}  // namespace ergode
