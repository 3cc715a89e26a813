#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

#include "plugins/npu/engine/hardware.h"

namespace npu {

/// Rows of the input times the weights, depth x columns.
struct GemmShape {
  std::uint64_t rows = 1, depth = 1, columns = 1;
};
struct GemmMapping {
  GemmShape inner, outer;
};
/// How much of a product a tile does: the square of blocks that fills half of the accumulator, as deep as half of the
/// scratchpad lets it, then more tiles until all cores have one.
GemmMapping map_gemm(const Hardware& hardware, const GemmShape& shape);

/// One axis of a convolution or pooling.
struct WindowAxis {
  std::uint64_t size = 1, kernel = 1, stride = 1, pad = 0, pad_end = 0, dilation = 1;
  std::uint64_t reach() const { return dilation * (kernel - 1); }
  std::uint64_t out() const { return (size + pad + pad_end - reach() - 1) / stride + 1; }
  bool operator==(const WindowAxis&) const = default;
};
/// Convolution of images whose height and width have windows of their own.
struct ConvShape {
  ConvShape() = default;
  /// As high as wide.
  ConvShape(std::uint64_t size, std::uint64_t in, std::uint64_t out, std::uint64_t kernel, std::uint64_t stride,
            std::uint64_t pad)
      : high{size, kernel, stride, pad, pad, 1}, wide(high), in_channels(in), out_channels(out) {}
  WindowAxis high, wide;
  std::uint64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  std::uint64_t pool_high = 1, pool_wide = 1;  ///< of the outputs, one is stored for each block of these
  bool square() const { return high == wide; }
};
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
