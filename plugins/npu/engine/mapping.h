#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

#include "plugins/npu/engine/hardware.h"
#include "plugins/support/onnx_shapes.h"

namespace npu {

using plugin_support::ConvShape, plugin_support::GemmShape, plugin_support::WindowAxis;

struct GemmMapping {
  GemmShape inner, outer;
};
/// How much of a product a tile does: the square of blocks that fills half of the accumulator, as deep as half of the
/// scratchpad lets it, then more tiles until all cores have one.
GemmMapping map_gemm(const Hardware& hardware, const GemmShape& shape);

/// Loop counts: N batch, P width, Q height of the output, M output channels, S, R kernel, C input channels.
struct ConvLoops {
  std::uint64_t n = 1, p = 1, q = 1, m = 1, s = 1, r = 1, c = 1;
  bool operator==(const ConvLoops&) const = default;
};
struct ConvMapping {
  ConvLoops inner, outer;
};
/// A mapping by hand whose tiles do not fit into half of a scratchpad or accumulator.
struct BadMapping : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
/// Whether a tile fits into half of each memory, counted as map_gemm() and map_conv() count it. @throws BadMapping
/// naming the layer, with bytes seen and wanted
void check_mapping(const Hardware& hardware, const std::string& layer, const GemmMapping& map);
void check_mapping(const Hardware& hardware, const std::string& layer, const ConvShape& shape, const ConvMapping& map);

ConvMapping outer_loops(const ConvLoops& inner, const ConvShape& shape);
/// Gemmini's rule (Genc et al., DAC 2021): shrinks the largest loop until a tile fits, then grows each while it does.
/// Of a group's channels where there are groups.
ConvMapping map_conv(const Hardware& hardware, const ConvShape& shape);

}  // namespace npu
