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

std::uint64_t elements(const std::vector<std::uint64_t>& shape, std::size_t from, std::size_t to) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  std::uint64_t out = 1;
  for (std::size_t i = from; i < to; ++i) {
    if (shape[i] != 0 && out > most / shape[i]) throw std::invalid_argument("a tensor has more than 2^40 elements");
    out *= shape[i];
  }
  return out;
}
std::uint64_t elements(const std::vector<std::uint64_t>& shape) { return elements(shape, 0, shape.size()); }

/// Tensors and layers of one release.
class GraphLowering {
 public:
  GraphLowering(const Hardware& h, AddressSpace& space, const Graph& graph, std::map<std::string, PlacedTensor> placed,
                const GraphOptions& options)
      : h_(h),
        space_(space),
        graph_(graph),
        tensors_(std::move(placed)),
        options_(options),
        nodes_(nodes_of(graph, options.attention_layers)) {}

  std::vector<SimulatedLayer> layers(double weight_bytes) {
    const auto& axes = options_.axes;
    double bytes = weight_bytes;
    constexpr std::uint64_t input_room = 16;
    for (const GraphTensor& in : graph_.inputs) {
      PlacedTensor placed;
      for (std::size_t i = 0; i < in.dims.size(); ++i) {
        std::int64_t dim = in.dims[i];
        if (!in.axes[i].empty()) {
          const auto at = axes.find(in.axes[i]);
          if (at == axes.end())
            throw std::invalid_argument("input " + in.name + ": its axis " + in.axes[i] + " has no size");
          dim = at->second;
        }
        // A cache may be empty.
        if (dim < (in.axes[i].empty() ? 1 : 0))
          throw std::invalid_argument("input " + in.name + ": an axis is " + std::to_string(dim) +
                                      "; wanted 1 at least");
        placed.shape.push_back(static_cast<std::uint64_t>(dim));
      }
      auto& s = placed.shape;
      if (graph_.inputs.size() == 1 && s.size() == 4 && s[2] == s[3]) s = {s[0], s[2], s[3], s[1]};
      placed.address = space_.allocate(elements(s) * h_.precision * input_room);
      bytes += static_cast<double>(elements(s) * h_.precision);
      tensors_[in.name] = placed;
    }
    for (std::uint32_t i = 0; i < nodes_; ++i) {
      const GraphNode& node = graph_.nodes[i];
      for (const std::string& name : node.outputs) {
        if (name.empty()) continue;
        PlacedTensor out;
        out.shape = shape_of(node), out.producer = i;
        out.address = space_.allocate(elements(out.shape) * h_.precision);
        bytes += static_cast<double>(elements(out.shape) * h_.precision);
        tensors_[name] = out;
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
  [[noreturn]] static void refuse(const GraphNode& node, const std::string& what) {
    throw std::invalid_argument("node " + node.name + " (" + node.op + "): " + what);
  }
  void depends(std::uint32_t layer, std::uint32_t on) {
    layers_[on].consumers.push_back(layer), ++layers_[layer].waits_for;
  }
  const PlacedTensor& in(const GraphNode& node, std::size_t i, std::size_t rank) const {
    if (i >= node.inputs.size()) refuse(node, "it has no input " + std::to_string(i + 1));
    const auto at = tensors_.find(node.inputs[i]);
    if (at == tensors_.end()) refuse(node, "nothing before it produces its input " + node.inputs[i]);
    if (rank > 0 && at->second.shape.size() != rank)
      refuse(node, node.inputs[i] + " has " + std::to_string(at->second.shape.size()) + " axes; wanted " +
                       std::to_string(rank));
    if (at->second.shape.empty()) refuse(node, node.inputs[i] + " has no axes");
    return at->second;
  }
  static std::uint64_t attribute(const GraphNode& node, const char* name, std::size_t i, std::uint64_t otherwise) {
    const auto at = node.attributes.find(name);
    if (at == node.attributes.end() || i >= at->second.size()) return otherwise;
    constexpr std::int64_t most = 1 << 20;
    if (at->second[i] < 0 || at->second[i] > most)
      refuse(node, std::string(name) + " is " + std::to_string(at->second[i]));
    return static_cast<std::uint64_t>(at->second[i]);
  }
  /// Height 0 or width 1.
  static WindowAxis window(const GraphNode& node, std::uint64_t size, std::uint64_t kernel, std::size_t axis) {
    WindowAxis out;
    out.size = size, out.kernel = kernel, out.stride = attribute(node, "strides", axis, 1);
    out.pad = attribute(node, "pads", axis, 0), out.pad_end = attribute(node, "pads", axis + 2, 0);
    out.dilation = attribute(node, "dilations", axis, 1);
    if (kernel == 0 || out.stride == 0 || out.dilation == 0 || out.reach() + 1 > size + out.pad + out.pad_end)
      refuse(node, "its kernel does not fit into its input");
    return out;
  }
  static bool convolves(const GraphNode& node) { return node.op == "Conv" || node.op == "FusedConv"; }
  static bool multiplies(const GraphNode& node) {
    return node.op == "Gemm" || node.op == "FusedGemm" || node.op == "MatMul";
  }
  GemmShape product(const GraphNode& node) const {
    const PlacedTensor& x = in(node, 0, 0);
    const PlacedTensor& w = in(node, 1, 2);
    const bool turned = node.op != "MatMul" && attribute(node, "transB", 0, 0) != 0;
    GemmShape out{elements(x.shape, 0, x.shape.size() - 1), w.shape[turned ? 1 : 0], w.shape[turned ? 0 : 1]};
    if (x.shape.back() != out.depth)
      refuse(node, "its input is " + std::to_string(x.shape.back()) + " wide; wanted " + std::to_string(out.depth));
    if (out.rows == 0 || out.depth == 0 || out.columns == 0) refuse(node, "an axis is 0");
    return out;
  }
  ConvShape convolution(const GraphNode& node) const {
    const auto& x = in(node, 0, 4).shape;
    const auto& w = in(node, 1, 4).shape;
    if (elements(x) == 0 || elements(w) == 0) refuse(node, "an axis is 0");
    ConvShape out;
    out.groups = attribute(node, "group", 0, 1);
    if (out.groups == 0 || w[0] % out.groups != 0 || x[3] % out.groups != 0)
      refuse(node, std::to_string(out.groups) + " groups do not divide its channels");
    if (x[3] != w[1] * out.groups)
      refuse(node, "its input has " + std::to_string(x[3]) + " channels; wanted " + std::to_string(w[1] * out.groups));
    out.high = window(node, x[1], w[2], 0), out.wide = window(node, x[2], w[3], 1);
    out.batch = x[0], out.in_channels = x[3], out.out_channels = w[0];
    // Pooling that is fused: the blocks of outputs of which one is stored.
    out.pool_high = attribute(node, "pool", 0, 1), out.pool_wide = attribute(node, "pool", 1, out.pool_high);
    if (out.pool_high == 0 || out.pool_wide == 0) refuse(node, "it pools blocks of 0");
    if (out.groups > 1 && out.pool_high * out.pool_wide > 1) refuse(node, "it is grouped and pooled at once");
    return out;
  }
  std::vector<std::uint64_t> shape_of(const GraphNode& node) const {
    if (convolves(node)) {
      const ConvShape c = convolution(node);
      return {c.batch, (c.high.out() + c.pool_high - 1) / c.pool_high, (c.wide.out() + c.pool_wide - 1) / c.pool_wide,
              c.out_channels};
    }
    if (multiplies(node)) {
      auto out = in(node, 0, 0).shape;
      out.back() = product(node).columns;
      return out;
    }
    if (node.op == "MaxPool" || node.op == "AveragePool") {
      const auto& x = in(node, 0, 4).shape;
      return {x[0], window(node, x[1], attribute(node, "kernel_shape", 0, 1), 0).out(),
              window(node, x[2], attribute(node, "kernel_shape", 1, 1), 1).out(), x[3]};
    }
    const auto& x = in(node, 0, 0).shape;
    if (node.op == "GlobalAveragePool" && x.size() == 4) return {x[0], 1, 1, x[3]};
    if (node.op == "Flatten") {
      const auto axis = std::min<std::size_t>(x.size(), attribute(node, "axis", 0, 1));
      return {elements(x, 0, axis), elements(x, axis, x.size())};
    }
    if (node.op == "EmbedLayerNormalization") {
      if (x.size() != 2) refuse(node, "its input is no batch of tokens");
      return {x[0], x[1], in(node, 2, 2).shape[1]};
    }
    return x;
  }
  void lower(std::uint32_t i) {
    const GraphNode& node = graph_.nodes[i];
    LayerAddresses at;
    if (!node.outputs.empty()) at.output = tensors_[node.outputs[0]].address;
    SimulatedLayer layer;
    layer.name = node.name;
    const Hardware& h = h_;
    const auto token_shape = [&] {
      const auto& x = in(node, 0, 3).shape;
      if (elements(x) == 0) refuse(node, "an axis is 0");
      return TokenShape{x[0], x[1], x[2]};
    };
    if (convolves(node) || multiplies(node)) {
      at.input = in(node, 0, 0).address, at.weight = in(node, 1, 0).address;
      if (node.inputs.size() > 2) at.bias = in(node, 2, 0).address;
      if (convolves(node)) convolve(at, convolution(node), layer);
      else multiply(at, product(node), node.op != "MatMul", layer);
    } else if (node.op == "SkipLayerNormalization") {
      at.input = in(node, 0, 0).address, at.weight = in(node, 1, 0).address;
      const TokenShape shape = token_shape();
      layer.tiles = [&h, at, shape] { return lower_skip_layer_norm(h, shape, at); };
      layer.work = normalisation_work(h, shape);
    } else if (node.op == "BiasGelu" || node.op == "FastGelu") {
      at.input = in(node, 0, 0).address, at.bias = in(node, 1, 0).address;
      const TokenShape shape = token_shape();
      layer.tiles = [&h, at, shape] { return lower_bias_gelu(h, shape, at); };
      layer.work = activation_work(h, shape, {Op::gelu, false});
    } else if (node.op == "Attention") {
      attention(i, node, at, token_shape(), layer);
    } else if (!h.corrected || !costs(node, at, layer)) {
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
    static const std::map<std::string, Op> ops = {
        {"Add", Op::add},   {"Mul", Op::mul},   {"Sub", Op::add},     {"Div", Op::div},  {"Relu", Op::comp},
        {"Gelu", Op::gelu}, {"Clip", Op::comp}, {"Sigmoid", Op::exp}, {"Tanh", Op::exp}, {"Softmax", Op::exp}};
    const Hardware& h = h_;
    const auto& x = in(node, 0, 0).shape;
    at.input = in(node, 0, 0).address;
    if (const auto op = ops.find(node.op); op != ops.end()) {
      const TokenShape shape{1, elements(x, 0, x.size() - 1), x.back()};
      bool two = false;
      if (node.inputs.size() > 1 && !node.inputs[1].empty() && node.op != "Clip")
        if (const PlacedTensor& other = in(node, 1, 0); elements(other.shape) == elements(x))
          two = true, at.weight = other.address;
      layer.tiles = [&h, at, shape, two, kind = op->second] { return lower_elementwise(h, kind, shape, two, at); };
      layer.work = vector_work(h, LayerKind::elementwise, static_cast<double>(elements(x)) * (two ? 2.0 : 1.0),
                               static_cast<double>(elements(x)), 1.0);
      return true;
    }
    const bool global = node.op == "GlobalAveragePool";
    if ((node.op != "MaxPool" && node.op != "AveragePool" && !global) || x.size() != 4) return false;
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
    const std::uint64_t heads = attribute(node, "num_heads", 0, 0), hidden = in(node, 1, 2).shape[1] / 3;
    if (heads == 0 || hidden != shape.width || hidden % heads != 0)
      refuse(node, "its heads or weights do not fit its input");
    const PlacedTensor& x = in(node, 0, 3);
    at.input = x.address, at.weight = in(node, 1, 2).address, at.bias = in(node, 2, 0).address;
    // Keys and values of tokens before these, [2, batch, heads, past, width].
    constexpr std::size_t past_input = 4, past_axes = 5, past_axis = 3;
    std::uint64_t keys = shape.tokens;
    if (node.inputs.size() > past_input && !node.inputs[past_input].empty())
      if (const PlacedTensor& past = in(node, past_input, past_axes); past.shape[past_axis] > 0)
        keys = past.shape[past_axis] + 1;
    LayerAddresses projected = at, parts[3];
    for (LayerAddresses& part : parts) part.output = space_.allocate(elements(x.shape) * h_.precision);
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
    projections_.push_back({static_cast<std::uint32_t>(layers_.size()), i, x.producer});
    layers_.push_back(std::move(projection));
  }

  struct Projection {
    std::uint32_t layer = 0, node = 0;
    std::int64_t after = -1;
  };
  const Hardware& h_;
  AddressSpace& space_;
  const Graph& graph_;
  std::map<std::string, PlacedTensor> tensors_;
  const GraphOptions& options_;
  std::size_t nodes_;
  std::vector<std::pair<ConvLoops, ConvMapping>> known_;
  std::vector<SimulatedLayer> layers_;
  std::vector<Projection> projections_;
};

}  // namespace

PlacedGraph::PlacedGraph(const Hardware& h, AddressSpace& space, const Graph& graph)
    : h_(h), graph_(std::make_shared<const Graph>(graph)) {
  if (const std::string fault = graph_fault(graph); !fault.empty()) throw std::invalid_argument(fault);
  for (const GraphTensor& one : graph.initializers) {
    PlacedTensor weight;
    for (const std::int64_t dim : one.dims) {
      if (dim < 0) throw std::invalid_argument("initializer " + one.name + ": an axis is " + std::to_string(dim));
      weight.shape.push_back(static_cast<std::uint64_t>(dim));
    }
    weight.address = space.allocate(elements(weight.shape) * h.precision);
    weight_bytes_ += static_cast<double>(elements(weight.shape) * h.precision);
    placed_[one.name] = weight;
  }
}

ModelInstance PlacedGraph::instance(const GraphOptions& options) const {
  ModelInstance out;
  out.build = [graph = *this, options](AddressSpace& to) {
    return GraphLowering(graph.h_, to, *graph.graph_, graph.placed_, options).layers(graph.weight_bytes_);
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

std::vector<ShapedLayer> shaped_layers(const Graph& graph, const std::map<std::string, std::int64_t>& axes) {
  Hardware any = find_hardware("tpu_simple").value();  // shapes are the same on all
  any.dram_gb = 0.0;
  AddressSpace space;
  std::vector<ShapedLayer> out;
  for (const SimulatedLayer& layer : one_graph(any, space, graph, axes).build(space))
    if (layer.conv || layer.product) out.push_back({layer.name, layer.conv, layer.product});
  return out;
}

ModelInstance one_graph(const Hardware& h, AddressSpace& space, const Graph& graph,
                        const std::map<std::string, std::int64_t>& axes) {
  GraphOptions options;
  options.axes = axes;
  return PlacedGraph(h, space, graph).instance(options);
}

}  // namespace npu
