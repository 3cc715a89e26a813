#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "core/study/solver.h"

namespace ergode {

/// One of each that is part of this program. Defined in built_in/built_in_solvers.cpp, the one file that names them, so
/// that solvers may ask for the options of all without including one another.
std::vector<std::unique_ptr<Solver>> built_in_solvers();

/// Every solver: the built-in ones, then those registered.
const std::vector<std::unique_ptr<Solver>>& solvers();
/// Adds a solver with its options; for the start of a program, before other threads. Of one name the first is found.
void register_solver(std::unique_ptr<Solver> solver);
/// The solver of this name, or null.
const Solver* find_solver(std::string_view name);

}  // namespace ergode
