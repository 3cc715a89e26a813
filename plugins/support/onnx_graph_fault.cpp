#include <cstdint>
#include <unordered_map>

#include "plugins/support/onnx_graph.h"

namespace plugin_support {
namespace {

std::string named_node(const Graph& graph, std::size_t i) {
  const GraphNode& node = graph.nodes[i];
  return "node " + (node.name.empty() ? std::to_string(i + 1) : "\"" + node.name + "\"") + " (" + node.op + ")";
}

}  // namespace

std::string graph_fault(const Graph& graph) {
  std::unordered_map<std::string_view, std::size_t> writers;
  const std::size_t nodes = graph.nodes.size();
  for (std::size_t i = 0; i < nodes; ++i)
    for (const std::string& name : graph.nodes[i].outputs)
      if (!name.empty())
        if (const auto [at, is_new] = writers.emplace(name, i); !is_new)
          return "tensor \"" + name + "\" is written by " + named_node(graph, at->second) + " and by " +
                 named_node(graph, i) + "; wanted one node for each tensor";
  // What waits for a node that waits is left (Kahn, Topological sorting of large networks, 1962).
  std::vector<std::uint32_t> waits(nodes, 0);
  std::vector<std::vector<std::size_t>> readers(nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    for (const std::string& name : graph.nodes[i].inputs)
      if (const auto at = writers.find(name); at != writers.end()) readers[at->second].push_back(i), ++waits[i];
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < nodes; ++i)
    if (waits[i] == 0) ready.push_back(i);
  for (std::size_t k = 0; k < ready.size(); ++k)
    for (const std::size_t next : readers[ready[k]])
      if (--waits[next] == 0) ready.push_back(next);
  if (ready.size() < nodes) {
    // Each of those left reads from another of them: back along these until one comes again.
    std::size_t at = 0;
    while (waits[at] == 0) ++at;
    const auto before = [&](std::size_t i) {
      for (const std::string& name : graph.nodes[i].inputs)
        if (const auto from = writers.find(name); from != writers.end() && waits[from->second] > 0) return from->second;
      return i;
    };
    std::vector<bool> seen(nodes, false);
    for (; !seen[at]; at = before(at)) seen[at] = true;
    std::string names = named_node(graph, at);
    std::size_t listed = 1;
    constexpr std::size_t most_listed = 8;
    for (std::size_t i = before(at); i != at; i = before(i))
      if (++listed <= most_listed) names += " reads from " + named_node(graph, i);
    return "there is a cycle that never ends: " + names + (listed > most_listed ? " and so on" : "") +
           " reads from it again; wanted nodes that wait for earlier ones alone";
  }
  const auto given = [&](const std::vector<GraphTensor>& tensors, const char* what) -> std::string {
    for (const GraphTensor& one : tensors)
      if (const auto at = writers.find(one.name); !one.name.empty() && at != writers.end())
        return "tensor \"" + one.name + "\" is an " + what + " and is written by " + named_node(graph, at->second) +
               "; wanted one or the other";
    return {};
  };
  if (std::string fault = given(graph.inputs, "input"); !fault.empty()) return fault;
  return given(graph.initializers, "initializer");
}

}  // namespace plugin_support
