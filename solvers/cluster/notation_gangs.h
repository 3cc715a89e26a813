#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// What clusters have for jobs that need several GPUs at once: the kind `gpu_cluster`, GPUs under a scheduler of gangs
/// (gang/gang_job.h), to which streams of jobs flow.
///
/// An expression of any diagram reads NAME.submitted, NAME.jobs (present), NAME.waiting, NAME.gpus (that jobs have),
/// NAME.free, NAME.stranded (free GPUs while somebody waits and nobody who waits fits), NAME.preemptions, NAME.done,
/// NAME.rejected, NAME.power and NAME.makespan (from the first arrival to the last end so far). Measures ask for the
/// streams NAME.response_time (completion time), NAME.wait (without GPUs), NAME.slowdown and NAME.cost, each by the
/// stream of jobs.
NotationSpec gangs_notation();

}  // namespace ergode
