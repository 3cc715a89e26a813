#pragma once
#include <functional>
#include <vector>

#include "core/results/result_table.h"
#include "solvers/cluster/gang/gang_simulation.h"
#include "solvers/cluster/model/gang_model.h"
#include "solvers/cluster/running/gang_log.h"

namespace ergode {

/// What clusters of GPUs come to whose jobs all come by traces, until the last job is done: nothing random touches
/// them. With several clusters names get that of the cluster behind them.
///
///     schedule  one row: makespan, means, utilisation, fragmentation, energy and cost
///     jobs      a row for each job in the order of arrival
///     gantt     a row for each stretch of a job on the GPUs of one host; none of equi, where all share all
///
/// @param look  called now and then; what it throws ends the work
/// @returns the tables, without the name of a solver. O(what the schedules cost).
std::vector<ResultTable> gang_tables(const GangModel& model, const std::function<void()>& look = {});

/// The same of the first history of a run, of clusters to which some jobs come that are drawn: until its last event, so
/// who was not done by then has no completion. And of each cluster that has a price, a power or a budget
///
///     spend     rows over time: GPUs that are busy, what is spent and drawn, cost and energy so far
///
/// @returns the tables, without the name of a solver; none where no history was written.
std::vector<ResultTable> gang_history_tables(const GangModel& model, const std::vector<GangRecord>& records);

}  // namespace ergode
