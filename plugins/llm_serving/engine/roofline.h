#pragma once
#include <memory>
#include <string_view>

#include "plugins/llm_serving/engine/model_shape.h"
#include "plugins/llm_serving/engine/ring_reduce.h"
#include "plugins/llm_serving/engine/step_time.h"

namespace llm_serving {

/// Of one GPU.
struct Accelerator {
  double flops = 989.5e12;     ///< peak, of dense matrices in the numbers of the model [1/s]
  double bandwidth = 3.35e12;  ///< of its memory [bytes/s]
  double prefill_efficiency = 0.45, decode_efficiency = 0.3;  ///< share of the peak that prompts and decoding reach
};

/// What a pass computes, reads and sends, over all GPUs that share it; from the sizes of the model alone.
struct PassWork {
  double prefill_flops = 0.0, decode_flops = 0.0;
  double weight_bytes = 0.0;  ///< once a pass; of experts those that are reached
  double prefill_kv_bytes = 0.0, decode_kv_bytes = 0.0;
  double activation_bytes = 0.0;
  double reduce_bytes = 0.0;  ///< of all tensors that are added up over GPUs
};

/// How a mixture's experts are counted.
enum class ExpertReads : std::uint8_t {
  reached,    ///< that some token of the pass is sent to, in the mean, where all choices are as likely
  apart,      ///< as if no two tokens were sent to the same, until all are read
  per_token,  ///< as many as one token passes: what a single request reads
  all
};

/// The time of a pass from first principles: it computes for a time and moves bytes for a time, and takes the longer
/// one (Williams, Waterman, Patterson, Roofline, CACM 52(4), 2009); then what GPUs send each other over links, if any.
struct Roofline {
  ModelShape shape;
  Accelerator gpu;
  double gpus = 1.0;   ///< that share every pass, evenly
  double ranks = 1.0;  ///< replicas of so many GPUs that step together and hold a part of the experts each
  ExpertReads reads = ExpertReads::reached;
  double softmax_flops = 0.0;         ///< beside its products, of each head for each pair of tokens; 0: not counted
  double rotary_flops = 0.0;          ///< of a token in a layer, for each of its hidden numbers
  bool routes = true;                 ///< the matrix that says which experts a token goes to counts
  RingReduce link{.bandwidth = 0.0};  ///< its speed; a bandwidth of 0: nothing takes time there
  PassWork work(const Pass& pass) const;
  double links_ms(const Pass& pass) const;
  double ms(const Pass& pass) const;
};

/// Factors for the times of a roofline, learnt from measurements, and times for what it does not see. The pass takes
/// their sum: prompts' computing and keys and values, decoding's, weights, sums over GPUs; then microseconds.
struct RooflineFactors {
  double prefill_compute = 1.0, prefill_kv = 0.0, decode_compute = 0.0, decode_kv = 1.0, weights = 1.0;
  double all_reduce = 0.0;  ///< of its bytes over the bandwidth of memory
  double per_layer_us = 0.0, per_request_us = 0.0, per_pass_us = 0.0;
  double per_expert_layer_us = 0.0;  ///< where layers with experts and dense ones alternate
};

std::shared_ptr<const PassModel> pass_model(const Roofline& roofline);
/// Efficiencies and links do not count: the factors stand for them.
std::shared_ptr<const PassModel> pass_model(const Roofline& roofline, const RooflineFactors& factors);

/// A table with columns term, factor; terms are named as RooflineFactors names them, those that are missing are 0.
/// @throws std::invalid_argument
RooflineFactors read_roofline_factors(std::string_view csv);

}  // namespace llm_serving
