#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/npu/engine/simulator.h"

namespace npu {

/// A tensor that a graph is given. An axis with a name has no size of its own.
struct GraphTensor {
  std::string name;
  std::vector<std::int64_t> dims;
  std::vector<std::string> axes;  ///< names of axes; empty where the size is in dims
};
struct GraphNode {
  std::string name, op;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, std::vector<std::int64_t>> attributes;  ///< whole numbers alone
};
/// What of an ONNX graph is simulated: shapes, no weights.
struct Graph {
  std::vector<GraphTensor> inputs, initializers;
  std::vector<GraphNode> nodes;
};

/// Reads the protobuf wire format of an ONNX model (ModelProto, IR version 3 and later). O(bytes).
/// @throws std::invalid_argument  where it is cut off, nested wrongly or no model: says the byte
Graph read_onnx(std::string_view bytes);

/// A graph on an accelerator: allocates its initializers now, the rest when it is released. `hardware` must outlive it.
/// @param axes  sizes of named axes
/// @throws std::invalid_argument  naming node and tensor: shapes that do not fit, convolutions that are grouped or not
/// square
ModelInstance one_graph(const Hardware& hardware, AddressSpace& space, const Graph& graph,
                        const std::map<std::string, std::int64_t>& axes = {});

}  // namespace npu
