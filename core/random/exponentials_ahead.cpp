#include "core/random/exponentials_ahead.h"

#include <algorithm>

#include "core/random/uniform_blocks.h"

namespace ergode {

double ExponentialsAhead::make(RandomStream& stream) noexcept {
  if (stream.draws() < first_singles) return stream.exponential();
  const std::uint64_t place = place_of(stream);
  // A block of the generator gives two draws: ahead only from the beginning of one.
  static_assert(first_singles % 2 == 0 && at_once == 2 * blocks_at_once && at_once == exponentials_at_once);
  std::uint64_t bits[at_once];
  philox_blocks(stream.key(), stream.replication(), (stream.draws() - place) / 2, bits);
  double made[at_once];
  unit_exponentials(bits, made);
  std::copy(made + 1, made + at_once, ready_.begin());
  stream.skip(1);
  return made[place];
}

}  // namespace ergode
