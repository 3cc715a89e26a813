#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "core/study/solver.h"

namespace ergode {

/// Every built-in solver; made once.
const std::vector<std::unique_ptr<Solver>>& solvers();
/// The solver of this name, or null.
const Solver* find_solver(std::string_view name);

}  // namespace ergode
