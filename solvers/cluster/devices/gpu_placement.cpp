#include "solvers/cluster/devices/gpu_placement.h"

#include <algorithm>
#include <numeric>

namespace ergode {

GpuPlacer::GpuPlacer(PlacementPolicy policy, std::uint32_t nodes, std::uint32_t gpus_per_node,
                     ByClass<std::vector<double>> scores)
    : policy_(policy), gpus_per_node_(gpus_per_node), scores_(std::move(scores)) {
  free_.assign(static_cast<std::size_t>(nodes) * gpus_per_node, 1);
  free_of_node_.assign(nodes, gpus_per_node);
  free_total_ = static_cast<std::uint32_t>(free_.size());
  count_.assign(nodes, 0);
  for (std::size_t c = 0; c < application_classes; ++c) {
    const std::vector<double>& score = scores_[c];
    by_score_[c].resize(free_.size());
    std::iota(by_score_[c].begin(), by_score_[c].end(), 0U);
    std::stable_sort(by_score_[c].begin(), by_score_[c].end(),
                     [&](std::uint32_t a, std::uint32_t b) { return score[a] < score[b]; });
    levels_[c] = score;
    std::sort(levels_[c].begin(), levels_[c].end());
    levels_[c].erase(std::unique(levels_[c].begin(), levels_[c].end()), levels_[c].end());
  }
}

std::uint32_t GpuPlacer::nodes_of(std::span<const std::uint32_t> gpus) const {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) out += i == 0 || node_of(gpus[i]) != node_of(gpus[i - 1]) ? 1U : 0U;
  return out;
}

void GpuPlacer::take(std::uint32_t gpu, std::vector<std::uint32_t>& out) {
  free_[gpu] = 0, --free_of_node_[node_of(gpu)], --free_total_;
  out.push_back(gpu);
}

void GpuPlacer::release(std::span<const std::uint32_t> gpus) {
  for (const std::uint32_t gpu : gpus) free_[gpu] = 1, ++free_of_node_[node_of(gpu)], ++free_total_;
}

void GpuPlacer::release_all() {
  std::fill(free_.begin(), free_.end(), std::uint8_t{1});
  std::fill(free_of_node_.begin(), free_of_node_.end(), gpus_per_node_);
  free_total_ = gpus();
}

void GpuPlacer::take_away(std::uint32_t node) {
  std::fill_n(free_.begin() + static_cast<std::ptrdiff_t>(std::size_t{node} * gpus_per_node_), gpus_per_node_, 0);
  free_of_node_[node] = 0, free_total_ -= gpus_per_node_;
}

void GpuPlacer::bring_back(std::uint32_t node) {
  std::fill_n(free_.begin() + static_cast<std::ptrdiff_t>(std::size_t{node} * gpus_per_node_), gpus_per_node_, 1);
  free_of_node_[node] = gpus_per_node_, free_total_ += gpus_per_node_;
}

bool GpuPlacer::place(std::uint32_t gpus, std::uint32_t of_class, double penalty, RandomStream& stream,
                      std::vector<std::uint32_t>& out) {
  out.clear();
  if (gpus > free_total_) return false;
  switch (policy_) {
    case PlacementPolicy::random:
      place_random(gpus, stream, out);
      break;
    case PlacementPolicy::packed:
      place_packed(gpus, out);
      break;
    case PlacementPolicy::pm_first:
      place_lowest(gpus, of_class, out);
      break;
    case PlacementPolicy::pal:
      place_pal(gpus, of_class, penalty, out);
      break;
  }
  std::sort(out.begin(), out.end());
  return true;
}

// A sample without replacement: the first of a shuffle that is not gone through to its end.
void GpuPlacer::place_random(std::uint32_t gpus, RandomStream& stream, std::vector<std::uint32_t>& out) {
  room_.clear();
  for (std::uint32_t gpu = 0; gpu < free_.size(); ++gpu)
    if (free_[gpu] != 0) room_.push_back(gpu);
  for (std::uint32_t i = 0; i < gpus; ++i) {
    const auto left = static_cast<double>(room_.size() - i);
    const auto other = i + std::min(static_cast<std::size_t>(stream.uniform() * left), room_.size() - i - 1);
    std::swap(room_[i], room_[other]);
    take(room_[i], out);
  }
}

void GpuPlacer::place_packed(std::uint32_t gpus, std::vector<std::uint32_t>& out) {
  const auto nodes = static_cast<std::uint32_t>(free_of_node_.size());
  while (gpus > 0) {
    // The fullest node that holds what is left; else the emptiest, whole.
    std::uint32_t best = nodes, most = 0;
    for (std::uint32_t n = 0; n < nodes; ++n) {
      if (free_of_node_[n] >= gpus && (best == nodes || free_of_node_[n] < free_of_node_[best])) best = n;
      if (free_of_node_[n] > free_of_node_[most]) most = n;
    }
    const std::uint32_t node = best != nodes ? best : most;
    for (std::uint32_t gpu = node * gpus_per_node_; gpu < (node + 1) * gpus_per_node_ && gpus > 0; ++gpu)
      if (free_[gpu] != 0) take(gpu, out), --gpus;
  }
}

void GpuPlacer::place_lowest(std::uint32_t gpus, std::uint32_t of_class, std::vector<std::uint32_t>& out) {
  const std::vector<double>& score = scores_[of_class];
  std::fill(count_.begin(), count_.end(), 0U);
  room_.clear();
  double last = 0.0;
  std::uint32_t found = 0;
  for (const std::uint32_t gpu : by_score_[of_class]) {
    if (free_[gpu] == 0) continue;
    if (found >= gpus && score[gpu] > last) break;
    last = score[gpu], ++found;
    room_.push_back(gpu);
  }
  // All below the last score are in; of those at it, nodes that give most come first, so that there are few.
  auto at = std::find_if(room_.begin(), room_.end(), [&](std::uint32_t gpu) { return score[gpu] == last; });
  for (auto gpu = room_.begin(); gpu != at; ++gpu) ++count_[node_of(*gpu)], take(*gpu, out);
  for (auto gpu = at; gpu != room_.end(); ++gpu) ++count_[node_of(*gpu)];
  std::stable_sort(at, room_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t na = node_of(a), nb = node_of(b);
    return count_[na] != count_[nb] ? count_[na] > count_[nb] : na < nb;
  });
  while (out.size() < gpus) take(*at++, out);
}

bool GpuPlacer::place_in_node(std::uint32_t gpus, std::uint32_t of_class, double most,
                              std::vector<std::uint32_t>& out) {
  const std::vector<double>& score = scores_[of_class];
  const auto nodes = static_cast<std::uint32_t>(free_of_node_.size());
  std::uint32_t best = nodes;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    if (free_of_node_[n] < gpus || (best != nodes && free_of_node_[n] >= free_of_node_[best])) continue;
    std::uint32_t good = 0;
    for (std::uint32_t gpu = n * gpus_per_node_; gpu < (n + 1) * gpus_per_node_; ++gpu)
      good += free_[gpu] != 0 && score[gpu] <= most ? 1U : 0U;
    if (good >= gpus) best = n;
  }
  if (best == nodes) return false;
  room_.clear();
  for (std::uint32_t gpu = best * gpus_per_node_; gpu < (best + 1) * gpus_per_node_; ++gpu)
    if (free_[gpu] != 0) room_.push_back(gpu);
  std::stable_sort(room_.begin(), room_.end(), [&](std::uint32_t a, std::uint32_t b) { return score[a] < score[b]; });
  for (std::uint32_t i = 0; i < gpus; ++i) take(room_[i], out);
  return true;
}

void GpuPlacer::place_pal(std::uint32_t gpus, std::uint32_t of_class, double penalty, std::vector<std::uint32_t>& out) {
  const std::vector<double>& levels = levels_[of_class];
  const std::vector<double>& score = scores_[of_class];
  // Both lists ascend: they are merged, of equal products one node first. Across nodes the first level that has enough
  // free GPUs is the last that is asked, as higher ones cost more.
  std::size_t together = 0, apart = 0;
  std::uint32_t free_below = 0;
  auto next = by_score_[of_class].begin();
  for (;;) {
    const bool one_node =
        together < levels.size() && (apart == levels.size() || levels[together] <= levels[apart] * penalty);
    if (one_node) {
      entry_ = {levels[together], 1.0};
      if (gpus <= gpus_per_node_ && place_in_node(gpus, of_class, levels[together], out)) return;
      ++together;
      continue;
    }
    entry_ = {levels[apart], penalty};
    for (; next != by_score_[of_class].end() && score[*next] <= levels[apart]; ++next) free_below += free_[*next];
    if (free_below >= gpus) return place_lowest(gpus, of_class, out);
    ++apart;
  }
}

double job_slowdown(std::span<const std::uint32_t> gpus, std::span<const double> slowdown, std::uint32_t nodes,
                    double penalty) {
  double most = 0.0;
  for (const std::uint32_t gpu : gpus) most = std::max(most, slowdown[gpu]);
  return nodes > 1 ? most * penalty : most;
}

}  // namespace ergode
