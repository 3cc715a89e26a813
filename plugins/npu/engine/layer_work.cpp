#include "plugins/npu/engine/lowering.h"

namespace npu {
namespace {

double as_real(std::uint64_t x) { return static_cast<double>(x); }

}  // namespace

LayerWork gemm_work(const Hardware& h, const GemmShape& s, bool has_bias) {
  return product_work(h, as_real(s.rows), as_real(s.depth), as_real(s.columns), has_bias);
}

LayerWork fused_work(const Hardware& h, const AttentionShape& s) {
  LayerWork out = attention_work(h, as_real(s.tokens), as_real(s.keys), as_real(s.heads), as_real(s.head_width));
  // Heads in a group read the same keys and values.
  const double width = as_real(s.head_width);
  out.bytes = 2.0 * h.precision * width * (as_real(s.tokens * s.heads) + as_real(s.keys * s.kv_heads));
  return out;
}

LayerWork normalisation_work(const Hardware& h, const TokenShape& s) {
  constexpr double operations = 8.0;  // sums for mean and variance, difference, product, scale, shift, sum of both
  const double elements = as_real(s.batch * s.tokens * s.width);
  return vector_work(h, LayerKind::normalisation, 2.0 * elements, elements, operations);
}

LayerWork activation_work(const Hardware& h, const TokenShape& s, const ActivationShape& kind) {
  const double elements = as_real(s.batch * s.tokens * s.width), gates = kind.gated ? 2.0 : 1.0;
  return vector_work(h, LayerKind::elementwise, gates * (elements + as_real(s.width)), elements,
                     kind.gated ? 4.0 : 2.0);
}

LayerWork conv_work(const Hardware& h, const ConvShape& s) {
  const double outputs = as_real(s.batch * s.high.out() * s.wide.out()), taps = as_real(s.high.kernel * s.wide.kernel);
  const double depth = as_real(s.in_channels) / as_real(s.groups);
  LayerWork out;
  out.kind = LayerKind::convolution;
  out.array_flops = 2.0 * outputs * as_real(s.out_channels) * taps * depth;
  out.bytes = h.precision *
              (as_real(s.batch * s.high.size * s.wide.size * s.in_channels) + taps * depth * as_real(s.out_channels) +
               outputs / as_real(s.pool_high * s.pool_wide) * as_real(s.out_channels));
  return out;
}

}  // namespace npu
