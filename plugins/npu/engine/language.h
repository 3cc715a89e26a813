#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/npu/engine/lowering.h"
#include "plugins/npu/engine/simulator.h"

namespace npu {

/// A decoder-only transformer by its numbers.
struct LanguageModel {
  std::uint64_t layers = 1, heads = 12, kv_heads = 12;
  std::uint64_t hidden = 768, feed_forward = 3072, vocabulary = 50272;
  std::uint64_t max_tokens = 2048;  ///< for which a request's cache has room
  Op activation = Op::comp;         ///< comp (relu), gelu, swish or softmax
  bool gated = false;               ///< two products into the feed-forward layer, one a factor of the other
  bool single_layer = false;        ///< one layer stands for all
  std::uint64_t tensor_parallel = 1, pipeline_parallel = 1;  ///< devices that share a layer, and the layers

  std::uint64_t simulated_layers() const;
  /// Of this device, all layers and the head [bytes].
  double weight_bytes(std::uint32_t precision) const;
  /// Keys and values of one token, all layers [bytes].
  double cache_bytes_per_token(std::uint32_t precision) const;
};
/// opt_125m, opt_66b, llama3_8b. @throws std::invalid_argument  of others
LanguageModel find_language_model(std::string_view name);
/// JSON with the keys of ONNXim's language models. @throws std::invalid_argument  naming the key
LanguageModel read_language_model(const std::string& text);
/// Why it cannot be simulated; empty: it can.
std::string language_fault(const LanguageModel& model);

struct LanguageRequest {
  std::uint64_t cycle = 0;               ///< core cycle in which it comes
  std::uint64_t prompt = 1, tokens = 1;  ///< tokens to read, and to generate
  std::uint64_t cached = 0;              ///< tokens before them whose keys and values are there
};
/// CSV with the columns time, prompt_length, target_length, cached_length; a time is the core cycles since the request
/// before. @throws std::invalid_argument  naming line and column
std::vector<LanguageRequest> read_requests(const std::string& text);

struct LanguageBatching {
  bool continuous = false;      ///< requests join between two tokens; else when all others are done
  std::uint32_t max_batch = 0;  ///< requests at once; 0: no bound
  bool must_fit = true;         ///< an error where dram_gb is too small; else told
};

struct LanguageRecord {
  std::uint64_t arrival = 0, start = 0, first_token = 0, finish = 0;  ///< [core cycles]
  std::uint64_t tokens = 0;                                           ///< generated
};
struct LanguageResult {
  NpuResult run;
  std::vector<LanguageRecord> requests;  ///< in the order of their arrival; those not done have finish 0
  double most_bytes = 0.0;               ///< weights, caches and activations at their largest
  bool fits = true;
};

/// Requests in their order, prompts and tokens of all active ones in one pass.
/// @throws std::invalid_argument  of what cannot be simulated, or does not fit
LanguageResult simulate_language(const Hardware& hardware, const LanguageModel& model,
                                 const std::vector<LanguageRequest>& requests, const LanguageBatching& batching,
                                 const std::function<bool(std::uint64_t cycle)>& stop = {});

}  // namespace npu
