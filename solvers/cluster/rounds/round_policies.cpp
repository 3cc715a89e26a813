#include "solvers/cluster/rounds/round_policies.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ergode {
namespace {

double width_of(const SharedJob& job) { return static_cast<double>(job.gpus); }

/// Whether these shares are possible: each at most 1, and all within the GPUs. A hair of rounding is let pass.
bool within(std::span<const SharedJob> jobs, double gpus, const std::vector<double>& shares) {
  double used = 0.0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!(shares[i] <= 1.0)) return false;
    used += width_of(jobs[i]) * shares[i];
  }
  return used <= gpus * (1.0 + 1e-12);
}

std::vector<double> shares_to_end_in(std::span<const SharedJob> jobs, double seconds) {
  std::vector<double> out;
  for (const SharedJob& job : jobs) out.push_back(job.steps_left / (seconds * job.steps_per_s));
  return out;
}

/// Time in isolation of the whole job, from when it came to its end.
double isolated_time(const SharedJob& job, std::size_t jobs, int gpus) {
  return job.isolated_s + job.steps_left / isolated_rate(job, jobs, gpus);
}

/// Shares with which no job is later than `ratio` times its time in isolation; above 1 where that cannot be.
std::vector<double> shares_of_ratio(std::span<const SharedJob> jobs, int gpus, double ratio) {
  std::vector<double> out;
  for (const SharedJob& job : jobs) {
    const double time = ratio * isolated_time(job, jobs.size(), gpus) - job.elapsed_s;
    const double least = job.steps_left / job.steps_per_s;
    out.push_back(least <= 0.0 ? 0.0 : time > 0.0 ? least / time : INFINITY);
  }
  return out;
}

}  // namespace

void even_fill(std::span<const SharedJob> jobs, double gpus, std::vector<double>& shares) {
  double left = gpus;
  for (std::size_t i = 0; i < jobs.size(); ++i) left -= width_of(jobs[i]) * shares[i];
  // In the order in which they reach 1 the rise ends for one after the other.
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  double width = 0.0, rise = 0.0;
  for (std::size_t i = 0; i < jobs.size(); ++i) width += width_of(jobs[i]);
  for (const std::size_t i : order) {
    const double step = 1.0 - shares[i] - rise;
    if (step * width >= left) {
      rise += std::max(0.0, left) / width;
      left = 0.0;
      break;
    }
    left -= step * width, rise += step, width -= width_of(jobs[i]);
  }
  for (double& x : shares) x = std::min(1.0, x + rise);
}

std::vector<double> max_min_shares(std::span<const SharedJob> jobs, int gpus) {
  double each = gpus / static_cast<double>(jobs.size());
  for (const SharedJob& job : jobs) each = std::min(each, width_of(job));
  std::vector<double> out;
  for (const SharedJob& job : jobs) out.push_back(each / width_of(job));
  even_fill(jobs, gpus, out);
  return out;
}

std::vector<double> equal_shares(std::span<const SharedJob> jobs, int gpus) {
  return std::vector<double>(jobs.size(), std::min(1.0, gpus / static_cast<double>(jobs.size())));
}

std::vector<double> max_sum_shares(std::span<const SharedJob> jobs, int gpus) {
  const auto rate = [&](std::size_t i) { return jobs[i].steps_per_s / width_of(jobs[i]); };
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rate(a) > rate(b); });
  std::vector<double> out(jobs.size(), 0.0);
  double left = gpus, marginal = 0.0;
  for (const std::size_t i : order) {
    if (left > 0.0) {
      out[i] = std::min(1.0, left / width_of(jobs[i]));
      left -= out[i] * width_of(jobs[i]), marginal = rate(i);
      continue;
    }
    constexpr double barrier = 1e-9;
    const double reduced = marginal * width_of(jobs[i]) - jobs[i].steps_per_s;
    out[i] = std::min(1.0, barrier / std::max(reduced, barrier));
  }
  return out;
}

std::vector<double> min_total_shares(std::span<const SharedJob> jobs, int gpus) {
  double low = 100.0, high = 1e6, last = high, found = 0.0;
  constexpr double near = 1.05;
  while (found == 0.0) {
    while (near * low < high) {
      const double middle = (low + high) / 2.0;
      const bool possible = within(jobs, gpus, shares_to_end_in(jobs, middle));
      if (possible) found = middle;
      (possible ? high : low) = middle;
    }
    low = last, last *= 10.0, high = last;
  }
  std::vector<double> out = shares_to_end_in(jobs, found);
  even_fill(jobs, gpus, out);
  return out;
}

double isolated_rate(const SharedJob& job, std::size_t jobs, int gpus) {
  return job.steps_per_s * std::min(1.0, gpus / (static_cast<double>(jobs) * width_of(job)));
}

std::vector<double> finish_time_shares(std::span<const SharedJob> jobs, int gpus) {
  double low = 0.0, high = 1.0;
  while (high < 1e100 && !within(jobs, gpus, shares_of_ratio(jobs, gpus, high))) low = high, high *= 2.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2.0;
    if (!(middle > low && middle < high)) break;
    (within(jobs, gpus, shares_of_ratio(jobs, gpus, middle)) ? high : low) = middle;
  }
  std::vector<double> out = shares_of_ratio(jobs, gpus, high);
  even_fill(jobs, gpus, out);
  return out;
}

std::vector<double> allox_shares(std::span<const SharedJob> jobs, int gpus, double considered) {
  std::vector<double> out;
  std::vector<std::size_t> waiting;  // by arrival, as jobs are
  int free = gpus;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    out.push_back(jobs[i].share_before);
    if (jobs[i].share_before == 1.0) --free;
    else waiting.push_back(i);
  }
  const auto places = static_cast<std::size_t>(std::max(0, free));
  const auto part = static_cast<std::size_t>(considered * static_cast<double>(waiting.size()));
  waiting.resize(std::min(waiting.size(), std::max(part, places)));
  std::stable_sort(waiting.begin(), waiting.end(), [&](std::size_t a, std::size_t b) {
    return jobs[a].steps_left / jobs[a].steps_per_s < jobs[b].steps_left / jobs[b].steps_per_s;
  });
  for (std::size_t i = 0; i < std::min(places, waiting.size()); ++i) out[waiting[i]] = 1.0 / width_of(jobs[waiting[i]]);
  return out;
}

}  // namespace ergode
