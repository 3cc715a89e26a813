#include <algorithm>

#include "plugins/npu/engine/layer_size.h"
#include "plugins/npu/engine/lowering.h"
#include "plugins/npu/engine/tile_writer.h"

namespace npu {
namespace {

constexpr std::uint64_t conv_S = TileWriter::scratchpad_base, conv_A = TileWriter::accumulator_base;

/// Offsets of a tile, and how much of each loop it does.
struct ConvTile {
  std::uint64_t n = 0, p = 0, q = 0, m = 0, s = 0, r = 0, c = 0;
};

class ConvWriter {
 public:
  ConvWriter(const Hardware& h, const ConvShape& shape, const LayerAddresses& at, const ConvMapping& map)
      : h_(h),
        shape_(shape),
        high_(shape.high),
        wide_(shape.wide),
        at_(at),
        in_(map.inner),
        out_(h),
        d_(h.cores[0].height),
        p_(h.precision),
        padded_channels_((shape.in_channels + d_ - 1) / d_ * d_),
        ih_((in_.q - 1) * high_.stride + high_.reach() + 1),
        iw_((in_.p - 1) * wide_.stride + wide_.reach() + 1),
        weights_(conv_S + in_.n * ih_ * iw_ * in_.c * p_) {}

  void tile(const ConvTile& t, std::int32_t core) {
    out_.tile.core = core, out_.tile.accumulates = t.s != 0 || t.r != 0 || t.c != 0;
    mm_ = std::min(in_.m, shape_.out_channels - t.m), cc_ = std::min(in_.c, shape_.in_channels - t.c);
    qq_ = std::min(in_.q, high_.out() - t.q), pp_ = std::min(in_.p, wide_.out() - t.p);
    load_image(t);
    // The same walk twice: first what it loads, then what it computes.
    for (const bool loads : {true, false}) products(t, loads);
    if (t.s + in_.s >= high_.kernel && t.r + in_.r >= wide_.kernel && t.c + in_.c >= shape_.in_channels) store(t);
    out_.finish_tile();
  }
  TileList take() { return out_.take(); }

 private:
  std::uint64_t dst(std::uint64_t ns, std::uint64_t qs, std::uint64_t ps, std::uint64_t ms) const {
    return out_.down(conv_A + out_.down((((ns * in_.q + qs) * in_.p + ps) * in_.m + ms) * p_));
  }
  void load_image(const ConvTile& t) {
    // The reference's windows begin at the output's coordinates, and take every stride-th row and column.
    const bool right = h_.corrected;
    const std::uint64_t back_h = right ? high_.pad : high_.reach() / 2, back_w = right ? wide_.pad : wide_.reach() / 2;
    const std::uint64_t first_h = right ? t.q * high_.stride : t.q, first_w = right ? t.p * wide_.stride : t.p;
    out_.begin();
    for (std::uint64_t ns = 0; ns < in_.n; ++ns)
      for (std::uint64_t hs = 0; hs < ih_; hs += right ? 1 : high_.stride)
        for (std::uint64_t ws = 0; ws < iw_; ws += right ? 1 : wide_.stride) {
          const std::uint64_t y = first_h + hs, x = first_w + ws;
          if (y < back_h || x < back_w || y - back_h >= high_.size || x - back_w >= wide_.size) continue;
          if (right && t.n + ns >= shape_.batch) continue;
          const std::uint64_t row = ((t.n + ns) * high_.size + y - back_h) * wide_.size + x - back_w;
          const std::uint64_t pixel = row * shape_.in_channels + t.c;
          out_.span(at_.input + pixel * p_, at_.input + (pixel + cc_) * p_);
        }
    out_.memory(Op::load, conv_S);
  }
  void products(const ConvTile& t, bool loads) {
    const std::uint64_t ss_end = std::min(in_.s, high_.kernel - t.s), rr_end = std::min(in_.r, wide_.kernel - t.r);
    std::uint64_t idx = 0;
    for (std::uint64_t ms = 0; ms < mm_; ms += d_)
      for (std::uint64_t ss = 0; ss < ss_end; ++ss)
        for (std::uint64_t rs = 0; rs < rr_end; ++rs)
          for (std::uint64_t cs = 0; cs < cc_; cs += d_, ++idx) {
            const std::uint64_t key = out_.down(weights_ + d_ * d_ * (idx * in_.s * in_.r + ss * in_.r + rs));
            const std::uint64_t ml = std::min(d_, mm_ - ms), cl = std::min(d_, cc_ - cs);
            if (loads) load_weights(t, ms, ss, rs, cs, ml, cl, key);
            else multiply(ms, key, ml, cl);
          }
  }
  void load_weights(const ConvTile& t, std::uint64_t ms, std::uint64_t ss, std::uint64_t rs, std::uint64_t cs,
                    std::uint64_t ml, std::uint64_t cl, std::uint64_t key) {
    out_.begin();
    for (std::uint64_t m = t.m + ms; m < t.m + ms + ml; ++m) {
      // The reference has one set of addresses for d output channels.
      const std::uint64_t channel = h_.corrected ? m : m / d_;
      const std::uint64_t row = ((channel * high_.kernel + t.s + ss) * wide_.kernel + t.r + rs) *
                                    (h_.corrected ? shape_.in_channels : padded_channels_) +
                                t.c + cs;
      out_.span(at_.weight + row * p_, at_.weight + (row + cl) * p_);
    }
    out_.memory(Op::load, key);
  }
  std::uint64_t images(const ConvTile* t) const {
    return h_.corrected && t != nullptr ? std::min(in_.n, shape_.batch - t->n) : in_.n;
  }
  std::uint64_t step_high() const { return shape_.pool_high > 1 ? shape_.pool_high : d_; }
  std::uint64_t step_wide() const { return shape_.pool_wide > 1 ? shape_.pool_wide : d_; }
  void multiply(std::uint64_t ms, std::uint64_t key, std::uint64_t ml, std::uint64_t cl) {
    for (std::uint64_t ns = 0; ns < in_.n; ++ns)
      for (std::uint64_t qs = 0; qs < qq_; qs += step_high())
        for (std::uint64_t ps = 0; ps < pp_; ps += step_wide())
          out_.product(ns + qs + ps == 0 ? Op::preload : Op::gemm, dst(ns, qs, ps, ms), conv_S, key,
                       std::min(step_high(), qq_ - qs) * std::min(step_wide(), pp_ - ps), ml, cl);
  }
  void store(const ConvTile& t) {
    const std::uint64_t ph = shape_.pool_high, pw = shape_.pool_wide;
    const std::uint64_t rows = (high_.out() + ph - 1) / ph, columns = (wide_.out() + pw - 1) / pw;
    for (std::uint64_t ns = 0; ns < images(&t); ++ns)
      for (std::uint64_t qs = 0; qs < qq_; qs += step_high())
        for (std::uint64_t ps = 0; ps < pp_; ps += step_wide())
          for (std::uint64_t ms = 0; ms < mm_; ms += d_) {
            out_.begin();
            // Pooled, a block of outputs is one pixel.
            const std::uint64_t q_end = t.q + std::min(qs + step_high(), qq_),
                                p_end = t.p + std::min(ps + step_wide(), pp_);
            for (std::uint64_t q = t.q + qs; q < q_end; q += ph)
              for (std::uint64_t x = t.p + ps; x < p_end; x += pw) {
                const std::uint64_t row = ((t.n + ns) * rows + q / ph) * columns + x / pw;
                const std::uint64_t pixel = row * shape_.out_channels + t.m + ms;
                out_.span(at_.output + pixel * p_, at_.output + (pixel + std::min(d_, mm_ - ms)) * p_);
              }
            out_.memory(Op::store, dst(ns, qs, ps, ms));
          }
  }

  const Hardware& h_;
  const ConvShape& shape_;
  const WindowAxis &high_, &wide_;
  const LayerAddresses at_;
  const ConvLoops in_;
  TileWriter out_;
  std::uint64_t d_, p_, padded_channels_, ih_, iw_, weights_;
  std::uint64_t mm_ = 0, cc_ = 0, qq_ = 0, pp_ = 0;  // of the tile
};

/// A product for each group, one after the other, as if its window had been laid out in rows.
TileList lower_groups(const Hardware& h, const ConvShape& shape, const LayerAddresses& at) {
  const std::uint64_t depth = shape.high.kernel * shape.wide.kernel * (shape.in_channels / shape.groups);
  const GemmShape product{shape.batch * shape.high.out() * shape.wide.out(), depth, shape.out_channels / shape.groups};
  TileList out;
  for (std::uint64_t g = 0; g < shape.groups; ++g) {
    LayerAddresses of = at;
    of.input += g * (shape.in_channels / shape.groups) * shape.batch * shape.high.size * shape.wide.size * h.precision;
    of.weight += g * product.depth * product.columns * h.precision;
    of.output += g * product.rows * product.columns * h.precision;
    TileList one = lower_gemm(h, product, of, false);
    for (Tile& tile : one.tiles) {
      tile.fused = g;
      // Groups start on the cores in turn.
      tile.core = static_cast<std::int32_t>((static_cast<std::uint64_t>(tile.core) + g) % h.cores.size());
      out.tiles.push_back(std::move(tile));
    }
    out.scratchpad_blocks = std::max(out.scratchpad_blocks, one.scratchpad_blocks);
    out.accumulator_blocks = std::max(out.accumulator_blocks, one.accumulator_blocks);
  }
  return out;
}

}  // namespace

TileList lower_conv(const Hardware& h, const ConvShape& shape, const LayerAddresses& at, const ConvMapping* given) {
  const ConvMapping map = given != nullptr ? *given : shape.groups > 1 ? ConvMapping() : map_conv(h, shape);
  check_layer_size({}, layer_size(h, shape, map));
  if (shape.groups > 1) return lower_groups(h, shape, at);
  const ConvLoops &in = map.inner, &outer = map.outer;
  ConvWriter out(h, shape, at, map);
  const std::uint64_t cores = h.cores.size();
  std::uint64_t core = cores - 1;
  for (std::uint64_t n = 0; n < outer.n; ++n)
    for (std::uint64_t pi = 0; pi < outer.p; ++pi)
      for (std::uint64_t q = 0; q < outer.q; ++q)
        for (std::uint64_t m = 0; m < outer.m; ++m)
          for (std::uint64_t s = 0; s < outer.s; ++s)
            for (std::uint64_t r = 0; r < outer.r; ++r)
              for (std::uint64_t c = 0; c < outer.c; ++c) {
                if (s == 0 && r == 0 && c == 0) core = (core + 1) % cores;
                out.tile({n * in.n, pi * in.p, q * in.q, m * in.m, s * in.s, r * in.r, c * in.c},
                         static_cast<std::int32_t>(core));
              }
  return out.take();
}

}  // namespace npu
