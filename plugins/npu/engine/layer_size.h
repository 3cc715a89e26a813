#pragma once
#include <string>

#include "plugins/npu/engine/mapping.h"

namespace npu {

/// What a layer's tiles are in memory, which is there from its start to its end.
struct LayerSize {
  double tiles = 0.0;         ///< exact
  double instructions = 0.0;  ///< exact
  double requests = 0.0;      ///< at least; requests that rows share may count for each
  double bytes() const;
};
/// What a layer may take, so that it is refused before it takes the machine's memory.
constexpr double most_layer_bytes = 2147483648.0;

/// Of lower_gemm() and lower_conv(), without making them. O(1).
LayerSize layer_size(const Hardware& hardware, const GemmShape& shape, const GemmMapping& map, bool has_bias);
LayerSize layer_size(const Hardware& hardware, const ConvShape& shape, const ConvMapping& map);

/// @param at_once  how many of them are there at one time
/// @throws std::invalid_argument  naming the layer, with what is seen and wanted
void check_layer_size(const std::string& layer, const LayerSize& size, std::uint64_t at_once = 1);

}  // namespace npu
