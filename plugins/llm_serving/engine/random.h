#pragma once
#include <array>
#include <cstdint>

namespace llm_serving {

/// One step of SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014): a
/// bijection of 64 bits, so that different seeds stay different.
constexpr std::uint64_t split_mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

/// xoshiro256++ (Blackman and Vigna, Scrambled linear pseudorandom number generators, ACM TOMS 47(4), 2021): the same
/// numbers from the same seed and stream on every machine. A nanosecond a number.
class Random {
 public:
  /// @param seed    of the run
  /// @param stream  of what is drawn: different streams of one seed are independent
  explicit Random(std::uint64_t seed = 0, std::uint64_t stream = 0) {
    std::uint64_t x = split_mix(seed) ^ split_mix(stream + 0x632BE59BD9B4E019ULL);
    for (std::uint64_t& word : state_) word = x = split_mix(x);
  }
  std::uint64_t bits() {
    const std::uint64_t out = turned(state_[0] + state_[3], 23) + state_[0], t = state_[1] << 17U;
    state_[2] ^= state_[0], state_[3] ^= state_[1], state_[1] ^= state_[2], state_[0] ^= state_[3];
    state_[2] ^= t, state_[3] = turned(state_[3], 45);
    return out;
  }
  /// In [0, 1), in steps of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }
  /// Two in [0, 1) of one draw, in steps of 2^-32: for many cheap decisions.
  std::array<std::uint32_t, 2> halves() {
    const std::uint64_t x = bits();
    return {static_cast<std::uint32_t>(x >> 32U), static_cast<std::uint32_t>(x)};
  }

 private:
  static std::uint64_t turned(std::uint64_t x, unsigned by) { return (x << by) | (x >> (64U - by)); }
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace llm_serving
