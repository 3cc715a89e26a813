#include "plugins/npu/engine/layer_size.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "plugins/npu/engine/tile.h"

namespace npu {
namespace {

double sized(std::uint64_t x) { return static_cast<double>(x); }
double pieces(std::uint64_t x, std::uint64_t of) { return std::ceil(sized(x) / sized(of)); }
/// An axis in tiles, and each tile in pieces: how many there are.
double pieces_of_tiles(std::uint64_t all, std::uint64_t tile, std::uint64_t piece) {
  return sized(all / tile) * pieces(tile, piece) + pieces(all % tile, piece);
}

}  // namespace

double LayerSize::bytes() const {
  return tiles * sizeof(Tile) + instructions * sizeof(Instruction) + requests * sizeof(std::uint64_t);
}

LayerSize layer_size(const Hardware& h, const GemmShape& s, const GemmMapping& map, bool has_bias) {
  const std::uint64_t d = h.cores[0].height, e = h.request_bytes / h.precision;
  const double rows = pieces_of_tiles(s.rows, map.inner.rows, d);
  const double depth = pieces_of_tiles(s.depth, map.inner.depth, d);
  const double columns = pieces_of_tiles(s.columns, map.inner.columns, d);
  const double row_tiles = pieces(s.rows, map.inner.rows), column_tiles = pieces(s.columns, map.inner.columns);
  const double depth_tiles = pieces(s.depth, map.inner.depth);
  const double weights = columns * row_tiles * depth_tiles, inputs = rows * column_tiles * depth_tiles;
  const double stores = rows * columns, biases = has_bias ? columns * row_tiles : 0.0;
  LayerSize out;
  out.tiles = row_tiles * column_tiles * depth_tiles;
  out.instructions = rows * depth * columns + weights + inputs + stores + biases;
  // Short rows share requests: no more than all of the rows have, and a request more for where they begin.
  const double parts = pieces_of_tiles(s.depth, map.inner.depth, e);
  const double whole = sized(s.depth) / sized(e) * depth_tiles;
  const auto loaded = [&](std::uint64_t all, double again, double loads) {
    return std::min(sized(all) * again * parts, sized(all) * again * whole + loads);
  };
  out.requests = loaded(s.columns, row_tiles, weights) + loaded(s.rows, column_tiles, inputs);
  const double stored = pieces_of_tiles(s.columns, std::min(d, map.inner.columns), e);
  out.requests += std::min(sized(s.rows) * stored, stores * (sized(d) * sized(s.columns) / sized(e) + 1.0));
  if (has_bias) out.requests += row_tiles * stored;
  return out;
}

LayerSize layer_size(const Hardware& h, const ConvShape& s, const ConvMapping& map) {
  if (s.groups > 1) {
    const GemmShape product{s.batch * s.high.out() * s.wide.out(),
                            s.high.kernel * s.wide.kernel * (s.in_channels / s.groups), s.out_channels / s.groups};
    LayerSize out = layer_size(h, product, map_gemm(h, product), false);
    const double groups = sized(s.groups);
    out.tiles *= groups, out.instructions *= groups, out.requests *= groups;
    return out;
  }
  const std::uint64_t d = h.cores[0].height, e = h.request_bytes / h.precision;
  const ConvLoops &in = map.inner, &outer = map.outer;
  const double images = sized(outer.n) * sized(in.n), places = sized(outer.p) * sized(outer.q);
  const double kernel = sized(s.high.kernel) * sized(s.wide.kernel);
  const double kernel_tiles = sized(outer.s) * sized(outer.r), all_tiles = sized(outer.m) * sized(outer.c);
  const double ms = pieces_of_tiles(s.out_channels, in.m, d), cs = pieces_of_tiles(s.in_channels, in.c, d);
  const auto steps = [&](const WindowAxis& a, std::uint64_t tile, std::uint64_t pool) {
    return pieces_of_tiles(a.out(), tile, pool > 1 ? pool : d);
  };
  const double blocks = steps(s.high, in.q, s.pool_high) * steps(s.wide, in.p, s.pool_wide);
  const double weights = ms * cs * kernel * sized(outer.n) * places;
  LayerSize out;
  out.tiles = sized(outer.n) * places * kernel_tiles * all_tiles;
  // Of corrected tiles the last may have fewer images.
  const double stores = (h.corrected ? sized(s.batch) : images) * blocks * ms;
  out.instructions = out.tiles + weights + ms * cs * kernel * images * blocks + stores;
  // Weights: of each channel where corrected, else one set of d channels. Pixels within the image alone.
  const double channels = pieces_of_tiles(s.in_channels, in.c, e);
  const double deep = pieces_of_tiles(s.in_channels, std::min(in.c, d), e);
  out.requests = kernel * deep * sized(outer.n) * places * (h.corrected ? sized(s.out_channels) : ms);
  const auto read = [&](const WindowAxis& a, std::uint64_t tile) {
    const std::uint64_t all = (tile - 1) * a.stride + a.reach() + 1;
    return std::min(h.corrected ? sized(all) : pieces(all, a.stride), sized(a.size));
  };
  out.requests += sized(outer.n) * sized(std::min(in.n, s.batch)) * read(s.high, in.q) * read(s.wide, in.p) * channels *
                  places * kernel_tiles * sized(outer.m);
  const double wide = pieces_of_tiles(s.out_channels, std::min(in.m, d), e);
  out.requests += sized(s.batch) * pieces(s.high.out(), s.pool_high) * pieces(s.wide.out(), s.pool_wide) * wide;
  return out;
}

void check_layer_size(const std::string& layer, const LayerSize& size, std::uint64_t at_once) {
  const double bytes = size.bytes() * static_cast<double>(at_once);
  if (bytes <= most_layer_bytes) return;
  char words[240];
  std::snprintf(
      words, sizeof words,
      "%.4g tiles with %.4g instructions and about %.4g requests take %.4g GB of memory%s; wanted at most %.4g "
      "GB: a smaller layer, or hardware with larger arrays and memories",
      size.tiles, size.instructions, size.requests, bytes / 1e9, at_once > 1 ? " in all" : "", most_layer_bytes / 1e9);
  if (at_once > 1)
    throw std::invalid_argument(std::to_string(at_once) + " layers " + layer + " at once, each " + words);
  throw std::invalid_argument((layer.empty() ? "a layer's " : "layer " + layer + ": its ") + words);
}

}  // namespace npu
