#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace ergode {

// Structured partial backpropagation: in data-parallel training worker j of k propagates back through the last part
// phi_j of the layers only. After the abstract of arXiv 2111.10672 (DistributedML 2021): the shares, what they cost and
// how gradients are averaged are engineering assumptions, stated here; nothing is said of accuracy.

/// One iteration of one worker with full backpropagation.
struct IterationCosts {
  double forward_s = 1.0, backward_s = 2.0;  ///< > 0, >= 0
  double parameter_bytes = 0.0;              ///< and as many of gradients
  double optimiser_bytes = 0.0, activation_bytes = 0.0;
};

/// phi_j = j / k of worker j = 1 ... k, ascending.
std::vector<double> linear_shares(std::uint32_t workers);
/// T_f + phi T_b [s].
double worker_time_s(const IterationCosts& costs, double phi);
/// Gradients that it sends: phi P [bytes].
double worker_gradient_bytes(const IterationCosts& costs, double phi);
/// Parameters, state of the optimiser, and of the layers that are differentiated gradients and activations [bytes].
double worker_memory_bytes(const IterationCosts& costs, double phi);
/// Ring all-reduce of V bytes by k workers: 2 (k - 1) / k V / bandwidth; an assumption. 0 of one worker.
/// @param bytes_per_s  may be infinite: no time
double ring_time_s(std::uint32_t workers, double bytes, double bytes_per_s);
/// Compute time saved against full backpropagation, 0 to below 1: 1 - mean (T_f + phi_j T_b) / (T_f + T_b).
double work_saved(const IterationCosts& costs, std::span<const double> phi);
/// Two alike jobs on the same GPUs with mirrored shares, against full backpropagation:
/// 2 (T_f + T_b) / (2 T_f + (1 + 1 / k) T_b) for shares j / k.
double mirrored_speedup(const IterationCosts& costs, std::uint32_t workers);

/// Layers that the same workers differentiate: a part of the network next to the one before, the first next to the
/// output.
struct LayerGroup {
  double from = 0.0, to = 1.0;   ///< share of the layers, counted from the output
  std::uint32_t workers = 0;     ///< that its gradient is averaged over
  double effective_batch = 0.0;  ///< share of the global batch that trains it
};
/// @param phi  0 ... 1, in any order. Layers that nobody differentiates are a group of 0 workers. O(k log k).
std::vector<LayerGroup> layer_groups(std::span<const double> phi);

}  // namespace ergode
