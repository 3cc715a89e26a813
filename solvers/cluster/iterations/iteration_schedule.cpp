#include "solvers/cluster/iterations/iteration_schedule.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "core/base/text.h"

namespace ergode {
namespace {

/// A job on its way.
struct JobInIterations {
  std::vector<double> phi;          ///< of worker 0 ... k - 1 in iteration 0
  std::vector<std::uint32_t> gpus;  ///< those that it may use; empty: it waits
  std::uint64_t done = 0;           ///< iterations
  bool in_flight = false, ended = false;
  double attained_s = 0.0;  ///< GPU time
};

class IterationLoop {
 public:
  IterationLoop(std::span<const IterationJob> jobs, const IterationOptions& options)
      : jobs_(jobs), options_(options), state_(jobs.size()), free_s_(options.gpus, 0.0), resident_(options.gpus) {
    const bool partial = options.partial && options.policy == IterationPolicy::jigsaw;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      state_[j].phi = !partial              ? std::vector<double>(jobs[j].workers, 1.0)
                      : jobs[j].phi.empty() ? linear_shares(jobs[j].workers)
                                            : jobs[j].phi;
    }
    out_.jobs.resize(jobs.size());
    order_.resize(jobs.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return jobs[a].arrival_s < jobs[b].arrival_s; });
  }

  IterationRun run();

 private:
  using Event = std::pair<double, std::uint32_t>;
  /// How an iteration would lie: its pieces and what they leave idle.
  struct Packing {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces;  ///< worker and GPU
    double idle_s = 0.0;
  };

  bool shares_gpus() const {
    return options_.policy == IterationPolicy::jigsaw || options_.policy == IterationPolicy::time_slicing;
  }
  double share(std::uint32_t job, std::uint32_t worker) const {
    const JobInIterations& one = state_[job];
    const auto k = static_cast<std::uint64_t>(one.phi.size());
    return options_.rotate ? one.phi[(worker + one.done) % k] : one.phi[worker];
  }
  double base_bytes(std::uint32_t job) const {
    return jobs_[job].costs.parameter_bytes + jobs_[job].costs.optimiser_bytes;
  }
  /// What comes on top while it computes, at most.
  double most_extra_bytes(std::uint32_t job) const {
    const double most = *std::max_element(state_[job].phi.begin(), state_[job].phi.end());
    return most * (jobs_[job].costs.parameter_bytes + jobs_[job].costs.activation_bytes);
  }
  void admit();
  bool fits(std::uint32_t gpu, std::uint32_t job) const;
  Packing pack(std::uint32_t job) const;
  void accept(std::uint32_t job, const Packing& packing);
  void dispatch_shared();
  void dispatch_exclusive();
  void iteration_ends(std::uint32_t job);
  IterationRun so_far();

  std::span<const IterationJob> jobs_;
  const IterationOptions& options_;
  std::vector<JobInIterations> state_;
  std::vector<double> free_s_;                        ///< by GPU
  std::vector<std::vector<std::uint32_t>> resident_;  ///< by GPU: jobs
  std::vector<std::uint32_t> order_;                  ///< jobs by arrival
  std::size_t arrived_ = 0;
  std::vector<std::uint32_t> waiting_, present_;  ///< not let in yet; let in, in the order of arrival
  std::priority_queue<Event, std::vector<Event>, std::greater<>> ends_;
  std::priority_queue<double, std::vector<double>, std::greater<>> freed_;
  double now_s_ = 0.0, last_s_ = 0.0;
  IterationRun out_;
};

bool IterationLoop::fits(std::uint32_t gpu, std::uint32_t job) const {
  double base = base_bytes(job), extra = most_extra_bytes(job);
  for (const std::uint32_t other : resident_[gpu])
    base += base_bytes(other), extra = std::max(extra, most_extra_bytes(other));
  return base + extra <= options_.memory_bytes;
}

// First come first let in, on the GPUs with the fewest residents; who does not fit stops those behind.
void IterationLoop::admit() {
  while (!waiting_.empty()) {
    const std::uint32_t job = waiting_.front();
    std::vector<std::uint32_t> gpus;
    for (std::uint32_t gpu = 0; gpu < options_.gpus; ++gpu)
      if (fits(gpu, job)) gpus.push_back(gpu);
    if (gpus.size() < jobs_[job].workers) return;
    std::stable_sort(gpus.begin(), gpus.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return resident_[a].size() < resident_[b].size(); });
    gpus.resize(jobs_[job].workers);
    std::sort(gpus.begin(), gpus.end());
    for (const std::uint32_t gpu : gpus) resident_[gpu].push_back(job);
    state_[job].gpus = std::move(gpus);
    present_.push_back(job);
    waiting_.erase(waiting_.begin());
  }
}

IterationLoop::Packing IterationLoop::pack(std::uint32_t job) const {
  const JobInIterations& one = state_[job];
  Packing out;
  std::vector<std::uint32_t> workers(one.phi.size()), gpus = one.gpus;
  std::iota(workers.begin(), workers.end(), 0U);
  if (options_.policy == IterationPolicy::jigsaw) {
    // The longest piece on the GPU that is free first.
    std::stable_sort(workers.begin(), workers.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return share(job, a) > share(job, b); });
    std::stable_sort(gpus.begin(), gpus.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return free_s_[a] < free_s_[b]; });
  }
  for (std::size_t i = 0; i < workers.size(); ++i) {
    out.pieces.emplace_back(workers[i], gpus[i]);
    out.idle_s += std::max(0.0, now_s_ - free_s_[gpus[i]]);
  }
  return out;
}

void IterationLoop::accept(std::uint32_t job, const Packing& packing) {
  JobInIterations& one = state_[job];
  const IterationCosts& costs = jobs_[job].costs;
  const auto k = static_cast<std::uint32_t>(one.phi.size());
  const bool together = options_.policy != IterationPolicy::jigsaw;
  double common_s = now_s_, end_s = now_s_;
  for (const auto& piece : packing.pieces) common_s = std::max(common_s, free_s_[piece.second]);
  IterationOutcome& outcome = out_.jobs[job];
  if (one.done == 0) outcome.start_s = std::numeric_limits<double>::infinity();
  for (const auto& piece : packing.pieces) {
    const double phi = share(job, piece.first), compute_s = worker_time_s(costs, phi);
    const double start_s = together ? common_s : std::max(now_s_, free_s_[piece.second]);
    const double bytes = worker_gradient_bytes(costs, phi);
    free_s_[piece.second] = start_s + compute_s;
    end_s = std::max(end_s, start_s + compute_s + ring_time_s(k, bytes, options_.bytes_per_s));
    if (one.done == 0) outcome.start_s = std::min(outcome.start_s, start_s);
    outcome.gpu_s += std::clamp(options_.until_s - start_s, 0.0, compute_s), one.attained_s += compute_s;
    if (k > 1 && start_s + compute_s <= options_.until_s) outcome.bytes += bytes;
    double memory = worker_memory_bytes(costs, phi);
    for (const std::uint32_t other : resident_[piece.second])
      if (other != job) memory += base_bytes(other);
    out_.peak_memory_bytes = std::max(out_.peak_memory_bytes, memory);
    if (out_.spans.size() < options_.most_spans)
      out_.spans.push_back(
          {piece.second, job, piece.first, one.done, phi, start_s, start_s + costs.forward_s, start_s + compute_s});
  }
  // Together GPUs stand until all gradients have arrived.
  for (const auto& piece : packing.pieces) {
    if (together) free_s_[piece.second] = end_s;
    else freed_.push(free_s_[piece.second]);
  }
  one.in_flight = true;
  ends_.emplace(end_s, job);
}

void IterationLoop::dispatch_shared() {
  admit();
  std::vector<std::uint32_t> candidates;
  std::vector<Packing> packings;
  for (;;) {
    candidates.clear(), packings.clear();
    for (const std::uint32_t job : present_) {
      const JobInIterations& one = state_[job];
      if (one.in_flight || one.ended) continue;
      const auto free =
          std::count_if(one.gpus.begin(), one.gpus.end(), [&](auto gpu) { return free_s_[gpu] <= now_s_; });
      // Pieces may wait for their GPUs, but one begins now; together all do.
      const bool now =
          options_.policy == IterationPolicy::jigsaw ? free > 0 : free == static_cast<std::ptrdiff_t>(one.gpus.size());
      if (now) candidates.push_back(job);
    }
    if (candidates.empty()) return;
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return state_[a].attained_s < state_[b].attained_s; });
    for (const std::uint32_t job : candidates) packings.push_back(pack(job));
    std::size_t chosen = 0;
    if (options_.policy == IterationPolicy::jigsaw)
      while (chosen + 1 < candidates.size() && packings[chosen].idle_s > packings[chosen + 1].idle_s) ++chosen;
    accept(candidates[chosen], packings[chosen]);
  }
}

void IterationLoop::dispatch_exclusive() {
  present_.insert(present_.end(), waiting_.begin(), waiting_.end());
  waiting_.clear();
  std::vector<std::uint32_t> candidates;
  std::uint32_t free = 0;
  for (const double at_s : free_s_) free += at_s <= now_s_ ? 1 : 0;
  for (const std::uint32_t job : present_)
    if (!state_[job].in_flight && !state_[job].ended) candidates.push_back(job);
  const bool fifo = options_.policy == IterationPolicy::fifo_gang;
  const auto left_s = [&](std::uint32_t job) {
    const IterationCosts& costs = jobs_[job].costs;
    return static_cast<double>(jobs_[job].iterations - state_[job].done) *
           (costs.forward_s + costs.backward_s +
            ring_time_s(jobs_[job].workers, costs.parameter_bytes, options_.bytes_per_s));
  };
  if (!fifo)
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return left_s(a) < left_s(b); });
  for (const std::uint32_t job : candidates) {
    if (jobs_[job].workers > free) {
      if (fifo) return;
      continue;
    }
    // Those that it had before, then any.
    JobInIterations& one = state_[job];
    std::vector<std::uint32_t> gpus;
    for (const std::uint32_t gpu : one.gpus)
      if (free_s_[gpu] <= now_s_) gpus.push_back(gpu);
    for (std::uint32_t gpu = 0; gpu < options_.gpus && gpus.size() < jobs_[job].workers; ++gpu)
      if (free_s_[gpu] <= now_s_ && std::find(gpus.begin(), gpus.end(), gpu) == gpus.end()) gpus.push_back(gpu);
    std::sort(gpus.begin(), gpus.end());
    one.gpus = std::move(gpus);
    free -= jobs_[job].workers;
    accept(job, pack(job));
  }
}

void IterationLoop::iteration_ends(std::uint32_t job) {
  JobInIterations& one = state_[job];
  one.in_flight = false, ++one.done, ++out_.iterations;
  if (one.done < jobs_[job].iterations) return;
  one.ended = true, out_.jobs[job].end_s = last_s_ = now_s_;
  std::erase(present_, job);
  for (const std::uint32_t gpu : one.gpus) std::erase(resident_[gpu], job);
}

IterationRun IterationLoop::so_far() {
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    IterationOutcome& job = out_.jobs[j];
    const bool begun = job.start_s <= options_.until_s;
    // Who shares GPUs keeps them between his iterations.
    job.runs = begun && !state_[j].ended && (shares_gpus() || state_[j].in_flight);
  }
  return std::move(out_);
}

IterationRun IterationLoop::run() {
  while (arrived_ < order_.size() || !ends_.empty()) {
    now_s_ = std::numeric_limits<double>::infinity();
    if (arrived_ < order_.size()) now_s_ = jobs_[order_[arrived_]].arrival_s;
    if (!ends_.empty()) now_s_ = std::min(now_s_, ends_.top().first);
    if (!freed_.empty()) now_s_ = std::min(now_s_, freed_.top());
    if (now_s_ > options_.until_s) return so_far();
    while (!freed_.empty() && freed_.top() <= now_s_) freed_.pop();
    while (!ends_.empty() && ends_.top().first <= now_s_) {
      const std::uint32_t job = ends_.top().second;
      ends_.pop();
      iteration_ends(job);
    }
    for (; arrived_ < order_.size() && jobs_[order_[arrived_]].arrival_s <= now_s_; ++arrived_)
      waiting_.push_back(order_[arrived_]);
    shares_gpus() ? dispatch_shared() : dispatch_exclusive();
  }
  if (jobs_.empty()) return std::move(out_);
  out_.makespan_s = last_s_ - jobs_[order_.front()].arrival_s;
  double gpu_s = 0.0;
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    out_.mean_jct_s += (out_.jobs[j].end_s - jobs_[j].arrival_s) / static_cast<double>(jobs_.size());
    gpu_s += out_.jobs[j].gpu_s, out_.bytes += out_.jobs[j].bytes;
  }
  out_.busy = gpu_s / (out_.makespan_s * options_.gpus);
  return std::move(out_);
}

}  // namespace

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
  return IterationLoop(jobs, options).run();
}

}  // namespace ergode
