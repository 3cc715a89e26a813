#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solvers/cluster/gang/gang_hosts.h"

namespace ergode {

/// Who runs on which host, and who of them ranks first there: a host can be had whole by who ranks before him only.
/// What one comes or leaves costs is O(GPUs of a host) for each host of his. Memory O(GPUs).
class HostFronts {
 public:
  struct Rank {
    double key = std::numeric_limits<double>::infinity();
    std::uint64_t order = ~std::uint64_t{0};
    friend bool operator<(const Rank& a, const Rank& b) { return a.key != b.key ? a.key < b.key : a.order < b.order; }
  };

  /// Nobody runs.
  void reset(std::uint32_t hosts, std::uint32_t per_host) {
    per_host_ = per_host;
    counts_.assign(hosts, 0), jobs_.assign(std::size_t{hosts} * per_host, 0), fronts_.assign(hosts, {});
  }
  void come(std::uint32_t job, Rank rank, std::span<const GangPiece> place) {
    for (const GangPiece& piece : place) {
      jobs_[std::size_t{piece.host} * per_host_ + counts_[piece.host]++] = job;
      Front& front = fronts_[piece.host];
      if (front.known && rank < front.rank) front.rank = rank, front.job = job;
    }
  }
  void leave(std::uint32_t job, std::span<const GangPiece> place) {
    for (const GangPiece& piece : place) {
      std::uint32_t* at = &jobs_[std::size_t{piece.host} * per_host_];
      const std::uint32_t last = at[--counts_[piece.host]];
      while (*at != job) ++at;
      *at = last;
    }
    falls(job, place);
  }
  /// It ranks later than before.
  void falls(std::uint32_t job, std::span<const GangPiece> place) {
    for (const GangPiece& piece : place)
      if (fronts_[piece.host].job == job) fronts_[piece.host].known = false;
  }
  /// @param rank_of  of a job
  template <typename RankOf>
  const Rank& first(std::uint32_t host, const RankOf& rank_of) {
    Front& front = fronts_[host];
    if (front.known) return front.rank;
    front = {.known = true};
    const std::uint32_t* at = &jobs_[std::size_t{host} * per_host_];
    for (std::uint32_t i = 0; i < counts_[host]; ++i)
      if (const Rank rank = rank_of(at[i]); rank < front.rank) front.rank = rank, front.job = at[i];
    return front.rank;
  }

 private:
  struct Front {
    bool known = true;
    std::uint32_t job = ~0U;
    Rank rank;
  };
  std::uint32_t per_host_ = 1;
  std::vector<std::uint32_t> counts_, jobs_;  ///< by host: how many, and who, in no order
  std::vector<Front> fronts_;                 ///< by host
};

}  // namespace ergode
