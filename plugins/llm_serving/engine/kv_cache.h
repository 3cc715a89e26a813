#pragma once
#include <cstdint>
#include <vector>

namespace llm_serving {

/// Keys and values of contexts in blocks of equal size (Kwon et al., Efficient memory management for large language
/// model serving with PagedAttention, SOSP 2023). Contexts that begin alike share the blocks of their beginning, which
/// stay when nobody uses them, until others need the room: the longest unused go first. Counts only; O(1) a call but
/// for evictions, O(groups).
class KvCache {
 public:
  static constexpr std::uint32_t nobody = ~0U;
  /// @param blocks      0: without a limit
  /// @param block_size  tokens, at least 1
  /// @param watermark   share of the blocks that admissions leave free, in [0, 1)
  KvCache(std::uint64_t blocks, std::uint32_t block_size, double watermark);

  std::uint64_t blocks_for(std::uint64_t tokens) const { return (tokens + size_ - 1) / size_; }
  /// Whether so many tokens can ever be there at once.
  bool could_hold(std::uint64_t tokens) const { return limit_ == 0 || blocks_for(tokens) <= limit_; }
  /// Tokens of the beginning of that group that are there, in whole blocks, at most `tokens`.
  std::uint64_t found(std::uint32_t group, std::uint64_t tokens) const;
  /// Takes blocks, shared ones beside; evicts what nobody uses. False where there are not enough, and nothing is taken.
  /// @param admission  leaves the watermark free: of somebody who comes while others are here
  bool take(std::uint64_t blocks, bool admission);
  void give_back(std::uint64_t blocks) { used_ -= blocks; }
  /// One more or less uses the beginning of a group, so many blocks of what is there. Who brings more of it makes it
  /// longer: those blocks are the group's then, and no longer his.
  void use(std::uint32_t group, std::uint64_t blocks);
  void keep(std::uint32_t group, std::uint64_t blocks);
  void leave(std::uint32_t group);

  std::uint64_t used() const { return used_; }         ///< blocks, kept ones included
  std::uint64_t limit() const { return limit_; }       ///< 0: none
  std::uint64_t unused_kept() const { return idle_; }  ///< of these, nobody's
  /// Tokens that the cache has, 0 without a limit.
  double room() const { return static_cast<double>(limit_) * static_cast<double>(size_); }

 private:
  struct Group {
    std::uint64_t blocks = 0;
    std::uint64_t needed = 0;  ///< of these, by those who use it; what is behind may go
    std::uint64_t last_use = 0;
    std::uint32_t users = 0;
  };
  Group& group(std::uint32_t number);
  bool make_room(std::uint64_t blocks);

  std::uint64_t limit_ = 0, used_ = 0, idle_ = 0, reserve_ = 0, uses_ = 0;
  std::uint32_t size_ = 1;
  std::vector<Group> groups_;
};

}  // namespace llm_serving
