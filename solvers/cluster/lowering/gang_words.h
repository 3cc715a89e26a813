#pragma once
#include "solvers/cluster/gang/gang_job.h"
#include "solvers/cluster/lowering/rental_words.h"

namespace ergode {

inline constexpr RentalWord<GangPolicy> gang_policy_words[] = {
    {name_of(GangPolicy::fifo), "first come first served", GangPolicy::fifo},
    {name_of(GangPolicy::backfill), "first come first served, who delays nobody passes (backfill)",
     GangPolicy::backfill},
    {name_of(GangPolicy::sjf), "shortest first, nobody is stopped", GangPolicy::sjf},
    {name_of(GangPolicy::srtf), "shortest remaining time first", GangPolicy::srtf},
    {name_of(GangPolicy::las), "least attained service in queues (Tiresias)", GangPolicy::las},
    {name_of(GangPolicy::equi), "all at once, evenly (EQUI)", GangPolicy::equi},
    {name_of(GangPolicy::drf), "dominant resource fairness between users (DRF)", GangPolicy::drf}};

/// What is meant where nothing is written.
inline constexpr const char *default_cluster_gpus = "64", *default_gpus_per_host = "8", *default_gang_gpus = "1",
                            *default_thresholds = "[3250]";

}  // namespace ergode
