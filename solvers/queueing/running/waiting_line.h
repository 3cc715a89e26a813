#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/byte_archive.h"
#include "solvers/queueing/running/heap.h"
#include "solvers/queueing/running/ring.h"

namespace ergode {

/// Customers who wait for a server, in the order in which they are taken: a ring where only coming counts, a heap where
/// each has a key. O(1) and O(log waiting) per customer; grows when it must, never shrinks.
///
/// Whoever goes away without being taken (reneging) stays in as a lapsed place, told by his stamp: every call that
/// takes is told whether a place still counts, and skips those that do not.
class WaitingLine {
 public:
  struct Place {
    std::uint32_t customer = 0;
    std::uint32_t stamp = 0;  ///< of the customer when he came
    template <typename Archive>
    void archive(Archive& a) {
      a(customer, stamp);
    }
  };
  /// Places, lapsed ones included.
  std::size_t places() const { return (keyed_ ? keyed_->size() : 0) + ring_.size(); }
  void clear() {
    ring_.clear();
    if (keyed_) keyed_->clear();
  }

  /// In the order of coming: take_first(), or push_last(), will be called soon.
  void prefetch_first() const { ring_.prefetch_first(); }
  void prefetch_behind() const { ring_.prefetch_behind(); }

  /// @name In the order of coming
  /// @{
  void push_last(Place place) { ring_.push_back(place); }
  void push_first(Place place) { ring_.push_front(place); }
  const Place& first() const { return ring_[0]; }
  /// Whether anybody stands so: lines by keys have their own.
  bool in_a_row() const { return !ring_.empty(); }
  Place take_first() { return ring_.pop_front(); }
  Place take_last() { return ring_.pop_back(); }
  /// Any of them, all alike; the last one takes his place. @param uniform in (0, 1)
  Place take_any(double uniform);
  /// @}

  /// @name In the order of keys, of equal keys in that of `order`
  /// @{
  void push(Place place, double key, std::uint64_t order);
  Place take_least();
  double least_key() const { return keyed_->front().key; }
  /// @}

  /// All places, lapsed ones too, in the order in which they would be taken now. O(places log places): for people.
  /// @param last_first  of those who stand in the order of coming
  std::vector<Place> in_order(bool last_first) const;

  /// Forgets lapsed places. O(places): where they are more than the others.
  template <typename Counts>
  void sweep(Counts&& counts) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < ring_.size(); ++i)
      if (counts(ring_[i])) ring_[kept++] = ring_[i];
    ring_.shorten(kept);
    if (keyed_) keyed_->keep([&](const Keyed& one) { return counts(one.place); });
  }
  template <typename Archive>
  void archive(Archive& a) {
    bool has_keys = keyed_ && !keyed_->empty();
    a(ring_, has_keys);
    if (has_keys) a(keyed());
    else if (keyed_) keyed_->clear();
  }

 private:
  struct Keyed {
    double key = 0.0;
    std::uint64_t order = 0;
    Place place;
    bool operator>(const Keyed& other) const { return key != other.key ? key > other.key : order > other.order; }
    template <typename Archive>
    void archive(Archive& a) {
      a(key, order, place);
    }
  };
  Heap<Keyed>& keyed() {
    if (!keyed_) keyed_ = std::make_unique<Heap<Keyed>>();
    return *keyed_;
  }
  Ring<Place> ring_;
  std::unique_ptr<Heap<Keyed>> keyed_;  ///< apart: most lines have none, and stations stand closer then
};

}  // namespace ergode
