#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/support/onnx_graph.h"

namespace plugin_support {

/// Rows of the input times the weights, depth x columns.
struct GemmShape {
  std::uint64_t rows = 1, depth = 1, columns = 1;
};
/// One axis of a convolution or pooling.
struct WindowAxis {
  std::uint64_t size = 1, kernel = 1, stride = 1, pad = 0, pad_end = 0, dilation = 1;
  std::uint64_t reach() const { return dilation * (kernel - 1); }
  std::uint64_t out() const { return (size + pad + pad_end - reach() - 1) / stride + 1; }
  bool operator==(const WindowAxis&) const = default;
};
/// Convolution of images whose height and width have windows of their own.
struct ConvShape {
  ConvShape() = default;
  /// As high as wide.
  ConvShape(std::uint64_t size, std::uint64_t in, std::uint64_t out, std::uint64_t kernel, std::uint64_t stride,
            std::uint64_t pad)
      : high{size, kernel, stride, pad, pad, 1}, wide(high), in_channels(in), out_channels(out) {}
  WindowAxis high, wide;
  std::uint64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  std::uint64_t pool_high = 1, pool_wide = 1;  ///< of the outputs, one is stored for each block of these
  bool square() const { return high == wide; }
};

using TensorShape = std::vector<std::uint64_t>;
/// @throws std::invalid_argument  more than 2^40
std::uint64_t elements(const TensorShape& shape, std::size_t from, std::size_t to);
std::uint64_t elements(const TensorShape& shape);

bool convolves(const GraphNode& node);
bool multiplies(const GraphNode& node);
/// @throws std::invalid_argument  "node NAME (OP): what"
[[noreturn]] void refuse_node(const GraphNode& node, const std::string& what);
/// Number i of an attribute. @throws std::invalid_argument  below 0 or above 2^20
std::uint64_t attribute(const GraphNode& node, const char* name, std::size_t i, std::uint64_t otherwise);
/// Of height (axis 0) or width (1). @throws std::invalid_argument  its kernel does not fit
WindowAxis window(const GraphNode& node, std::uint64_t size, std::uint64_t kernel, std::size_t axis);

/// Shapes of a graph's tensors, images as batch, height, width, channels. All throw std::invalid_argument, naming node
/// and tensor, where shapes do not fit.
class OnnxShapes {
 public:
  /// Those of the initializers.
  explicit OnnxShapes(const Graph& graph);
  /// Gives each of the graph's inputs its shape. @param axes  sizes of named axes
  void add_inputs(const Graph& graph, const std::map<std::string, std::int64_t>& axes);
  void add(const std::string& tensor, TensorShape shape) { shapes_[tensor] = std::move(shape); }
  const TensorShape& of(const std::string& tensor) const { return shapes_.at(tensor); }

  /// Of a node's input. @param rank  how many axes are wanted; 0: any but none
  const TensorShape& in(const GraphNode& node, std::size_t i, std::size_t rank) const;
  GemmShape product(const GraphNode& node) const;
  ConvShape convolution(const GraphNode& node) const;
  /// Gives each of a node's outputs its shape, and its numbers where these are known before the run: of arithmetic with
  /// shapes (Constant, Shape, Gather, Concat, Reshape and the like). What a node that is not known gives has the shape
  /// of its first input.
  void add_outputs(const GraphNode& node);
  /// Whether it is done before the run, or moves nothing. @pre add_outputs(node)
  bool is_known(const GraphNode& node) const;

 private:
  using Numbers = std::vector<std::int64_t>;
  TensorShape out(const GraphNode& node) const;
  const Numbers* numbers(const GraphNode& node, std::size_t i) const;
  Numbers wanted_numbers(const GraphNode& node, std::size_t i, const char* attribute) const;
  TensorShape written(const GraphNode& node, std::size_t i) const;
  void put(const std::string& tensor, TensorShape shape, bool image);
  void put(const std::string& tensor, const TensorShape& shape, Numbers known);
  bool fold_number(const GraphNode& node, const std::string& out);
  bool fold_shape(const GraphNode& node, const std::string& out);
  bool fold_split(const GraphNode& node);

  std::map<std::string, TensorShape> shapes_;
  std::map<std::string, Numbers> numbers_;
  std::set<std::string> images_;  ///< laid out as batch, height, width, channels
};

/// A layer of a graph that convolves or multiplies.
struct ShapedLayer {
  std::string name;
  std::optional<ConvShape> conv;
  std::optional<GemmShape> product;
};
/// In the order of the graph. @throws std::invalid_argument  as OnnxShapes, or graph_fault()
std::vector<ShapedLayer> shaped_layers(const Graph& graph, const std::map<std::string, std::int64_t>& axes = {});

}  // namespace plugin_support
