#pragma once
#include "solvers/cluster/iterations/iteration_schedule.h"
#include "solvers/cluster/lowering/rental_words.h"

namespace ergode {

inline constexpr RentalWord<IterationPolicy> iteration_policy_words[] = {
    {"jigsaw", "iterations packed piece by piece (JigSaw, after the abstract)", IterationPolicy::jigsaw},
    {"time_slicing", "GPUs shared, an iteration's pieces together", IterationPolicy::time_slicing},
    {"fifo_gang", "GPUs of one's own, first come first served", IterationPolicy::fifo_gang},
    {"srtf_gang", "GPUs of one's own, the least time left first", IterationPolicy::srtf_gang}};

inline constexpr RentalWord<bool> backpropagation_words[] = {
    {"partial", "each worker a share of the layers (SPB, after the abstract)", true},
    {"full", "all workers all layers", false}};

/// What a schedule is compared with.
enum class IterationBaseline : std::uint8_t { time_slicing, fifo_gang, srtf_gang, full };
inline constexpr RentalWord<IterationBaseline> iteration_baseline_words[] = {
    {"time_slicing", "GPUs shared, an iteration's pieces together", IterationBaseline::time_slicing},
    {"fifo_gang", "GPUs of one's own, first come first served", IterationBaseline::fifo_gang},
    {"srtf_gang", "GPUs of one's own, the least time left first", IterationBaseline::srtf_gang},
    {"full", "the same policy with full backpropagation", IterationBaseline::full}};

/// What is meant where nothing is written.
inline constexpr const char *default_iteration_gpus_per_host = "1", *default_stream_gpus = "1",
                            *default_job_iterations = "1000";

}  // namespace ergode
