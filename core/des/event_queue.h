#pragma once
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>
#include <vector>

namespace ergode {

/// Future event list over timers 0 .. n-1, each armed for at most one time: a winner tree with a leaf per timer.
///
/// Equal times come out in the order of their ids, so give ids in document order. Times are >= 0 and never NaN; a
/// timer armed for infinity never goes off, which is the same as not being armed. No allocation after resize().
///
/// cancel() and pop() are constant; schedule() replays one path of log2(n) matches without a branch that depends on
/// times; next() and next_time() are constant but for matches that cancelled timers had won. Not for two threads at
/// once, reading included. Measured per pop-and-schedule against a linear scan and an indexed 4-ary heap, see
/// core/des/README.md. Knuth, The Art of Computer Programming, vol. 3, 2nd ed., 1998, section 5.4.1 (loser trees).
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
  /// Without timers: empty() is true, and nothing else may be asked before resize().
  EventQueue() = default;
  /// @param timers  0 to 2^31; 32 bytes for each of the next power of two.
  explicit EventQueue(std::uint32_t timers) { resize(timers); }

  /// Sets the number of timers and disarms all of them. O(timers), allocates.
  void resize(std::uint32_t timers) {
    timers_ = timers;
    leaves_ = std::bit_ceil(std::max(timers, 2U));  // the root is never a leaf
    node_.assign(2 * static_cast<std::size_t>(leaves_), Node{});
    clear();
  }
  std::uint32_t timers() const noexcept { return timers_; }  ///< ids are 0 ... timers() - 1
  /// Disarms every timer; O(timers). Until somebody asks for the next one no match is played, so that arming is one
  /// store: at the beginning of a history most timers are armed, and all matches together cost less than their paths.
  void clear() noexcept {
    std::fill_n(node_.begin() + leaves_, timers_, Node{});
    node_[1].key = not_played;
    waits_ = true;
  }

  /// Arms timer `id` for `time` [s], or moves it there; in the debug build an id beyond timers() or a time < 0 fails an
  /// assertion. Negative zero is zero. O(log timers), or O(1) before the first look after clear().
  void schedule(std::uint32_t id, double time) noexcept {
    assert(id < timers_ && time >= 0.0);
    if (waits_) [[unlikely]] {
      node_[leaves_ + id] = Node{std::bit_cast<std::uint64_t>(time + 0.0), id};
      return;
    }
    replay(id, Node{std::bit_cast<std::uint64_t>(time + 0.0), id});  // + 0.0 makes a positive zero of a negative one.
  }
  /// Disarms timer `id`; nothing changes when it is not armed. O(1): matches it had won are replayed only when it would
  /// win again at the root, and most often another timer that shares its path is armed before that.
  /// Valid before the first look after clear() too.
  void cancel(std::uint32_t id) noexcept {
    assert(id < timers_);
    node_[leaves_ + id].key = never;
  }

  /// The timer will be armed or cancelled soon: fetches its cache line, changes nothing.
  void prefetch(std::uint32_t id) const noexcept { __builtin_prefetch(&node_[leaves_ + id], 1); }

  /// Whether it will go off at some time; false after it was scheduled for infinity. O(1), valid
  /// before the first look after clear() too.
  bool armed(std::uint32_t id) const noexcept { return node_[leaves_ + id].key != never; }
  /// When timer `id` goes off; infinity when it is not armed.
  double time_of(std::uint32_t id) const noexcept { return std::bit_cast<double>(node_[leaves_ + id].key); }
  /// No timer is armed for a finite time. True before resize().
  bool empty() const noexcept { return node_.empty() || next_time() == std::numeric_limits<double>::infinity(); }
  /// The timer that goes off next, of several at one time the one with the smallest id; only when not empty. The
  /// first look after clear() plays all matches, O(timers).
  std::uint32_t next() const noexcept {
    assert(!empty());
    refresh();
    return winner();
  }
  /// next() for whoever has just asked for next_time(), and changed nothing since; any timer when empty.
  std::uint32_t winner() const noexcept { return static_cast<std::uint32_t>(node_[1].id); }
  /// The time of next() [s]; infinity when empty. Only after resize().
  double next_time() const noexcept {
    refresh();
    return std::bit_cast<double>(node_[1].key);
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
  /// A match: who won, and at what time, as the bits of a double.
  __extension__ using Wide = unsigned __int128;  ///< time, then id
  struct Node {
    std::uint64_t key = never;
    std::uint64_t id = 0;
  };

  static constexpr std::uint64_t not_played = ~std::uint64_t{0};  ///< the key of no time

  // A cancelled timer may still stand as the winner of old matches; at the root it shows by a key that is not its own.
  void refresh() const noexcept {
    while (node_[leaves_ + node_[1].id].key != node_[1].key) [[unlikely]] if (waits_) play_all();
    else replay(static_cast<std::uint32_t>(node_[1].id), Node{never, node_[1].id}); }
  void play_all() const noexcept {
    waits_ = false;
    Node* const node = node_.data();
    for (std::uint32_t at = leaves_; --at > 0;) {
      const Node left = node[2 * at], right = node[2 * at + 1];
      const bool second = right.key < left.key;
      node[at].key = second ? right.key : left.key;
      node[at].id = second ? right.id : left.id;
    }
  }
  // Places are bytes from the first node, and time and id are compared as one number, so that a match has few steps and
  // none depends on who wins: ids ascend from left to right, and the smaller one wins a tie.
  void replay(std::uint32_t id, Node winner) const noexcept {
    static_assert(sizeof(Node) == 16);
    constexpr std::size_t size = sizeof(Node), root = size;
    auto* const first = reinterpret_cast<unsigned char*>(node_.data());
    const auto node = [first](std::size_t at) -> Node& { return *reinterpret_cast<Node*>(first + at); };
    std::size_t at = size * (leaves_ + std::size_t{id});
    node(at) = winner;
    while (at > root) {
      const Node rival = node(at ^ size);
      const bool lost =
          (static_cast<Wide>(rival.key) << 64U | rival.id) < (static_cast<Wide>(winner.key) << 64U | winner.id);
      winner.key = lost ? rival.key : winner.key;
      winner.id = lost ? rival.id : winner.id;
      at = at / 2 & ~(size - 1);
      node(at) = winner;
    }
  }

  mutable std::vector<Node> node_;  ///< node_[1] is the winner of all, node_[i] that of node_[2i] and node_[2i + 1].
  std::uint32_t leaves_ = 0;
  std::uint32_t timers_ = 0;
  mutable bool waits_ = false;  ///< matches, for the first look
};

}  // namespace ergode
