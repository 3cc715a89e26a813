#include "solvers/registry.h"

namespace ergode {

namespace {

std::vector<std::unique_ptr<Solver>>& all_solvers() {
  static std::vector<std::unique_ptr<Solver>> all = built_in_solvers();
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
