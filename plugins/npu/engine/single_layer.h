#pragma once
#include "plugins/npu/engine/lowering.h"
#include "plugins/npu/engine/mapping_file.h"
#include "plugins/npu/engine/simulator.h"

namespace npu {

/// A graph of one product; its weights are allocated here, input and output when it is released. A line of `mapping`
/// with its loops stands in for the computed mapping. @throws BadMapping
ModelInstance one_gemm(const Hardware& hardware, AddressSpace& space, const GemmShape& shape, bool has_bias,
                       const MappingFile& mapping = {});
/// A graph of one convolution with bias.
ModelInstance one_conv(const Hardware& hardware, AddressSpace& space, const ConvShape& shape,
                       const MappingFile& mapping = {});

}  // namespace npu
