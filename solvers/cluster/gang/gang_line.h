#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace ergode {

/// Jobs that wait, in the order in which they came, and who of them may pass the first. They stand in lanes, one for
/// each number of GPUs that somebody wants; a tree over a lane keeps the shortest work below each of its nodes, so that
/// a search passes over jobs that are too long.
///
/// push(), take(): O(log waiting), push() now and then O(waiting of its lane); first(): O(lanes); a step of a search
/// O(lanes), and O(log waiting) for each lane that must be looked at again. Memory O(waiting).
class GangLine {
 public:
  struct Lane {
    std::uint32_t gpus = 1;
    std::vector<std::uint32_t> jobs;  ///< by place
    std::vector<std::uint64_t> came;  ///< by place, ascending; of those too who have gone
    std::vector<double> least;        ///< tree of work times; node 1 is the root, leaves begin at `width`
    std::size_t width = 0, first = 0, waiting = 0;
    // Of the search: who is next, which is known as long as it is asked in the same way; and whether one who does not
    // end in time was refused.
    bool known = false, any = false, refused = false;
    std::size_t next = none;
  };
  struct Found {
    Lane* lane = nullptr;  ///< null: nobody
    std::size_t place = 0;
    std::uint32_t job() const { return lane->jobs[place]; }
  };

  void clear() { lanes_.clear(), waiting_ = 0, came_ = before_ = first_came; }
  /// @param work_s  finite
  void push(std::uint32_t job, std::uint32_t gpus, double work_s);
  /// Before all others; O(waiting of its lane).
  void push_first(std::uint32_t job, std::uint32_t gpus, double work_s);
  void take(const Found& one);
  std::size_t waiting() const { return waiting_; }
  Found first();

  /// @name A search behind the first, in the order of the line; no push() meanwhile
  /// @{
  void search();
  /// The next one who wants at most `widest` GPUs and, unless he wants at most `spare` and nobody of his lane was
  /// refused, works at most `at_most_s`. `widest` and `spare` never grow while a search goes on, `at_most_s` stays.
  Found next(std::uint32_t widest, std::int64_t spare, double at_most_s);
  /// Who is as wide as this one is passed over from now on, unless he works at most so long ...
  void refuse(const Found& one) { one.lane->refused = true; }
  /// ... until somebody has been taken.
  void ask_again();
  /// @}

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr double gone = std::numeric_limits<double>::infinity();
  static void set(Lane& lane, std::size_t place, double work_s);
  static void grow(Lane& lane);
  /// The first at or behind `from` who works at most so long; none: nobody.
  static std::size_t fit(const Lane& lane, std::size_t from, double at_most_s);

  std::map<std::uint32_t, Lane> lanes_;  ///< by GPUs
  std::size_t waiting_ = 0;
  static constexpr std::uint64_t first_came = std::uint64_t{1} << 62U;
  std::uint64_t came_ = first_came, before_ = first_came;  ///< the last one who came, and who was put before all
  std::uint64_t at_ = 0;                                   ///< of the search: when the last one who was found came
};

}  // namespace ergode
