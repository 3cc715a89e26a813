#pragma once
#include <cstdint>
#include <vector>

#include "plugins/npu/engine/core.h"

namespace npu {

/// Where a tile was and when.
struct TileRecord {
  std::uint32_t core = 0, layer = 0;    ///< layer: LayerRecord::number
  std::uint64_t start = 0, finish = 0;  ///< admitted and reported [core cycles]
};

/// Counts up to a cycle.
struct WindowRecord {
  std::uint64_t cycle = 0, served = 0;          ///< served: requests of the memory
  std::vector<std::uint64_t> systolic, vector;  ///< busy cycles of each core
};

/// Keeps between half of `most` and `most` windows of equal length, however long a run is: when there are too many, two
/// become one.
class Timeline {
 public:
  static constexpr std::size_t most = 200;
  std::uint64_t next() const { return next_; }
  template <class Cores>
  void record(std::uint64_t cycle, const Cores& cores, std::uint64_t served) {
    WindowRecord one;
    one.cycle = cycle, one.served = served;
    for (const Core& core : cores)
      one.systolic.push_back(core.counts().systolic), one.vector.push_back(core.counts().vector);
    windows_.push_back(std::move(one));
    if (windows_.size() == most) {
      for (std::size_t i = 0; i < most / 2; ++i) windows_[i] = std::move(windows_[2 * i + 1]);
      windows_.resize(most / 2), length_ *= 2;
    }
    next_ = (windows_.back().cycle / length_ + 1) * length_;
  }
  std::vector<WindowRecord> take() { return std::move(windows_); }

 private:
  std::uint64_t length_ = 16, next_ = 16;
  std::vector<WindowRecord> windows_;
};

}  // namespace npu
