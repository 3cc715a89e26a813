#include "plugins/llm_serving/engine/workload.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "plugins/support/csv_table.h"

namespace llm_serving {
namespace {

constexpr std::uint64_t first_stream = 1ULL << 40U;

double drawn_normal(Random& random) {
  const double u = 1.0 - random.uniform(), v = random.uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

/// Marsaglia and Tsang, A simple method for generating gamma variables, ACM TOMS 26(3), 2000; of mean 1.
double drawn_gamma(Random& random, double shape) {
  if (shape < 1.0)
    return drawn_gamma(random, shape + 1.0) * (shape + 1.0) / shape * std::pow(1.0 - random.uniform(), 1.0 / shape);
  const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = drawn_normal(random), v = std::pow(1.0 + c * x, 3.0);
    if (v <= 0.0) continue;
    const double u = 1.0 - random.uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v / shape;
  }
}

}  // namespace

std::uint32_t LengthLaw::draw(Random& random) const {
  double x = mean;
  if (kind == Kind::lognormal && deviation > 0.0) {
    const double s2 = std::log1p(deviation * deviation / (mean * mean));
    x = std::exp(std::log(mean) - s2 / 2.0 + std::sqrt(s2) * drawn_normal(random));
  } else if (kind == Kind::uniform) {
    x = mean + deviation * (2.0 * random.uniform() - 1.0);
  }
  return static_cast<std::uint32_t>(std::clamp(std::round(x), 1.0, static_cast<double>(most)));
}

std::vector<double> zipf_weights(std::uint32_t n, double s) {
  std::vector<double> out;
  out.reserve(n);
  for (std::uint32_t i = 1; i <= n; ++i) out.push_back(std::pow(i, -s));
  return out;
}

void draw_adapters(const Workload& workload, std::uint64_t seed, std::vector<Request>& requests) {
  if (workload.adapters.empty()) return;
  Random random(seed, first_stream + 4);
  std::vector<double> up_to(workload.adapters.size());
  std::partial_sum(workload.adapters.begin(), workload.adapters.end(), up_to.begin());
  for (Request& one : requests) {
    if (!(random.uniform() < workload.adapter_share)) continue;
    const auto at = std::upper_bound(up_to.begin(), up_to.end() - 1, random.uniform() * up_to.back());
    one.adapter = static_cast<std::uint32_t>(at - up_to.begin());
  }
}

std::vector<Request> draw_requests(const Workload& workload, std::uint64_t seed) {
  // Streams of their own: another law of lengths leaves the arrivals as they are.
  Random gaps(seed, first_stream), prompts(seed, first_stream + 1), outputs(seed, first_stream + 2),
      groups(seed, first_stream + 3);
  std::vector<Request> out;
  out.reserve(workload.requests);
  double now_s = 0.0;
  for (std::uint64_t i = 0; i < workload.requests; ++i) {
    double gap = 1.0;
    if (workload.burstiness == 1.0) gap = -std::log1p(-gaps.uniform());
    else if (std::isfinite(workload.burstiness)) gap = drawn_gamma(gaps, workload.burstiness);
    now_s += gap / workload.rate_per_s;
    Request one{.id = i, .arrival_s = now_s};
    one.prompt = workload.prompt.draw(prompts), one.output = workload.output.draw(outputs);
    if (workload.prefix_groups > 0) {
      one.prefix_group = static_cast<std::uint32_t>(groups.bits() % workload.prefix_groups);
      one.prefix = std::min(workload.prefix, one.prompt);
    }
    out.push_back(one);
  }
  draw_adapters(workload, seed, out);
  return out;
}

std::vector<Request> read_requests(std::string_view csv, bool* names_adapters) {
  enum Column : std::uint8_t { arrival, prompt, output, group, prefix, adapter };
  const plugin_support::CsvTable table(csv, {{{"arrived_at", "arrival_s", "TIMESTAMP", "arrival_timestamp"}},
                                             {{"num_prefill_tokens", "prompt_tokens", "ContextTokens", "prompt_size"}},
                                             {{"num_decode_tokens", "output_tokens", "GeneratedTokens", "token_size"}},
                                             {{"prefix_group"}, false, false},
                                             {{"prefix_tokens"}, false, false},
                                             {{"adapter"}, false, false}});
  // Doubles are 1e-7 s apart at 1e9 s: beyond it a step of a few ms is lost in rounding, and latencies become 0.
  constexpr double most_tokens = 1e8, most_groups = 1e6, most_adapters = 1e6, latest_s = 1e9;
  if (names_adapters != nullptr) *names_adapters = table.has(adapter);
  std::vector<Request> out;
  out.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto at = [&](Column column) { return table.number(row, column); };
    if (!(std::fabs(at(arrival)) <= latest_s))
      table.refuse(row, arrival,
                   "at most 1e9 s, beyond which times of steps are lost in rounding: count from the start");
    if (row > 0 && at(arrival) < table.number(row - 1, arrival))
      table.refuse(row, arrival, "a time that is not before that of the row above");
    for (const Column column : {prompt, output})
      if (!(at(column) >= 1.0 && at(column) <= most_tokens && at(column) == std::floor(at(column))))
        table.refuse(row, column, "a whole number of tokens from 1 to 1e8");
    Request one{.id = row, .arrival_s = at(arrival)};
    one.prompt = static_cast<std::uint32_t>(at(prompt)), one.output = static_cast<std::uint32_t>(at(output));
    if (table.has(group)) {
      if (!(at(group) >= 0.0 && at(group) < most_groups && at(group) == std::floor(at(group))))
        table.refuse(row, group, "a whole number from 0 to 1e6");
      one.prefix_group = static_cast<std::uint32_t>(at(group)), one.prefix = one.prompt;
    }
    if (table.has(prefix)) {
      if (!(at(prefix) >= 0.0 && at(prefix) <= at(prompt)))
        table.refuse(row, prefix, "at most the tokens of the prompt");
      one.prefix = static_cast<std::uint32_t>(at(prefix));
    }
    if (table.has(adapter) && at(adapter) >= 0.0) {
      if (!(at(adapter) < most_adapters && at(adapter) == std::floor(at(adapter))))
        table.refuse(row, adapter, "a whole number below 1e6, or below 0 for none");
      one.adapter = static_cast<std::uint32_t>(at(adapter));
    }
    out.push_back(one);
  }
  return out;
}

}  // namespace llm_serving
