#include "plugins/npu/engine/language.h"

#include <algorithm>
#include <stdexcept>

namespace npu {
namespace {

/// Where the weights of a layer begin.
struct LanguageWeights {
  std::uint64_t qkv = 0, qkv_bias = 0, projection = 0, projection_bias = 0;
  std::uint64_t first = 0, first_bias = 0, second = 0, second_bias = 0;
};
/// Widths on one device.
struct LanguageWidths {
  explicit LanguageWidths(const LanguageModel& m)
      : head(m.hidden / m.heads),
        heads(m.heads / m.tensor_parallel),
        kv_heads(m.kv_heads / m.tensor_parallel),
        attention(m.hidden / m.tensor_parallel),
        cache(head * m.kv_heads),
        qkv((m.hidden + 2 * head * m.kv_heads) / m.tensor_parallel),
        feed_forward(m.feed_forward / m.tensor_parallel),
        first(m.gated ? 2 * feed_forward : feed_forward) {}
  std::uint64_t head, heads, kv_heads, attention, cache, qkv, feed_forward, first;
};

struct ActiveRequest {
  std::size_t number = 0;
  std::uint64_t context = 0;
  bool generates = false;
  std::vector<std::uint64_t> keys, values;  // of each layer
};
struct RequestPart {
  std::uint64_t tokens = 1, context = 0;
  std::vector<std::uint64_t> keys, values;
};

/// One pass over all active requests: makes its layers when it is released.
class LanguagePass {
 public:
  LanguagePass(const Hardware& h, const LanguageModel& m, const std::vector<LanguageWeights>& weights,
               std::vector<RequestPart> parts)
      : h_(h), m_(m), weights_(weights), parts_(std::move(parts)) {}

  std::vector<SimulatedLayer> layers(AddressSpace& space) const {
    const LanguageWidths w(m_);
    const Hardware& h = h_;
    std::uint64_t n = 0;
    for (const RequestPart& part : parts_) n += part.tokens;
    const auto tensor = [&](std::uint64_t rows, std::uint64_t width) {
      return space.allocate(rows * width * h.precision);
    };
    std::vector<SimulatedLayer> out;
    const auto add = [&out](std::string name, std::function<TileList()> tiles, const std::vector<std::uint32_t>& after,
                            const LayerWork& work = {}) {
      const auto number = static_cast<std::uint32_t>(out.size());
      SimulatedLayer layer;
      layer.name = std::move(name), layer.tiles = std::move(tiles), layer.work = work;
      layer.waits_for = static_cast<std::uint32_t>(after.size());
      for (const std::uint32_t before : after) out[before].consumers.push_back(number);
      out.push_back(std::move(layer));
      return number;
    };
    const auto product = [&](const std::string& name, const GemmShape& shape, const LayerAddresses& at, bool bias,
                             std::uint32_t after) {
      return add(
          name, [&h, shape, at, bias] { return lower_gemm(h, shape, at, bias); }, {after}, gemm_work(h, shape, bias));
    };
    std::uint64_t input = tensor(n, m_.hidden);
    std::int64_t before = -1;
    for (std::size_t l = 0; l < weights_.size(); ++l) {
      const LanguageWeights& weight = weights_[l];
      const std::string attention = "layer" + std::to_string(l) + ".attn.", ffn = "layer" + std::to_string(l) + ".ffn.";
      LayerAddresses at{input, weight.qkv, weight.qkv_bias, tensor(n, w.qkv)};
      const auto waits = before < 0 ? std::vector<std::uint32_t>() : std::vector{static_cast<std::uint32_t>(before)};
      const GemmShape qkv{n, m_.hidden, w.qkv};
      const std::uint32_t first = add(
          attention + "QKVgen", [&h, qkv, at] { return lower_gemm(h, qkv, at, true); }, waits, gemm_work(h, qkv, true));
      const std::uint64_t half = h.cores[0].scratchpad_kb * 1024 / 2;
      const std::size_t skips = (n * w.qkv * h.precision + half - 1) / half;
      const std::uint32_t caches = add(attention + "KVccat", [skips] { return lower_skip(skips); }, {first});
      std::vector<std::uint64_t> queries;
      for (const RequestPart& part : parts_) queries.push_back(tensor(part.tokens, m_.hidden));
      std::vector<std::uint32_t> attentions;
      for (std::size_t r = 0; r < parts_.size(); ++r) {
        const RequestPart& part = parts_[r];
        const AttentionShape shape{w.heads, w.kv_heads, w.head, part.tokens, part.context + part.tokens};
        const LayerAddresses of{queries[r], part.keys[l], part.values[l], tensor(part.tokens, w.attention)};
        attentions.push_back(add(
            attention + "Attention." + std::to_string(r),
            [&h, shape, of] { return lower_fused_attention(h, shape, of); }, {caches}, fused_work(h, shape)));
      }
      const std::uint64_t joined = tensor(n, w.attention);
      const std::uint32_t join = add(
          attention + "Atccat", [] { return lower_skip(1); }, attentions);
      const std::uint64_t projected = tensor(n, m_.hidden);
      const std::uint32_t projection =
          product(attention + "proj", {n, w.attention, m_.hidden},
                  {joined, weight.projection, weight.projection_bias, projected}, true, join);
      const TokenShape rows{1, n, m_.hidden};
      const auto normalise = [&](const std::string& name, std::uint64_t x, std::uint64_t y, std::uint32_t after) {
        const LayerAddresses of{x, y, 0, tensor(n, m_.hidden)};
        const std::uint64_t result = of.output;
        return std::pair{add(
                             name, [&h, rows, of] { return lower_skip_layer_norm(h, rows, of); }, {after},
                             normalisation_work(h, rows)),
                         result};
      };
      const auto middle = normalise(attention + "ln", input, projected, projection);
      const std::uint64_t wide = tensor(n, w.first), active = tensor(n, w.feed_forward);
      const std::uint32_t fc1 =
          product(ffn + "fc1", {n, m_.hidden, w.first}, {middle.second, weight.first, 0, wide}, false, middle.first);
      const TokenShape inner{1, n, w.feed_forward};
      const LayerAddresses of{wide, 0, weight.first_bias, active};
      const ActivationShape kind{m_.activation, m_.gated};
      const std::uint32_t act = add(
          ffn + "act", [&h, inner, kind, of] { return lower_bias_activation(h, inner, kind, of); }, {fc1},
          activation_work(h, inner, kind));
      const std::uint64_t back = tensor(n, m_.hidden);
      const std::uint32_t fc2 = product(ffn + "fc2", {n, w.feed_forward, m_.hidden},
                                        {active, weight.second, weight.second_bias, back}, true, act);
      const auto last = normalise(ffn + "ln", middle.second, back, fc2);
      input = last.second, before = last.first;
    }
    return out;
  }

 private:
  const Hardware& h_;
  const LanguageModel m_;
  const std::vector<LanguageWeights>& weights_;
  const std::vector<RequestPart> parts_;
};

/// Requests that come, wait, and are active.
class LanguageSource final : public ModelSource {
 public:
  LanguageSource(const Hardware& h, const LanguageModel& m, const std::vector<LanguageRequest>& requests,
                 const LanguageBatching& batching, AddressSpace& space)
      : h_(h), m_(m), requests_(requests), batching_(batching) {
    const LanguageWidths w(m);
    const auto tensor = [&](std::uint64_t elements) { return space.allocate(elements * h.precision); };
    for (std::uint64_t l = 0; l < m.simulated_layers(); ++l) {
      LanguageWeights one;
      tensor(m.hidden), tensor(m.hidden);  // of the normalisation
      one.qkv = tensor(m.hidden * w.qkv), one.qkv_bias = tensor(w.qkv);
      one.projection = tensor(w.attention * m.hidden), one.projection_bias = tensor(m.hidden);
      tensor(m.hidden), tensor(m.hidden);
      one.first = tensor(m.hidden * w.first), one.first_bias = tensor(w.first);
      one.second = tensor(w.feed_forward * m.hidden), one.second_bias = tensor(m.hidden);
      weights_.push_back(one);
    }
    tensor(m.hidden * m.vocabulary);
    out.requests.resize(requests.size());
    for (std::size_t r = 0; r < requests.size(); ++r) out.requests[r].arrival = requests[r].cycle;
  }
  LanguageResult out;

  std::optional<ModelInstance> next(std::uint64_t cycle, bool idle, AddressSpace& space) override {
    now_ = cycle + 1;
    admit(space);
    if (!idle || active_.empty()) return std::nullopt;
    std::vector<RequestPart> parts;
    const std::size_t most = batching_.max_batch > 0 ? batching_.max_batch : active_.size();
    in_pass_ = std::min(most, active_.size());
    std::uint64_t tokens = 0, cached = 0;
    for (std::size_t i = 0; i < in_pass_; ++i) {
      const ActiveRequest& one = active_[i];
      const LanguageRequest& asked = requests_[one.number];
      parts.push_back({one.generates ? 1 : asked.prompt, one.context, one.keys, one.values});
      tokens += parts.back().tokens;
    }
    for (const ActiveRequest& one : active_) cached += one.context;
    check_memory(tokens, cached);
    ModelInstance model;
    model.name = "pass " + std::to_string(++passes_);
    model.build = [pass = LanguagePass(h_, m_, weights_, std::move(parts))](AddressSpace& to) {
      return pass.layers(to);
    };
    return model;
  }
  void finished(std::uint64_t cycle) override {
    for (std::size_t i = 0; i < in_pass_; ++i) {
      ActiveRequest& one = active_[i];
      const LanguageRequest& asked = requests_[one.number];
      LanguageRecord& record = out.requests[one.number];
      // The pass that reads the prompt generates a token too.
      one.context += one.generates ? 1 : asked.prompt + 1;
      if (!one.generates) record.first_token = cycle + 1;
      one.generates = true, ++record.tokens;
      if (one.context >= asked.cached + asked.prompt + asked.tokens) record.finish = cycle + 1;
    }
    std::erase_if(active_, [this](const ActiveRequest& one) { return out.requests[one.number].finish > 0; });
    in_pass_ = 0;
  }
  bool left() const override { return came_ < requests_.size() || !active_.empty(); }
  std::uint64_t sleeps_until() const override {
    if (!active_.empty() || came_ == requests_.size()) return 0;
    return requests_[came_].cycle > 0 ? requests_[came_].cycle - 1 : 0;
  }

 private:
  void admit(AddressSpace& space) {
    const std::size_t most = batching_.max_batch;
    // As it is written in the reference, one more than the bound may come in; it waits for its turn.
    const bool opens = batching_.continuous
                           ? most == 0 || (h_.corrected ? active_.size() < most : active_.size() <= most)
                           : active_.empty();
    if (!opens) return;
    const LanguageWidths w(m_);
    while (came_ < requests_.size() && requests_[came_].cycle <= now_) {
      ActiveRequest one;
      one.number = came_, one.context = requests_[came_].cached;
      for (std::size_t l = 0; l < weights_.size(); ++l) {
        one.keys.push_back(space.allocate(m_.max_tokens * w.cache * h_.precision));
        one.values.push_back(space.allocate(m_.max_tokens * w.cache * h_.precision));
      }
      out.requests[came_].start = now_;
      active_.push_back(std::move(one)), ++came_;
      if (most > 0 && active_.size() >= most) break;
    }
  }
  void check_memory(std::uint64_t tokens, std::uint64_t cached) {
    const LanguageWidths w(m_);
    const double bytes = m_.weight_bytes(h_.precision) +
                         m_.cache_bytes_per_token(h_.precision) * static_cast<double>(cached) +
                         static_cast<double>(std::max(w.qkv, w.first) * h_.precision * tokens);
    out.most_bytes = std::max(out.most_bytes, bytes);
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    if (h_.dram_gb <= 0.0 || bytes <= h_.dram_gb * gib) return;
    out.fits = false;
    if (batching_.must_fit)
      throw std::invalid_argument("weights, caches and activations are " + std::to_string(bytes / gib) +
                                  " GiB; the memory has " + std::to_string(h_.dram_gb));
  }

  const Hardware& h_;
  const LanguageModel& m_;
  const std::vector<LanguageRequest>& requests_;
  const LanguageBatching batching_;
  std::vector<LanguageWeights> weights_;
  std::vector<ActiveRequest> active_;  // in the order of their numbers
  std::size_t came_ = 0, in_pass_ = 0;
  std::uint64_t now_ = 0, passes_ = 0;
};

}  // namespace

std::uint64_t LanguageModel::simulated_layers() const {
  return single_layer ? 1 : std::max<std::uint64_t>(1, layers / pipeline_parallel);
}
double LanguageModel::weight_bytes(std::uint32_t precision) const {
  const LanguageWidths w(*this);
  const double layer = static_cast<double>(5 * hidden + hidden * w.qkv + w.qkv + w.attention * hidden + hidden +
                                           hidden * w.first + w.first + w.feed_forward * hidden);
  return (layer * static_cast<double>(std::max<std::uint64_t>(1, layers / pipeline_parallel)) +
          static_cast<double>(hidden * vocabulary)) *
         precision;
}
double LanguageModel::cache_bytes_per_token(std::uint32_t precision) const {
  const LanguageWidths w(*this);
  return 2.0 * static_cast<double>(w.cache) *
         static_cast<double>(std::max<std::uint64_t>(1, layers / pipeline_parallel)) * precision;
}

LanguageResult simulate_language(const Hardware& h, const LanguageModel& m,
                                 const std::vector<LanguageRequest>& requests, const LanguageBatching& batching,
                                 const std::function<bool(std::uint64_t cycle)>& stop) {
  if (const std::string fault = language_fault(m); !fault.empty()) throw std::invalid_argument(fault);
  for (const LanguageRequest& one : requests)
    if (one.cached + one.prompt + one.tokens > m.max_tokens)
      throw std::invalid_argument("a request has " + std::to_string(one.cached + one.prompt + one.tokens) +
                                  " tokens; its cache has room for " + std::to_string(m.max_tokens));
  AddressSpace space;
  LanguageSource source(h, m, requests, batching, space);
  source.out.run = simulate(h, space, {}, stop, &source);
  return std::move(source.out);
}

}  // namespace npu
