#include "plugins/npu/engine/lowering.h"

#include <algorithm>

#include "plugins/npu/engine/layer_size.h"
#include "plugins/npu/engine/tile_writer.h"

namespace npu {
namespace {

constexpr std::uint64_t S = TileWriter::scratchpad_base, A = TileWriter::accumulator_base;

}  // namespace

TileList lower_gemm(const Hardware& h, const GemmShape& shape, const LayerAddresses& at, bool has_bias,
                    const GemmMapping* given) {
  const GemmMapping map = given != nullptr ? *given : map_gemm(h, shape);
  check_layer_size({}, layer_size(h, shape, map, has_bias));
  const std::uint64_t d = h.cores[0].height, p = h.precision, e = h.request_bytes / p, cores = h.cores.size();
  const std::uint64_t ii = map.inner.rows, ik = map.inner.depth, ij = map.inner.columns;
  const std::uint64_t I = shape.rows, K = shape.depth, J = shape.columns, W = S + ii * ik * p;
  TileWriter out(h);
  std::uint64_t core = cores - 1;
  for (std::uint64_t n0 = 0; n0 < I; n0 += ii)
    for (std::uint64_t m0 = 0; m0 < J; m0 += ij)
      for (std::uint64_t c0 = 0; c0 < K; c0 += ik) {
        if (c0 == 0) core = (core + 1) % cores;
        out.tile.core = static_cast<std::int32_t>(core), out.tile.accumulates = c0 != 0;
        const std::uint64_t cin = std::min(ik, K - c0), nin = std::min(ii, I - n0), min = std::min(ij, J - m0);
        for (std::uint64_t ms = 0; ms < min; ms += d) {
          const std::uint64_t ml = std::min(d, min - ms);
          if (has_bias && c0 == 0) {
            out.begin();
            for (std::uint64_t i = 0; i < ml; i += e) out.one(at.bias + (m0 + ms + i) * p);
            out.memory(Op::load, A + ms * p, false);
          }
          out.begin();
          for (std::uint64_t r = 0; r < ml; ++r)
            for (std::uint64_t c = 0; c < cin; c += e) out.one(at.weight + ((m0 + ms + r) * K + c0 + c) * p);
          out.memory(Op::load, W + ms * ik * p);
          for (std::uint64_t ns = 0; ms == 0 && ns < nin; ns += d) {
            out.begin();
            for (std::uint64_t r = 0; r < std::min(d, nin - ns); ++r)
              for (std::uint64_t c = 0; c < cin; c += e) out.one(at.input + ((n0 + ns + r) * K + c0 + c) * p);
            out.memory(Op::load, S + ns * ik * p);
          }
        }
        for (std::uint64_t ms = 0; ms < min; ms += d)
          for (std::uint64_t ns = 0; ns < nin; ns += d)
            for (std::uint64_t c = 0; c < cin; c += d)
              out.product(Op::preload, A + (ns * ij + ms) * p, S + ns * ik * p, W + ms * ik * p, std::min(d, nin - ns),
                          std::min(d, min - ms), std::min(d, cin - c));
        if (c0 + ik >= K)
          for (std::uint64_t ms = 0; ms < min; ms += d)
            for (std::uint64_t ns = 0; ns < nin; ns += d) {
              out.begin();
              for (std::uint64_t r = 0; r < std::min(d, nin - ns); ++r)
                for (std::uint64_t c = 0; c < std::min(d, min - ms); c += e)
                  out.one(at.output + ((n0 + ns + r) * J + m0 + ms + c) * p);
              out.memory(Op::store, A + (ns * ij + ms) * p);
            }
        out.finish_tile();
      }
  return out.take();
}

TileList lower_skip_layer_norm(const Hardware& h, const TokenShape& shape, const LayerAddresses& at) {
  const std::uint64_t p = h.precision, w = shape.width, all = shape.tokens * shape.batch, cores = h.cores.size();
  const std::uint64_t cap = h.cores[0].scratchpad_kb * 1024 / 2;
  std::uint64_t tokens = std::max<std::uint64_t>(1, std::min(cap / (2 * w * p), all));
  if ((shape.tokens + tokens - 1) / tokens < 2 * cores) tokens = (shape.tokens + 2 * cores - 1) / (2 * cores);
  TileWriter out(h);
  for (std::uint64_t k = 0; k < all; k += tokens) {
    const std::uint64_t n = std::min(tokens, all - k), first = k * w * p, end = (k + n) * w * p;
    out.range(Op::load, S, at.input + first, at.input + end);
    out.range(Op::load, S + n * w * p, at.weight + first, at.weight + end);
    // The reference counts no bytes, and stores where the input is.
    const std::uint64_t row = h.corrected ? w * p : 0, to = h.corrected ? at.output : at.input;
    out.vector(Op::layer_norm, S, S, 0, row, n);
    out.vector(Op::add, S, S, S + n * w * p, n * row, 1);
    out.range(Op::store, S, to + first, to + end);
    out.finish_tile();
  }
  return out.take();
}

TileList lower_bias_gelu(const Hardware& h, const TokenShape& shape, const LayerAddresses& at) {
  const std::uint64_t p = h.precision, w = shape.width, all = shape.tokens * shape.batch;
  const std::uint64_t fit = h.cores[0].scratchpad_kb * 1024 / 2 / (w * p);
  const std::uint64_t tokens = std::max<std::uint64_t>(1, std::min(fit > 0 ? fit - 1 : 0, all));
  TileWriter out(h);
  for (std::uint64_t k = 0; k < all; k += tokens) {
    const std::uint64_t n = std::min(tokens, all - k), first = k * w * p, end = (k + n) * w * p;
    const std::uint64_t bias = at.bias + (h.corrected ? 0 : shape.tokens * w * p);  // the reference: behind its start
    out.range(Op::load, S, at.input + first, at.input + end);
    out.range(Op::load, S + n * w * p, bias, bias + w * p);
    out.vector(Op::add, S, S, S + n * w * p, n * w * p, 1);
    out.vector(Op::gelu, S, S, S, n * w * p, 1);
    out.range(Op::store, S, at.output + first, at.output + end);
    out.finish_tile();
  }
  return out.take();
}

TileList lower_attention(const Hardware& h, const TokenShape& shape, std::uint64_t heads, std::uint64_t keys,
                         const LayerAddresses& at) {
  const std::uint64_t p = h.precision, dk = shape.width / heads, T = shape.tokens, L = keys, d = h.cores[0].height;
  const std::uint64_t kk = S + T * dk * p, vk = kk + dk * L * p, head_bytes = T * dk * p, key_bytes = L * dk * p;
  TileWriter out(h);
  std::uint64_t fused = 0;
  for (std::uint64_t b = 0; b < shape.batch; ++b)
    for (std::uint64_t head = 0; head < heads; ++head) {
      out.tile.fused = fused++;
      // The reference reads the first head's keys, and the same queries for each batch.
      const std::uint64_t own = h.corrected ? b * heads + head : 0, query = h.corrected ? own : head;
      out.range(Op::load, kk, at.weight + own * key_bytes, at.weight + (own + 1) * key_bytes);
      out.range(Op::load, vk, at.bias + own * key_bytes, at.bias + (own + 1) * key_bytes);
      out.range(Op::load, S, at.input + query * head_bytes, at.input + (query + 1) * head_bytes);
      out.product(Op::gemm, A, S, kk, (T + d - 1) / d * L, L, dk), out.tile.instructions.back().counted = T;
      out.vector(Op::softmax, A, A, A, L * p, T);
      out.product(Op::gemm, A, A, vk, T * dk, dk, L), out.tile.instructions.back().counted = T;
      out.range(Op::store, A, at.output + query * head_bytes, at.output + (query + 1) * head_bytes);
      out.finish_tile();
    }
  return out.take();
}

TileList lower_elementwise(const Hardware& h, Op op, const TokenShape& shape, bool two_inputs,
                           const LayerAddresses& at) {
  const std::uint64_t p = h.precision, w = shape.width, all = shape.tokens * shape.batch, cores = h.cores.size();
  const std::uint64_t fit = std::max<std::uint64_t>(1, h.cores[0].scratchpad_kb * 1024 / 2 / (2 * w * p));
  // Two tiles for each core, so that one loads while the other computes.
  const std::uint64_t rows = std::max<std::uint64_t>(1, std::min(fit, (all + 2 * cores - 1) / (2 * cores)));
  TileWriter out(h);
  for (std::uint64_t k = 0; k < all; k += rows) {
    const std::uint64_t n = std::min(rows, all - k), first = k * w * p, end = (k + n) * w * p;
    out.range(Op::load, S, at.input + first, at.input + end);
    if (two_inputs) out.range(Op::load, S + n * w * p, at.weight + first, at.weight + end);
    out.vector(op, S, S, two_inputs ? S + n * w * p : 0, n * w * p, 1);
    out.range(Op::store, S, at.output + first, at.output + end);
    out.finish_tile();
  }
  return out.take();
}

TileList lower_pool(const Hardware& h, const WindowAxis& high, const WindowAxis& wide, std::uint64_t batch,
                    std::uint64_t channels, const LayerAddresses& at) {
  const std::uint64_t p = h.precision, row = wide.size * channels * p, out_row = wide.out() * channels * p;
  TileWriter out(h);
  for (std::uint64_t b = 0; b < batch; ++b)
    for (std::uint64_t q = 0; q < high.out(); ++q) {
      // A tile is a row of outputs, and the rows of the image under its windows.
      const std::uint64_t top = q * high.stride, first = top > high.pad ? top - high.pad : 0;
      const std::uint64_t last =
          std::min(high.size, top + high.reach() + 1 > high.pad ? top + high.reach() + 1 - high.pad : 0);
      const std::uint64_t image = at.input + b * high.size * row;
      out.range(Op::load, S, image + first * row, image + std::max(last, first) * row);
      out.vector(Op::comp, S + 1, S, 0, out_row * high.kernel * wide.kernel, 1);
      const std::uint64_t to = at.output + (b * high.out() + q) * out_row;
      out.range(Op::store, S + 1, to, to + out_row);
      out.finish_tile();
    }
  return out.take();
}

TileList lower_skip(std::size_t tiles) {
  TileList out;
  out.tiles.resize(tiles);
  for (Tile& tile : out.tiles) tile.skip = true;
  return out;
}

}  // namespace npu
