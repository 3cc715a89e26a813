#include "plugins/npu/engine/single_layer.h"

namespace npu {
namespace {

/// Room that is kept for an input.
constexpr std::uint64_t input_room = 16;

std::vector<SimulatedLayer> only_layer(const char* name, std::function<TileList()> tiles) {
  SimulatedLayer layer;
  layer.name = name, layer.tiles = std::move(tiles);
  return {layer};
}

}  // namespace

ModelInstance one_gemm(const Hardware& h, AddressSpace& space, const GemmShape& shape, bool has_bias) {
  LayerAddresses at;
  at.weight = space.allocate(shape.depth * shape.columns * h.precision);
  if (has_bias) at.bias = space.allocate(shape.columns * h.precision);
  ModelInstance out;
  out.name = "gemm";
  out.build = [&h, shape, at, has_bias](AddressSpace& to) {
    LayerAddresses all = at;
    all.input = to.allocate(shape.rows * shape.depth * h.precision * input_room);
    all.output = to.allocate(shape.rows * shape.columns * h.precision);
    return only_layer("gemm", [&h, shape, all, has_bias] { return lower_gemm(h, shape, all, has_bias); });
  };
  return out;
}

ModelInstance one_conv(const Hardware& h, AddressSpace& space, const ConvShape& shape) {
  LayerAddresses at;
  at.weight = space.allocate(shape.out_channels * shape.in_channels * shape.kernel * shape.kernel * h.precision);
  at.bias = space.allocate(shape.out_channels * h.precision);
  ModelInstance out;
  out.name = "conv";
  out.build = [&h, shape, at](AddressSpace& to) {
    LayerAddresses all = at;
    all.input = to.allocate(shape.batch * shape.size * shape.size * shape.in_channels * h.precision * input_room);
    all.output = to.allocate(shape.batch * shape.out_size() * shape.out_size() * shape.out_channels * h.precision);
    return only_layer("conv", [&h, shape, all] { return lower_conv(h, shape, all); });
  };
  return out;
}

}  // namespace npu
