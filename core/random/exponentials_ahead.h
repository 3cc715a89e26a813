#pragma once
#include <array>
#include <cstdint>

#include "core/random/random_stream.h"

namespace ergode {

/// Unit exponentials of one stream, most of them drawn some ahead of need: the same numbers in the same order as
/// RandomStream::exponential() one by one, but blocks of the generator and logarithms that do not wait for each other.
/// The first few draws of a history are not made ahead, so that a clock which goes off once or twice pays for no more.
///
/// One per stream, used by one thread; 56 bytes. The stream's draws() count those made ahead too: subtract ahead()
/// where draws that were used are counted.
class ExponentialsAhead {
 public:
  /// The next one of `stream`, which nobody else may draw from meanwhile: exponential with mean 1. No allocation.
  double next(RandomStream& stream) noexcept {
    if (at_ == end_) [[unlikely]]
      refill(stream);
    return values_[at_++];
  }
  /// By how many draws the stream is ahead: 0 to 5; RandomStream::back() of so many undoes them.
  std::uint32_t ahead() const noexcept { return end_ - at_; }
  /// After the stream was set to another place (restart(), back()); what was made ahead is dropped.
  void forget() noexcept { at_ = end_ = singles_ = 0; }
  /// The same, where the first draw of a history was made elsewhere.
  void begun() noexcept {
    at_ = end_ = 0;
    singles_ = 1;
  }

 private:
  static constexpr std::uint8_t first_singles = 4;
  static constexpr std::size_t most = 6;  ///< with its counters and a mean beside it, one cache line

  void refill(RandomStream& stream) noexcept;

  std::array<double, most> values_{};
  std::uint8_t at_ = 0, end_ = 0, singles_ = 0;
};

}  // namespace ergode
