#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/byte_archive.h"
#include "solvers/queueing/running/heap.h"

namespace ergode {

/// Servers that all customers of a station share: processor sharing, discriminatory and generalised. Each customer
/// belongs to a group; all of a group get the same from the servers, at most one server each.
///
/// * One group: min(1, servers / customers) of a server each (Kleinrock, Queueing Systems, vol. 2, 1976, section 4.4).
/// * Discriminatory: shares in proportion to the weight of each *customer* (Kleinrock, Time-shared systems: a
///   theoretical treatment, J. ACM 14(2), 1967).
/// * Generalised: shares in proportion to the weight of each group that has somebody, divided evenly within it (Parekh
///   and Gallager, IEEE/ACM Trans. Networking 1(3), 1993).
///
/// What a group cannot use, because none of its customers can have more than one server, goes to the others.
///
/// A customer is done when what each of his group has got since the beginning has grown by his work, so nobody's time
/// is touched when others come and go. O(log customers + groups) per call.
class SharedServers {
 public:
  enum class Rule : std::uint8_t { even, by_customer, by_group };

  SharedServers() = default;
  /// @param weights  by group, > 0; by group; all alike where the rule is `even`.
  SharedServers(Rule rule, std::vector<double> weights);
  void clear();
  std::size_t size() const { return size_; }
  /// Time passes as allotted last.
  void pass(double elapsed_s);
  /// What each gets from here on. @param servers  >= 0; @param speed  of one server, >= 0
  void allot(double servers, double speed);
  void add(std::uint32_t customer, double work_s, std::uint32_t group, std::uint64_t order);
  /// Time until somebody is done [s], as allotted; infinity: nobody is ever. O(groups).
  double next() const;
  /// Servers that a group has, at speed 1: at most its customers. @param speed  as allotted
  double given(std::uint32_t group, double speed) const {
    return speed > 0.0 ? groups_[group].rate / speed * static_cast<double>(groups_[group].all.size()) : 0.0;
  }
  std::size_t groups() const { return groups_.size(); }
  /// Takes the one who is done first out; he is done now, whatever rounding left of his work.
  std::uint32_t take();
  /// Calls `take(order, customer)` for all, in no order.
  template <typename Take>
  void everybody(Take&& take) const {
    for (const Group& group : groups_)
      for (const Sharing& one : group.all) take(one.order, one.customer);
  }
  template <typename Archive>
  void archive(Archive& a) {
    a(groups_, size_);
  }

 private:
  struct Sharing {
    double until_s = 0.0;  ///< what all of the group will have got
    std::uint64_t order = 0;
    std::uint32_t customer = 0;
    bool operator>(const Sharing& other) const {
      return until_s != other.until_s ? until_s > other.until_s : order > other.order;
    }
    template <typename Archive>
    void archive(Archive& a) {
      a(until_s, order, customer);
    }
  };
  struct Group {
    double got_s = 0.0, rate = 0.0;
    Heap<Sharing> all;  ///< the first to be done on top
    template <typename Archive>
    void archive(Archive& a) {
      a(got_s, rate, all);
    }
  };
  std::size_t first_done() const;
  double time_left(const Group& group) const;

  Rule rule_ = Rule::even;
  std::vector<double> weights_;
  std::vector<Group> groups_;
  std::size_t size_ = 0;
};

}  // namespace ergode
