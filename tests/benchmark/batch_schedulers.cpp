// Batch schedulers: what an event costs at a thousand, ten thousand and a hundred thousand jobs, on as many hosts for
// each job, against the same of a thousand. A ratio of one: the cost of an event does not grow with what has happened.
#include <cmath>

#include "core/random/random_stream.h"
#include "solvers/cluster/batch/batch_scheduler.h"
#include "tests/benchmark/benchmark.h"

namespace ergode::bench {
namespace {

constexpr std::uint32_t batch_hosts = 10'000;

/// Jobs of 1, 2, 4, ... 1,024 hosts whose run times are lognormal, at a load of 0.9.
std::vector<BatchJob> batch_workload(std::size_t count) {
  RandomStream draw(stream_key(1, "batch workload"), 0);
  std::vector<BatchJob> out(count);
  double host_s = 0.0;
  for (BatchJob& job : out) {
    job.run_s = std::exp(8.0 + 1.8 * draw.normal());
    job.limit_s = std::min(172800.0, job.run_s * (1.0 + 4.0 * draw.uniform()));
    job.hosts = static_cast<std::uint32_t>(std::exp2(std::floor(draw.uniform() * 11.0)));
    host_s += job.hosts * time_on_hosts(job);
  }
  constexpr double load = 0.9;
  const double gap_s = host_s / static_cast<double>(count) / (load * batch_hosts);
  double at_s = 0.0;
  for (BatchJob& job : out) job.submit_s = at_s += gap_s * draw.exponential();
  return out;
}

Named batch_benchmark(const char* name, BatchPolicy policy, std::size_t jobs) {
  return {name, [=](double seconds) {
            const auto large = batch_workload(jobs), small = batch_workload(1'000);
            const auto run = [policy](const std::vector<BatchJob>& all) {
              return static_cast<double>(simulate_batch(all, batch_hosts, policy).events);
            };
            // As long on both sides: a small one is run again and again.
            return compare(
                name, "events/s", "the same of a thousand jobs", seconds, [&] { return run(large); },
                [&] {
                  double events = 0.0;
                  for (std::size_t i = 0; i < jobs / 1'000; ++i) events += run(small);
                  return events;
                });
          }};
}

}  // namespace

std::vector<Named> batch_benchmarks() {
  return {batch_benchmark("batch_easy_of_10000_over_1000", BatchPolicy::easy, 10'000),
          batch_benchmark("batch_easy_of_100000_over_1000", BatchPolicy::easy, 100'000),
          batch_benchmark("batch_conservative_of_10000_over_1000", BatchPolicy::conservative, 10'000),
          batch_benchmark("batch_conservative_of_100000_over_1000", BatchPolicy::conservative, 100'000)};
}

}  // namespace ergode::bench
