#pragma once
#include "plugins/npu/engine/mapping.h"
#include "plugins/npu/engine/roofline.h"
#include "plugins/npu/engine/tile.h"

namespace npu {

/// Where the tensors of a layer begin [bytes].
struct LayerAddresses {
  std::uint64_t input = 0, weight = 0, bias = 0, output = 0;
};

/// Tiles of a product: input [rows][depth], weights [columns][depth], output [rows][columns], all row-major.
/// @param map  in place of map_gemm()
TileList lower_gemm(const Hardware& hardware, const GemmShape& shape, const LayerAddresses& at, bool has_bias,
                    const GemmMapping* map = nullptr);

/// Tiles of a convolution, channels last; grouped ones as a product for each group. @param map  in place of map_conv()
TileList lower_conv(const Hardware& hardware, const ConvShape& shape, const LayerAddresses& at,
                    const ConvMapping* map = nullptr);

/// Batches of rows of tokens, each `width` elements.
struct TokenShape {
  std::uint64_t batch = 1, tokens = 1, width = 1;
};
/// Input and `weight`, here the second input, added and normalised; stored where the input is, as the reference does.
TileList lower_skip_layer_norm(const Hardware& hardware, const TokenShape& shape, const LayerAddresses& at);
TileList lower_bias_gelu(const Hardware& hardware, const TokenShape& shape, const LayerAddresses& at);
/// One tile for each batch and head, against `keys` of each; its projection is a product of its own.
TileList lower_attention(const Hardware& hardware, const TokenShape& shape, std::uint64_t heads, std::uint64_t keys,
                         const LayerAddresses& at);
/// Each element of one or two inputs once: sums, activations.
TileList lower_elementwise(const Hardware& hardware, Op op, const TokenShape& shape, bool two_inputs,
                           const LayerAddresses& at);
/// The largest or the mean of each window.
TileList lower_pool(const Hardware& hardware, const WindowAxis& high, const WindowAxis& wide, std::uint64_t batch,
                    std::uint64_t channels, const LayerAddresses& at);

/// Queries of some tokens against all keys of a request. Groups of heads share keys and values.
struct AttentionShape {
  std::uint64_t heads = 1, kv_heads = 1, head_width = 1;
  std::uint64_t tokens = 1, keys = 1;  ///< keys: those of the tokens among them
};
/// Scores, softmax and values in one tile for each block of queries and group of heads; at.weight are the keys, at.bias
/// the values. @throws std::invalid_argument  where half of a scratchpad is too small for one of each
TileList lower_fused_attention(const Hardware& hardware, const AttentionShape& shape, const LayerAddresses& at);

/// comp (relu), gelu, swish or softmax; gated: one half of what comes in, of twice the width, is a factor of the other.
struct ActivationShape {
  Op op = Op::comp;
  bool gated = false;
};
TileList lower_bias_activation(const Hardware& hardware, const TokenShape& shape, const ActivationShape& kind,
                               const LayerAddresses& at);

/// What these layers must do at least.
LayerWork gemm_work(const Hardware& hardware, const GemmShape& shape, bool has_bias);
LayerWork conv_work(const Hardware& hardware, const ConvShape& shape);
LayerWork fused_work(const Hardware& hardware, const AttentionShape& shape);
LayerWork normalisation_work(const Hardware& hardware, const TokenShape& shape);
LayerWork activation_work(const Hardware& hardware, const TokenShape& shape, const ActivationShape& kind);

/// Tiles that cost nothing.
TileList lower_skip(std::size_t tiles);

}  // namespace npu
