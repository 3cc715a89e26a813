#pragma once
#include <string_view>

namespace llm_serving {

/// Sizes of a transformer that its time and its memory follow from.
struct ModelShape {
  double layers = 0.0, hidden = 0.0;
  double heads = 0.0, kv_heads = 0.0, head_size = 0.0;
  double feed_forward = 0.0;       ///< width of a dense feed-forward network
  double matrices = 3.0;           ///< of it and of experts: gate, up and down
  double expert_layers = 0.0;      ///< of `layers`, those with experts in place of a dense network
  double experts = 0.0;            ///< of such a layer
  double experts_per_token = 0.0;  ///< of them
  double expert_width = 0.0;       ///< of one
  double shared_width = 0.0;       ///< of those that every token passes, together
  double weight_bytes = 2.0;       ///< of a weight as it is stored
  double value_bytes = 2.0;        ///< of keys, values and activations
  double vocabulary = 0.0;
  bool tied = false;  ///< the head is the embedding

  double dense_layers() const { return layers - expert_layers; }
  double attention_weights() const { return 2.0 * hidden * head_size * (heads + kv_heads); }  ///< of a layer
  /// All of them, embedding and head included [bytes].
  double stored_bytes() const;
  double kv_bytes_per_token() const { return 2.0 * layers * kv_heads * head_size * value_bytes; }
};

/// Blocks of keys and values for which GPUs have room beside the weights, as servers set them aside at the start; 0
/// where the weights alone take more.
/// @param memory_bytes  of all GPUs that share the model, what may be used
double cache_blocks(const ModelShape& shape, double memory_bytes, double block_size);

/// From the config.json that models are published with (Hugging Face transformers): hidden_size, num_hidden_layers,
/// num_attention_heads; num_key_value_heads, head_dim, intermediate_size, num_local_experts or num_experts or
/// n_routed_experts, num_experts_per_tok, moe_intermediate_size, n_shared_experts, interleave_moe_layer_step,
/// intermediate_size_mlp, vocab_size, tie_word_embeddings, torch_dtype, quantization_config. Of models of several parts
/// those of text_config.
/// @throws std::invalid_argument  what is missing or out of range
ModelShape read_model_shape(std::string_view json);

}  // namespace llm_serving
