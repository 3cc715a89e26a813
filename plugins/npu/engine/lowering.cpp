#include "plugins/npu/engine/lowering.h"

#include <algorithm>

#include "plugins/npu/engine/tile_writer.h"

namespace npu {
namespace {

constexpr std::uint64_t S = TileWriter::scratchpad_base, A = TileWriter::accumulator_base;

}  // namespace

TileList lower_gemm(const Hardware& h, const GemmShape& shape, const LayerAddresses& at, bool has_bias) {
  const GemmMapping map = map_gemm(h, shape);
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

TileList lower_conv(const Hardware& h, const ConvShape& shape, const LayerAddresses& at) {
  const ConvMapping map = map_conv(h, shape);
  const ConvLoops& in = map.inner;
  const ConvLoops& outer = map.outer;
  const std::uint64_t d = h.cores[0].height, p = h.precision, cores = h.cores.size();
  const std::uint64_t k = shape.kernel, size = shape.size, Ci = shape.in_channels, Co = shape.out_channels;
  const std::uint64_t os = shape.out_size(), pad_c = (Ci + d - 1) / d * d, reach = shape.dilation * (k - 1);
  const std::uint64_t ih = (in.q - 1) * shape.stride + reach + 1, iw = (in.p - 1) * shape.stride + reach + 1;
  const std::uint64_t B = S + in.n * ih * iw * in.c * p;
  const auto less = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; };
  TileWriter out(h);
  const auto dst = [&](std::uint64_t ns, std::uint64_t qs, std::uint64_t ps, std::uint64_t ms) {
    return out.down(A + out.down((((ns * in.q + qs) * in.p + ps) * in.m + ms) * p));
  };
  std::uint64_t core = cores - 1;
  const auto one_tile = [&](std::uint64_t n0, std::uint64_t p0, std::uint64_t q0, std::uint64_t m0, std::uint64_t s0,
                            std::uint64_t r0, std::uint64_t c0) {
    const std::uint64_t mm = std::min(in.m, Co - m0), cc = std::min(in.c, Ci - c0), ss_end = std::min(in.s, k - s0),
                        rr_end = std::min(in.r, k - r0), qq = std::min(in.q, os - q0), pp = std::min(in.p, os - p0);
    out.begin();
    for (std::uint64_t ns = 0; ns < in.n; ++ns)
      for (std::uint64_t hs = 0; hs < ih; hs += shape.stride)
        for (std::uint64_t ws = 0; ws < iw; ws += shape.stride) {
          const std::uint64_t y = q0 + hs, x = p0 + ws, back = reach / 2;
          if (y < back || x < back || y - back >= size || x - back >= size) continue;
          const std::uint64_t pixel = (((n0 + ns) * size + y - back) * size + x - back) * Ci;
          out.span(at.input + (pixel + c0) * p, at.input + (pixel + c0 + cc) * p);
        }
    out.memory(Op::load, S);
    // The same walk twice: first what it loads, then what it computes.
    for (const bool loads : {true, false}) {
      std::uint64_t idx = 0;
      for (std::uint64_t ms = 0; ms < mm; ms += d)
        for (std::uint64_t ss = 0; ss < ss_end; ++ss)
          for (std::uint64_t rs = 0; rs < rr_end; ++rs)
            for (std::uint64_t cs = 0; cs < cc; cs += d, ++idx) {
              const std::uint64_t key = out.down(B + d * d * (idx * in.s * in.r + ss * in.r + rs));
              const std::uint64_t ml = std::min(d, mm - ms), cl = std::min(d, cc - cs);
              if (loads) {
                out.begin();
                for (std::uint64_t m = m0 + ms; m < m0 + ms + ml; ++m) {
                  const std::uint64_t row = (((m / d) * k + s0 + ss) * k + r0 + rs) * pad_c + c0 + cs;
                  out.span(at.weight + row * p, at.weight + (row + cl) * p);
                }
                out.memory(Op::load, key);
                continue;
              }
              for (std::uint64_t ns = 0; ns < in.n; ++ns)
                for (std::uint64_t qs = 0; qs < qq; qs += d)
                  for (std::uint64_t ps = 0; ps < pp; ps += d)
                    out.product(ns + qs + ps == 0 ? Op::preload : Op::gemm, dst(ns, qs, ps, ms), S, key,
                                std::min(d, less(qq, qs)) * std::min(d, less(pp, ps)), ml, cl);
            }
    }
    if (s0 + in.s >= k && r0 + in.r >= k && c0 + in.c >= Ci)
      for (std::uint64_t ns = 0; ns < in.n; ++ns)
        for (std::uint64_t qs = 0; qs < qq; qs += d)
          for (std::uint64_t ps = 0; ps < pp; ps += d)
            for (std::uint64_t ms = 0; ms < mm; ms += d) {
              out.begin();
              for (std::uint64_t q = q0 + qs; q < q0 + std::min(qs + d, qq); ++q)
                for (std::uint64_t x = p0 + ps; x < p0 + std::min(ps + d, pp); ++x) {
                  const std::uint64_t pixel = (((n0 + ns) * os + q) * os + x) * Co + m0 + ms;
                  out.span(at.output + pixel * p, at.output + (pixel + std::min(d, mm - ms)) * p);
                }
              out.memory(Op::store, dst(ns, qs, ps, ms));
            }
  };
  for (std::uint64_t n = 0; n < outer.n; ++n)
    for (std::uint64_t pi = 0; pi < outer.p; ++pi)
      for (std::uint64_t q = 0; q < outer.q; ++q)
        for (std::uint64_t m = 0; m < outer.m; ++m)
          for (std::uint64_t s = 0; s < outer.s; ++s)
            for (std::uint64_t r = 0; r < outer.r; ++r)
              for (std::uint64_t c = 0; c < outer.c; ++c) {
                if (s == 0 && r == 0 && c == 0) core = (core + 1) % cores;
                out.tile.core = static_cast<std::int32_t>(core), out.tile.accumulates = s != 0 || r != 0 || c != 0;
                one_tile(n * in.n, pi * in.p, q * in.q, m * in.m, s * in.s, r * in.r, c * in.c);
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
    out.vector(Op::layer_norm, S, S, 0, 0, n);
    out.vector(Op::add, S, S, S + n * w * p, 0, 1);
    out.range(Op::store, S, at.input + first, at.input + end);
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
    const std::uint64_t bias = at.bias + shape.tokens * w * p;
    out.range(Op::load, S, at.input + first, at.input + end);
    out.range(Op::load, S + n * w * p, bias, bias + w * p);
    out.vector(Op::add, S, S, S + n * w * p, n * w * p, 1);
    out.vector(Op::gelu, S, S, S, n * w * p, 1);
    out.range(Op::store, S, at.output + first, at.output + end);
    out.finish_tile();
  }
  return out.take();
}

TileList lower_attention(const Hardware& h, const TokenShape& shape, std::uint64_t heads, const LayerAddresses& at) {
  const std::uint64_t p = h.precision, dk = shape.width / heads, T = shape.tokens, d = h.cores[0].height;
  const std::uint64_t kk = S + T * dk * p, vk = kk + dk * T * p, head_bytes = T * dk * p;
  TileWriter out(h);
  std::uint64_t fused = 0;
  for (std::uint64_t b = 0; b < shape.batch; ++b)
    for (std::uint64_t head = 0; head < heads; ++head) {
      out.tile.fused = fused++;
      out.range(Op::load, kk, at.weight, at.weight + head_bytes);
      out.range(Op::load, vk, at.bias, at.bias + head_bytes);
      out.range(Op::load, S, at.input + head * head_bytes, at.input + (head + 1) * head_bytes);
      out.product(Op::gemm, A, S, kk, (T + d - 1) / d * T, T, dk), out.tile.instructions.back().counted = T;
      out.vector(Op::softmax, A, A, A, T * p, T);
      out.product(Op::gemm, A, A, vk, T * dk, dk, T), out.tile.instructions.back().counted = T;
      out.range(Op::store, A, at.output + head * head_bytes, at.output + (head + 1) * head_bytes);
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
