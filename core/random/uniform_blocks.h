#pragma once
#include <cstdint>

namespace ergode {

/// Philox4x32-10 at `blocks_at_once` points of one stream side by side, in vector registers where the processor has
/// them: the 64 random bits of draws 2 * block ... 2 * (block + blocks_at_once) - 1, the same as RandomStream::bits()
/// gives one by one.
/// @param block  number of the first block: draws made so far / 2
/// @param bits   in the order of the draws; RandomStream::uniform_of() makes them uniform
constexpr std::uint32_t blocks_at_once = 4;
void philox_blocks(std::uint64_t key, std::uint64_t replication, std::uint64_t block,
                   std::uint64_t (&bits)[2 * blocks_at_once]) noexcept;

/// A block each of `streams_at_once` streams side by side: bits[2 * s] and bits[2 * s + 1] are draws 2 * blocks[s] and
/// the next of the stream with keys[s] in this replication.
constexpr std::uint32_t streams_at_once = 8;
void stream_blocks(const std::uint64_t (&keys)[streams_at_once], std::uint64_t replication,
                   const std::uint64_t (&blocks)[streams_at_once], std::uint64_t (&bits)[2 * streams_at_once]) noexcept;

/// Whether the two above, and unit_exponentials(), work on four at a time in one register: true at first where the
/// processor has AVX2, and only there may it be set. The draws are the same. Tests set it, to see both.
extern bool wide_blocks;

}  // namespace ergode
