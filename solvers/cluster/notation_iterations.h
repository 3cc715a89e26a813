#pragma once
#include "core/catalogue/catalogue.h"

namespace ergode {

/// What clusters have for training jobs whose workers propagate back through parts of the network: the kind
/// `iteration_scheduler`, GPUs with their jobs and who runs each iteration. After the abstract of arXiv 2111.10672.
///
/// An expression of any diagram reads NAME.jobs (present), NAME.done, NAME.mean_response_time (of those done), and when
/// all are done NAME.makespan, NAME.busy (share of GPU time computed), NAME.network_bytes, NAME.peak_memory,
/// NAME.baseline_makespan, NAME.baseline_response_time and NAME.baseline_busy. Measures ask for the stream
/// NAME.response_time.
NotationSpec iterations_notation();

}  // namespace ergode
