#include "solvers/registry.h"

#include "solvers/markov/ctmc_solver.h"
#include "solvers/reliability/ccf_closed_form.h"
#include "solvers/simulation/simulation.h"

namespace ergode {

namespace {

std::vector<std::unique_ptr<Solver>>& all_solvers() {
  static std::vector<std::unique_ptr<Solver>> all = [] {
    std::vector<std::unique_ptr<Solver>> made;
    made.push_back(std::make_unique<SimulationSolver>());
    made.push_back(std::make_unique<CcfClosedFormSolver>());
    made.push_back(std::make_unique<CtmcTransientSolver>());
    made.push_back(std::make_unique<CtmcSteadyStateSolver>());
    return made;
  }();
  return all;
}

}  // namespace

const std::vector<std::unique_ptr<Solver>>& solvers() { return all_solvers(); }

void register_solver(std::unique_ptr<Solver> solver) { all_solvers().push_back(std::move(solver)); }

const Solver* find_solver(std::string_view name) {
  for (const auto& solver : solvers())
    if (solver->spec().name == name) return solver.get();
  return nullptr;
}

}  // namespace ergode
