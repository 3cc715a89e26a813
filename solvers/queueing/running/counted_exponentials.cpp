#include "solvers/queueing/running/counted_exponentials.h"

#include <algorithm>

#include "core/random/uniform_blocks.h"

namespace ergode {

double CountedExponentials::make(const RandomStream& stream) noexcept {
  const std::uint64_t draw = draws_++;
  if (draw < first_singles) {
    RandomStream at = stream;
    for (std::uint64_t i = 0; i < draw; ++i) at.bits();
    return at.exponential();
  }
  // A block of the generator gives two draws: ahead only from the beginning of one.
  static_assert(first_singles % 2 == 0 && at_once == 2 * blocks_at_once && at_once == exponentials_at_once);
  std::uint64_t bits[at_once];
  philox_blocks(stream.key(), stream.replication(), draw / 2, bits);
  double made[at_once];
  unit_exponentials(bits, made);
  std::copy(made + 1, made + at_once, ready_.begin());
  return made[0];
}

}  // namespace ergode
