#pragma once
#include "core/study/solver.h"

namespace ergode {

/// What a run is called (16 hexadecimal digits), and when it began (UTC, ISO 8601: 2026-01-31T12:00:00Z).
struct RunStart {
  std::string run_id, started_utc;
};
/// A new id, and now.
RunStart start_of_run();

/// Solves and adds to the provenance what only the one who runs it knows: run id, start and end, host, compiler,
/// threads and duration; and the command that makes a stopped run again, by the number of replications that it reached.
/// Where memory does not suffice, the results are failed with RUN004; other exceptions pass.
ResultSet solve_stamped(const Solver& solver, const Question& question, RunControl& control,
                        const RunStart& start = start_of_run());

/// SOL007 (info) where an exact solver answers the mean alone of what has a distribution by its kind or was asked for
/// it: nobody need find it missing.
void tell_of_means_alone(const Solver& solver, const Document& document, ResultSet& out);

}  // namespace ergode
