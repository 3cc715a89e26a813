#pragma once
#include <cstdint>
#include <vector>

#include "core/base/byte_archive.h"
#include "solvers/queueing/running/heap.h"

namespace ergode {

/// Servers for those who have got least so far (foreground-background, least attained service): all who have got the
/// same share what those before them leave, at most one server each.
/// Kleinrock, Queueing Systems, vol. 2, 1976, section 4.6; Nuyens and Wierman, The Foreground-Background queue: a
/// survey, Performance Evaluation 65, 2008.
///
/// Customers who have got the same stand on one level; a level that is served catches up with the next and joins it.
/// O(log customers) amortised per customer and level, O(levels served) per call: at most servers + 1 of them.
class LeastAttained {
 public:
  void clear();
  std::size_t size() const { return size_; }
  /// Time passes as allotted last, not beyond next().
  void pass(double elapsed_s);
  /// @param servers  >= 0; @param speed  of one server, >= 0
  void allot(double servers, double speed);
  void add(std::uint32_t customer, double work_s, std::uint64_t order);
  /// Time until somebody is done or a level catches up [s]; infinity: nothing happens.
  double next() const;
  /// What next() announced, once so much time has passed. @returns whether somebody is done: then take() him. False: a
  /// level has joined another.
  bool due();
  std::uint32_t take();
  /// Calls `take(customer, servers)` for all who are served, with the part of a server that each has at speed 1.
  template <typename Take>
  void served(double speed, Take&& take) const {
    for (std::size_t l = levels_.size(); l-- > 0 && levels_[l].rate > 0.0;)
      for (const One& one : levels_[l].all) take(one.customer, levels_[l].rate / speed);
  }
  /// Calls `take(order, customer)` for all, in no order.
  template <typename Take>
  void everybody(Take&& take) const {
    for (const Level& level : levels_)
      for (const One& one : level.all) take(one.order, one.customer);
    for (const One& one : done_) take(one.order, one.customer);
  }
  template <typename Archive>
  void archive(Archive& a) {
    a(levels_, done_, size_);
  }

 private:
  struct One {
    double work_s = 0.0;  ///< all of it, from the beginning
    std::uint64_t order = 0;
    std::uint32_t customer = 0;
    bool operator>(const One& other) const {
      return work_s != other.work_s ? work_s > other.work_s : order > other.order;
    }
    template <typename Archive>
    void archive(Archive& a) {
      a(work_s, order, customer);
    }
  };
  struct Level {
    double got_s = 0.0, rate = 0.0;
    Heap<One> all;  ///< the least work on top
    template <typename Archive>
    void archive(Archive& a) {
      a(got_s, rate, all);
    }
  };
  /// What happens first: time left, level, and whether it is somebody who is done.
  struct First {
    double in_s;
    std::size_t level;
    bool done;
  };
  First first() const;
  void join(std::size_t level);

  std::vector<Level> levels_;  ///< those who have got least last
  /// Who had got all of their work when another of their level was taken: done at that moment too, whoever comes in it.
  std::vector<One> done_;
  std::size_t size_ = 0;
};

}  // namespace ergode
