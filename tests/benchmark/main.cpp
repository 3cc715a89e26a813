#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string_view>

#include "core/base/freed_memory.h"
#include "core/base/text.h"
#include "core/base/value.h"
#include "tests/benchmark/benchmark.h"
#include "tests/benchmark/markov_chains.h"

namespace ergode::bench {

Row compare(std::string name, std::string unit, std::string reference_is, double seconds,
            const std::function<double()>& ours, const std::function<double()>& reference) {
  using Clock = std::chrono::steady_clock;
  const auto timed = [](const std::function<double()>& work) {
    const auto begin = Clock::now();
    const double units = work();
    return units / std::chrono::duration<double>(Clock::now() - begin).count();
  };
  timed(ours), timed(reference);  // warm up
  std::vector<double> a, b, ratios;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    a.push_back(timed(ours)), b.push_back(timed(reference));
    ratios.push_back(a.back() / b.back());
  } while (Clock::now() < end || ratios.size() < 5);
  const auto median = [](std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
  };
  Row row{std::move(name), std::move(unit), std::move(reference_is), median(a), 0.0};
  // The ratio of the pairs is what counts; the reference speed is stated so that it fits.
  row.reference = row.ours / median(ratios);
  return row;
}

Row against_half_a_second(std::string name, double seconds, const std::function<void()>& turn) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> taken_s;
  for (const auto end = Clock::now() + std::chrono::duration<double>(seconds);
       Clock::now() < end || taken_s.size() < 5;) {
    const auto begin = Clock::now();
    turn();
    taken_s.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  const auto middle = taken_s.begin() + static_cast<std::ptrdiff_t>(taken_s.size() / 2);
  std::nth_element(taken_s.begin(), middle, taken_s.end());
  return {std::move(name), "runs/s", "half a second by the clock", 1.0 / *middle, 2.0};
}

}  // namespace ergode::bench

int main(int argc, char** argv) {
  using namespace ergode::bench;
  ergode::keep_freed_memory();  // as the programs do
  std::string filter;
  bool json = false;
  double seconds = 2.0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--json") json = true;
    else if (word == "--filter" && i + 1 < argc) filter = argv[++i];
    else if (word == "--seconds" && i + 1 < argc) seconds = ergode::parse_number(argv[++i]).value_or(seconds);
    else {
      const bool help = word == "-h" || word == "--help";
      std::fprintf(help ? stdout : stderr,
                   "ergode-bench [--filter NAME] [--seconds S] [--json]\nRatios against hand-written programs "
                   "and other engines, measured in this run.\n");
      return help ? 0 : 2;
    }
  }
  ergode::Value out = {{"benchmarks", ergode::Value::array()}};
  bool any = false;
  std::vector<Named> all = benchmarks();
  for (const Named& benchmark : chart_step_benchmarks()) all.push_back(benchmark);
  for (const Named& benchmark : hybrid_benchmarks()) all.push_back(benchmark);
  for (const Named& benchmark : markov_benchmarks()) all.push_back(benchmark);
  for (const Named& benchmark : queueing_benchmarks()) all.push_back(benchmark);
  for (const Named& benchmark : precision_benchmarks()) all.push_back(benchmark);
  for (const Named& benchmark : large_network_benchmarks()) all.push_back(benchmark);
  for (const Named& benchmark : reader_benchmarks()) all.push_back(benchmark);
  for (const Named& benchmark : batch_benchmarks()) all.push_back(benchmark);
  for (const Named& benchmark : gang_benchmarks()) all.push_back(benchmark);
  for (const Named& benchmark : round_benchmarks()) all.push_back(benchmark);
  for (const Named& benchmark : llm_serving_benchmarks()) all.push_back(benchmark);
  for (const Named& benchmark : npu_benchmarks()) all.push_back(benchmark);
  for (const Named& benchmark : all) {
    if (benchmark.name.find(filter) == std::string::npos) continue;
    any = true;
    const Row row = benchmark.run(seconds);
    const double ratio = row.ours / row.reference;
    out["benchmarks"].push_back({{"name", row.name},
                                 {"unit", row.unit},
                                 {"ours", row.ours},
                                 {"reference", row.reference},
                                 {"ratio", ratio},
                                 {"reference_is", row.reference_is}});
    if (!json)
      std::printf("%-34s %12.4g %12.4g %s  ratio %.3f  (reference: %s)\n", row.name.c_str(), row.ours, row.reference,
                  row.unit.c_str(), ratio, row.reference_is.c_str());
  }
  if (json) std::cout << out.dump(2) << "\n";
  if (!any) std::fprintf(stderr, "No benchmark is called like \"%s\".\n", filter.c_str());
  return any ? 0 : 2;
}
