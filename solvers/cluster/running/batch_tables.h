#pragma once
#include <functional>
#include <vector>

#include "core/results/result_table.h"
#include "solvers/cluster/model/batch_model.h"

namespace ergode {

/// What pools and provisioners come to that nothing random touches. With several of a sort names get that of the
/// element behind them.
///
///     jobs       of a pool whose jobs come by one trace, scheduled without a provisioner: a row for each job in the
///     order
///                of submission, with its arrival, start, completion and state (completed, killed, rejected)
///     gantt      of such a pool: who ran from when to when on how many hosts
///     decisions  of a provisioner: a row for each job of a chain behind the first, start by start, with what the
///                reactive and the average provisioner come to beside it (their columns are those of a chain of two)
///
/// @param look  called now and then; what it throws ends the work
/// @returns the tables, without the name of a solver. O(what the schedules cost).
std::vector<ResultTable> batch_tables(const BatchModel& model, const std::function<void()>& look = {});

/// All jobs of a pool's trace, scheduled. Precondition: they come by one trace.
BatchSchedule schedule_of(const BatchModel& model, const BatchModel::Pool& pool,
                          const std::function<void()>& look = {});

}  // namespace ergode
