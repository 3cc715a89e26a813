#include "plugins/npu/engine/mapping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace npu {
namespace {

std::uint64_t parts(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Bytes are real numbers: loops of a file may be so large that whole ones overflow.
void check_halves(const CoreHardware& core, const std::string& layer, double scratchpad, double accumulator) {
  const auto refuse = [&layer](const char* memory, double seen, double wanted) {
    char words[160];
    std::snprintf(words, sizeof words, "a tile takes %.15g bytes of the %s; wanted at most half of it, %.15g", seen,
                  memory, wanted);
    throw BadMapping("layer " + layer + ": its mapping by hand does not fit: " + words);
  };
  const double half_s = static_cast<double>(core.scratchpad_kb) * 512.0;
  const double half_a = static_cast<double>(core.accumulator_kb) * 512.0;
  if (scratchpad > half_s) refuse("scratchpad", scratchpad, half_s);
  if (accumulator > half_a) refuse("accumulator", accumulator, half_a);
}

}  // namespace

GemmMapping map_gemm(const Hardware& h, const GemmShape& shape) {
  const CoreHardware& core = h.cores[0];
  const std::uint64_t d = core.height, cores = h.cores.size();
  const std::uint64_t rows_s = core.scratchpad_kb * 1024 / (d * h.precision * 2);
  const std::uint64_t rows_a = core.accumulator_kb * 1024 / (d * 4 * 2);
  const auto m =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::floor(std::sqrt(static_cast<double>(rows_a / d)))));
  const std::uint64_t mk = std::max<std::uint64_t>(1, rows_s / 2 / d / m);
  std::uint64_t ti = std::min(parts(shape.rows, d), parts(shape.rows, m * d));
  std::uint64_t tj = std::min(parts(shape.columns, d), parts(shape.columns, m * d));
  const std::uint64_t tk = std::min(parts(shape.depth, d), parts(shape.depth, mk * d));
  // The reference leaves a product alone that is as wide as high.
  const bool even = h.corrected && shape.columns == shape.rows;
  const bool wide = (shape.columns > shape.rows || even) && shape.columns > cores;
  const bool high = shape.rows > shape.columns && shape.rows > cores;
  if (ti * tj < cores) {
    const std::uint64_t q = parts(cores, ti * tj);
    if (wide) tj *= q;
    else if (high) ti *= q;
  }
  if (const std::uint64_t r = ti * tj % cores; r != 0) {
    if (wide) tj += r;
    else if (high) ti += r;
  }
  const auto inner = [d](std::uint64_t x, std::uint64_t tiles) {
    return std::max(d, parts(parts(x, d) * d, tiles) / d * d);
  };
  GemmMapping out;
  out.inner = {inner(shape.rows, ti), inner(shape.depth, tk), inner(shape.columns, tj)};
  out.outer = {parts(shape.rows, out.inner.rows), parts(shape.depth, out.inner.depth),
               parts(shape.columns, out.inner.columns)};
  return out;
}

void check_mapping(const Hardware& h, const std::string& layer, const GemmMapping& map) {
  const auto rows = static_cast<double>(map.inner.rows), depth = static_cast<double>(map.inner.depth),
             columns = static_cast<double>(map.inner.columns);
  constexpr double sum = 4.0;  // bytes of an element of the accumulator
  check_halves(h.cores[0], layer, (rows + columns) * depth * h.precision, rows * columns * sum);
}

void check_mapping(const Hardware& h, const std::string& layer, const ConvShape& shape, const ConvMapping& map) {
  const ConvLoops& in = map.inner;
  const auto real = [](std::uint64_t x) { return static_cast<double>(x); };
  const double d = h.cores[0].height;
  const auto blocks = [d](std::uint64_t x) { return std::ceil(static_cast<double>(x) / d); };
  // A 1 x 1 window with stride 2 reads every other row and column alone.
  const auto read = [&real](const WindowAxis& a, std::uint64_t out, std::uint64_t kernel) {
    const double all = real(out) * real(a.stride) + real(kernel) - 1.0;
    return a.stride == 2 && a.kernel == 1 && a.pad == 0 ? std::floor(all / 2.0) : all;
  };
  // S are rows of the kernel, R its columns.
  const double input = blocks(in.c) * real(in.n) * read(shape.wide, in.p, in.r) * read(shape.high, in.q, in.s);
  const double weights = blocks(in.m) * real(in.s) * real(in.r) * real(in.c);
  const double sums = blocks(in.m) * real(in.n) * real(in.p) * real(in.q);
  constexpr double sum = 4.0;
  check_halves(h.cores[0], layer, (input + weights) * d * h.precision, sums * d * sum);
}

ConvMapping outer_loops(const ConvLoops& inner, const ConvShape& shape) {
  ConvMapping out;
  out.inner = inner;
  out.outer = {parts(shape.batch, inner.n),        parts(shape.wide.out(), inner.p),  parts(shape.high.out(), inner.q),
               parts(shape.out_channels, inner.m), parts(shape.high.kernel, inner.s), parts(shape.wide.kernel, inner.r),
               parts(shape.in_channels, inner.c)};
  return out;
}

ConvMapping map_conv(const Hardware& h, const ConvShape& shape) {
  const CoreHardware& core = h.cores[0];
  const std::uint64_t d = core.height;
  const WindowAxis &high = shape.high, &wide = shape.wide;
  ConvMapping out;
  if (high.kernel == 1 && wide.kernel == 1 && high.out() == 1 && wide.out() == 1) {
    const GemmMapping g = map_gemm(h, {shape.batch, shape.in_channels, shape.out_channels});
    out.inner.n = g.inner.rows, out.inner.c = g.inner.depth, out.inner.m = g.inner.columns;
    out.outer.n = g.outer.rows, out.outer.c = g.outer.depth, out.outer.m = g.outer.columns;
    return out;
  }
  // Rows of the rule are the image's width. Its kernel's rows are the same axis, which matters where it is not square.
  enum : std::size_t { batch, orows, ocols, ochs, krows, kcols, kchs };
  using Args = std::array<std::uint64_t, 7>;
  const Args most = {1, wide.out(), high.out(), shape.out_channels, wide.kernel, high.kernel, shape.in_channels};
  const auto halves = [](const WindowAxis& a) { return a.stride == 2 && a.kernel == 1 && a.pad == 0 ? 1U : 0U; };
  const std::uint64_t rows_s = core.scratchpad_kb * 1024 / (d * h.precision * 2);
  const std::uint64_t rows_a = core.accumulator_kb * 1024 / (d * 4 * 2);
  const auto fits = [&](const Args& a) {
    const std::uint64_t input = parts(a[kchs], d) * a[batch] *
                                ((a[orows] * wide.stride + a[krows] - 1) >> halves(wide)) *
                                ((a[ocols] * high.stride + a[kcols] - 1) >> halves(high));
    const std::uint64_t weights = parts(a[ochs], d) * a[kcols] * a[krows] * a[kchs];
    return input + weights <= rows_s && parts(a[ochs], d) * a[batch] * a[orows] * a[ocols] <= rows_a;
  };
  Args a = most;
  while (!fits(a)) {
    std::size_t largest = 7;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (i == ocols && a[ocols] <= d && a[orows] > 1) continue;
      if (largest == 7 || a[i] > a[largest]) largest = i;
    }
    if (a[largest] <= 1) break;  // nothing is left to shrink
    if (largest == ochs || largest == kchs) a[largest] = std::max<std::uint64_t>(1, (a[largest] - 1) / d * d);
    else --a[largest];
  }
  while (a[ocols] + 1 <= most[ocols]) {
    Args more = a;
    ++more[ocols];
    if (!fits(more)) break;
    a = more;
  }
  const std::uint64_t capacity = core.scratchpad_kb * 1024 / 2;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] + 1 > most[i]) continue;
      Args more = a;
      ++more[i];
      const std::uint64_t x = a[batch] * (a[orows] + 2 * wide.pad) * (a[ocols] + 2 * high.pad) * a[kchs] * h.precision;
      const std::uint64_t w = a[batch] * a[ochs] * a[krows] * a[kcols] * a[kchs] * h.precision;
      if (fits(more) && (x + w) * 3 / 2 <= capacity) a = more, changed = true;
    }
  }
  // S, R of a square kernel are the rule's rows and columns, as in the reference.
  return outer_loops({a[batch], a[orows], a[ocols], a[ochs], shape.square() ? a[krows] : a[kcols],
                      shape.square() ? a[kcols] : a[krows], a[kchs]},
                     shape);
}

}  // namespace npu
