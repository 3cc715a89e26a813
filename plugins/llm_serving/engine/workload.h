#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/llm_serving/engine/random.h"
#include "plugins/llm_serving/engine/replica.h"

namespace llm_serving {

/// How many tokens: whole numbers, at least 1.
struct LengthLaw {
  enum class Kind : std::uint8_t { fixed, lognormal, uniform };
  Kind kind = Kind::fixed;
  double mean = 256.0;          ///< of the law before it is rounded and cut; of uniform ones the middle
  double deviation = 0.0;       ///< standard deviation; of uniform ones half of the width
  std::uint32_t most = 131072;  ///< longer ones are cut
  std::uint32_t draw(Random& random) const;
};

/// Requests that come at random.
struct Workload {
  double rate_per_s = 1.0;  ///< > 0
  double burstiness = 1.0;  ///< shape of gamma gaps: 1 is a Poisson stream, below it is bursty, infinite is regular
  std::uint64_t requests = 1000;
  LengthLaw prompt{}, output{};
  std::uint32_t prefix_groups = 0;  ///< prompts begin like others of their group, drawn evenly; 0: none do
  std::uint32_t prefix = 0;         ///< tokens that are alike
  std::vector<double> adapters{};   ///< how much is asked of each, above 0 in all; empty: of none
  double adapter_share = 1.0;       ///< of requests, that ask for one
};
/// How much is asked of each of n by Zipf's law: i^-s of the i-th.
std::vector<double> zipf_weights(std::uint32_t n, double s);
/// Gives each an adapter by the law, if there are any: of draw_requests(), and of requests of a table that names none.
void draw_adapters(const Workload& workload, std::uint64_t seed, std::vector<Request>& requests);
/// All requests in the order of arrival; the same seed gives the same ones. O(requests).
std::vector<Request> draw_requests(const Workload& workload, std::uint64_t seed);

/// A table with a header line (plugin_support::CsvTable): arrival time [s], prompt and output tokens, under any of the
/// names arrived_at, arrival_s, TIMESTAMP; num_prefill_tokens, prompt_tokens, ContextTokens, prompt_size;
/// num_decode_tokens, output_tokens, GeneratedTokens, token_size; perhaps prefix_group, prefix_tokens, adapter (its
/// number from 0; below: none). In the order of arrival. O(size).
/// @throws std::invalid_argument  a missing column, a value that is no number, a time that falls, an empty prompt
/// @param names_adapters  gets whether there is such a column
std::vector<Request> read_requests(std::string_view csv, bool* names_adapters = nullptr);

}  // namespace llm_serving
