#include "plugins/npu/engine/single_layer.h"

#include "plugins/npu/engine/layer_size.h"

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

ModelInstance one_gemm(const Hardware& h, AddressSpace& space, const GemmShape& shape, bool has_bias,
                       const MappingFile& mapping) {
  LayerAddresses at;
  at.weight = space.allocate(shape.depth * shape.columns * h.precision);
  if (has_bias) at.bias = space.allocate(shape.columns * h.precision);
  ModelInstance out;
  out.name = "gemm";
  const auto map = mapping.of(h, out.name, shape);
  check_layer_size(out.name, layer_size(h, shape, map ? *map : map_gemm(h, shape), has_bias));
  out.build = [&h, shape, at, has_bias, map](AddressSpace& to) {
    LayerAddresses all = at;
    all.input = to.allocate(shape.rows * shape.depth * h.precision * input_room);
    all.output = to.allocate(shape.rows * shape.columns * h.precision);
    return only_layer(
        "gemm", [&h, shape, all, has_bias, map] { return lower_gemm(h, shape, all, has_bias, map ? &*map : nullptr); },
        gemm_work(h, shape, has_bias));
  };
  return out;
}

ModelInstance one_conv(const Hardware& h, AddressSpace& space, const ConvShape& shape, const MappingFile& mapping) {
  LayerAddresses at;
  at.weight = space.allocate(shape.out_channels * (shape.in_channels / shape.groups) * shape.high.kernel *
                             shape.wide.kernel * h.precision);
  at.bias = space.allocate(shape.out_channels * h.precision);
  ModelInstance out;
  out.name = "conv";
  const auto map = mapping.of(h, out.name, shape);
  check_layer_size(out.name, layer_size(h, shape, map ? *map : map_conv(h, shape)));
  out.build = [&h, shape, at, map](AddressSpace& to) {
    LayerAddresses all = at;
    all.input =
        to.allocate(shape.batch * shape.high.size * shape.wide.size * shape.in_channels * h.precision * input_room);
    all.output = to.allocate(shape.batch * shape.high.out() * shape.wide.out() * shape.out_channels * h.precision);
    return only_layer(
        "conv", [&h, shape, all, map] { return lower_conv(h, shape, all, map ? &*map : nullptr); },
        conv_work(h, shape));
  };
  return out;
}

}  // namespace npu
