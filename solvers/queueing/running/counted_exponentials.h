#pragma once
#include <array>
#include <cstdint>

#include "core/random/random_stream.h"

namespace ergode {

/// Unit exponentials of one stream from its first draw on: the same numbers as ExponentialsAhead, most of them drawn
/// ahead of need, with their count beside them. So a draw reads this line of the caches, and the stream only where
/// the next eight are made.
class CountedExponentials {
 public:
  CountedExponentials() noexcept { forget(); }
  /// The next one: exponential with mean 1. No allocation.
  /// @param stream  the same each time, at its first draw; nobody else draws from it
  double next(const RandomStream& stream) noexcept {
    const std::uint64_t place = place_of(draws_);
    if (place == 0 || ready_[place - 1] < 0.0) [[unlikely]]
      return make(stream);
    ++draws_;
    return ready_[place - 1];
  }
  /// The next one reads the stream.
  bool reads_next() const noexcept { return place_of(draws_) == 0; }
  /// From the first draw on again.
  void forget() noexcept { draws_ = 0, ready_.fill(none); }

 private:
  static constexpr std::uint64_t first_singles = 4;
  static constexpr std::uint64_t at_once = 8;
  static constexpr double none = -1.0;
  static std::uint64_t place_of(std::uint64_t draw) noexcept { return (draw - first_singles) % at_once; }
  double make(const RandomStream& stream) noexcept;

  std::uint64_t draws_ = 0;
  std::array<double, at_once - 1> ready_;  ///< by place - 1; `none`: not made
};

}  // namespace ergode
