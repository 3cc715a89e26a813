#pragma once
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugins/abi/ergode_plugin.h"
#include "plugins/llm_serving/engine/service.h"
#include "plugins/llm_serving/engine/workload.h"
#include "plugins/support/bad_input.h"

namespace llm_serving {

/// Parameters in the order of plugin.json, which says what they mean.
struct P {
  enum Index : std::uint32_t {
    requests_file,
    arrival_rate,
    burstiness,
    requests,
    prompt_law,
    prompt_mean,
    prompt_sd,
    output_law,
    output_mean,
    output_sd,
    prefix_groups,
    prefix_tokens,
    step_time,
    profile,
    base,
    per_context_token,
    per_token,
    per_request,
    overhead,
    tensor_parallel,
    parallel_share,
    all_reduce,
    drafter,
    draft_base,
    draft_pass,
    lookup_share,
    match,
    tree_width,
    acceptance,
    acceptance_file,
    policy,
    length,
    longest,
    interval,
    bias,
    batching,
    max_running,
    max_batched_tokens,
    max_prefills,
    schedules_ahead,
    overlaps_last_pass,
    cache_blocks,
    block_size,
    watermark,
    preemption,
    swap_per_token,
    shares_prefixes,
    replicas,
    routing,
    prefill_replicas,
    transfer,
    transfer_per_token,
    ttft_limit,
    tpot_limit,
    gpu_price,
    prefill_times,
    decode_times,
    model_config,
    operator_times,
    request_times,
    attention_times,
    attention_spread,
    spread_times,
    expert_times,
    together,
    link_bandwidth,
    link_latency,
    gpu_flops,
    memory_bandwidth,
    prefill_efficiency,
    decode_efficiency,
    expert_reads,
    roofline_factors,
    reduce_times,
    gpu_memory,
    memory_share,
    adapters,
    adapter_popularity,
    adapter_share,
    adapters_file,
    adapter_slots,
    adapter_queue,
    adapter_rank,
    adapter_size,
    adapter_load,
    adapter_bandwidth,
    adapter_overhead,
    against_none,
    count
  };
};

/// What is asked of the plugin, as the engine takes it.
struct Setup {
  ServiceOptions service;
  Workload workload;
  std::string requests_file;     ///< empty: drawn from the workload
  std::vector<Request> listed;   ///< of that file
  bool adapters_listed = false;  ///< it says whose adapter each asks for, else they are drawn
  double ttft_limit_s = 1.0, tpot_limit_s = 0.05;
  double gpu_price_per_h = 0.0;  ///< USD
  bool against_none = false;     ///< served once more without speculation
  std::string fit;               ///< how good the fit to a profile is, in words; empty: there is none
  std::uint32_t gpus = 1;        ///< of a replica
  bool has_adapter(const Served& one) const { return service.replica.adapters.any() && one.adapter != Request::none; }
  bool attained(const Served& one) const { return one.ttft_s() <= ttft_limit_s && one.tpot_s() <= tpot_limit_s; }
};

using plugin_support::BadInput;

/// Reads files too. @throws BadInput
Setup read_setup(const ergode_input& input);
/// The same; the one that was asked for last is kept, as replications ask for it one after the other, unless one of its
/// files has another time or size by now. From any thread.
std::shared_ptr<const Setup> kept_setup(const ergode_input& input);
/// Of the file, or drawn.
std::vector<Request> requests_of(const Setup& setup, std::uint64_t seed);

}  // namespace llm_serving
