// Schedulers of gangs: what an event costs at a hundred thousand jobs on ten thousand GPUs, against the same of a
// thousand jobs on a hundred. A ratio of one: the cost of an event grows neither with what has happened nor with the
// cluster.
#include <cmath>

#include "core/random/random_stream.h"
#include "solvers/cluster/gang/gang_simulation.h"
#include "tests/benchmark/benchmark.h"

namespace ergode::bench {
namespace {

/// Jobs of 1, 2, 4 or 8 GPUs, now and then of 64, whose work is lognormal, at a load of 3, so that ten thousands wait.
std::vector<GangJob> gang_workload(std::size_t count, std::uint32_t gpus) {
  RandomStream draw(stream_key(1, "gang workload"), 0);
  std::vector<GangJob> out(count);
  double gpu_s = 0.0;
  for (GangJob& job : out) {
    job.work_s = std::min(1e6, std::exp(6.8 + 2.0 * draw.normal()));
    const double wide = draw.uniform();
    job.gpus = wide < 0.7 ? 1 : wide < 0.82 ? 2 : wide < 0.92 ? 4 : wide < 0.99 ? 8 : 64;
    job.user = static_cast<std::uint32_t>(draw.uniform() * 20.0);
    gpu_s += job.gpus * job.work_s;
  }
  constexpr double load = 3.0;
  const double gap_s = gpu_s / static_cast<double>(count) / (load * gpus);
  double at_s = 0.0;
  for (GangJob& job : out) job.arrival_s = at_s += gap_s * draw.exponential();
  return out;
}

Named gang_benchmark(const char* name, GangPolicy policy) {
  return {name, [=](double seconds) {
            const auto large = gang_workload(100'000, 10'000), small = gang_workload(1'000, 100);
            const auto run = [policy](const std::vector<GangJob>& all, std::uint32_t gpus) {
              return static_cast<double>(simulate_gang(all, {.policy = policy,
                                                             .gpus = gpus,
                                                             .consolidated = true,
                                                             .restart_s = 60.0,
                                                             .thresholds = {3600.0, 36000.0},
                                                             .speedups = {Speedup()}})
                                             .events);
            };
            // As long on both sides: a small one is run again and again.
            return compare(
                name, "events/s", "the same of a thousand jobs", seconds, [&] { return run(large, 10'000); },
                [&] {
                  double events = 0.0;
                  for (int i = 0; i < 100; ++i) events += run(small, 100);
                  return events;
                });
          }};
}

}  // namespace

std::vector<Named> gang_benchmarks() {
  return {gang_benchmark("gang_fifo_of_100000_over_1000", GangPolicy::fifo),
          gang_benchmark("gang_backfill_of_100000_over_1000", GangPolicy::backfill),
          gang_benchmark("gang_srtf_of_100000_over_1000", GangPolicy::srtf),
          gang_benchmark("gang_las_of_100000_over_1000", GangPolicy::las),
          gang_benchmark("gang_equi_of_100000_over_1000", GangPolicy::equi),
          gang_benchmark("gang_drf_of_100000_over_1000", GangPolicy::drf)};
}

}  // namespace ergode::bench
