#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace ergode {

/// Events that were sent with a delay and have not come: the earliest first, those of one moment in the order in which
/// they were sent.
///
/// push() and pop() cost O(log n). cancel() is constant on average: a cancelled event stays in the heap until it would
/// come, or until most events there are cancelled ones; a watchdog that is set again at every step must not cost more
/// the longer its delay is. The first is never a cancelled one. A value: may be copied to come back to a moment.
class DelayedEvents {
 public:
  struct Event {
    double time_s = 0.0;                ///< when it comes [s]; infinity: never, though it is kept
    std::uint32_t first = 0, last = 0;  ///< received by these components
    std::uint32_t event = 0;            ///< its number
    std::uint32_t id = 0;               ///< under which it may be cancelled; 0: none
    std::uint32_t values = 0;           ///< of whoever sends: what it carries, to be given back when it is dropped
  };

  /// @param ids  one more than the greatest id.
  /// Room for 64 events from the start; it grows with more.
  explicit DelayedEvents(std::size_t ids = 1) : now_(ids) { heap_.reserve(64); }
  /// As new, with the memory kept; what cancelled events carry is not given back one by one.
  void clear() {
    heap_.clear();
    std::fill(now_.begin(), now_.end(), Id{});
    sent_ = 0, cancelled_ = 0;
  }
  bool empty() const { return heap_.empty(); }
  /// Cancelled ones aside.
  std::size_t size() const { return heap_.size() - cancelled_; }
  /// When the first one comes [s]; only when not empty.
  double next_time() const { return heap_.front().event.time_s; }

  /// @param event  its id is below `ids` and its time is not NaN.
  void push(const Event& event) {
    heap_.push_back({event, sent_++, now_[event.id].generation});
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    ++now_[event.id].waiting;
  }
  /// The first one; only when not empty. Those cancelled that come before the next are given to `drop`.
  template <class Drop>
  Event pop(Drop&& drop) {
    const Event out = take().event;
    --now_[out.id].waiting;
    drop_first(drop);
    return out;
  }
  /// Events that were sent under this id, not 0, come no more; each is given to `drop`, now or later. What is sent
  /// under it from now on comes.
  template <class Drop>
  void cancel(std::uint32_t id, Drop&& drop) {
    Id& at = now_[id];
    if (at.waiting == 0) return;
    cancelled_ += at.waiting;
    at.waiting = 0, ++at.generation;
    if (cancelled_ > heap_.size() / 2) {
      const auto over = [&](const Sent& sent) {
        const bool found = cancelled(sent);
        if (found) drop(sent.event);
        return found;
      };
      heap_.erase(std::remove_if(heap_.begin(), heap_.end(), over), heap_.end());
      std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
      cancelled_ = 0;
    }
    drop_first(drop);
  }
  /// Those on their way, in no particular order. O(n), cancelled ones included.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Sent& sent : heap_)
      if (!cancelled(sent)) visit(sent.event);
  }

 private:
  struct Sent {
    Event event;
    std::uint64_t order = 0;       ///< how many were sent before it since clear()
    std::uint32_t generation = 0;  ///< of its id when it was sent
    bool operator>(const Sent& other) const {
      return event.time_s != other.event.time_s ? event.time_s > other.event.time_s : order > other.order;
    }
  };
  /// What is sent under an id belongs to a generation, which cancelling ends.
  struct Id {
    std::uint32_t generation = 0, waiting = 0;
  };
  /// Sent before its id was cancelled last.
  bool cancelled(const Sent& sent) const { return sent.generation != now_[sent.event.id].generation; }
  Sent take() {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const Sent out = heap_.back();
    heap_.pop_back();
    return out;
  }
  template <class Drop>
  void drop_first(Drop&& drop) {
    while (!heap_.empty() && cancelled(heap_.front())) {
      drop(take().event);
      --cancelled_;
    }
  }

  std::vector<Sent> heap_;  ///< the earliest on top (std::push_heap)
  std::vector<Id> now_;     ///< by id
  std::uint64_t sent_ = 0;
  std::size_t cancelled_ = 0;  ///< in the heap
};

}  // namespace ergode
