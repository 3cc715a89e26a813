#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "plugins/npu/engine/language.h"
#include "plugins/support/csv_table.h"
#include "plugins/support/input_file.h"

namespace npu {
namespace {

void language_number(const nlohmann::json& in, const char* key, std::uint64_t& to) {
  const auto at = in.find(key);
  if (at == in.end()) return;
  constexpr std::uint64_t most = std::uint64_t{1} << 24;
  if (!at->is_number_integer() || at->get<std::int64_t>() < 1 || at->get<std::uint64_t>() > most)
    throw std::invalid_argument(std::string(key) + " is " + plugin_support::seen_json(*at) +
                                "; wanted a whole number from 1 to " + std::to_string(most));
  to = at->get<std::uint64_t>();
}
template <class T>
void language_word(const nlohmann::json& in, const char* key, const std::map<std::string, T>& words, T& to) {
  const auto at = in.find(key);
  if (at == in.end()) return;
  if (at->is_string())
    if (const auto found = words.find(at->get<std::string>()); found != words.end()) {
      to = found->second;
      return;
    }
  std::string wanted;
  for (const auto& word : words) wanted += (wanted.empty() ? "" : ", ") + word.first;
  throw std::invalid_argument(std::string(key) + " is " + plugin_support::seen_json(*at) + "; wanted " + wanted);
}

}  // namespace

LanguageModel find_language_model(std::string_view name) {
  LanguageModel m;
  if (name == "opt_125m") return m;
  m.single_layer = true;
  if (name == "opt_66b") {
    m.layers = 64, m.heads = m.kv_heads = 72, m.hidden = 9216, m.feed_forward = 36864;
    return m;
  }
  if (name != "llama3_8b")
    throw std::invalid_argument("there is no model " + std::string(name) + "; wanted opt_125m, opt_66b or llama3_8b");
  m.layers = 32, m.heads = 32, m.kv_heads = 8, m.hidden = 4096, m.feed_forward = 14336, m.vocabulary = 128256;
  m.max_tokens = 8192, m.activation = Op::swish, m.gated = true;
  return m;
}

LanguageModel read_language_model(const std::string& text) {
  const nlohmann::json in = plugin_support::parse_json_file(text);
  if (!in.is_object()) throw std::invalid_argument("it is no JSON object");
  LanguageModel m;
  language_number(in, "num_hidden_layers", m.layers), language_number(in, "num_attention_heads", m.heads);
  m.kv_heads = m.heads;
  language_number(in, "num_kv_heads", m.kv_heads), language_number(in, "hidden_size", m.hidden);
  language_number(in, "intermediate_size", m.feed_forward), language_number(in, "vocab_size", m.vocabulary);
  language_number(in, "max_seq_length", m.max_tokens), language_number(in, "tensor_parallel_size", m.tensor_parallel);
  language_number(in, "pipeline_parallel_size", m.pipeline_parallel);
  language_word<Op>(in, "activation_function",
                    {{"relu", Op::comp}, {"gelu", Op::gelu}, {"swish", Op::swish}, {"softmax", Op::softmax}},
                    m.activation);
  language_word<bool>(in, "ffn_type", {{"default", false}, {"llama", true}}, m.gated);
  if (const auto at = in.find("run_single_layer"); at != in.end()) {
    if (!at->is_boolean())
      throw std::invalid_argument("run_single_layer is " + plugin_support::seen_json(*at) + "; wanted true or false");
    m.single_layer = at->get<bool>();
  }
  if (const std::string fault = language_fault(m); !fault.empty()) throw std::invalid_argument(fault);
  return m;
}

std::vector<LanguageRequest> read_requests(const std::string& text) {
  enum : std::size_t { time, prompt, target, cached };
  const plugin_support::CsvTable table(
      text, {{{"time"}}, {{"prompt_length"}}, {{"target_length"}}, {{"cached_length"}, false, false}});
  std::vector<LanguageRequest> out;
  std::uint64_t now = 0;
  const auto whole = [&table](std::size_t row, std::size_t column, double least, double most) {
    const double x = table.number(row, column);
    if (!(x >= least && x <= most) || x != std::floor(x))
      table.refuse(row, column,
                   "a whole number from " + std::to_string(static_cast<long long>(least)) + " to " +
                       std::to_string(static_cast<long long>(most)));
    return static_cast<std::uint64_t>(x);
  };
  constexpr double most_cycles = 1e12, most_tokens = 1 << 20;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    LanguageRequest one;
    one.cycle = now += whole(row, time, 0, most_cycles);
    one.prompt = whole(row, prompt, 1, most_tokens), one.tokens = whole(row, target, 1, most_tokens);
    if (table.has(cached)) one.cached = whole(row, cached, 0, most_tokens);
    out.push_back(one);
  }
  return out;
}

std::string language_fault(const LanguageModel& m) {
  constexpr std::uint64_t widest = std::uint64_t{1} << 20;
  for (const std::uint64_t x : {m.layers, m.heads, m.kv_heads, m.hidden, m.feed_forward, m.vocabulary, m.max_tokens,
                                m.tensor_parallel, m.pipeline_parallel})
    if (x == 0 || x > (widest << 4)) return "a number of the transformer is 0 or above 2^24";
  constexpr std::uint64_t most_simulated = 4096;
  if (m.simulated_layers() > most_simulated)
    return std::to_string(m.simulated_layers()) + " layers are simulated; wanted at most " +
           std::to_string(most_simulated) + ", or run_single_layer";
  if (m.hidden > widest || m.feed_forward > widest) return "the transformer is wider than 2^20";
  if (m.hidden % m.heads != 0)
    return "the hidden size " + std::to_string(m.hidden) + " is no multiple of the " + std::to_string(m.heads) +
           " heads";
  if (m.heads % m.kv_heads != 0)
    return std::to_string(m.heads) + " heads are no multiple of the " + std::to_string(m.kv_heads) +
           " heads of keys and values";
  if (m.kv_heads % m.tensor_parallel != 0 || m.feed_forward % m.tensor_parallel != 0)
    return std::to_string(m.tensor_parallel) +
           " devices of a layer do not divide its heads of keys and values and its feed-forward width";
  if (m.pipeline_parallel > m.layers) return "there are more devices in the pipeline than layers";
  return {};
}

}  // namespace npu
