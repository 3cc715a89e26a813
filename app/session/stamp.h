#pragma once
#include "core/study/solver.h"

namespace ergode {

/// What a run is called, and when it began (UTC, ISO 8601).
struct RunStart {
  std::string run_id, started_utc;
};
/// A new id, and now.
RunStart start_of_run();

/// Solves and adds to the provenance what only the one who runs it knows: run id, start and end, host, compiler,
/// threads and duration; and the command that makes a stopped run again.
ResultSet solve_stamped(const Solver& solver, const Question& question, RunControl& control,
                        const RunStart& start = start_of_run());

}  // namespace ergode
