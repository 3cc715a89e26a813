#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/results/result_table.h"
#include "solvers/cluster/model/iteration_model.h"
#include "solvers/cluster/running/iteration_log.h"

namespace ergode {

/// What one scheduler of iterations made of its jobs, by job.
struct IterationsTold {
  const IterationModel::Scheduler* scheduler = nullptr;
  bool exact = true;   ///< nothing is drawn
  double end_s = 0.0;  ///< of the run
  std::span<const IterationJob> jobs;
  std::vector<std::string> names;
  std::vector<IterationOutcome> until;  ///< at the end of the run
  const IterationRun *run = nullptr, *baseline = nullptr;
  std::span<const IterationRecord::From> from;  ///< empty: no host fails and nobody is rejected
  std::size_t untold = 0;
};

/// `schedule` (it and its baseline, whole), `jobs` (as they were at the end of the run), `layers` (over how many
/// workers the gradients of groups of layers are averaged), `gantt` and `iterations` (what each GPU did, the first
/// pieces).
std::vector<ResultTable> iteration_tables(const IterationsTold& told, const std::string& suffix);

}  // namespace ergode
