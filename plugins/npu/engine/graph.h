#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/npu/engine/mapping_file.h"
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
/// @throws std::invalid_argument  where it is cut off, nested wrongly or no model: says the byte; or graph_fault()
Graph read_onnx(std::string_view bytes);

/// Why it can never end or means two things: a cycle of nodes, or a tensor that is written twice, with their names;
/// empty: it is sound. O(nodes and tensors).
std::string graph_fault(const Graph& graph);

/// How a graph is run.
struct GraphOptions {
  std::map<std::string, std::int64_t> axes;  ///< sizes of named axes
  std::uint64_t attention_layers = 0;        ///< the graph ends after so many, each with two normalisations; 0: all
  /// Where total_seq_len is one of the axes, the graph comes again with one token more until it has this length; 0:
  /// once.
  std::int64_t tokens = 0;
  MappingFile mapping;
};

struct PlacedTensor {
  std::vector<std::uint64_t> shape;
  std::uint64_t address = 0;
  std::int64_t producer = -1;  ///< layer; below 0: there from the beginning
};

/// A graph on an accelerator with its initializers allocated. `hardware` must outlive it and its instances, which share
/// the weights.
class PlacedGraph {
 public:
  /// @throws std::invalid_argument  naming the initializer, or graph_fault()
  PlacedGraph(const Hardware& hardware, AddressSpace& space, const Graph& graph);
  double weight_bytes() const { return weight_bytes_; }
  /// One that allocates the rest when it is released.
  /// @throws std::invalid_argument  when it is: naming node and tensor, of shapes that do not fit, or more than dram_gb
  ModelInstance instance(const GraphOptions& options = {}) const;

 private:
  const Hardware& h_;
  std::shared_ptr<const Graph> graph_;
  std::map<std::string, PlacedTensor> placed_;
  double weight_bytes_ = 0.0;
};

/// A layer of a graph that convolves or multiplies.
struct ShapedLayer {
  std::string name;
  std::optional<ConvShape> conv;
  std::optional<GemmShape> product;
};
/// In the order of the graph. @throws std::invalid_argument  as PlacedGraph
std::vector<ShapedLayer> shaped_layers(const Graph& graph, const std::map<std::string, std::int64_t>& axes = {});

/// A graph that comes once.
ModelInstance one_graph(const Hardware& hardware, AddressSpace& space, const Graph& graph,
                        const std::map<std::string, std::int64_t>& axes = {});

}  // namespace npu
