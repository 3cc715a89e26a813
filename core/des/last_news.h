#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/des/world.h"

namespace ergode {

/// What parts tell each other within a moment: a slot was set, slots of a reader changed, an event was raised.
enum class News { written, woken, raised };

/// The latest news of a moment at which a model does not come to rest, so that its failure can name what goes round.
class LastNews {
 public:
  /// So many, before World::patience is at its end, are kept: more than go round in any sensible model.
  static constexpr std::size_t most = 64;
  struct One {
    News kind;
    std::uint32_t number;  ///< of slot, reader or event
  };
  /// For the last `most` steps of World::patience. O(1).
  /// @throws ModelFailure  RUN002, at the end of the world's patience: names the events, and the slots as far as they
  ///                       have names, among the news kept; on the element of the first of these slots.
  void add(const World& world, One news);

 private:
  [[noreturn]] void fail(const World& world) const;

  std::vector<One> kept_;
  double since_s_ = -1.0;  ///< of which moment
};

}  // namespace ergode
