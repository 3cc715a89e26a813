#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/npu/engine/mapping_file.h"
#include "plugins/npu/engine/simulator.h"
#include "plugins/support/onnx_shapes.h"

namespace npu {

using plugin_support::Graph, plugin_support::GraphNode, plugin_support::GraphTensor, plugin_support::read_onnx;

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
  plugin_support::OnnxShapes shapes_;
  std::map<std::string, PlacedTensor> placed_;
  double weight_bytes_ = 0.0;
};

/// Operators that take no time here though they would on an accelerator, and how many nodes of each.
/// @param corrected  as of Hardware
/// @throws std::invalid_argument  of shapes that do not fit
std::map<std::string, std::size_t> uncounted_operators(const Graph& graph,
                                                       const std::map<std::string, std::int64_t>& axes, bool corrected);

/// A graph that comes once.
ModelInstance one_graph(const Hardware& hardware, AddressSpace& space, const Graph& graph,
                        const std::map<std::string, std::int64_t>& axes = {});

}  // namespace npu
