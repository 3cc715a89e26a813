#include "plugins/llm_serving/engine/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "plugins/support/csv_table.h"

namespace llm_serving {
namespace {

/// Of a token in all layers, attention to others apart.
double flops_per_token(const Roofline& r) {
  const ModelShape& s = r.shape;
  const double dense = s.dense_layers() * s.matrices * s.hidden * s.feed_forward;
  const double experts =
      s.expert_layers * s.hidden *
      (s.matrices * (s.experts_per_token * s.expert_width + s.shared_width) + (r.routes ? s.experts : 0.0));
  return 2.0 * (s.layers * s.attention_weights() + dense + experts) + s.layers * s.hidden * r.rotary_flops;
}

/// In a layer, by all ranks.
double read_experts(const Roofline& r, double tokens) {
  const ModelShape& s = r.shape;
  if (r.reads == ExpertReads::all || s.experts == 0.0) return s.experts;
  if (r.reads == ExpertReads::per_token) return s.experts_per_token;
  if (r.reads == ExpertReads::apart) return std::min(s.experts, s.experts_per_token * std::max(1.0, tokens));
  return s.experts * (1.0 - std::pow(1.0 - s.experts_per_token / s.experts, tokens));
}

/// By one rank.
double read_weights(const Roofline& r, double tokens) {
  const ModelShape& s = r.shape;
  const double dense = s.dense_layers() * s.matrices * s.hidden * s.feed_forward;
  const double routed = read_experts(r, tokens * r.ranks) / r.ranks * s.expert_width;
  const double experts =
      s.expert_layers * s.hidden * (s.matrices * (routed + s.shared_width) + (r.routes ? s.experts : 0.0));
  return (s.layers * s.attention_weights() + dense + experts) * s.weight_bytes;
}

class RooflineTime final : public PassModel {
 public:
  explicit RooflineTime(const Roofline& roofline) : roofline_(roofline) {}
  double ms(const Pass& pass) const override { return roofline_.ms(pass); }
  double least_ms() const override {
    return 1000.0 * read_weights(roofline_, 1.0) / roofline_.gpus / roofline_.gpu.bandwidth;
  }

 private:
  Roofline roofline_;
};

class FactoredRoofline final : public PassModel {
 public:
  FactoredRoofline(const Roofline& roofline, const RooflineFactors& factors) : roofline_(roofline), f_(factors) {}
  double ms(const Pass& pass) const override {
    const PassWork w = roofline_.work(pass);
    const double flops = roofline_.gpus * roofline_.gpu.flops, bandwidth = roofline_.gpus * roofline_.gpu.bandwidth;
    const double computing_s = (f_.prefill_compute * w.prefill_flops + f_.decode_compute * w.decode_flops) / flops;
    const double moving_s = (f_.prefill_kv * w.prefill_kv_bytes + f_.decode_kv * w.decode_kv_bytes +
                             f_.weights * w.weight_bytes + f_.all_reduce * w.reduce_bytes) /
                            bandwidth;
    return 1000.0 * (computing_s + moving_s) + (beside_us() + f_.per_request_us * pass.requests) / 1000.0;
  }
  double least_ms() const override {
    return 1000.0 * f_.weights * read_weights(roofline_, 1.0) / roofline_.gpus / roofline_.gpu.bandwidth +
           beside_us() / 1000.0;
  }

 private:
  double beside_us() const {
    const ModelShape& s = roofline_.shape;
    const bool alternate = s.expert_layers > 0.0 && s.dense_layers() > 0.0;
    return f_.per_layer_us * s.layers + f_.per_pass_us + (alternate ? f_.per_expert_layer_us * s.expert_layers : 0.0);
  }
  Roofline roofline_;
  RooflineFactors f_;
};

}  // namespace

PassWork Roofline::work(const Pass& pass) const {
  const ModelShape& s = shape;
  PassWork out;
  // Batches of replicas that step together may be padded; what is routed to experts elsewhere comes from there as well.
  const double padding = std::max(0.0, pass.padded_tokens - pass.tokens);
  const double each = flops_per_token(*this);
  // Who looks at whom: a multiplication and an addition for the score and for the sum of values, in each head.
  const double pair = s.layers * s.heads * (4.0 * s.head_size + softmax_flops);
  out.prefill_flops = pass.prompt_tokens * each + pass.prompt_pairs * pair;
  const double decode_tokens = pass.decode_tokens() + padding;
  const double tokens_each = pass.decoding() > 0.0 ? pass.decode_tokens() / pass.decoding() : 0.0;
  out.decode_flops = decode_tokens * each + pass.decode_context() * tokens_each * pair;
  out.weight_bytes = read_weights(*this, pass.rank_tokens > 0.0 ? pass.rank_tokens : pass.tokens);
  const double kv = s.kv_bytes_per_token();
  out.prefill_kv_bytes = kv * (pass.prompt_tokens + pass.prompt_context);
  out.decode_kv_bytes = kv * (pass.decode_tokens() + pass.decode_context());
  out.activation_bytes = s.layers * s.hidden * s.value_bytes * pass.tokens;
  if (gpus > 1.0) out.reduce_bytes = 2.0 * s.layers * pass.tokens * s.hidden * s.value_bytes * 2.0 * (gpus - 1.0);
  return out;
}

double Roofline::ms(const Pass& pass) const {
  const PassWork w = work(pass);
  const double computing_s =
      (w.prefill_flops / gpu.prefill_efficiency + w.decode_flops / gpu.decode_efficiency) / (gpus * gpu.flops);
  const double moving_s =
      (w.weight_bytes + w.prefill_kv_bytes + w.decode_kv_bytes + w.activation_bytes) / (gpus * gpu.bandwidth);
  return 1000.0 * std::max(computing_s, moving_s) + links_ms(pass);
}

double Roofline::links_ms(const Pass& pass) const {
  if (!(link.bandwidth > 0.0)) return 0.0;
  const double tokens = std::max(pass.padded_tokens, pass.tokens), bytes = shape.hidden * shape.value_bytes;
  RingReduce all = link;
  all.gpus = gpus, all.reductions = 2.0 * shape.layers, all.bytes_per_token = bytes;
  return all.ms(tokens) + shape.expert_layers * link.exchange_ms(ranks, std::max(pass.rank_tokens, 0.0) * bytes);
}

std::shared_ptr<const PassModel> pass_model(const Roofline& roofline) {
  return std::make_shared<RooflineTime>(roofline);
}
std::shared_ptr<const PassModel> pass_model(const Roofline& roofline, const RooflineFactors& factors) {
  return std::make_shared<FactoredRoofline>(roofline, factors);
}

RooflineFactors read_roofline_factors(std::string_view csv) {
  const plugin_support::CsvTable table(csv, {{{"term"}, true}, {{"factor"}}});
  RooflineFactors out{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const std::array<std::pair<const char*, double*>, 10> terms{{{"prefill_compute", &out.prefill_compute},
                                                               {"prefill_kv", &out.prefill_kv},
                                                               {"decode_compute", &out.decode_compute},
                                                               {"decode_kv", &out.decode_kv},
                                                               {"weights", &out.weights},
                                                               {"all_reduce", &out.all_reduce},
                                                               {"per_layer_us", &out.per_layer_us},
                                                               {"per_request_us", &out.per_request_us},
                                                               {"per_pass_us", &out.per_pass_us},
                                                               {"per_expert_layer_us", &out.per_expert_layer_us}}};
  std::set<std::string> seen;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string& name = table.text(row, 0);
    const auto term = std::find_if(terms.begin(), terms.end(), [&name](const auto& one) { return name == one.first; });
    if (term == terms.end()) table.refuse(row, 0, "one of the terms of a roofline, such as prefill_compute");
    if (!seen.insert(name).second) table.refuse(row, 0, "every term once");
    if (!(table.number(row, 1) >= 0.0)) table.refuse(row, 1, "0 or more");
    *term->second = table.number(row, 1);
  }
  return out;
}

}  // namespace llm_serving
