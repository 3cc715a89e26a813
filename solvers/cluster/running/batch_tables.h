#pragma once
#include <functional>
#include <vector>

#include "core/results/result_table.h"
#include "solvers/cluster/model/batch_model.h"

namespace ergode {

/// What pools and provisioners come to that nothing random touches, worked out once and whole.
struct BatchSchedules {
  std::vector<ResultTable> of_services;
  std::vector<BatchSchedule> of_pools;  ///< of each that is known beforehand, in their order
};
/// @param look  called now and then; what it throws ends the work
/// O(what the schedules cost).
BatchSchedules batch_schedules(const BatchModel& model, const std::function<void()>& look = {});

/// Their tables. With several of a sort names get that of the element behind them.
///
///     jobs       of a pool whose jobs come by one trace, scheduled without a provisioner: a row for each job in the
///     order
///                of submission, with its arrival, start, completion and state (job_state.h); of who has come
///     gantt      of such a pool: who ran from when to when on how many hosts, until the end of the run
///     decisions  of a provisioner: a row for each job of a chain behind the first, start by start, with what the
///                reactive and the average provisioner come to beside it (their columns are those of a chain of two)
///     questions  of a provisioner that is asked: a row for each time that it was, with what it saw, what it went by
///                and what it said; the first 10⁵
///     provisioning, load_classes  what became of them, all together and by how long the service is interrupted at that
///                start under the reactive provisioner: up to 2 h, up to 12 h, longer (Mirage's loads)
///
/// @param end_s  of the run [s]. Histories of a pool with a provisioner begin in the midst of the trace, so its tables
///               have the whole trace
/// @returns the tables, without the name of a solver
std::vector<ResultTable> batch_tables(const BatchModel& model, const BatchSchedules& made, double end_s);

/// All jobs of a pool's trace, scheduled. Precondition: they come by one trace.
BatchSchedule schedule_of(const BatchModel& model, const BatchModel::Pool& pool,
                          const std::function<void()>& look = {});

}  // namespace ergode
