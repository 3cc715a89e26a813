#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace ergode::bench {

// xoshiro256++ (Blackman and Vigna 2019): what somebody in a hurry for speed would take.
class Xoshiro {
 public:
  explicit Xoshiro(std::uint64_t seed) {
    for (std::uint64_t& word : s_) {
      seed += 0x9e3779b97f4a7c15ULL;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
      word = z ^ (z >> 31U);
    }
  }
  /// In (0, 1).
  double uniform() {
    const std::uint64_t out = std::rotl(s_[0] + s_[3], 23) + s_[0], t = s_[1] << 17U;
    s_[2] ^= s_[0], s_[3] ^= s_[1], s_[1] ^= s_[2], s_[0] ^= s_[3], s_[2] ^= t;
    s_[3] = std::rotl(s_[3], 45);
    return (static_cast<double>(out >> 11U) + 0.5) * 0x1p-53;
  }
  double exponential() { return -std::log(uniform()); }

 private:
  std::array<std::uint64_t, 4> s_{};
};

}  // namespace ergode::bench
