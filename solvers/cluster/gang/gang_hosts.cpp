#include "solvers/cluster/gang/gang_hosts.h"

#include <algorithm>
#include <bit>

namespace ergode {

GangHosts::GangHosts(std::uint32_t gpus, std::uint32_t per_host, bool consolidated)
    : gpus_(gpus), per_host_(std::min(per_host, gpus)), consolidated_(consolidated) {
  free_of_.resize((gpus_ + per_host_ - 1) / per_host_);
  words_of_row_ = (free_of_.size() + 63) / 64, some_of_row_ = (words_of_row_ + 63) / 64;
  reset();
}

void GangHosts::reset() {
  hosts_with_.assign(per_host_ + 1, 0);
  words_.assign((per_host_ + 1) * words_of_row_, 0), some_.assign((per_host_ + 1) * some_of_row_, 0);
  free_ = gpus_, away_gpus_ = 0;
  away_.assign(free_of_.size(), 0);
  std::uint32_t left = gpus_;
  for (std::uint32_t host = 0; host < hosts(); ++host) {
    const std::uint32_t here = std::min(left, per_host_);
    free_of_[host] = here, left -= here;
    ++hosts_with_[here], list(host, here, true);
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

std::uint32_t GangHosts::widest() const {
  if (!consolidated_) return free_;
  std::uint32_t rest = per_host_ - 1;
  while (rest > 0 && hosts_with_[rest] == 0) --rest;
  return hosts_with_[per_host_] * per_host_ + rest;
}

void GangHosts::set(std::uint32_t host, std::uint32_t free) {
  list(host, free_of_[host], false), list(host, free, true);
  --hosts_with_[free_of_[host]], ++hosts_with_[free];
  free_ = free_ - free_of_[host] + free;
  free_of_[host] = free;
}

void GangHosts::list(std::uint32_t host, std::uint32_t free, bool there) {
  const std::size_t word = host / 64;
  std::uint64_t& bits = words_[free * words_of_row_ + word];
  std::uint64_t& some = some_[free * some_of_row_ + word / 64];
  const std::uint64_t own = std::uint64_t{1} << (host % 64), any = std::uint64_t{1} << (word % 64);
  if (there) bits |= own;
  else bits &= ~own;
  if (bits != 0) some |= any;
  else some &= ~any;
}

std::uint32_t GangHosts::first_with(std::uint32_t free) const {
  std::size_t at = 0;
  while (some_[free * some_of_row_ + at] == 0) ++at;
  const std::size_t word = 64 * at + static_cast<std::size_t>(std::countr_zero(some_[free * some_of_row_ + at]));
  return static_cast<std::uint32_t>(64 * word +
                                    static_cast<std::size_t>(std::countr_zero(words_[free * words_of_row_ + word])));
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

void GangHosts::take_away(std::uint32_t host) {
  away_[host] = 1, away_gpus_ += gpus_of(host);
  set(host, 0);
}

void GangHosts::bring_back(std::uint32_t host) {
  away_[host] = 0, away_gpus_ -= gpus_of(host);
  set(host, gpus_of(host));
}

}  // namespace ergode
