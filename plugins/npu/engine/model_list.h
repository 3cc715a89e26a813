#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace npu {

/// A model of a list, and when it is asked for.
struct ListedModel {
  std::string name;  ///< models of the same name share their weights
  std::string file;  ///< ONNX; empty: NAME.onnx or models/NAME/NAME.onnx beside the list
  double request_ms = 0.0;
  std::uint32_t partition = 0;
  std::uint64_t attention_layers = 0;        ///< 0: all
  std::int64_t tokens = 0;                   ///< length up to which a graph of tokens comes again; 0: once
  std::map<std::string, std::int64_t> axes;  ///< of the graph's inputs
};

/// JSON as the reference program reads it: {"models": [{"name", "request_time" [ms], "partition_id", "nr_atten",
/// "output_seq_len", "file", and sizes of named axes}]}. @throws std::invalid_argument  naming model and key
std::vector<ListedModel> read_model_list(const std::string& text);

}  // namespace npu
