#pragma once
#include <atomic>
#include <limits>

namespace ergode {

/// How far the first history of a run has come, for tables that are worked out apart from it and tell what was when it
/// ended: written by the thread that runs it, read when the run is over. Only who began last writes. O(1), no lock.
class HistoryEnd {
 public:
  void begin(const void* writer) { at_s_ = 0.0, writer_ = writer; }
  /// @param now_s  the moment of an event, or at last the end of the run [s]
  void reach(const void* writer, double now_s) {
    if (writer == writer_.load(std::memory_order_relaxed)) at_s_.store(now_s, std::memory_order_relaxed);
  }
  /// The end of the run, or of a history that was stopped the last event; infinity: none has begun [s].
  double at_s() const { return at_s_; }

 private:
  std::atomic<const void*> writer_{nullptr};
  std::atomic<double> at_s_{std::numeric_limits<double>::infinity()};
};

}  // namespace ergode
