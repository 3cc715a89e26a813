#include "plugins/support/onnx_shapes.h"

#include <algorithm>
#include <stdexcept>

namespace plugin_support {

std::uint64_t elements(const TensorShape& shape, std::size_t from, std::size_t to) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  std::uint64_t out = 1;
  for (std::size_t i = from; i < to; ++i) {
    if (shape[i] != 0 && out > most / shape[i]) throw std::invalid_argument("a tensor has more than 2^40 elements");
    out *= shape[i];
  }
  return out;
}
std::uint64_t elements(const TensorShape& shape) { return elements(shape, 0, shape.size()); }

bool convolves(const GraphNode& node) { return node.op == "Conv" || node.op == "FusedConv"; }
bool multiplies(const GraphNode& node) { return node.op == "Gemm" || node.op == "FusedGemm" || node.op == "MatMul"; }
void refuse_node(const GraphNode& node, const std::string& what) {
  throw std::invalid_argument("node " + node.name + " (" + node.op + "): " + what);
}
std::uint64_t attribute(const GraphNode& node, const char* name, std::size_t i, std::uint64_t otherwise) {
  const auto at = node.attributes.find(name);
  if (at == node.attributes.end() || i >= at->second.size()) return otherwise;
  constexpr std::int64_t most = 1 << 20;
  if (at->second[i] < 0 || at->second[i] > most)
    refuse_node(node, std::string(name) + " is " + std::to_string(at->second[i]));
  return static_cast<std::uint64_t>(at->second[i]);
}
WindowAxis window(const GraphNode& node, std::uint64_t size, std::uint64_t kernel, std::size_t axis) {
  WindowAxis out;
  out.size = size, out.kernel = kernel, out.stride = attribute(node, "strides", axis, 1);
  out.pad = attribute(node, "pads", axis, 0), out.pad_end = attribute(node, "pads", axis + 2, 0);
  out.dilation = attribute(node, "dilations", axis, 1);
  if (kernel == 0 || out.stride == 0 || out.dilation == 0 || out.reach() + 1 > size + out.pad + out.pad_end)
    refuse_node(node, "its kernel does not fit into its input");
  return out;
}

OnnxShapes::OnnxShapes(const Graph& graph) {
  if (const std::string fault = graph_fault(graph); !fault.empty()) throw std::invalid_argument(fault);
  for (const GraphTensor& one : graph.initializers) {
    TensorShape shape;
    for (const std::int64_t dim : one.dims) {
      if (dim < 0) throw std::invalid_argument("initializer " + one.name + ": an axis is " + std::to_string(dim));
      shape.push_back(static_cast<std::uint64_t>(dim));
    }
    put(one.name, shape, one.values);
  }
}

void OnnxShapes::add_inputs(const Graph& graph, const std::map<std::string, std::int64_t>& axes) {
  for (const GraphTensor& in : graph.inputs) {
    TensorShape s;
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
        throw std::invalid_argument("input " + in.name + ": an axis is " + std::to_string(dim) + "; wanted 1 at least");
      s.push_back(static_cast<std::uint64_t>(dim));
    }
    put(in.name, s, graph.inputs.size() == 1 && s.size() == 4 && s[2] == s[3]);
  }
}

const TensorShape& OnnxShapes::in(const GraphNode& node, std::size_t i, std::size_t rank) const {
  if (i >= node.inputs.size()) refuse_node(node, "it has no input " + std::to_string(i + 1));
  const auto at = shapes_.find(node.inputs[i]);
  if (at == shapes_.end()) refuse_node(node, "nothing before it produces its input " + node.inputs[i]);
  if (rank > 0 && at->second.size() != rank)
    refuse_node(node,
                node.inputs[i] + " has " + std::to_string(at->second.size()) + " axes; wanted " + std::to_string(rank));
  if (at->second.empty()) refuse_node(node, node.inputs[i] + " has no axes");
  return at->second;
}
GemmShape OnnxShapes::product(const GraphNode& node) const {
  const TensorShape& x = in(node, 0, 0);
  const TensorShape& w = in(node, 1, 2);
  const bool turned = node.op != "MatMul" && attribute(node, "transB", 0, 0) != 0;
  GemmShape out{elements(x, 0, x.size() - 1), w[turned ? 1 : 0], w[turned ? 0 : 1]};
  if (x.back() != out.depth)
    refuse_node(node, "its input is " + std::to_string(x.back()) + " wide; wanted " + std::to_string(out.depth));
  if (out.rows == 0 || out.depth == 0 || out.columns == 0) refuse_node(node, "an axis is 0");
  return out;
}
ConvShape OnnxShapes::convolution(const GraphNode& node) const {
  const auto& x = in(node, 0, 4);
  const auto& w = in(node, 1, 4);
  if (elements(x) == 0 || elements(w) == 0) refuse_node(node, "an axis is 0");
  ConvShape out;
  out.groups = attribute(node, "group", 0, 1);
  if (out.groups == 0 || w[0] % out.groups != 0 || x[3] % out.groups != 0)
    refuse_node(node, std::to_string(out.groups) + " groups do not divide its channels");
  if (x[3] != w[1] * out.groups)
    refuse_node(node,
                "its input has " + std::to_string(x[3]) + " channels; wanted " + std::to_string(w[1] * out.groups));
  out.high = window(node, x[1], w[2], 0), out.wide = window(node, x[2], w[3], 1);
  out.batch = x[0], out.in_channels = x[3], out.out_channels = w[0];
  // Pooling that is fused: the blocks of outputs of which one is stored.
  out.pool_high = attribute(node, "pool", 0, 1), out.pool_wide = attribute(node, "pool", 1, out.pool_high);
  if (out.pool_high == 0 || out.pool_wide == 0) refuse_node(node, "it pools blocks of 0");
  if (out.groups > 1 && out.pool_high * out.pool_wide > 1) refuse_node(node, "it is grouped and pooled at once");
  return out;
}
TensorShape OnnxShapes::out(const GraphNode& node) const {
  if (convolves(node)) {
    const ConvShape c = convolution(node);
    return {c.batch, (c.high.out() + c.pool_high - 1) / c.pool_high, (c.wide.out() + c.pool_wide - 1) / c.pool_wide,
            c.out_channels};
  }
  if (multiplies(node)) {
    auto out = in(node, 0, 0);
    out.back() = product(node).columns;
    return out;
  }
  if (node.op == "MaxPool" || node.op == "AveragePool") {
    const auto& x = in(node, 0, 4);
    return {x[0], window(node, x[1], attribute(node, "kernel_shape", 0, 1), 0).out(),
            window(node, x[2], attribute(node, "kernel_shape", 1, 1), 1).out(), x[3]};
  }
  const auto& x = in(node, 0, 0);
  if (node.op == "GlobalAveragePool" && x.size() == 4) return {x[0], 1, 1, x[3]};
  if (node.op == "Flatten") {
    const auto axis = std::min<std::size_t>(x.size(), attribute(node, "axis", 0, 1));
    return {elements(x, 0, axis), elements(x, axis, x.size())};
  }
  if (node.op == "EmbedLayerNormalization") {
    if (x.size() != 2) refuse_node(node, "its input is no batch of tokens");
    return {x[0], x[1], in(node, 2, 2)[1]};
  }
  return x;
}

std::vector<ShapedLayer> shaped_layers(const Graph& graph, const std::map<std::string, std::int64_t>& axes) {
  OnnxShapes shapes(graph);
  shapes.add_inputs(graph, axes);
  std::vector<ShapedLayer> out;
  for (const GraphNode& node : graph.nodes) {
    if (convolves(node)) out.push_back({node.name, shapes.convolution(node), std::nullopt});
    if (multiplies(node)) out.push_back({node.name, std::nullopt, shapes.product(node)});
    shapes.add_outputs(node);
  }
  return out;
}

}  // namespace plugin_support
