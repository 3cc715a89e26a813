#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plugins/abi/ergode_plugin.h"
#include "plugins/npu/engine/graph.h"
#include "plugins/npu/engine/language.h"
#include "plugins/npu/engine/mapping.h"
#include "plugins/npu/engine/model_list.h"
#include "plugins/npu/engine/single_layer.h"
#include "plugins/support/bad_input.h"

namespace npu {

/// Parameters in the order of plugin.json, which says what they mean.
struct NpuParameter {
  enum Index : std::uint32_t {
    hardware,
    hardware_file,
    workload,
    model,
    axis_size,
    rows,
    depth,
    columns,
    bias,
    image,
    in_channels,
    out_channels,
    kernel,
    stride,
    padding,
    copies,
    policy,
    model_list,
    mapping_file,
    attention_layers,
    corrected,
    must_fit,
    language,
    language_file,
    requests,
    request_count,
    prompt,
    generated,
    cached,
    interval,
    batching,
    max_batch,
    count
  };
};

/// What is asked of the plugin, as the engine takes it.
struct NpuSetup {
  enum class Workload : std::uint8_t { gemm, conv, onnx, list, language };
  Hardware hardware;
  Workload workload = Workload::gemm;
  GemmShape gemm;
  bool bias = false;
  ConvShape conv;
  Graph graph;
  MappingFile mapping;
  std::uint64_t attention_layers = 0;  ///< 0: all
  std::int64_t axis_size = 1;
  std::uint32_t copies = 1;
  std::vector<ListedModel> list;
  std::vector<Graph> listed_graphs;          ///< of each name in the list, in the order of their first
  std::vector<MappingFile> listed_mappings;  ///< of the same
  LanguageModel language;
  LanguageBatching batching;
  std::vector<LanguageRequest> requests;
  std::vector<std::pair<std::string, std::string>> unread;     ///< parameters of no consequence, and why
  std::vector<std::pair<std::string, std::string>> uncounted;  ///< files with operators that take no time, and which
};

/// Reads files too. @throws plugin_support::BadInput
NpuSetup read_npu_setup(const ergode_input& input);

/// A hardware file: JSON with the keys of the reference program. @throws std::invalid_argument  naming the key
Hardware read_hardware(const std::string& text);

/// All copies from time 0 to the last write. @param rows  in place of those of the product, the size of named axes or
/// the tokens of prompts. Only transformers have requests.
/// @throws plugin_support::BadInput
LanguageResult run_setup(const NpuSetup& setup, std::optional<std::uint64_t> rows = {},
                         const std::function<bool(std::uint64_t)>& stop = {});

}  // namespace npu
