#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/fetch.h"

namespace ergode {

/// Future event list over timers 0 .. n-1, each armed for at most one time: a winner tree with a leaf per timer.
///
/// Equal times come out in the order of their ids, so give ids in document order. Times are >= 0 and never NaN; a
/// timer armed for infinity never goes off, which is the same as not being armed. No allocation after resize().
///
/// cancel() and pop() are constant; schedule() replays one path of log(n) matches without a branch that depends on
/// times; next() and next_time() are constant but for matches that cancelled timers had won. Few timers play in pairs;
/// many play eight at once where the processor compares four times in one instruction (AVX2), which gives the same
/// order. Not for two threads at once, reading included. Measured per pop-and-schedule against a linear scan and an
/// indexed 4-ary heap, see core/des/README.md. Knuth, The Art of Computer Programming, vol. 3, 2nd ed., 1998, section
/// 5.4.1 (loser trees).
///
///     EventQueue queue(2);
///     queue.schedule(0, 7.0), queue.schedule(1, 3.0);
///     while (!queue.empty()) {
///       const double time_s = queue.next_time();  // 3, then 7
///       const std::uint32_t timer = queue.pop();  // 1, then 0
///     }
///
/// next() leaves the timer armed, so that whoever handles it may move it by one schedule() in place of a cancel() and a
/// schedule(); pop() disarms it.
class EventQueue {
 public:
  /// Whether queues that are resized from now on may play eight at once: true at first where the processor has AVX2,
  /// and only there may it be set. Tests set it, to see both.
  static bool eight_at_once;
  /// From so many timers on they do.
  static constexpr std::uint32_t many = 128;

  /// Without timers: empty() is true, and nothing else may be asked before resize().
  EventQueue() = default;
  /// @param timers  0 to 2^31; 24 bytes for each of the next power of two, of many 10 bytes each.
  explicit EventQueue(std::uint32_t timers) { resize(timers); }

  /// Sets the number of timers and disarms all of them. O(timers), allocates.
  void resize(std::uint32_t timers);
  std::uint32_t timers() const noexcept { return timers_; }  ///< ids are 0 ... timers() - 1
  /// Disarms every timer; O(timers). Until somebody asks for the next one no match is played, so that arming is one
  /// store: at the beginning of a history most timers are armed, and all matches together cost less than their paths.
  void clear() noexcept {
    std::fill_n(keys(), timers_, never);
    winner_ = {not_played, 0};
  }

  /// Arms timer `id` for `time` [s], or moves it there; in the debug build an id beyond timers() or a time < 0 fails an
  /// assertion. Negative zero is zero. O(log timers), or O(1) before the first look after clear().
  void schedule(std::uint32_t id, double time) noexcept {
    assert(id < timers_ && time >= 0.0);
    const auto key = std::bit_cast<std::uint64_t>(time + 0.0);  // + 0.0 makes a positive zero of a negative one.
    if (winner_.key == not_played) [[unlikely]]
      keys()[id] = key;
    else replay({key, id});
  }
  /// Disarms timer `id`; nothing changes when it is not armed. O(1): matches it had won are replayed only when it would
  /// win again at the root, and most often another timer that shares its path is armed before that.
  /// Valid before the first look after clear() too.
  void cancel(std::uint32_t id) noexcept {
    assert(id < timers_);
    keys()[id] = never;
  }
  /// The timer will be armed or cancelled soon: fetches its cache line, changes nothing.
  void prefetch(std::uint32_t id) const noexcept { fetch_line(keys() + id); }

  /// After schedule(), of many timers: who now goes off first of those in the same part of the tree, one part of some
  /// 16 to 128. Whoever has much to fetch from far away asks for it here, about so many events before. Of few timers 0.
  std::uint32_t soon() const noexcept { return soon_; }

  /// Whether it will go off at some time; false after it was scheduled for infinity. O(1), valid
  /// before the first look after clear() too.
  bool armed(std::uint32_t id) const noexcept { return keys()[id] != never; }
  /// When timer `id` goes off; infinity when it is not armed.
  double time_of(std::uint32_t id) const noexcept { return std::bit_cast<double>(keys()[id]); }
  /// No timer is armed for a finite time. True before resize().
  bool empty() const noexcept { return leaves_.empty() || next_time() == std::numeric_limits<double>::infinity(); }
  /// The timer that goes off next, of several at one time the one with the smallest id; only when not empty. The
  /// first look after clear() plays all matches, O(timers).
  std::uint32_t next() const noexcept {
    assert(!empty());
    refresh();
    return winner();
  }
  /// next() for whoever has just asked for next_time(), and changed nothing since; any timer when empty.
  std::uint32_t winner() const noexcept { return static_cast<std::uint32_t>(winner_.id); }
  /// The time of next() [s]; infinity when empty. Only after resize().
  double next_time() const noexcept {
    refresh();
    return std::bit_cast<double>(winner_.key);
  }
  /// Disarms next() and returns it; only when not empty.
  std::uint32_t pop() noexcept {
    const std::uint32_t id = next();
    cancel(id);
    return id;
  }

 private:
  // The bits of a double >= 0 sort as the double does, and integers are compared without a branch.
  static constexpr std::uint64_t never = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  static constexpr std::uint64_t not_played = ~std::uint64_t{0};  ///< the key of no time
  __extension__ using Wide = unsigned __int128;                   ///< time, then id
  /// Who won a match, and for what time, as the bits of a double.
  struct Player {
    std::uint64_t key = never;
    std::uint64_t id = 0;
    /// Time and id are compared as one number, so that a match has few steps: ids ascend from left to right, and the
    /// smaller one wins a tie.
    void play(std::uint64_t rival_key, std::uint64_t rival_id) noexcept {
      const bool lost = (static_cast<Wide>(rival_key) << 64U | rival_id) < (static_cast<Wide>(key) << 64U | id);
      key = lost ? rival_key : key;
      id = lost ? rival_id : id;
    }
  };
  /// The times of eight timers: a line of the caches.
  struct alignas(64) Leaves {
    std::uint64_t key[8] = {never, never, never, never, never, never, never, never};
  };
  /// The winners of eight nodes of the level below, from left to right.
  struct alignas(32) Eight {
    std::uint64_t key[8] = {never, never, never, never, never, never, never, never};
    std::uint32_t id[8] = {};
  };

  /// By timer.
  std::uint64_t* keys() noexcept { return reinterpret_cast<std::uint64_t*>(leaves_.data()); }
  const std::uint64_t* keys() const noexcept { return reinterpret_cast<const std::uint64_t*>(leaves_.data()); }

  // A cancelled timer may still stand as the winner of old matches; at the root it shows by a key that is not its own.
  void refresh() const noexcept {
    while (keys()[winner_.id] != winner_.key) [[unlikely]] replay_winner();
  }
  /// Plays again what a timer has won that was cancelled since, or, where none was played before, all matches.
  void replay_winner() const noexcept;
  void play_all() noexcept;
  void play_all_eights() noexcept;
  /// Puts the timer at its place and plays its matches.
  void replay(Player player) noexcept {
    if (!eights_.empty()) return replay_eights(player);
    keys()[player.id] = player.key;
    // Places are bytes from the first node, and none depends on who wins.
    constexpr std::size_t size = sizeof(Player), root = size;
    static_assert(size == 16);
    auto* const first = reinterpret_cast<unsigned char*>(pairs_.data());
    const auto pair = [first](std::size_t at) -> Player& { return *reinterpret_cast<Player*>(first + at); };
    std::size_t at = size * ((first_leaf_ + player.id) / 2);
    player.play(keys()[player.id ^ 1U], player.id ^ 1U);
    while (at > root) {
      pair(at) = player;
      const Player rival = pair(at ^ size);
      const bool lost =
          (static_cast<Wide>(rival.key) << 64U | rival.id) < (static_cast<Wide>(player.key) << 64U | player.id);
      player.key = lost ? rival.key : player.key;
      player.id = lost ? rival.id : player.id;
      at = at / 2 & ~(size - 1);
    }
    winner_ = player;
  }
  void replay_eights(Player player) noexcept;

  std::vector<Leaves> leaves_;
  std::vector<Player> pairs_;  ///< of few timers: pairs_[i] won against its pair, pairs_[2i] against pairs_[2i + 1]
  std::vector<Eight> eights_;  ///< of many timers: level by level from that above the leaves
  std::array<std::uint32_t, 12> levels_{};  ///< where each begins in eights_, and where the last ends
  std::uint32_t timers_ = 0, first_leaf_ = 0, level_count_ = 0;
  std::uint32_t soon_level_ = 0;  ///< whose entries soon() is of
  std::uint32_t soon_ = 0;
  Player winner_;  ///< of all
};

}  // namespace ergode
