#pragma once
#include <array>
#include <cstdint>

#include "core/random/random_stream.h"

namespace ergode {

/// Unit exponentials of one stream, most of them drawn some ahead of need: the same numbers in the same order as
/// RandomStream::exponential() one by one, but blocks of the generator and logarithms that do not wait for each other.
/// The first few draws of a history are not made ahead, so that a clock which goes off once or twice pays for no more.
///
/// One per stream, used by one thread; 56 bytes. The stream counts what was handed out, not what lies ready here.
/// Meanwhile nobody else may draw from the stream: the second half of its block is not made.
class ExponentialsAhead {
 public:
  ExponentialsAhead() noexcept { forget(); }
  /// The next one of `stream`: exponential with mean 1. No allocation.
  double next(RandomStream& stream) noexcept {
    const std::uint64_t place = place_of(stream);
    if (place == 0 || ready_[place - 1] < 0.0) [[unlikely]]
      return make(stream);
    stream.skip(1);
    return ready_[place - 1];
  }
  /// After the stream was set to another place: what was made ahead is dropped.
  void forget() noexcept { ready_.fill(none); }

 private:
  static constexpr std::uint64_t first_singles = 4;
  static constexpr std::uint64_t at_once = 8;
  static constexpr double none = -1.0;

  /// Of the next draw among those that are made at once. The one that is at zero is handed out when it is made: with a
  /// mean beside them the other seven are one cache line.
  static std::uint64_t place_of(const RandomStream& stream) noexcept {
    return (stream.draws() - first_singles) % at_once;
  }
  double make(RandomStream& stream) noexcept;

  std::array<double, at_once - 1> ready_;  ///< by place - 1; `none`: not made
};

}  // namespace ergode
