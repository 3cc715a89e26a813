#pragma once
#include <cstdint>
#include <vector>

namespace ergode {

/// How many hosts are free from now on: a step function of time, exact, without slots. What is taken over a stretch of
/// time is taken off it; whoever looks for room asks for the earliest stretch in which so many are free throughout.
///
/// Steps stand in blocks of at most `block_steps`, each with its least and greatest value and what was added to all of
/// it, so that a search passes blocks that cannot matter. add() and earliest(): O(blocks + steps of the blocks at the
/// ends), in practice some hundred steps; memory O(steps).
class FreeProfile {
 public:
  static constexpr std::size_t block_steps = 64;

  /// All hosts are free from `now_s` on for ever.
  void reset(double now_s, std::int64_t hosts);
  /// Forgets what was before: O(steps forgotten). Precondition: not before the last one.
  void forget_before(double now_s);
  /// Changes the number of free hosts in [from_s, to_s); to_s may be infinite. Precondition: from_s is not forgotten.
  void add(double from_s, double to_s, std::int64_t hosts);
  /// The earliest time >= from_s from which `hosts` are free for `long_s`; infinity: never. Precondition: from_s is not
  /// forgotten, hosts >= 1.
  double earliest(double from_s, double long_s, std::int64_t hosts) const;
  /// The most that are free at any moment in [from_s, to_s); -1 where that is empty.
  std::int64_t most_free(double from_s, double to_s) const;
  /// Free at this moment.
  std::int64_t free_at(double time_s) const;

  template <typename Archive>
  void archive(Archive& a) {
    a(blocks_);
  }

 private:
  struct Block {
    std::vector<double> begin_s;       ///< of each step, ascending
    std::vector<std::int64_t> free;    ///< in it, without `added`
    std::int64_t added = 0;            ///< to all of them
    std::int64_t least = 0, most = 0;  ///< with `added`
    void measure();
    template <typename Archive>
    void archive(Archive& a) {
      a(begin_s, free, added, least, most);
    }
  };
  struct Place {
    std::size_t block = 0, step = 0;
  };
  Place find(double time_s) const;
  double begin_of(Place at) const;
  /// Makes a step begin here, if none does. @returns its place
  Place cut(double time_s);
  /// Takes a step away that has as many free hosts as the one before.
  void join(double time_s);
  bool next(Place& at) const;
  /// The first step from `at` on of which the free hosts reach `hosts` (or fall below, where `reach` is false).
  bool seek(Place& at, std::int64_t hosts, bool reach) const;

  std::vector<Block> blocks_;
};

}  // namespace ergode
