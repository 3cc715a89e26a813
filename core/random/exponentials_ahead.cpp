#include "core/random/exponentials_ahead.h"

#include <algorithm>

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
  double made[exponentials_at_once];
  static_assert(exponentials_at_once == 2 * blocks_at_once);
  unit_exponentials(bits, made);
  std::copy_n(made, most, values_.begin());
  end_ = static_cast<std::uint8_t>(most);
}

}  // namespace ergode
