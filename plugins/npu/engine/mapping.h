#pragma once
#include <cstdint>

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

/// Square convolution.
struct ConvShape {
  std::uint64_t batch = 1, size = 1, in_channels = 1, out_channels = 1, kernel = 1, stride = 1, pad = 0, dilation = 1;
  std::uint64_t out_size() const { return (size + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1; }
};
/// Loop counts: N batch, NpuParameter width, Q height of the output, M output channels, S, R kernel, C input channels.
struct ConvLoops {
  std::uint64_t n = 1, p = 1, q = 1, m = 1, s = 1, r = 1, c = 1;
};
struct ConvMapping {
  ConvLoops inner, outer;
};
/// Gemmini's rule (Genc et al., DAC 2021): shrinks the largest loop until a tile fits, then grows each while it does.
ConvMapping map_conv(const Hardware& hardware, const ConvShape& shape);

}  // namespace npu
