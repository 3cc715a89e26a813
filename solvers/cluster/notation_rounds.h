#pragma once
#include <vector>

#include "core/catalogue/catalogue.h"

namespace ergode {

/// What clusters have for training jobs that are scheduled in rounds: the kind `round_scheduler`, a cluster with its
/// trace or the streams of jobs that flow to it, its throughputs and its policy.
///
/// An expression of any diagram reads NAME.submitted, NAME.rejected, NAME.jobs (present), NAME.running, NAME.gpus (in
/// use now), NAME.up, NAME.host_failures, NAME.restarts, NAME.lost_work, NAME.done, and of the jobs that are done
/// NAME.makespan, NAME.mean_response_time, NAME.worst_fairness and NAME.unfair_fraction; and NAME.utilisation (so far
/// by rounds; when all are done without restores). Measures ask for the streams NAME.response_time and NAME.fairness
/// (rho of finish-time fairness).
NotationSpec rounds_notation();
/// What a stream says of jobs that flow to one.
std::vector<PropertySpec> round_job_properties();

}  // namespace ergode
