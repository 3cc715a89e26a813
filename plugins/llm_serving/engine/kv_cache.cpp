#include "plugins/llm_serving/engine/kv_cache.h"

#include <algorithm>
#include <cmath>

namespace llm_serving {

KvCache::KvCache(std::uint64_t blocks, std::uint32_t block_size, double watermark)
    : limit_(blocks),
      reserve_(static_cast<std::uint64_t>(std::floor(watermark * static_cast<double>(blocks)))),
      size_(std::max(1U, block_size)) {}

KvCache::Group& KvCache::group(std::uint32_t number) {
  if (groups_.size() <= number) groups_.resize(number + 1);
  return groups_[number];
}

std::uint64_t KvCache::found(std::uint32_t number, std::uint64_t tokens) const {
  if (number >= groups_.size()) return 0;
  return std::min(groups_[number].blocks, tokens / size_) * size_;
}

bool KvCache::take(std::uint64_t blocks, bool admission) {
  if (limit_ != 0) {
    const std::uint64_t left_free = admission ? reserve_ : 0;
    if (used_ - idle_ + blocks + left_free > limit_) return false;
    if (used_ + blocks > limit_ && !make_room(used_ + blocks - limit_)) return false;
  }
  used_ += blocks;
  return true;
}

bool KvCache::make_room(std::uint64_t blocks) {
  while (blocks > 0) {
    Group* oldest = nullptr;
    for (Group& one : groups_)
      if (one.blocks > one.needed && (oldest == nullptr || one.last_use < oldest->last_use)) oldest = &one;
    if (oldest == nullptr) return false;
    // From its end: what is left still begins alike.
    const std::uint64_t gone = std::min(blocks, oldest->blocks - oldest->needed);
    oldest->blocks -= gone, used_ -= gone, idle_ -= gone, blocks -= gone;
  }
  return true;
}

void KvCache::use(std::uint32_t number, std::uint64_t blocks) {
  Group& one = group(number);
  if (blocks > one.needed) idle_ -= blocks - one.needed, one.needed = blocks;
  ++one.users, one.last_use = ++uses_;
}

void KvCache::keep(std::uint32_t number, std::uint64_t blocks) {
  Group& one = group(number);
  one.blocks += blocks, one.needed = one.blocks;
}

void KvCache::leave(std::uint32_t number) {
  Group& one = group(number);
  if (--one.users == 0) idle_ += one.needed, one.needed = 0;
  one.last_use = ++uses_;
}

}  // namespace llm_serving
