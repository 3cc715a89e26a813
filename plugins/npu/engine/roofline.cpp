#include "plugins/npu/engine/roofline.h"

#include <algorithm>

namespace npu {

const char* layer_kind_text(LayerKind kind) {
  constexpr const char* texts[] = {"free", "product", "convolution", "attention", "normalisation", "elementwise"};
  return texts[static_cast<std::size_t>(kind)];
}

LayerWork product_work(const Hardware& h, double rows, double depth, double columns, bool bias) {
  LayerWork out;
  out.kind = LayerKind::product;
  out.array_flops = 2.0 * rows * depth * columns + (bias ? rows * columns : 0.0);
  out.bytes = h.precision * (rows * depth + depth * columns + rows * columns + (bias ? columns : 0.0));
  return out;
}

LayerWork attention_work(const Hardware& h, double tokens, double keys, double heads, double head_width) {
  LayerWork out;
  out.kind = LayerKind::attention;
  constexpr double products = 4.0, softmax = 5.0, accumulator_bytes = 4.0;
  out.array_flops = products * tokens * keys * heads * head_width;
  // Scores have the accumulator's width: as many more passes of the vector unit.
  out.vector_flops = softmax * tokens * keys * heads * accumulator_bytes / h.precision;
  out.bytes = 2.0 * h.precision * (tokens + keys) * heads * head_width;
  return out;
}

LayerWork vector_work(const Hardware& h, LayerKind kind, double read, double written, double operations) {
  LayerWork out;
  out.kind = kind, out.vector_flops = written * operations, out.bytes = h.precision * (read + written);
  return out;
}

NpuRoofline roofline(const Hardware& h, const LayerWork& work) {
  constexpr double giga = 1e9;
  const double array = work.array_flops / (h.peak_gflops() * giga);
  const double vector = work.vector_flops / (h.peak_vector_gflops() * giga);
  const double memory = work.bytes / (h.peak_gb_per_s() * giga);
  NpuRoofline out;
  out.seconds = std::max({array, vector, memory});
  if (out.seconds > 0.0)
    out.limit = memory >= array && memory >= vector ? NpuRoofline::Limit::memory
                : array >= vector                   ? NpuRoofline::Limit::array
                                                    : NpuRoofline::Limit::vector;
  return out;
}

}  // namespace npu
