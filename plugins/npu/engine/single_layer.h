#pragma once
#include "plugins/npu/engine/lowering.h"
#include "plugins/npu/engine/simulator.h"

namespace npu {

/// A graph of one product; its weights are allocated here, input and output when it is released.
ModelInstance one_gemm(const Hardware& hardware, AddressSpace& space, const GemmShape& shape, bool has_bias);
/// A graph of one convolution with bias.
ModelInstance one_conv(const Hardware& hardware, AddressSpace& space, const ConvShape& shape);

}  // namespace npu
