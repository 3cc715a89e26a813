#include "core/des/event_queue.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace ergode {
namespace {

/// The first of several with the smallest key.
struct Best {
  std::uint64_t key;
  std::size_t lane;
};

constexpr std::size_t nobody = 8;

#ifdef __x86_64__
#define ERGODE_WIDE [[gnu::target("avx2")]]

/// Row `mine` lifts this lane, and no other, to infinity.
struct Lifts {
  alignas(64) double row[nobody + 1][8] = {};
};
constexpr Lifts lifts = [] {
  Lifts made;
  for (std::size_t i = 0; i < nobody; ++i) made.row[i][i] = std::numeric_limits<double>::infinity();
  return made;
}();

// Nothing here waits for the player who comes up the tree: all levels' rivals are found at once, and a match remains a
// comparison. Bits of times are compared as the doubles that they are.
[[gnu::target("avx2"), gnu::always_inline]] inline Best best_but(const std::uint64_t* keys, std::size_t mine) {
  const auto* const times = reinterpret_cast<const double*>(keys);
  const double* const lift = lifts.row[mine];
  const __m256d low = _mm256_max_pd(_mm256_load_pd(times), _mm256_load_pd(lift)),
                high = _mm256_max_pd(_mm256_load_pd(times + 4), _mm256_load_pd(lift + 4));
  const __m256d four = _mm256_min_pd(low, high);
  const __m128d two = _mm_min_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  const __m128d one = _mm_min_pd(two, _mm_unpackhi_pd(two, two));
  const __m256d all = _mm256_broadcastsd_pd(one);
  const int in_low = _mm256_movemask_pd(_mm256_cmp_pd(low, all, _CMP_EQ_OQ)),
            in_high = _mm256_movemask_pd(_mm256_cmp_pd(high, all, _CMP_EQ_OQ));
  // Not std::countr_zero(): somebody has it, and what it would do of nothing costs two steps of each level.
  return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_castpd_si128(one))),
          static_cast<std::size_t>(__builtin_ctzll(static_cast<unsigned long long>(in_low | in_high << 4)))};
}
#else
#define ERGODE_WIDE

Best best_but(const std::uint64_t* keys, std::size_t mine) {
  Best best{std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity()), 0};
  for (std::uint32_t lane = 0; lane < nobody; ++lane)
    if (lane != mine && keys[lane] < best.key) best = {keys[lane], lane};
  return best;
}
#endif

}  // namespace

#ifdef __x86_64__
bool EventQueue::eight_at_once = __builtin_cpu_supports("avx2") != 0;
#else
bool EventQueue::eight_at_once = false;
#endif

void EventQueue::resize(std::uint32_t timers) {
  timers_ = timers;
  const bool eights = eight_at_once && timers >= many;
  first_leaf_ = eights ? 0 : std::bit_ceil(std::max(timers, 2U));
  leaves_.assign((std::max(timers, first_leaf_) + 7) / 8, Leaves{});
  pairs_.assign(first_leaf_, Player{});
  level_count_ = 0;
  std::uint32_t nodes = 0, players = static_cast<std::uint32_t>(leaves_.size());
  while (eights && players > 1) {
    levels_[level_count_++] = nodes;
    players = (players + 7) / 8;
    nodes += players;
  }
  // The highest level with so many players; where none has, the lowest.
  soon_level_ = soon_ = 0;
  for (std::uint32_t level = 0, below = static_cast<std::uint32_t>(leaves_.size()); level < level_count_; ++level) {
    if (below >= 16) soon_level_ = levels_[level];
    below = (below + 7) / 8;
  }
  eights_.assign(nodes, Eight{});
  clear();
}

void EventQueue::replay_winner() const noexcept {
  // Who won is no part of what the queue holds: it can be worked out at any time.
  auto& self = const_cast<EventQueue&>(*this);
  if (winner_.key != not_played) self.replay({never, winner_.id});
  else if (eights_.empty()) self.play_all();
  else self.play_all_eights();
}

void EventQueue::play_all() noexcept {
  const std::size_t first_leaf = first_leaf_;
  for (std::size_t at = first_leaf; --at > 0;) {
    const std::size_t left = 2 * at, leaf = left - first_leaf;
    const bool bottom = left >= first_leaf;
    const Player first = bottom ? Player{keys()[leaf], leaf} : pairs_[left],
                 second = bottom ? Player{keys()[leaf + 1], leaf + 1} : pairs_[left + 1];
    const bool lost = second.key < first.key;
    pairs_[at].key = lost ? second.key : first.key;
    pairs_[at].id = lost ? second.id : first.id;
  }
  winner_ = pairs_[1];
}

ERGODE_WIDE void EventQueue::play_all_eights() noexcept {
  for (std::uint32_t n = 0; n < leaves_.size(); ++n) {
    const Best best = best_but(leaves_[n].key, nobody);
    eights_[n / 8].key[n % 8] = best.key;
    eights_[n / 8].id[n % 8] = static_cast<std::uint32_t>(8 * n + best.lane);
  }
  for (std::uint32_t level = 0; level < level_count_; ++level) {
    const Eight* const nodes = &eights_[levels_[level]];
    const bool last = level + 1 == level_count_;
    const std::uint32_t end = last ? 1 : levels_[level + 1] - levels_[level];
    for (std::uint32_t n = 0; n < end; ++n) {
      const Best best = best_but(nodes[n].key, nobody);
      const std::uint32_t id = nodes[n].id[best.lane];
      if (last) {
        winner_ = {best.key, id};
        return;
      }
      Eight& above = eights_[levels_[level + 1] + n / 8];
      above.key[n % 8] = best.key;
      above.id[n % 8] = id;
    }
  }
}

ERGODE_WIDE void EventQueue::replay_eights(Player player) noexcept {
  std::size_t mine = player.id % 8, at = player.id / 8;
  Leaves& leaves = leaves_[at];
  // Asked before the key is put there: a load of eight after a store of one of them would wait for it.
  Best rival = best_but(leaves.key, mine);
  leaves.key[mine] = player.key;
  player.play(rival.key, 8 * at + rival.lane);
  const std::uint32_t* level = levels_.data();
  const std::uint32_t* const end = level + level_count_;
  Eight* const first = eights_.data();
  do {
    mine = at % 8, at /= 8;
    Eight& node = first[*level + at];
    rival = best_but(node.key, mine);
    const std::uint32_t rival_id = node.id[rival.lane];
    node.key[mine] = player.key;
    node.id[mine] = static_cast<std::uint32_t>(player.id);
    if (*level == soon_level_) soon_ = static_cast<std::uint32_t>(player.id);
    player.play(rival.key, rival_id);
  } while (++level != end);
  winner_ = player;
}

}  // namespace ergode
