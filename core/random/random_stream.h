#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

// Without the vector types of the processor, which it does not use here: their headers cost more than all others.
#define R123_USE_SSE 0
#define R123_USE_X86INTRIN_H 0
#include <Random123/philox.h>

#include "core/random/normal_quantile.h"
#include "core/random/unit_exponentials.h"

namespace ergode {

/// Names of the generator and of the rule below, as they are written into every record of provenance.
inline constexpr std::string_view generator_name = "Philox4x32-10";
inline constexpr std::string_view stream_rule_name =
    "key = stream_key(seed, name of what the stream drives); counter = (block, replication); exponentials by inversion "
    "in arithmetic of their own";

namespace detail {
constexpr std::uint64_t mix64(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}
}  // namespace detail

/// The key of the stream that drives what `name` says ("EDG[2].independent failure"), for one seed.
///
/// Streams are named by what they drive and not by the order in which they are made: adding pump C leaves the failures
/// of pump A as they were, and two policies are compared under common random numbers. Eight bytes at a time go
/// through the finaliser of SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014),
/// which is a bijection, so two names of up to eight bytes never collide; longer ones do with probability 2^-64 a pair.
/// The same on every machine.
/// O(length of the name). A key per stream is made once, when a history is prepared; not per draw.
constexpr std::uint64_t stream_key(std::uint64_t seed, std::string_view name) noexcept {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
  std::uint64_t hash = detail::mix64(seed + golden) ^ detail::mix64(name.size() + 2 * golden);
  for (std::size_t i = 0; i < name.size(); i += 8) {
    std::uint64_t chunk = 0;
    for (std::size_t j = 0; j < 8 && i + j < name.size(); ++j)
      chunk |= static_cast<std::uint64_t>(static_cast<unsigned char>(name[i + j])) << (8 * j);
    hash = detail::mix64((hash ^ chunk) + golden);
  }
  return hash;
}

/// Philox4x32-10: the 128 random bits at one point of the sequence, lowest word first. A pure function. It
/// passes BigCrush (the same paper).
/// Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3, SC11, 2011.
inline std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) noexcept {
  const philox4x32_ctr_t c = {{counter[0], counter[1], counter[2], counter[3]}};
  const philox4x32_key_t k = {{key[0], key[1]}};
  const philox4x32_ctr_t r = philox4x32_R(10, c, k);
  return {r.v[0], r.v[1], r.v[2], r.v[3]};
}

/// Independent random draws for one purpose in one replication. Counter-based: a stream costs nothing to start, has
/// no history, and (key, replication, number of the draw) alone decides each draw, whichever thread asks.
///
/// 32 bytes, trivially copyable. A block of the generator gives two draws; about 2^65 draws per replication.
/// Two draws in one argument list are evaluated in no fixed order: draw into named constants.
///
///     RandomStream failures(stream_key(seed, "EDG[2].independent failure"), replication);
///     const double first_s = mean_s * failures.exponential();
///
/// What a model draws for one purpose comes from one stream, in the order in which it is needed there; what two
/// purposes draw does not meet, whatever their order. Assignments copy the place in the sequence: a copy repeats what
/// follows.
class RandomStream {
 public:
  /// Key 0, replication 0: to be restarted before it is used.
  RandomStream() = default;
  /// @param key          from stream_key()
  /// @param replication  number of the replication, from 0
  RandomStream(std::uint64_t key, std::uint64_t replication) noexcept : key_(key), replication_(replication) {}

  /// Goes to the first draw of another replication (or of another stream). O(1), as all that this class does.
  void restart(std::uint64_t key, std::uint64_t replication) noexcept {
    key_ = key;
    replication_ = replication;
    draws_ = 0;
  }

  /// Goes to the first draw of another replication.
  void restart(std::uint64_t replication) noexcept { restart(key_, replication); }

  /// To where the first draw of another replication was made, elsewhere (stream_blocks()): the next has these bits.
  void begun(std::uint64_t replication, std::uint64_t second) noexcept {
    replication_ = replication;
    draws_ = 1;
    second_ = second;
  }

  /// Goes back by `count` draws, not past the first: they come again. Costs a block of the generator where draws()
  /// becomes odd.
  void back(std::uint64_t count) noexcept {
    draws_ -= count;
    if ((draws_ & 1U) == 0) return;
    --draws_;
    bits();
  }

  /// 64 random bits.
  std::uint64_t bits() noexcept {
    const std::uint64_t draw = draws_++;
    if ((draw & 1U) != 0) return second_;
    const std::uint64_t block = draw >> 1U;
    const std::array<std::uint32_t, 4> r =
        philox4x32_10({low(block), high(block), low(replication_), high(replication_)}, {low(key_), high(key_)});
    second_ = static_cast<std::uint64_t>(r[3]) << 32U | r[2];
    return static_cast<std::uint64_t>(r[1]) << 32U | r[0];
  }

  /// bits(), where block draws() / 2 was made elsewhere (stream_blocks()): its two draws. No branch depends on which of
  /// them comes next.
  std::uint64_t bits_of(const std::uint64_t* block) noexcept {
    const std::uint64_t second = 0U - (draws_++ & 1U);  // all ones or none
    const std::uint64_t out = (second_ & second) | (block[0] & ~second);
    second_ = block[1];
    return out;
  }

  /// Uniform on the open interval (0, 1): multiples of 2^-53, with 2^-54 standing for 0. One draw.
  /// The logarithm of it is finite, and it never is 1.
  double uniform() noexcept { return uniform_of(bits()); }
  /// The same from given random bits, of which the upper 53 count.
  static double uniform_of(std::uint64_t bits) noexcept {
    const std::uint64_t k = bits >> 11U;
    return k != 0 ? static_cast<double>(k) * 0x1p-53 : 0x1p-54;
  }
  /// Exponential with mean 1, by inversion: -log(uniform()), as unit_exponential() has it. Positive and below 38. One
  /// draw.
  /// The inverse of the upper tail, so that common random numbers stay monotone: a greater uniform is an earlier event.
  double exponential() noexcept { return unit_exponential(bits()); }
  /// Standard normal by inversion (so that it is monotone in its uniform), between -8.3 and 8.3. One draw.
  double normal() noexcept { return normal_quantile(uniform()); }

  /// The next `draws` draws were made elsewhere (philox_blocks()). bits() may be asked again where draws() is even: the
  /// second half of a block is not made.
  void skip(std::uint64_t draws) noexcept { draws_ += draws; }
  /// What names the stream, as given to the constructor or restart(): philox_blocks() takes them.
  std::uint64_t key() const noexcept { return key_; }
  std::uint64_t replication() const noexcept { return replication_; }

  /// Draws made since the start: part of a run's fingerprint.
  std::uint64_t draws() const noexcept { return draws_; }

 private:
  static constexpr std::uint32_t low(std::uint64_t x) noexcept { return static_cast<std::uint32_t>(x); }
  static constexpr std::uint32_t high(std::uint64_t x) noexcept { return static_cast<std::uint32_t>(x >> 32U); }

  std::uint64_t key_ = 0;
  std::uint64_t replication_ = 0;
  std::uint64_t draws_ = 0;
  std::uint64_t second_ = 0;
};

}  // namespace ergode
