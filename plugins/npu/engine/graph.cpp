#include "plugins/npu/engine/graph.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include "plugins/npu/engine/layer_size.h"
#include "plugins/npu/engine/lowering.h"

namespace npu {
namespace {

using plugin_support::elements, plugin_support::OnnxShapes, plugin_support::TensorShape;

/// What costs nothing in the reference, and time when corrected.
const std::map<std::string, Op>& elementwise_operators() {
  static const std::map<std::string, Op> all = {
      {"Add", Op::add},   {"Mul", Op::mul},   {"Sub", Op::add},     {"Div", Op::div},  {"Relu", Op::comp},
      {"Gelu", Op::gelu}, {"Clip", Op::comp}, {"Sigmoid", Op::exp}, {"Tanh", Op::exp}, {"Softmax", Op::exp}};
  return all;
}
bool costs_when_corrected(const GraphNode& node) {
  return elementwise_operators().count(node.op) > 0 || node.op == "MaxPool" || node.op == "AveragePool" ||
         node.op == "GlobalAveragePool";
}

/// Tensors and layers of one release.
class GraphLowering {
 public:
  GraphLowering(const Hardware& h, AddressSpace& space, const Graph& graph, OnnxShapes shapes,
                std::map<std::string, PlacedTensor> placed, const GraphOptions& options)
      : h_(h),
        space_(space),
        graph_(graph),
        shapes_(std::move(shapes)),
        tensors_(std::move(placed)),
        options_(options),
        nodes_(nodes_of(graph, options.attention_layers)) {}

  std::vector<SimulatedLayer> layers(double weight_bytes) {
    double bytes = weight_bytes;
    constexpr std::uint64_t input_room = 16;
    shapes_.add_inputs(graph_, options_.axes);
    for (const GraphTensor& in : graph_.inputs) {
      const std::uint64_t size = elements(shapes_.of(in.name)) * h_.precision;
      tensors_[in.name] = {space_.allocate(size * input_room)};
      bytes += static_cast<double>(size);
    }
    for (std::uint32_t i = 0; i < nodes_; ++i) {
      const GraphNode& node = graph_.nodes[i];
      shapes_.add_outputs(node);
      for (const std::string& name : node.outputs) {
        if (name.empty()) continue;
        const std::uint64_t size = elements(shapes_.of(name)) * h_.precision;
        tensors_[name] = {space_.allocate(size), i};
        bytes += static_cast<double>(size);
      }
    }
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    if (h_.dram_gb > 0.0 && bytes > h_.dram_gb * gib)
      throw std::invalid_argument("weights and tensors are " + std::to_string(bytes / gib) + " GiB; the memory has " +
                                  std::to_string(h_.dram_gb));
    layers_.resize(nodes_);
    for (std::uint32_t i = 0; i < nodes_; ++i) lower(i);
    for (std::uint32_t i = 0; i < nodes_; ++i) {
      std::set<std::int64_t> producers;
      for (const std::string& name : graph_.nodes[i].inputs)
        if (const auto at = tensors_.find(name); at != tensors_.end() && at->second.producer >= 0)
          producers.insert(at->second.producer);
      for (const std::int64_t from : producers) depends(i, static_cast<std::uint32_t>(from));
    }
    for (const auto& one : projections_) {
      if (one.after >= 0) depends(one.layer, static_cast<std::uint32_t>(one.after));
      depends(one.node, one.layer);
    }
    return std::move(layers_);
  }

 private:
  /// Up to the second normalisation of the last attention layer that is asked for.
  static std::size_t nodes_of(const Graph& graph, std::uint64_t attention_layers) {
    std::uint64_t normalisations = 0;
    for (std::size_t i = 0; attention_layers > 0 && i < graph.nodes.size(); ++i)
      if (graph.nodes[i].op == "SkipLayerNormalization" && ++normalisations == 2 * attention_layers) return i + 1;
    return graph.nodes.size();
  }
  /// Of its input, which has a shape.
  const PlacedTensor& place(const GraphNode& node, std::size_t i) const {
    shapes_.in(node, i, 0);
    return tensors_.at(node.inputs[i]);
  }
  void depends(std::uint32_t layer, std::uint32_t on) {
    layers_[on].consumers.push_back(layer), ++layers_[layer].waits_for;
  }
  void lower(std::uint32_t i) {
    const GraphNode& node = graph_.nodes[i];
    LayerAddresses at;
    if (!node.outputs.empty()) at.output = tensors_[node.outputs[0]].address;
    SimulatedLayer layer;
    layer.name = node.name;
    const Hardware& h = h_;
    const auto token_shape = [&] {
      const auto& x = shapes_.in(node, 0, 3);
      if (elements(x) == 0) refuse_node(node, "an axis is 0");
      return TokenShape{x[0], x[1], x[2]};
    };
    if (convolves(node) || multiplies(node)) {
      at.input = place(node, 0).address, at.weight = place(node, 1).address;
      if (node.inputs.size() > 2) at.bias = place(node, 2).address;
      if (convolves(node)) convolve(at, shapes_.convolution(node), layer);
      else multiply(at, shapes_.product(node), node.op != "MatMul", layer);
    } else if (node.op == "SkipLayerNormalization") {
      at.input = place(node, 0).address, at.weight = place(node, 1).address;
      const TokenShape shape = token_shape();
      layer.tiles = [&h, at, shape] { return lower_skip_layer_norm(h, shape, at); };
      layer.work = normalisation_work(h, shape);
    } else if (node.op == "BiasGelu" || node.op == "FastGelu") {
      at.input = place(node, 0).address, at.bias = place(node, 1).address;
      const TokenShape shape = token_shape();
      layer.tiles = [&h, at, shape] { return lower_bias_gelu(h, shape, at); };
      layer.work = activation_work(h, shape, {Op::gelu, false});
    } else if (node.op == "Attention") {
      attention(i, node, at, token_shape(), layer);
    } else if (!h.corrected || shapes_.is_known(node) || !costs(node, at, layer)) {
      const std::size_t tiles = node.op == "MaxPool" && !h.corrected ? 2 : 1;
      layer.tiles = [tiles] { return lower_skip(tiles); };
    }
    layers_[i] = std::move(layer);
  }
  void multiply(const LayerAddresses& at, const GemmShape& shape, bool bias, SimulatedLayer& layer) const {
    const Hardware& h = h_;
    layer.work = gemm_work(h, shape, bias), layer.product = shape;
    const std::optional<GemmMapping> map = options_.mapping.of(h, layer.name, shape);
    check_layer_size(layer.name, layer_size(h, shape, map ? *map : map_gemm(h, shape), bias));
    layer.tiles = [&h, at, shape, bias, map] { return lower_gemm(h, shape, at, bias, map ? &*map : nullptr); };
  }
  void convolve(const LayerAddresses& at, const ConvShape& shape, SimulatedLayer& layer) {
    const Hardware& h = h_;
    layer.work = conv_work(h, shape), layer.conv = shape;
    const ConvLoops all = all_loops(shape);
    const std::optional<ConvMapping> given = options_.mapping.of(h, layer.name, shape);
    ConvMapping map = given ? *given : map_conv(h, shape);
    // The reference looks a mapping up by its loops: the first layer's stride and padding count for all.
    if (!given && !h.corrected && shape.groups == 1) {
      const auto known =
          std::find_if(known_.begin(), known_.end(), [&all](const auto& one) { return one.first == all; });
      if (known != known_.end()) map = known->second;
      else known_.emplace_back(all, map);
    }
    check_layer_size(layer.name, layer_size(h, shape, map));
    layer.tiles = [&h, at, shape, map] { return lower_conv(h, shape, at, &map); };
  }
  /// What costs nothing in the reference: sums, activations and pooling. @returns whether it is one of them
  bool costs(const GraphNode& node, LayerAddresses at, SimulatedLayer& layer) const {
    if (!costs_when_corrected(node)) return false;
    const Hardware& h = h_;
    const auto& x = shapes_.in(node, 0, 0);
    at.input = place(node, 0).address;
    if (const auto op = elementwise_operators().find(node.op); op != elementwise_operators().end()) {
      const TokenShape shape{1, elements(x, 0, x.size() - 1), x.back()};
      bool two = false;
      if (node.inputs.size() > 1 && !node.inputs[1].empty() && node.op != "Clip")
        if (elements(shapes_.in(node, 1, 0)) == elements(x)) two = true, at.weight = place(node, 1).address;
      layer.tiles = [&h, at, shape, two, kind = op->second] { return lower_elementwise(h, kind, shape, two, at); };
      layer.work = vector_work(h, LayerKind::elementwise, static_cast<double>(elements(x)) * (two ? 2.0 : 1.0),
                               static_cast<double>(elements(x)), 1.0);
      return true;
    }
    const bool global = node.op == "GlobalAveragePool";
    if (x.size() != 4) return false;
    const WindowAxis high = window(node, x[1], global ? x[1] : attribute(node, "kernel_shape", 0, 1), 0);
    const WindowAxis wide = window(node, x[2], global ? x[2] : attribute(node, "kernel_shape", 1, 1), 1);
    layer.tiles = [&h, at, high, wide, batch = x[0], channels = x[3]] {
      return lower_pool(h, high, wide, batch, channels, at);
    };
    const double written = static_cast<double>(x[0] * high.out() * wide.out() * x[3]);
    layer.work = vector_work(h, LayerKind::elementwise, static_cast<double>(elements(x)), written,
                             static_cast<double>(high.kernel * wide.kernel));
    return true;
  }
  void attention(std::uint32_t i, const GraphNode& node, LayerAddresses at, const TokenShape& shape,
                 SimulatedLayer& layer) {
    const std::uint64_t heads = attribute(node, "num_heads", 0, 0), hidden = shapes_.in(node, 1, 2)[1] / 3;
    if (heads == 0 || hidden != shape.width || hidden % heads != 0)
      refuse_node(node, "its heads or weights do not fit its input");
    const TensorShape& x = shapes_.in(node, 0, 3);
    at.input = place(node, 0).address, at.weight = place(node, 1).address, at.bias = place(node, 2).address;
    // Keys and values of tokens before these, [2, batch, heads, past, width].
    constexpr std::size_t past_input = 4, past_axes = 5, past_axis = 3;
    std::uint64_t keys = shape.tokens;
    if (node.inputs.size() > past_input && !node.inputs[past_input].empty())
      if (const TensorShape& past = shapes_.in(node, past_input, past_axes); past[past_axis] > 0)
        keys = past[past_axis] + 1;
    LayerAddresses projected = at, parts[3];
    for (LayerAddresses& part : parts) part.output = space_.allocate(elements(x) * h_.precision);
    projected.output = parts[0].output;
    const Hardware& h = h_;
    // Key, value and query in the order in which they are allocated; the reference reads input and weights instead.
    if (h.corrected) at.weight = parts[0].output, at.bias = parts[1].output, at.input = parts[2].output;
    layer.tiles = [&h, at, shape, heads, keys] { return lower_attention(h, shape, heads, keys, at); };
    layer.work = attention_work(h, static_cast<double>(shape.batch * shape.tokens), static_cast<double>(keys),
                                static_cast<double>(heads), static_cast<double>(hidden / heads));
    SimulatedLayer projection;
    if (h.corrected) projection.name = node.name + " projection";
    const GemmShape product{shape.tokens * shape.batch, hidden, 3 * hidden};
    projection.work = gemm_work(h, product, true);
    projection.tiles = [&h, projected, product] {
      TileList out = lower_gemm(h, product, projected, true);
      const std::size_t once = h.corrected ? 0 : out.tiles.size();  // the reference does it twice
      for (std::size_t k = 0; k < once; ++k) out.tiles.push_back(Tile(out.tiles[k]));
      return out;
    };
    projections_.push_back({static_cast<std::uint32_t>(layers_.size()), i, place(node, 0).producer});
    layers_.push_back(std::move(projection));
  }

  struct Projection {
    std::uint32_t layer = 0, node = 0;
    std::int64_t after = -1;
  };
  const Hardware& h_;
  AddressSpace& space_;
  const Graph& graph_;
  OnnxShapes shapes_;
  std::map<std::string, PlacedTensor> tensors_;
  const GraphOptions& options_;
  std::size_t nodes_;
  std::vector<std::pair<ConvLoops, ConvMapping>> known_;
  std::vector<SimulatedLayer> layers_;
  std::vector<Projection> projections_;
};

}  // namespace

PlacedGraph::PlacedGraph(const Hardware& h, AddressSpace& space, const Graph& graph)
    : h_(h), graph_(std::make_shared<const Graph>(graph)), shapes_(graph) {
  for (const GraphTensor& one : graph.initializers) {
    const std::uint64_t size = elements(shapes_.of(one.name)) * h.precision;
    placed_[one.name] = {space.allocate(size)};
    weight_bytes_ += static_cast<double>(size);
  }
}

ModelInstance PlacedGraph::instance(const GraphOptions& options) const {
  ModelInstance out;
  out.build = [graph = *this, options](AddressSpace& to) {
    return GraphLowering(graph.h_, to, *graph.graph_, graph.shapes_, graph.placed_, options)
        .layers(graph.weight_bytes_);
  };
  if (const auto total = options.axes.find("total_seq_len"); options.tokens > 0 && total != options.axes.end())
    out.again = [graph = *this, options]() -> std::optional<ModelInstance> {
      GraphOptions next = options;
      if (next.axes["total_seq_len"] + 1 >= options.tokens) return std::nullopt;
      std::int64_t& past = next.axes["past_seq_len"];
      past = past == 0 ? next.axes["seq_len"] : past + 1;
      next.axes["seq_len"] = 1, ++next.axes["total_seq_len"];
      return graph.instance(next);
    };
  return out;
}

std::map<std::string, std::size_t> uncounted_operators(const Graph& graph,
                                                       const std::map<std::string, std::int64_t>& axes,
                                                       bool corrected) {
  // Those of the reference that it knows and gives no cost.
  static const std::set<std::string> free = {
      "MaxPool", "AveragePool",  "AdaptiveAveragePool", "GlobalAveragePool", "Flatten", "EmbedLayerNormalization",
      "Cast",    "ReorderOutput"};
  static const std::set<std::string> lowered = {"SkipLayerNormalization", "BiasGelu", "FastGelu", "Attention"};
  std::map<std::string, std::size_t> out;
  OnnxShapes shapes(graph);
  shapes.add_inputs(graph, axes);
  for (const GraphNode& node : graph.nodes) {
    shapes.add_outputs(node);
    if (convolves(node) || multiplies(node) || lowered.count(node.op) > 0 || shapes.is_known(node)) continue;
    if (corrected ? costs_when_corrected(node) : free.count(node.op) > 0) continue;
    if (free.count(node.op) == 0) ++out[node.op];
  }
  return out;
}

ModelInstance one_graph(const Hardware& h, AddressSpace& space, const Graph& graph,
                        const std::map<std::string, std::int64_t>& axes) {
  GraphOptions options;
  options.axes = axes;
  return PlacedGraph(h, space, graph).instance(options);
}

}  // namespace npu
