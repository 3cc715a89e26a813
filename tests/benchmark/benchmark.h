#pragma once
#include <functional>
#include <string>
#include <vector>

namespace ergode::bench {

/// One line of the report: two speeds measured in the same run. ratio = ours / reference; greater is faster.
struct Row {
  std::string name, unit, reference_is;
  double ours = 0.0, reference = 0.0;
};

/// Work done (events, draws, ...) by one call, for about `seconds` when told how long; returns units per second.
/// Alternates short slices of both sides, so that a drift of the machine's speed hits both, and takes the median of the
/// paired ratios.
Row compare(std::string name, std::string unit, std::string reference_is, double seconds,
            const std::function<double()>& ours, const std::function<double()>& reference);

/// Of what is to take half a second by the clock: how many times a second it is done, the median of as many turns as
/// fit into `seconds`, five at least, beside two.
Row against_half_a_second(std::string name, double seconds, const std::function<void()>& turn);

using Benchmark = std::function<Row(double seconds)>;
struct Named {
  std::string name;
  Benchmark run;
};
std::vector<Named> benchmarks();
std::vector<Named> chart_step_benchmarks();
std::vector<Named> reader_benchmarks();
std::vector<Named> hybrid_benchmarks();
std::vector<Named> queueing_benchmarks();
/// Some two minutes, however many seconds are asked for.
std::vector<Named> precision_benchmarks();
std::vector<Named> large_network_benchmarks();
std::vector<Named> batch_benchmarks();
std::vector<Named> gang_benchmarks();
std::vector<Named> round_benchmarks();
std::vector<Named> llm_serving_benchmarks();
std::vector<Named> npu_benchmarks();

}  // namespace ergode::bench
