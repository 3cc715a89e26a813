#pragma once
#include "core/document/document.h"
#include "core/study/solver.h"

namespace ergode {

/// Solves and adds to the provenance what only the one who runs it knows: a fresh run id, start and end (UTC), host,
/// compiler, threads and duration.
ResultSet solve_stamped(const Solver& solver, const Document& document, const RunRequest& request, RunControl& control);

}  // namespace ergode
