#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// Clusters of accelerators and the jobs that run on them: streams of jobs of different types (arrivals, sizes,
/// speedups, or traces), and what they flow to: rentals, which are GPUs rented by the hour on a budget, and pools of
/// hosts under a batch scheduler, beside which a provisioner may keep a service alive.
///
/// An expression of any diagram reads of a stream NAME.submitted (jobs that have come), NAME.jobs (present) and
/// NAME.gpus (that they have now); of a rental NAME.jobs, NAME.gpus (rented now), NAME.spend (money per time now) and
/// NAME.failures. Measures ask for the streams of observations NAME.response_time, NAME.gpu_time and NAME.cost of a
/// rental, each by the type of job. What runs is in running/running_rentals.h.
/// Terms as in Li, Berg, Mukhopadhyay and Harchol-Balter, How to Rent GPUs on a Budget, arXiv 2406.15560, 2024.
/// Of a pool NAME.jobs (present), NAME.waiting, NAME.busy (hosts), NAME.gpus (of these), NAME.killed; observed are
/// NAME.wait and NAME.response_time, by the stream of jobs; of a provisioner NAME.interruption, NAME.overlap,
/// NAME.wait. What runs is in running/running_batch.h.
NotationSpec cluster_notation();
/// Adds to it how pools of hosts are lowered: a part of the model beside that of rentals.
NotationSpec batch_notation();

}  // namespace ergode
