#include "plugins/npu/engine/single_layer.h"

namespace npu {
namespace {

/// Room that is kept for an input.
constexpr std::uint64_t input_room = 16;

std::vector<SimulatedLayer> only_layer(const char* name, std::function<TileList()> tiles, const LayerWork& work) {
  SimulatedLayer layer;
  layer.name = name, layer.tiles = std::move(tiles), layer.work = work;
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
    return only_layer(
        "gemm", [&h, shape, all, has_bias] { return lower_gemm(h, shape, all, has_bias); },
        gemm_work(h, shape, has_bias));
  };
  return out;
}

ModelInstance one_conv(const Hardware& h, AddressSpace& space, const ConvShape& shape) {
  LayerAddresses at;
  at.weight = space.allocate(shape.out_channels * (shape.in_channels / shape.groups) * shape.high.kernel *
                             shape.wide.kernel * h.precision);
  at.bias = space.allocate(shape.out_channels * h.precision);
  ModelInstance out;
  out.name = "conv";
  out.build = [&h, shape, at](AddressSpace& to) {
    LayerAddresses all = at;
    all.input =
        to.allocate(shape.batch * shape.high.size * shape.wide.size * shape.in_channels * h.precision * input_room);
    all.output = to.allocate(shape.batch * shape.high.out() * shape.wide.out() * shape.out_channels * h.precision);
    return only_layer(
        "conv", [&h, shape, all] { return lower_conv(h, shape, all); }, conv_work(h, shape));
  };
  return out;
}

}  // namespace npu
