#pragma once
#include <functional>
#include <vector>

#include "core/results/result_table.h"
#include "solvers/cluster/gang/gang_simulation.h"
#include "solvers/cluster/model/gang_model.h"
#include "solvers/cluster/running/gang_log.h"

namespace ergode {

/// What clusters of GPUs come to whose jobs all come by traces, until the last job is done or the run ends, in the
/// order of clusters: nothing random touches them.
///
/// @param until_s  the end of the run [s]
/// @param look  called now and then; what it throws ends the work
/// O(what the schedules cost).
std::vector<GangSchedule> traced_schedules(const GangModel& model, double until_s,
                                           const std::function<void()>& look = {});

/// Tables of these schedules. With several clusters names get that of the cluster behind them.
///
///     schedule  one row: makespan, means, utilisation, fragmentation, energy and cost
///     jobs      a row for each job in the order of arrival
///     gantt     a row for each stretch of a job on hosts that are neighbours; none of equi, where all share all
///
/// @param made  all of traced_schedules()
/// @returns the tables, without the name of a solver. O(their rows).
std::vector<ResultTable> gang_tables(const GangModel& model, const std::vector<GangSchedule>& made);

/// The same of the first history of a run, of clusters to which some jobs come that are drawn: until it ends, so
/// who was not done by then has no completion. And of each cluster that has a price, a power or a budget
///
///     spend     rows over time: GPUs that are busy, what is spent and drawn, cost and energy so far
///
/// @returns the tables, without the name of a solver; none where no history was written.
std::vector<ResultTable> gang_history_tables(const GangModel& model, const std::vector<GangRecord>& records);

}  // namespace ergode
