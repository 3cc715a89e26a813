#include "solvers/cluster/iterations/iteration_stepper.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace ergode {
namespace {

/// How much of a piece is done by then.
double computed_s(double start_s, double end_s, double now_s) {
  return std::clamp(now_s - start_s, 0.0, end_s - start_s);
}

}  // namespace

IterationStepper::IterationStepper(const IterationOptions& options) : options_(options) { reset(); }

void IterationStepper::reset() {
  state_.clear();
  free_s_.assign(options_.gpus, 0.0), down_.assign(options_.gpus, 0), resident_.assign(options_.gpus, {});
  waiting_.clear(), present_.clear(), ends_.clear(), freed_.clear(), spans_.clear();
  now_s_ = gpu_s_ = bytes_ = peak_memory_bytes_ = 0.0;
  order_ = iterations_ = 0;
}

void IterationStepper::submit(std::uint32_t number, const IterationJob& job, std::uint32_t row, double now_s) {
  now_s_ = now_s;
  if (state_.size() <= number) state_.resize(std::size_t{number} + 1);
  Job& one = state_[number];
  const std::uint32_t stamp = one.stamp + 1;  // what was due for whoever had this number is not
  one = {};
  one.its = job, one.row = row, one.order = order_++, one.stamp = stamp;
  one.phi = !partial() ? std::vector<double>(job.workers, 1.0) : job.phi.empty() ? linear_shares(job.workers) : job.phi;
  if (options_.checkpoint_period_s < never)
    one.save_at = static_cast<std::uint64_t>(
        std::clamp(std::ceil(options_.checkpoint_period_s / (job.costs.forward_s + job.costs.backward_s)), 1.0, 1e18));
  waiting_.push_back(number);
}

bool IterationStepper::fits(std::uint32_t gpu, std::uint32_t job) const {
  const auto base_bytes = [&](std::uint32_t j) {
    return state_[j].its.costs.parameter_bytes + state_[j].its.costs.optimiser_bytes;
  };
  // What comes on top while it computes, at most.
  const auto most_extra_bytes = [&](std::uint32_t j) {
    const double most = *std::max_element(state_[j].phi.begin(), state_[j].phi.end());
    return most * (state_[j].its.costs.parameter_bytes + state_[j].its.costs.activation_bytes);
  };
  double base = base_bytes(job), extra = most_extra_bytes(job);
  for (const std::uint32_t other : resident_[gpu])
    base += base_bytes(other), extra = std::max(extra, most_extra_bytes(other));
  return base + extra <= options_.memory_bytes;
}

// First come first let in, on the GPUs with the fewest residents; who does not fit stops those behind.
void IterationStepper::admit() {
  while (!waiting_.empty()) {
    const std::uint32_t job = waiting_.front();
    Job& one = state_[job];
    std::vector<std::uint32_t> gpus;
    for (std::uint32_t gpu = 0; gpu < options_.gpus; ++gpu)
      if (down_[gpu] == 0 && fits(gpu, job)) gpus.push_back(gpu);
    if (gpus.size() < one.its.workers) return;
    std::stable_sort(gpus.begin(), gpus.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return resident_[a].size() < resident_[b].size(); });
    gpus.resize(one.its.workers);
    std::sort(gpus.begin(), gpus.end());
    for (const std::uint32_t gpu : gpus) resident_[gpu].push_back(job);
    one.gpus = std::move(gpus);
    present_.push_back(job);
    waiting_.erase(waiting_.begin());
    if (std::exchange(one.again, false)) pause(job, Busy::restarting, options_.restart_s);
  }
}

void IterationStepper::pack(std::uint32_t job, Packing& out) {
  const Job& one = state_[job];
  std::vector<std::uint32_t>&workers = workers_, &gpus = gpus_;
  workers.resize(one.phi.size()), gpus = one.gpus;
  std::iota(workers.begin(), workers.end(), 0U);
  out.pieces.clear(), out.idle_s = 0.0;
  if (options_.policy == IterationPolicy::jigsaw) {
    // The longest piece on the GPU that is free first.
    std::stable_sort(workers.begin(), workers.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return share(one, a) > share(one, b); });
    std::stable_sort(gpus.begin(), gpus.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return free_s_[a] < free_s_[b]; });
  }
  for (std::size_t i = 0; i < workers.size(); ++i) {
    out.pieces.emplace_back(workers[i], gpus[i]);
    out.idle_s += std::max(0.0, now_s_ - free_s_[gpus[i]]);
  }
}

void IterationStepper::accept(std::uint32_t job, const Packing& packing) {
  Job& one = state_[job];
  const IterationCosts& costs = one.its.costs;
  const auto k = static_cast<std::uint32_t>(one.phi.size());
  const bool together = options_.policy != IterationPolicy::jigsaw;
  double common_s = now_s_, end_s = now_s_;
  for (const auto& piece : packing.pieces) common_s = std::max(common_s, free_s_[piece.second]);
  for (const auto& [worker, gpu] : packing.pieces) {
    const double phi = share(one, worker), compute_s = worker_time_s(costs, phi);
    const double start_s = together ? common_s : std::max(now_s_, free_s_[gpu]);
    const double bytes = worker_gradient_bytes(costs, phi);
    free_s_[gpu] = start_s + compute_s;
    end_s = std::max(end_s, start_s + compute_s + ring_time_s(k, bytes, options_.bytes_per_s));
    if (!one.begun) one.outcome.start_s = std::min(one.outcome.start_s, start_s);
    one.pieces.push_back({gpu, start_s, start_s + compute_s, k > 1 ? bytes : 0.0, start_s + compute_s});
    one.attained_s += compute_s;
    double memory = worker_memory_bytes(costs, phi);
    for (const std::uint32_t other : resident_[gpu])
      if (other != job) memory += state_[other].its.costs.parameter_bytes + state_[other].its.costs.optimiser_bytes;
    peak_memory_bytes_ = std::max(peak_memory_bytes_, memory);
    if (spans_.size() < options_.most_spans)
      spans_.push_back({gpu, one.row, worker, one.done, phi, start_s, start_s + costs.forward_s, start_s + compute_s});
  }
  // Together GPUs stand until all gradients have arrived.
  for (Piece& piece : one.pieces) {
    if (together) free_s_[piece.gpu] = piece.held_s = end_s;
    else freed_.push_back(free_s_[piece.gpu]), std::push_heap(freed_.begin(), freed_.end(), std::greater<>());
  }
  one.begun = true, one.busy = Busy::iteration, one.due_s = end_s;
  ends_.push_back({end_s, job, ++one.stamp}), std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
}

void IterationStepper::pause(std::uint32_t job, Busy why, double time_s) {
  if (!(time_s > 0.0)) return;
  Job& one = state_[job];
  one.busy = why;
  if (!shares_gpus())
    for (const std::uint32_t gpu : one.gpus) free_s_[gpu] = now_s_ + time_s;
  ends_.push_back({now_s_ + time_s, job, ++one.stamp}), std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
}

void IterationStepper::dispatch_shared() {
  admit();
  std::vector<std::uint32_t>& candidates = candidates_;
  for (;;) {
    candidates.clear();
    for (const std::uint32_t job : present_) {
      const Job& one = state_[job];
      if (one.busy != Busy::no || one.ended) continue;
      const auto free = std::count_if(one.gpus.begin(), one.gpus.end(), [&](auto gpu) { return free_now(gpu); });
      // Pieces may wait for their GPUs, but one begins now; together all do.
      const bool now =
          options_.policy == IterationPolicy::jigsaw ? free > 0 : free == static_cast<std::ptrdiff_t>(one.gpus.size());
      if (now) candidates.push_back(job);
    }
    if (candidates.empty()) return;
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return state_[a].attained_s < state_[b].attained_s; });
    // Each is held against the next alone: those behind the one that is chosen are not looked at.
    if (packings_.size() < 2) packings_.resize(2);
    Packing *mine = &packings_[0], *next = &packings_[1];
    std::size_t chosen = 0;
    pack(candidates[0], *mine);
    for (; options_.policy == IterationPolicy::jigsaw && chosen + 1 < candidates.size(); ++chosen) {
      pack(candidates[chosen + 1], *next);
      if (!(mine->idle_s > next->idle_s)) break;
      std::swap(mine, next);
    }
    accept(candidates[chosen], *mine);
  }
}

void IterationStepper::dispatch_exclusive() {
  present_.insert(present_.end(), waiting_.begin(), waiting_.end());
  waiting_.clear();
  std::vector<std::uint32_t>& candidates = candidates_;
  candidates.clear();
  if (packings_.empty()) packings_.resize(2);
  std::uint32_t free = 0;
  for (std::uint32_t gpu = 0; gpu < options_.gpus; ++gpu) free += free_now(gpu) ? 1 : 0;
  for (const std::uint32_t job : present_)
    if (state_[job].busy == Busy::no && !state_[job].ended) candidates.push_back(job);
  const bool fifo = options_.policy == IterationPolicy::fifo_gang;
  const auto left_s = [&](std::uint32_t job) {
    const IterationJob& its = state_[job].its;
    return static_cast<double>(its.iterations - state_[job].done) *
           (its.costs.forward_s + its.costs.backward_s +
            ring_time_s(its.workers, its.costs.parameter_bytes, options_.bytes_per_s));
  };
  // Who has GPUs keeps them until he is done; only where GPUs went are others before him in the line.
  if (fifo)
    std::stable_partition(candidates.begin(), candidates.end(),
                          [&](std::uint32_t job) { return !state_[job].gpus.empty(); });
  else
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return left_s(a) < left_s(b); });
  for (const std::uint32_t job : candidates) {
    Job& one = state_[job];
    if (one.its.workers > free) {
      if (fifo) return;
      continue;
    }
    // Those that it had before, then any.
    std::vector<std::uint32_t> gpus;
    for (const std::uint32_t gpu : one.gpus)
      if (free_now(gpu)) gpus.push_back(gpu);
    for (std::uint32_t gpu = 0; gpu < options_.gpus && gpus.size() < one.its.workers; ++gpu)
      if (free_now(gpu) && std::find(gpus.begin(), gpus.end(), gpu) == gpus.end()) gpus.push_back(gpu);
    std::sort(gpus.begin(), gpus.end());
    one.gpus = std::move(gpus);
    free -= one.its.workers;
    if (std::exchange(one.again, false) && options_.restart_s > 0.0) pause(job, Busy::restarting, options_.restart_s);
    else pack(job, packings_[0]), accept(job, packings_[0]);
  }
}

void IterationStepper::decide(double now_s) {
  now_s_ = now_s;
  shares_gpus() ? dispatch_shared() : dispatch_exclusive();
}

// What was computed counts, also of an iteration that comes to nothing.
void IterationStepper::settle_pieces(Job& one, double now_s) {
  for (const Piece& piece : one.pieces) {
    const double computed = computed_s(piece.start_s, piece.end_s, now_s);
    one.outcome.gpu_s += computed, gpu_s_ += computed;
    if (piece.end_s <= now_s) one.outcome.bytes += piece.bytes, bytes_ += piece.bytes;
  }
  one.pieces.clear();
}

void IterationStepper::iteration_ends(std::uint32_t job, std::vector<IterationEvent>& events) {
  Job& one = state_[job];
  settle_pieces(one, never);
  one.busy = Busy::no, ++one.done, ++iterations_;
  if (one.done < one.its.iterations) {
    if (one.save_at == 0 || one.done - one.saved < one.save_at) return;
    if (options_.checkpoint_cost_s > 0.0) pause(job, Busy::saving, options_.checkpoint_cost_s);
    else one.saved = one.done;
    return;
  }
  one.ended = true, one.outcome.end_s = now_s_;
  std::erase(present_, job);
  for (const std::uint32_t gpu : one.gpus) std::erase(resident_[gpu], job);
  events.push_back({IterationEvent::What::ends, job, 0.0});
}

// A sum of n times up to t is off by n t / 2^53 at most; never by more than a part of an iteration.
bool IterationStepper::ends_now(const Job& one) const {
  if (one.busy != Busy::iteration) return false;
  constexpr double part = 1e-3;
  const double rounding_s = (static_cast<double>(one.done) + 4.0) * std::numeric_limits<double>::epsilon() * now_s_;
  return one.due_s - now_s_ <= std::min(rounding_s, part * (one.its.costs.forward_s + one.its.costs.backward_s));
}

void IterationStepper::pass(double now_s, std::vector<IterationEvent>& events) {
  now_s_ = now_s;
  while (!freed_.empty() && freed_.front() <= now_s)
    std::pop_heap(freed_.begin(), freed_.end(), std::greater<>()), freed_.pop_back();
  while (!ends_.empty()) {
    const Due due = ends_.front();
    const bool stands = state_[due.job].stamp == due.stamp;
    if (stands && due.at_s > now_s) return;
    std::pop_heap(ends_.begin(), ends_.end(), std::greater<>()), ends_.pop_back();
    if (!stands) continue;
    Job& one = state_[due.job];
    if (one.busy == Busy::iteration) {
      iteration_ends(due.job, events);
      continue;
    }
    if (one.busy == Busy::saving) one.saved = one.done;
    one.busy = Busy::no;
  }
}

double IterationStepper::next_s() const {
  return std::min(ends_.empty() ? never : ends_.front().at_s, freed_.empty() ? never : freed_.front());
}

double IterationStepper::held_by_others_s(std::uint32_t gpu) const {
  double out = now_s_;
  for (const std::uint32_t job : present_)
    for (const Piece& piece : state_[job].pieces)
      if (piece.gpu == gpu) out = std::max(out, piece.held_s);
  return out;
}

void IterationStepper::loses_gpus(std::uint32_t job, std::vector<IterationEvent>& events) {
  Job& one = state_[job];
  double begun_s = 0.0;
  for (const Piece& piece : one.pieces) {
    const double computed = computed_s(piece.start_s, piece.end_s, now_s_);
    begun_s = std::max(begun_s, computed), one.attained_s -= piece.end_s - piece.start_s - computed;
  }
  const double iteration_s = one.its.costs.forward_s + one.its.costs.backward_s;
  events.push_back(
      {IterationEvent::What::loses_gpus, job, static_cast<double>(one.done - one.saved) * iteration_s + begun_s});
  settle_pieces(one, now_s_);
  std::erase_if(spans_, [&](const IterationSpan& span) { return span.job == one.row && span.start_s >= now_s_; });
  for (IterationSpan& span : spans_)
    if (span.job == one.row && span.end_s > now_s_)
      span.end_s = now_s_, span.forward_end_s = std::min(span.forward_end_s, now_s_);
  one.done = one.saved, one.busy = Busy::no, one.again = true, ++one.stamp;
  for (const std::uint32_t gpu : one.gpus) {
    std::erase(resident_[gpu], job);
    free_s_[gpu] = held_by_others_s(gpu);
  }
  one.gpus.clear();
  wait_again(job);
}

void IterationStepper::wait_again(std::uint32_t job) {
  if (!shares_gpus()) {
    // Whoever arrived first is first; who is not to come before others goes to the end.
    if (options_.before_all) return;
    std::erase(present_, job), waiting_.push_back(job);
    return;
  }
  std::erase(present_, job);
  auto at = waiting_.end();
  if (options_.before_all)
    at = std::find_if(waiting_.begin(), waiting_.end(), [&](std::uint32_t other) {
      return !state_[other].again || state_[other].order > state_[job].order;
    });
  waiting_.insert(at, job);
}

void IterationStepper::gpus_go(std::uint32_t first, std::uint32_t count, double now_s,
                               std::vector<IterationEvent>& events) {
  now_s_ = now_s;
  std::vector<std::uint32_t> who;
  for (const std::uint32_t job : present_) {
    const Job& one = state_[job];
    const bool there =
        std::any_of(one.gpus.begin(), one.gpus.end(), [&](auto gpu) { return gpu >= first && gpu < first + count; });
    // Between two iterations a job has nothing on GPUs that it gives to others.
    if (there && (one.busy != Busy::no || options_.policy != IterationPolicy::srtf_gang)) who.push_back(job);
  }
  for (std::uint32_t gpu = first; gpu < first + count; ++gpu) down_[gpu] = 1;
  for (const std::uint32_t job : who) {
    if (ends_now(state_[job])) iteration_ends(job, events);
    if (!state_[job].ended) loses_gpus(job, events);
  }
}

void IterationStepper::gpus_come(std::uint32_t first, std::uint32_t count, double now_s) {
  now_s_ = now_s;
  for (std::uint32_t gpu = first; gpu < first + count; ++gpu) down_[gpu] = 0, free_s_[gpu] = now_s;
}

IterationOutcome IterationStepper::outcome(std::uint32_t number, double now_s) const {
  const Job& one = state_[number];
  IterationOutcome out = one.outcome;
  for (const Piece& piece : one.pieces) {
    out.gpu_s += computed_s(piece.start_s, piece.end_s, now_s);
    if (piece.end_s <= now_s) out.bytes += piece.bytes;
  }
  // Who shares GPUs keeps them between his iterations.
  out.runs = out.start_s <= now_s && !one.ended && !one.again && (shares_gpus() || one.busy != Busy::no);
  return out;
}

double IterationStepper::gpu_s(double now_s) const {
  double out = gpu_s_;
  for (const std::uint32_t job : present_)
    for (const Piece& piece : state_[job].pieces) out += computed_s(piece.start_s, piece.end_s, now_s);
  return out;
}

std::uint32_t IterationStepper::computing(double now_s) const {
  std::uint32_t out = 0;
  for (const std::uint32_t job : present_)
    for (const Piece& piece : state_[job].pieces) out += piece.start_s <= now_s && piece.end_s > now_s ? 1 : 0;
  return out;
}

}  // namespace ergode
