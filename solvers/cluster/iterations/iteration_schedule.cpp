#include "solvers/cluster/iterations/iteration_schedule.h"

#include <algorithm>
#include <numeric>

#include "core/base/text.h"
#include "solvers/cluster/iterations/iteration_stepper.h"

namespace ergode {

std::vector<std::string> iteration_problems(std::span<const IterationJob> jobs, const IterationOptions& options) {
  std::vector<std::string> out;
  double iterations = 0.0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const IterationJob& job = jobs[j];
    const std::string who = "Job " + std::to_string(j + 1);
    iterations += static_cast<double>(job.iterations);
    if (job.workers > options.gpus)
      out.push_back(who + " has " + std::to_string(job.workers) + " workers; wanted at most the " +
                    std::to_string(options.gpus) + " GPUs that there are.");
    if (!job.phi.empty() && job.phi.size() != job.workers)
      out.push_back(who + " has " + std::to_string(job.workers) + " workers and " + std::to_string(job.phi.size()) +
                    " shares; wanted as many.");
    const bool partial = options.partial && options.policy == IterationPolicy::jigsaw;
    const double most = partial && !job.phi.empty() ? *std::max_element(job.phi.begin(), job.phi.end()) : 1.0;
    const double bytes = worker_memory_bytes(job.costs, most);
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    if (bytes > options.memory_bytes)
      out.push_back(who + " needs " + number_text(bytes / gib, 6) + " GiB of a GPU; wanted at most the " +
                    number_text(options.memory_bytes / gib, 6) + " GiB that it has.");
  }
  if (iterations > static_cast<double>(most_iterations))
    out.push_back("All jobs together have " + number_text(iterations, 6) + " iterations; wanted at most " +
                  std::to_string(most_iterations) + ".");
  return out;
}

IterationRun run_iterations(std::span<const IterationJob> jobs, const IterationOptions& options) {
  std::vector<std::uint32_t> order(jobs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return jobs[a].arrival_s < jobs[b].arrival_s; });
  IterationStepper stepper(options);
  std::vector<IterationEvent> events;
  IterationRun out;
  std::size_t arrived = 0;
  const double until_s = options.until_s;
  bool all = true;
  for (;;) {
    double now_s = stepper.next_s();
    if (arrived < order.size()) now_s = std::min(now_s, jobs[order[arrived]].arrival_s);
    if (now_s == IterationStepper::never) break;
    if (now_s > until_s) {
      all = false;
      break;
    }
    stepper.pass(now_s, events);
    for (; arrived < order.size() && jobs[order[arrived]].arrival_s <= now_s; ++arrived)
      stepper.submit(order[arrived], jobs[order[arrived]], order[arrived], now_s);
    stepper.decide(now_s);
  }
  out.jobs.resize(jobs.size());
  for (std::size_t a = 0; a < arrived; ++a) out.jobs[order[a]] = stepper.outcome(order[a], until_s);
  out.peak_memory_bytes = stepper.peak_memory_bytes(), out.iterations = stepper.iterations();
  out.spans = std::move(stepper.spans());
  if (!all || jobs.empty()) return out;
  double gpu_s = 0.0, last_s = 0.0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    out.mean_jct_s += (out.jobs[j].end_s - jobs[j].arrival_s) / static_cast<double>(jobs.size());
    gpu_s += out.jobs[j].gpu_s, out.bytes += out.jobs[j].bytes, last_s = std::max(last_s, out.jobs[j].end_s);
  }
  out.makespan_s = last_s - jobs[order.front()].arrival_s;
  out.busy = gpu_s / (out.makespan_s * options.gpus);
  return out;
}

}  // namespace ergode
