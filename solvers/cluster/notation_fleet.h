#pragma once
#include <vector>

#include "core/catalogue/catalogue.h"

namespace ergode {

/// What clusters have for GPUs that differ: the kind `gpu_fleet`, nodes of GPUs drawn anew for each history, and how
/// jobs are placed on them.
///
/// An expression of any diagram reads NAME.submitted, NAME.rejected, NAME.jobs (present), NAME.waiting, NAME.busy (GPUs
/// in use now), NAME.done, NAME.spend (money per time), NAME.power, and of the jobs done so far NAME.makespan,
/// NAME.mean_response_time, NAME.mean_slowdown and NAME.utilisation; with a baseline the same of it as
/// NAME.baseline_... . Measures ask for the streams NAME.wait, NAME.response_time and NAME.slowdown, each by the stream
/// of jobs.
NotationSpec fleet_notation();
/// What a stream of jobs has for fleets: its GPUs, its class of application, what several nodes cost it, the memory
/// that it needs, and how many come.
std::vector<PropertySpec> fleet_job_properties();

}  // namespace ergode
