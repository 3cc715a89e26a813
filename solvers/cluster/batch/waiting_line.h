#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ergode {

/// Jobs that wait, in the order in which they came, and who of them is the first to fit into a gap. Places are given in
/// order and never move until renumbered; a tree over them keeps the least number of hosts and the least limit below
/// each of its nodes, so that a search passes over jobs that are too wide or too long.
///
/// push(), erase(): O(log places), push() now and then O(places); fit(): O(log places) where a job is found by its
/// hosts, else as many steps as there are subtrees in which one job is narrow and another short. Memory O(waiting).
class WaitingLine {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  void clear() { jobs_.clear(), tree_.clear(), waiting_ = first_ = width_ = 0; }
  void push(std::uint32_t job, std::uint32_t hosts, double limit_s);
  void erase(std::size_t place);
  std::size_t waiting() const { return waiting_; }
  /// Of the first one; none: nobody waits. Amortised O(1).
  std::size_t first() const { return waiting_ > 0 ? first_ : none; }
  /// The next one behind a place; none: nobody. O(gap).
  std::size_t after(std::size_t place) const;
  std::uint32_t job(std::size_t place) const { return jobs_[place]; }
  /// The first one at or behind `from` who needs at most `hosts` and, unless he needs at most `spare`, no longer than
  /// `limit_s`; none: nobody.
  std::size_t fit(std::size_t from, std::int64_t hosts, std::int64_t spare, double limit_s) const;

  template <typename Archive>
  void archive(Archive& a) {
    a(jobs_, tree_, waiting_, first_, width_);
  }

 private:
  static constexpr std::uint32_t nobody = ~0U;
  struct Least {
    std::int64_t hosts = std::numeric_limits<std::int64_t>::max();
    double limit_s = std::numeric_limits<double>::infinity();
    template <typename Archive>
    void archive(Archive& a) {
      a(hosts, limit_s);
    }
  };
  struct Gap {
    std::int64_t hosts, spare;
    double limit_s;
    bool holds(const Least& one) const { return one.hosts <= hosts && (one.hosts <= spare || one.limit_s <= limit_s); }
  };
  void set(std::size_t place, Least what);
  void grow();
  std::size_t fit_below(std::size_t node, std::size_t begin, std::size_t wide, std::size_t from, const Gap& gap) const;

  std::vector<std::uint32_t> jobs_;  ///< by place; nobody: has gone
  std::vector<Least> tree_;          ///< node 1 is the root, leaves begin at width_
  std::size_t waiting_ = 0, first_ = 0, width_ = 0;
};

}  // namespace ergode
