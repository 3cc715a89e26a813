#include "plugins/npu/engine/graph.h"

#include <memory>
#include <set>
#include <stdexcept>

#include "plugins/npu/engine/lowering.h"

namespace npu {
namespace {

struct Placed {
  std::vector<std::uint64_t> shape;
  std::uint64_t address = 0;
  std::int64_t producer = -1;  // layer; below 0: there from the beginning
};

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
  GraphLowering(const Hardware& h, AddressSpace& space, const Graph& graph, std::map<std::string, Placed> placed)
      : h_(h), space_(space), graph_(graph), tensors_(std::move(placed)) {}

  std::vector<SimulatedLayer> layers(const std::map<std::string, std::int64_t>& axes) {
    constexpr std::uint64_t input_room = 16;
    for (const GraphTensor& in : graph_.inputs) {
      Placed placed;
      for (std::size_t i = 0; i < in.dims.size(); ++i) {
        std::int64_t dim = in.dims[i];
        if (!in.axes[i].empty()) {
          const auto at = axes.find(in.axes[i]);
          if (at == axes.end())
            throw std::invalid_argument("input " + in.name + ": its axis " + in.axes[i] + " has no size");
          dim = at->second;
        }
        if (dim <= 0)
          throw std::invalid_argument("input " + in.name + ": an axis is " + std::to_string(dim) +
                                      "; wanted 1 at least");
        placed.shape.push_back(static_cast<std::uint64_t>(dim));
      }
      auto& s = placed.shape;
      if (graph_.inputs.size() == 1 && s.size() == 4 && s[2] == s[3]) s = {s[0], s[2], s[3], s[1]};
      placed.address = space_.allocate(elements(s) * h_.precision * input_room);
      tensors_[in.name] = placed;
    }
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      for (const std::string& name : node.outputs) {
        if (name.empty()) continue;
        Placed out;
        out.shape = shape_of(node), out.producer = i;
        out.address = space_.allocate(elements(out.shape) * h_.precision);
        tensors_[name] = out;
      }
    }
    layers_.resize(graph_.nodes.size());
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) lower(i);
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
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
  [[noreturn]] static void refuse(const GraphNode& node, const std::string& what) {
    throw std::invalid_argument("node " + node.name + " (" + node.op + "): " + what);
  }
  void depends(std::uint32_t layer, std::uint32_t on) {
    layers_[on].consumers.push_back(layer), ++layers_[layer].waits_for;
  }
  const Placed& in(const GraphNode& node, std::size_t i, std::size_t rank) const {
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
  static std::uint64_t after_window(const GraphNode& node, std::uint64_t size, std::uint64_t k, std::size_t axis) {
    const std::uint64_t padded = size + attribute(node, "pads", axis, 0) + attribute(node, "pads", axis + 2, 0);
    const std::uint64_t reach = attribute(node, "dilations", axis, 1) * (k - 1) + 1,
                        stride = attribute(node, "strides", axis, 1);
    if (k == 0 || stride == 0 || reach > padded) refuse(node, "its kernel does not fit into its input");
    return (padded - reach) / stride + 1;
  }
  static bool convolves(const GraphNode& node) { return node.op == "Conv" || node.op == "FusedConv"; }
  static bool multiplies(const GraphNode& node) {
    return node.op == "Gemm" || node.op == "FusedGemm" || node.op == "MatMul";
  }
  GemmShape product(const GraphNode& node) const {
    const Placed& x = in(node, 0, 0);
    const Placed& w = in(node, 1, 2);
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
    if (attribute(node, "group", 0, 1) != 1) refuse(node, "it is grouped, which is not simulated");
    if (x[1] != x[2] || w[2] != w[3]) refuse(node, "image or kernel is not square");
    for (const char* name : {"strides", "dilations", "pads"})
      if (const auto at = node.attributes.find(name); at != node.attributes.end())
        for (const std::int64_t value : at->second)
          if (value != at->second[0]) refuse(node, std::string(name) + " differ between axes");
    if (x[3] != w[1])
      refuse(node, "its input has " + std::to_string(x[3]) + " channels; wanted " + std::to_string(w[1]));
    after_window(node, x[1], w[2], 0);
    ConvShape out;
    out.batch = x[0], out.size = x[1], out.in_channels = x[3], out.out_channels = w[0], out.kernel = w[2];
    out.stride = attribute(node, "strides", 0, 1), out.pad = attribute(node, "pads", 0, 0);
    out.dilation = attribute(node, "dilations", 0, 1);
    if (elements(x) == 0 || elements(w) == 0) refuse(node, "an axis is 0");
    return out;
  }
  std::vector<std::uint64_t> shape_of(const GraphNode& node) const {
    if (convolves(node)) {
      const ConvShape c = convolution(node);
      return {c.batch, c.out_size(), c.out_size(), c.out_channels};
    }
    if (multiplies(node)) {
      auto out = in(node, 0, 0).shape;
      out.back() = product(node).columns;
      return out;
    }
    if (node.op == "MaxPool" || node.op == "AveragePool") {
      const auto& x = in(node, 0, 4).shape;
      return {x[0], after_window(node, x[1], attribute(node, "kernel_shape", 0, 1), 0),
              after_window(node, x[2], attribute(node, "kernel_shape", 1, 1), 1), x[3]};
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
      if (convolves(node)) layer.tiles = [&h, at, shape = convolution(node)] { return lower_conv(h, shape, at); };
      else
        layer.tiles = [&h, at, shape = product(node), bias = node.op != "MatMul"] {
          return lower_gemm(h, shape, at, bias);
        };
    } else if (node.op == "SkipLayerNormalization") {
      at.input = in(node, 0, 0).address, at.weight = in(node, 1, 0).address;
      layer.tiles = [&h, at, shape = token_shape()] { return lower_skip_layer_norm(h, shape, at); };
    } else if (node.op == "BiasGelu" || node.op == "FastGelu") {
      at.input = in(node, 0, 0).address, at.bias = in(node, 1, 0).address;
      layer.tiles = [&h, at, shape = token_shape()] { return lower_bias_gelu(h, shape, at); };
    } else if (node.op == "Attention") {
      attention(i, node, at, token_shape(), layer);
    } else {
      const std::size_t tiles = node.op == "MaxPool" ? 2 : 1;
      layer.tiles = [tiles] { return lower_skip(tiles); };
    }
    layers_[i] = std::move(layer);
  }
  void attention(std::uint32_t i, const GraphNode& node, LayerAddresses at, const TokenShape& shape,
                 SimulatedLayer& layer) {
    const std::uint64_t heads = attribute(node, "num_heads", 0, 0), hidden = in(node, 1, 2).shape[1] / 3;
    if (heads == 0 || hidden != shape.width || hidden % heads != 0)
      refuse(node, "its heads or weights do not fit its input");
    const Placed& x = in(node, 0, 3);
    at.input = x.address, at.weight = in(node, 1, 2).address, at.bias = in(node, 2, 0).address;
    LayerAddresses projected = at;
    for (int part = 0; part < 3; ++part) {
      const std::uint64_t start = space_.allocate(elements(x.shape) * h_.precision);
      if (part == 0) projected.output = start;
    }
    const Hardware& h = h_;
    layer.tiles = [&h, at, shape, heads] { return lower_attention(h, shape, heads, at); };
    SimulatedLayer projection;
    projection.tiles = [&h, projected, product = GemmShape{shape.tokens * shape.batch, hidden, 3 * hidden}] {
      TileList out = lower_gemm(h, product, projected, true);
      const std::size_t once = out.tiles.size();  // the reference does it twice
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
  std::map<std::string, Placed> tensors_;
  std::vector<SimulatedLayer> layers_;
  std::vector<Projection> projections_;
};

}  // namespace

ModelInstance one_graph(const Hardware& h, AddressSpace& space, const Graph& graph,
                        const std::map<std::string, std::int64_t>& axes) {
  std::map<std::string, Placed> placed;
  for (const GraphTensor& one : graph.initializers) {
    Placed weight;
    for (const std::int64_t dim : one.dims) {
      if (dim < 0) throw std::invalid_argument("initializer " + one.name + ": an axis is " + std::to_string(dim));
      weight.shape.push_back(static_cast<std::uint64_t>(dim));
    }
    weight.address = space.allocate(elements(weight.shape) * h.precision);
    placed[one.name] = weight;
  }
  ModelInstance out;
  out.build = [&h, graph = std::make_shared<const Graph>(graph), placed, axes](AddressSpace& to) {
    return GraphLowering(h, to, *graph, placed).layers(axes);
  };
  return out;
}

}  // namespace npu
