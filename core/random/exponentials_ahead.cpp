#include "core/random/exponentials_ahead.h"

#include <cmath>

#include "core/random/uniform_blocks.h"

namespace ergode {

void ExponentialsAhead::refill(RandomStream& stream) noexcept {
  at_ = 0;
  // A block of the generator gives two draws: ahead only from the beginning of one.
  if (singles_ < first_singles || (stream.draws() & 1U) != 0) {
    singles_ = static_cast<std::uint8_t>(singles_ < first_singles ? singles_ + 1 : singles_);
    values_[0] = stream.exponential();
    end_ = 1;
    return;
  }
  std::uint64_t bits[2 * blocks_at_once];
  static_assert(most % 2 == 0 && most <= 2 * blocks_at_once);
  philox_blocks(stream.key(), stream.replication(), stream.draws() / 2, bits);
  stream.skip(most);
  for (std::size_t i = 0; i < most; ++i) values_[i] = -std::log(RandomStream::uniform_of(bits[i]));
  end_ = static_cast<std::uint8_t>(most);
}

}  // namespace ergode
