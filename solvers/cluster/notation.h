#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// Clusters of accelerators and the jobs that run on them. So far GPUs that are rented by the hour on a budget: streams
/// of jobs of different types (arrivals, sizes, speedups), and the rentals that they flow to.
///
/// An expression of any diagram reads of a stream NAME.submitted (jobs that have come), NAME.jobs (present) and
/// NAME.gpus (that they have now); of a rental NAME.jobs, NAME.gpus (rented now), NAME.spend (money per time now) and
/// NAME.failures. Measures ask for the streams of observations NAME.response_time, NAME.gpu_time and NAME.cost of a
/// rental, each by the type of job. What runs is in running/running_rentals.h.
/// Terms as in Li, Berg, Mukhopadhyay and Harchol-Balter, How to Rent GPUs on a Budget, arXiv 2406.15560, 2024.
NotationSpec cluster_notation();

}  // namespace ergode
