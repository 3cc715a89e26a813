#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ergode {

/// Some GPUs of a host.
struct GangPiece {
  std::uint32_t host = 0, gpus = 0;
  template <typename Archive>
  void archive(Archive& a) {
    a(host, gpus);
  }
};

/// Which GPUs of alike hosts are free, and where a job goes: to the fullest host that has room for it, of equal ones
/// the first; a job wider than a host to whole hosts and, with what is left over, to the fullest one with room. Where
/// that does not fit and need not, because jobs are not consolidated, to the emptiest hosts one after the other.
///
/// fits() O(GPUs of a host), take() O(1 + hosts / 4096) for each host of a job, release() O(1). Memory O(GPUs).
class GangHosts {
 public:
  /// @param gpus, per_host  >= 1; the last host has what is left
  GangHosts(std::uint32_t gpus, std::uint32_t per_host, bool consolidated);
  /// All are free.
  void reset();
  bool fits(std::uint32_t gpus) const;
  /// The most GPUs that a job may want who fits; so fits() all who want fewer. O(GPUs of a host).
  std::uint32_t widest() const;
  /// Precondition: fits().
  void take(std::uint32_t gpus, std::vector<GangPiece>& place);
  bool is_free(std::span<const GangPiece> place) const;
  /// Precondition: is_free().
  void take_at(std::span<const GangPiece> place);
  void release(std::span<const GangPiece> place);
  /// A host goes with all its GPUs, and comes back. Precondition: all of them are free; it is away.
  void take_away(std::uint32_t host);
  void bring_back(std::uint32_t host);
  bool is_away(std::uint32_t host) const { return away_[host] != 0; }
  std::uint32_t away() const { return away_gpus_; }  ///< GPUs

  std::uint32_t free() const { return free_; }
  std::uint32_t hosts() const { return static_cast<std::uint32_t>(free_of_.size()); }
  std::uint32_t per_host() const { return per_host_; }
  /// By host.
  const std::vector<std::uint32_t>& free_of() const { return free_of_; }
  bool consolidated() const { return consolidated_; }

 private:
  bool fits_together(std::uint32_t gpus) const;
  void set(std::uint32_t host, std::uint32_t free);
  /// The first host with exactly so many free. Precondition: there is one.
  std::uint32_t first_with(std::uint32_t free) const;
  void list(std::uint32_t host, std::uint32_t free, bool there);
  std::uint32_t gpus_of(std::uint32_t host) const { return std::min(per_host_, gpus_ - host * per_host_); }
  void take_from(std::uint32_t host, std::uint32_t gpus, std::vector<GangPiece>& place);

  std::uint32_t gpus_, per_host_;
  bool consolidated_;
  std::uint32_t free_ = 0, away_gpus_ = 0;
  std::vector<char> away_;                 ///< by host
  std::vector<std::uint32_t> free_of_;     ///< by host
  std::vector<std::uint32_t> hosts_with_;  ///< by number of free GPUs: so many hosts have it
  /// By number of free GPUs, a row each: a bit for each host that has it, and one for each of those words that has any.
  std::vector<std::uint64_t> words_, some_;
  std::size_t words_of_row_ = 0, some_of_row_ = 0;
};

}  // namespace ergode
