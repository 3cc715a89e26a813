// Round schedulers without a planning programme: Shockwave's published trace of 900 jobs on 256 GPUs, against that of
// 120 on 32; what a job costs in a round. Traces are read where they are (traces.h); without them this is passed over.
#include <stdexcept>

#include "solvers/cluster/rounds/round_simulation.h"
#include "tests/benchmark/benchmark.h"
#include "tests/conformance/training_traces.h"

namespace ergode::bench {
namespace {

struct PublishedTrace {
  std::vector<RoundJob> jobs;
  Throughputs speeds;
  RoundOptions options;

  PublishedTrace(const std::string& name, const std::string& column, int gpus, RoundPolicy policy)
      : jobs(test::training_jobs(name)), speeds(test::v100_throughputs(column)) {
    options.gpus = gpus, options.policy = policy;
  }
  double rounds_of_jobs() const {
    double out = 0.0;
    for (const Round& round : run_rounds(jobs, speeds, options).rounds) out += round.active;
    return out;
  }
};

Named round_benchmark(const char* name, RoundPolicy policy) {
  return {name, [=](double seconds) {
            if (test::trace_folder().empty()) return Row{name, "no traces: ERGODE_TRACES names no folder", "-", 0, 0};
            const PublishedTrace large("shockwave_900jobs.trace", "steps_per_s_wisr", 256, policy),
                small("shockwave_120jobs.trace", "steps_per_s_tacc", 32, policy);
            return compare(
                name, "jobs in a round/s", "120 jobs on 32 GPUs", seconds, [&] { return large.rounds_of_jobs(); },
                [&] { return small.rounds_of_jobs(); });
          }};
}

/// A whole run of the greater trace, reading not included.
Named time_of(const char* name, RoundPolicy policy) {
  return {name, [=](double seconds) {
            if (test::trace_folder().empty()) return Row{name, "no traces: ERGODE_TRACES names no folder", "-", 0, 0};
            const PublishedTrace large("shockwave_900jobs.trace", "steps_per_s_wisr", 256, policy);
            return against_half_a_second(name, seconds, [&] {
              if (!(large.rounds_of_jobs() > 0.0)) throw std::runtime_error("nothing was run");
            });
          }};
}

}  // namespace

std::vector<Named> round_benchmarks() {
  return {time_of("rounds_max_min_of_900", RoundPolicy::max_min), time_of("rounds_themis_of_900", RoundPolicy::themis),
          round_benchmark("rounds_max_min_of_900_over_120", RoundPolicy::max_min),
          round_benchmark("rounds_themis_of_900_over_120", RoundPolicy::themis)};
}

}  // namespace ergode::bench
