// LLM serving: decode steps of a full batch of 64, against a loop that knows nothing but how many tokens are left.
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "plugins/llm_serving/engine/replica.h"
#include "plugins/llm_serving/engine/service.h"
#include "plugins/llm_serving/engine/workload.h"
#include "plugins/support/csv_table.h"
#include "tests/benchmark/benchmark.h"
#include "tests/benchmark/xoshiro.h"
#include "tests/conformance/cases.h"

namespace ergode::bench {
namespace {

constexpr std::uint32_t llm_batch = 64, llm_output = 2000, llm_prompt = 256;
constexpr double llm_accepted = 0.7;

/// Requests that come all at once and fill the batch: four waves of them.
double serve(int proposed) {
  llm_serving::ReplicaOptions o;
  o.time = *llm_serving::find_step_time("h100_llama8b");
  o.acceptance = llm_serving::Acceptance::independent(llm_accepted);
  o.control.policy = proposed > 0 ? llm_serving::Policy::fixed : llm_serving::Policy::none;
  o.control.fixed = proposed;
  o.max_running = llm_batch, o.blocks = 27977;
  llm_serving::Replica replica(o, 1, 0);
  std::vector<llm_serving::Served> done;
  constexpr std::uint32_t waves = 4;
  for (std::uint32_t i = 0; i < waves * llm_batch; ++i) {
    llm_serving::Request one;
    one.id = i, one.prompt = llm_prompt, one.output = llm_output;
    replica.arrive(0.0, one);
  }
  replica.advance(1e12, done);
  return static_cast<double>(replica.totals().steps - replica.totals().prefill_steps);
}

double serve_by_hand(int proposed) {
  const llm_serving::LinearTime time = llm_serving::find_step_time("h100_llama8b")->target;
  Xoshiro random(1);
  double steps = 0.0, now_s = 0.0, checksum = 0.0;
  for (int wave = 0; wave < 4; ++wave) {
    std::vector<std::uint32_t> left(llm_batch, llm_output - 1);
    double context = llm_batch * (llm_prompt + 1.0);
    while (!left.empty()) {
      now_s += (time.base + time.per_context_token * context +
                time.per_token * static_cast<double>(left.size()) * (proposed + 1)) /
               1000.0;
      std::size_t kept = 0;
      for (const std::uint32_t tokens : left) {
        std::uint32_t got = 1;
        while (got <= static_cast<std::uint32_t>(proposed) && random.uniform() < llm_accepted) ++got;
        got = std::min(got, tokens), context += got;
        if (tokens > got) left[kept++] = tokens - got;
        else context -= llm_prompt + llm_output, checksum += now_s;
      }
      left.resize(kept);
      ++steps;
    }
  }
  return checksum > 0.0 ? steps : 0.0;
}

Named llm_benchmark(const char* name, int proposed) {
  return {name, [=](double seconds) {
            return compare(
                name, "decode steps/s", "a loop over tokens that are left", seconds, [=] { return serve(proposed); },
                [=] { return serve_by_hand(proposed); });
          }};
}

/// Azure's hour of conversations (Splitwise, ISCA 2024) on four replicas, from the text of the file on.
Named azure_hour_benchmark() {
  const char* const name = "llm_azure_hour";
  return {name, [=](double seconds) {
            const std::string folder = test::case_folder("llm_traces");
            if (folder.empty()) return Row{name, "no cases: ERGODE_CASES names no folder", "-", 0, 0};
            return against_half_a_second(name, seconds, [&] {
              llm_serving::ServiceOptions o{.replicas = 4, .routing = llm_serving::ReplicaRouting::least_loaded};
              o.replica.time = *llm_serving::find_step_time("h100_llama8b");
              o.replica.batching = llm_serving::Batching::chunked, o.replica.blocks = 27977;
              llm_serving::Service service(o, 1);
              std::vector<llm_serving::Served> served;
              for (const llm_serving::Request& one :
                   llm_serving::read_requests(plugin_support::file_content(folder + "/splitwise_conv.csv"))) {
                service.advance(one.arrival_s, served);
                service.arrive(one.arrival_s, one);
              }
              service.advance(1e9, served);
              if (served.size() != 19366) throw std::runtime_error("not all requests of Azure's hour were served");
            });
          }};
}

}  // namespace

std::vector<Named> llm_serving_benchmarks() {
  return {azure_hour_benchmark(), llm_benchmark("llm_decode_steps", 0), llm_benchmark("llm_speculative_steps", 3)};
}

}  // namespace ergode::bench
