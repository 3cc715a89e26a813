#include "solvers/cluster/gang/gang_hosts.h"

#include <algorithm>
#include <functional>

namespace ergode {

GangHosts::GangHosts(std::uint32_t gpus, std::uint32_t per_host, bool consolidated)
    : gpus_(gpus), per_host_(std::min(per_host, gpus)), consolidated_(consolidated) {
  free_of_.resize((gpus_ + per_host_ - 1) / per_host_);
  by_free_.resize(per_host_ + 1);
  reset();
}

void GangHosts::reset() {
  hosts_with_.assign(per_host_ + 1, 0);
  for (auto& heap : by_free_) heap.clear();
  free_ = gpus_;
  std::uint32_t left = gpus_;
  // Ascending numbers are a heap already.
  for (std::uint32_t host = 0; host < hosts(); ++host) {
    const std::uint32_t here = std::min(left, per_host_);
    free_of_[host] = here, left -= here;
    ++hosts_with_[here], by_free_[here].push_back(host);
  }
}

bool GangHosts::fits_together(std::uint32_t gpus) const {
  const std::uint32_t whole = gpus / per_host_, rest = gpus % per_host_;
  if (hosts_with_[per_host_] < whole) return false;
  if (rest == 0 || hosts_with_[per_host_] > whole) return true;
  for (std::uint32_t free = rest; free < per_host_; ++free)
    if (hosts_with_[free] > 0) return true;
  return false;
}

bool GangHosts::fits(std::uint32_t gpus) const { return gpus <= free_ && (!consolidated_ || fits_together(gpus)); }

void GangHosts::set(std::uint32_t host, std::uint32_t free) {
  --hosts_with_[free_of_[host]], ++hosts_with_[free];
  free_ = free_ - free_of_[host] + free;
  free_of_[host] = free;
  auto& heap = by_free_[free];
  if (heap.size() > 2 * free_of_.size() + 64) {
    std::erase_if(heap, [&](std::uint32_t one) { return free_of_[one] != free; });
    std::sort(heap.begin(), heap.end());
    heap.erase(std::unique(heap.begin(), heap.end()), heap.end());
    if (std::binary_search(heap.begin(), heap.end(), host)) return;
  }
  heap.push_back(host);
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

std::uint32_t GangHosts::first_with(std::uint32_t free) {
  auto& heap = by_free_[free];
  while (free_of_[heap.front()] != free) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
  }
  return heap.front();
}

void GangHosts::take_from(std::uint32_t host, std::uint32_t gpus, std::vector<GangPiece>& place) {
  place.push_back({host, gpus});
  set(host, free_of_[host] - gpus);
}

void GangHosts::take(std::uint32_t gpus, std::vector<GangPiece>& place) {
  place.clear();
  if (fits_together(gpus)) {
    for (; gpus >= per_host_; gpus -= per_host_) take_from(first_with(per_host_), per_host_, place);
    for (std::uint32_t free = gpus; gpus > 0; ++free)
      if (hosts_with_[free] > 0) return take_from(first_with(free), gpus, place);
    return;
  }
  for (std::uint32_t free = per_host_; gpus > 0;) {
    if (hosts_with_[free] == 0) {
      --free;
      continue;
    }
    const std::uint32_t here = std::min(gpus, free);
    take_from(first_with(free), here, place);
    gpus -= here;
  }
}

bool GangHosts::is_free(std::span<const GangPiece> place) const {
  return std::all_of(place.begin(), place.end(), [&](const GangPiece& p) { return free_of_[p.host] >= p.gpus; });
}

void GangHosts::take_at(std::span<const GangPiece> place) {
  for (const GangPiece& one : place) set(one.host, free_of_[one.host] - one.gpus);
}

void GangHosts::release(std::span<const GangPiece> place) {
  for (const GangPiece& one : place) set(one.host, free_of_[one.host] + one.gpus);
}

}  // namespace ergode
