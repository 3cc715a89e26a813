#include "plugins/llm_serving/engine/model_shape.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "plugins/support/input_file.h"

namespace llm_serving {
namespace {

using ConfigJson = nlohmann::json;

/// The first of these keys that is there and not null.
double config_number(const ConfigJson& from, std::initializer_list<const char*> keys, double otherwise,
                     double least = 0.0) {
  constexpr double most = 1e9;
  for (const char* key : keys) {
    const auto found = from.find(key);
    if (found == from.end() || found->is_null()) continue;
    const bool is_number = found->is_number();
    if (!is_number || !(found->get<double>() >= least && found->get<double>() <= most))
      throw std::invalid_argument(std::string(key) + " is " +
                                  (is_number ? found->dump() : "of type " + std::string(found->type_name())) +
                                  "; wanted a number from " + (least > 0.0 ? "1" : "0") + " to 1e9");
    return found->get<double>();
  }
  return otherwise;
}
double wanted_number(const ConfigJson& from, const char* key) {
  const double out = config_number(from, {key}, 0.0);
  if (!(out >= 1.0)) throw std::invalid_argument("there is no " + std::string(key) + " of 1 or more");
  return out;
}

/// Bits of a quantized weight, where it says: num_bits of a group, bits, or fp8 by name.
double quantized_bytes(const ConfigJson& q, double otherwise) {
  constexpr double bits_per_byte = 8.0;
  if (!q.is_object()) return otherwise;
  if (const double bits = config_number(q, {"bits"}, 0.0); bits > 0.0) return bits / bits_per_byte;
  if (const auto groups = q.find("config_groups"); groups != q.end() && groups->is_object())
    for (const ConfigJson& group : *groups)
      if (group.is_object() && group.contains("weights") && group["weights"].is_object())
        if (const double bits = config_number(group["weights"], {"num_bits"}, 0.0); bits > 0.0)
          return bits / bits_per_byte;
  const auto method = q.find("quant_method");
  return method != q.end() && *method == "fp8" ? 1.0 : otherwise;
}

}  // namespace

double ModelShape::stored_bytes() const {
  const double dense = dense_layers() * matrices * hidden * feed_forward;
  const double mixed = expert_layers * hidden * (matrices * (experts * expert_width + shared_width) + experts);
  // Embedding and head are not quantized where the rest is.
  return (layers * attention_weights() + dense + mixed) * weight_bytes +
         (tied ? 1.0 : 2.0) * vocabulary * hidden * value_bytes;
}

double cache_blocks(const ModelShape& shape, double memory_bytes, double block_size) {
  const double left = memory_bytes - shape.stored_bytes();
  return std::max(0.0, std::floor(left / (block_size * shape.kv_bytes_per_token())));
}

ModelShape read_model_shape(std::string_view json) {
  const ConfigJson whole = plugin_support::parse_json_file(json);
  if (!whole.is_object()) throw std::invalid_argument("it is no JSON object");
  const bool parts = whole.contains("text_config") && whole["text_config"].is_object();
  const ConfigJson& c = parts ? whole["text_config"] : whole;
  ModelShape out;
  out.layers = wanted_number(c, "num_hidden_layers"), out.hidden = wanted_number(c, "hidden_size");
  out.heads = wanted_number(c, "num_attention_heads");
  out.kv_heads = config_number(c, {"num_key_value_heads"}, out.heads, 1.0);
  out.head_size = config_number(c, {"head_dim"}, out.hidden / out.heads, 1.0);
  const double width = config_number(c, {"intermediate_size"}, 4.0 * out.hidden, 1.0);
  out.feed_forward = config_number(c, {"intermediate_size_mlp"}, width, 1.0);
  out.experts = config_number(c, {"num_local_experts", "num_experts", "n_routed_experts"}, 0.0);
  if (out.experts > 1.0) {
    out.experts_per_token = wanted_number(c, "num_experts_per_tok");
    if (out.experts_per_token > out.experts)
      throw std::invalid_argument("num_experts_per_tok is more than the experts that there are");
    out.expert_width = config_number(c, {"moe_intermediate_size"}, width, 1.0);
    out.shared_width = config_number(c, {"n_shared_experts"}, 0.0) * out.expert_width;
    const double step = config_number(c, {"interleave_moe_layer_step"}, 0.0);
    const double first_dense = std::min(out.layers, config_number(c, {"first_k_dense_replace"}, 0.0));
    out.expert_layers = step > 0.0 ? std::floor(out.layers / (step + 1.0)) : out.layers - first_dense;
  } else {
    out.experts = 0.0;
  }
  out.vocabulary = config_number(c, {"vocab_size"}, 0.0, 1.0);  // where nobody says: embeddings are not counted
  const auto tied = c.find("tie_word_embeddings");
  out.tied = tied != c.end() && tied->is_boolean() && tied->get<bool>();
  const auto type = c.find("torch_dtype");
  if (type != c.end() && *type == "float32") out.weight_bytes = out.value_bytes = 4.0;
  for (const ConfigJson* from : {&c, &whole})
    if (const auto q = from->find("quantization_config"); q != from->end())
      out.weight_bytes = quantized_bytes(*q, out.weight_bytes);
  return out;
}

}  // namespace llm_serving
