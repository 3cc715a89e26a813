#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plugin_support {

/// A tensor that a graph is given. An axis with a name has no size of its own.
struct GraphTensor {
  std::string name;
  std::vector<std::int64_t> dims;
  std::vector<std::string> axes;  ///< names of axes; empty where the size is in dims
  /// Whole numbers of an initializer or a constant, row-major, where it is of them and has 4096 at most; else none.
  std::vector<std::int64_t> values = {};
};
struct GraphNode {
  std::string name, op;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, std::vector<std::int64_t>> attributes;  ///< whole numbers alone
  std::optional<GraphTensor> value = {};                        ///< the tensor that is its attribute `value`
};
/// What of an ONNX graph is simulated: shapes and what they are computed from, no weights.
struct Graph {
  std::vector<GraphTensor> inputs, initializers;
  std::vector<GraphNode> nodes;
};

/// Reads the protobuf wire format of an ONNX model (ModelProto, IR version 3 and later). O(bytes).
/// @throws std::invalid_argument  where it is cut off, nested wrongly or no model: says the byte; or graph_fault()
Graph read_onnx(std::string_view bytes);

/// Why it can never end or means two things: a cycle of nodes, or a tensor that is written twice, with their names;
/// empty: it is sound. O(nodes and tensors).
std::string graph_fault(const Graph& graph);

}  // namespace plugin_support
