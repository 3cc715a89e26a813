#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "core/study/solver.h"

namespace ergode {

/// Every solver: the built-in ones, then those registered.
const std::vector<std::unique_ptr<Solver>>& solvers();
/// Adds a solver with its options; for the start of a program, before other threads. Of one name the first is found.
void register_solver(std::unique_ptr<Solver> solver);
/// The solver of this name, or null.
const Solver* find_solver(std::string_view name);

}  // namespace ergode
