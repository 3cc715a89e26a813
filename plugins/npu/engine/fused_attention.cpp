#include <algorithm>
#include <stdexcept>

#include "plugins/npu/engine/lowering.h"
#include "plugins/npu/engine/tile_writer.h"

namespace npu {
namespace {

constexpr std::uint64_t attention_S = TileWriter::scratchpad_base, attention_A = TileWriter::accumulator_base;
std::uint64_t attention_parts(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Queries and keys of a tile. The scores of a query are softened over all keys, so that a tile that has only some of
/// them has one query.
struct AttentionBlocks {
  std::uint64_t q = 1, l = 1, tiles = 1, key_tiles = 1;
};
AttentionBlocks attention_blocks(const Hardware& h, const AttentionShape& s) {
  const std::uint64_t p = h.precision, dk = s.head_width, g = s.heads / s.kv_heads;
  const std::uint64_t scratchpad = h.cores[0].scratchpad_kb * 1024 / 2, room = h.cores[0].accumulator_kb * 1024 / 2;
  if (scratchpad <= g * dk * p + 2 * dk * p || room < p)
    throw std::invalid_argument("half of the scratchpad holds no query, key and value of an attention head");
  const std::uint64_t splits =
      std::max(attention_parts(s.keys * p, room), attention_parts(2 * s.keys * dk * p, scratchpad - g * dk * p));
  AttentionBlocks out;
  if (splits > 1) {
    out.l = attention_parts(s.keys, splits), out.tiles = s.tokens * s.kv_heads;
  } else {
    out.l = s.keys;
    out.q = std::min({s.tokens, room / ((s.keys * p + 8) * g), (scratchpad - 2 * s.keys * dk * p) / (g * dk * p)});
    out.q = std::max<std::uint64_t>(out.q, 1);
    out.tiles = attention_parts(s.tokens, out.q) * s.kv_heads;
  }
  out.key_tiles = attention_parts(s.keys, out.l);
  return out;
}

}  // namespace

TileList lower_fused_attention(const Hardware& h, const AttentionShape& s, const LayerAddresses& at) {
  if (s.kv_heads == 0 || s.heads % s.kv_heads != 0 || s.head_width == 0 || s.tokens == 0 || s.keys < s.tokens)
    throw std::invalid_argument("an attention's heads, tokens and keys do not fit together");
  const AttentionBlocks b = attention_blocks(h, s);
  const std::uint64_t d = h.cores[0].height, p = h.precision, dk = s.head_width, g = s.heads / s.kv_heads;
  const std::uint64_t q = b.q, l = b.l, per = b.tiles / s.kv_heads, L = s.keys, T = s.tokens;
  TileWriter out(h);
  std::uint64_t core = h.cores.size() - 1, fused = 0;
  for (std::uint64_t n = 0; n < b.tiles; ++n)
    for (std::uint64_t m = 0; m < b.key_tiles; ++m) {
      if (m == 0) core = (core + 1) % h.cores.size();
      out.tile.core = static_cast<std::int32_t>(core), out.tile.accumulates = m != 0, out.tile.fused = fused++;
      const std::uint64_t h0 = n / per * g, first_query = n % per * q;
      // The reference divides by the number of heads of keys where it means the heads that share them.
      const std::uint64_t kv = h.corrected ? h0 / g : h0 / s.kv_heads;
      const std::uint64_t K = attention_S + g * q * dk * p + kv * dk * l * p;
      const std::uint64_t V = K + dk * l * attention_parts(g, s.kv_heads) * p;
      const auto Q = [&](std::uint64_t head) { return attention_S + head * q * dk * p; };
      const auto scores = [&](std::uint64_t head) { return attention_A + head * q * l * p; };
      const auto extra = [&](std::uint64_t head) { return scores(head) + g * q * l * p; };
      const auto cached = [&](std::uint64_t key, std::uint64_t base) {
        out.begin();
        // The reference reads the first keys again for those that follow.
        for (std::uint64_t i = 0; i < l && m * l + i < L; ++i) {
          const std::uint64_t row = kv * L + i + (h.corrected ? m * l : 0);
          out.span(base + row * dk * p, base + (row + 1) * dk * p);
        }
        out.memory(Op::load, key);
      };
      cached(K, at.weight);
      for (std::uint64_t head = 0; head < g; ++head) {
        out.begin();
        for (std::uint64_t i = 0; i < q && first_query + i < T; ++i) {
          const std::uint64_t row = (h0 + head) * T + first_query + i;
          out.span(at.input + row * dk * p, at.input + (row + 1) * dk * p);
        }
        out.memory(Op::load, Q(head));
      }
      cached(V, at.bias);
      // The last blocks may be smaller; the reference computes whole ones.
      const std::uint64_t rows = h.corrected ? std::min(q, T - first_query) : q;
      const std::uint64_t columns = h.corrected ? std::min(l, L - m * l) : l;
      const auto products = [&](bool keys_outside) {
        const std::uint64_t outside = keys_outside ? columns : dk, inside = keys_outside ? dk : columns;
        for (std::uint64_t i = 0; i < outside; i += d)
          for (std::uint64_t j = 0; j < inside; j += d)
            for (std::uint64_t head = 0; head < g; ++head)
              out.product(head == 0 || h.corrected ? Op::preload : Op::gemm, scores(head),
                          keys_outside ? Q(head) : scores(head), keys_outside ? K : V, rows, std::min(d, outside - i),
                          std::min(d, inside - j));
      };
      products(true);
      constexpr std::uint64_t wide = 4;  // bytes of an element of the accumulator
      for (std::uint64_t head = 0; head < g; ++head) {
        const std::uint64_t x = extra(head), score = scores(head);
        out.vector(Op::add_tree, x, score, 0, l * p + 1, q);  // the largest
        out.vector(Op::add, score, score, x, q * (l + 1) * p, 1);
        out.vector(Op::exp, score, score, 0, q * (l + 1) * wide, 1);
        out.vector(Op::add_tree, x, score, 0, l * wide, q);  // the sum
        out.vector(Op::mac, x, x, 0, q * l * wide, 1);
        out.vector(Op::div, score, x, 0, q * wide, 1);
        out.vector(Op::mul, score, score, x, q * l * wide, 1);
      }
      products(false);
      for (std::uint64_t head = 0; m + 1 == b.key_tiles && head < g; ++head) {
        out.vector(Op::div, scores(head), extra(head), 0, T * wide, 1);
        out.vector(Op::mul, scores(head), scores(head), extra(head), T * dk * wide, 1);
        out.begin();
        const std::uint64_t first = h.corrected ? first_query : m * q;
        for (std::uint64_t i = 0; i < q && first + i < T; ++i) {
          const std::uint64_t row = (first + i) * s.heads + h0 + head;
          out.span(at.output + row * dk * p, at.output + (row + 1) * dk * p);
        }
        out.memory(Op::store, scores(head));
      }
      out.finish_tile();
    }
  return out.take();
}

TileList lower_bias_activation(const Hardware& h, const TokenShape& shape, const ActivationShape& kind,
                               const LayerAddresses& at) {
  const std::uint64_t p = h.precision, narrow = shape.width, w = kind.gated ? 2 * narrow : narrow;
  const std::uint64_t all = shape.tokens * shape.batch, cores = h.cores.size();
  const std::uint64_t fit = h.cores[0].scratchpad_kb * 1024 / 2 / (w * p);
  std::uint64_t tokens = std::max<std::uint64_t>(1, std::min(fit > 0 ? fit - 1 : 0, all));
  if (attention_parts(shape.tokens, tokens) < 2 * cores) tokens = attention_parts(shape.tokens, 2 * cores);
  // The reference reads the bias behind its start.
  const std::uint64_t bias = at.bias + (h.corrected ? 0 : shape.tokens * w * p);
  // What a tile stores is as wide as what comes out; in the reference as what went in.
  const std::uint64_t stored = h.corrected ? narrow : w;
  TileWriter out(h);
  constexpr std::uint64_t S = attention_S;
  for (std::uint64_t k = 0; k < all; k += tokens) {
    const std::uint64_t n = std::min(tokens, all - k);
    out.range(Op::load, S, at.input + k * w * p, at.input + (k + n) * w * p);
    out.range(Op::load, S + n * w * p, bias, bias + w * p);
    out.vector(Op::add, S, S, S + n * w * p, n * w * p, 1);
    out.vector(kind.op, S, S, S, n * narrow * p, kind.op == Op::softmax ? n : 1);
    if (kind.gated) out.vector(Op::mul, S, S, S, n * narrow * p, 1);
    out.range(Op::store, S, at.output + k * stored * p, at.output + (k + n) * stored * p);
    out.finish_tile();
  }
  return out.take();
}

}  // namespace npu
