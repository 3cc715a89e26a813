#pragma once

namespace llm_serving {

/// What GPUs that share a model tell each other after attention and after the feed-forward network of every layer: an
/// all-reduce around a ring of n, 2 (n - 1) messages after each other of 1 / n of the tensor (Thakur, Rabenseifner,
/// Gropp, Optimization of collective communication operations in MPICH, IJHPCA 19(1), 2005).
struct RingReduce {
  double gpus = 1.0;
  double reductions = 0.0;       ///< in a pass
  double bytes_per_token = 0.0;  ///< of the tensor
  double bandwidth = 1e9;        ///< of a link, one way [bytes/s]
  double latency_s = 0.0;        ///< of a message
  double ms(double tokens) const {
    return gpus > 1.0
               ? 1000.0 * reductions * 2.0 * (gpus - 1.0) * (tokens * bytes_per_token / gpus / bandwidth + latency_s)
               : 0.0;
  }
  /// To all ranks of a group and back, once: each sends its part of `bytes` around the ring (all-gather, then
  /// reduce-scatter).
  double exchange_ms(double ranks, double bytes) const {
    return ranks > 1.0 && bytes > 0.0 ? 1000.0 * 2.0 * (ranks - 1.0) * (bytes / bandwidth + latency_s) : 0.0;
  }
};

}  // namespace llm_serving
