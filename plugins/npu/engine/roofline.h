#pragma once
#include <cstdint>

#include "plugins/npu/engine/hardware.h"

namespace npu {

/// What a layer is, for tables and figures.
enum class LayerKind : std::uint8_t { free, product, convolution, attention, normalisation, elementwise };
const char* layer_kind_text(LayerKind kind);

/// What a layer must do at least: each tensor moves once.
struct LayerWork {
  LayerKind kind = LayerKind::free;
  double array_flops = 0.0, vector_flops = 0.0, bytes = 0.0;
};
LayerWork product_work(const Hardware& hardware, double rows, double depth, double columns, bool bias);
/// Queries of `tokens` against `keys`, in `heads` of `head_width`.
LayerWork attention_work(const Hardware& hardware, double tokens, double keys, double heads, double head_width);
/// `read` and `written` elements, some operations each.
LayerWork vector_work(const Hardware& hardware, LayerKind kind, double read, double written, double operations);

/// The bound that the slowest of array, vector units and memory sets (Williams, Waterman and Patterson, Roofline,
/// CACM 52(4), 2009), for all cores together.
struct NpuRoofline {
  double seconds = 0.0;
  enum class Limit : std::uint8_t { none, array, vector, memory } limit = Limit::none;
};
NpuRoofline roofline(const Hardware& hardware, const LayerWork& work);

}  // namespace npu
