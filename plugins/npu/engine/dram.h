#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "plugins/npu/engine/hardware.h"
#include "plugins/npu/engine/ring.h"

namespace npu {

/// Which channel an address belongs to: the IPOLY hash (Rau, ISCA 1991) of 16, 32 or 64 channels; below 16 that of 16
/// modulo their number.
class ChannelHash {
 public:
  ChannelHash(std::uint32_t channels, std::uint32_t request_bytes);
  std::uint32_t operator()(std::uint64_t address) const;

 private:
  std::uint32_t channels_, bits_ = 4, shift_ = 0;
  std::array<std::uint64_t, 6> masks_{};
};

struct RowCounts {
  std::uint64_t hits = 0, misses = 0, conflicts = 0;
  std::uint64_t refreshes = 0;  ///< among the misses, as the reference counts them
};

/// The memory: each channel takes requests and returns them when they are done.
class Dram {
 public:
  virtual ~Dram() = default;
  virtual bool full(std::uint32_t channel) const = 0;
  virtual void push(std::uint32_t channel, const MemoryRequest& request) = 0;
  virtual void step() = 0;
  virtual RowCounts rows(std::uint32_t) const { return {}; }
  bool done(std::uint32_t channel) const { return !done_[channel].empty(); }
  MemoryRequest take(std::uint32_t channel) {
    --held_;
    return done_[channel].pop();
  }
  bool empty() const { return held_ == 0; }
  /// Goes on by cycles in which it holds nothing and does nothing.
  virtual void skip(std::uint64_t cycles) = 0;
  /// Cycles that may be skipped while it holds nothing.
  virtual std::uint64_t may_skip() const { return UINT64_MAX; }
  std::uint64_t served(std::uint32_t channel) const { return served_[channel]; }

 protected:
  explicit Dram(std::uint32_t channels) : done_(channels), served_(channels) {}
  void finish(std::uint32_t channel, const MemoryRequest& request) {
    done_[channel].push(request);
    ++served_[channel];
  }
  std::uint64_t held_ = 0;
  std::vector<FixedRing<MemoryRequest>> done_;
  std::vector<std::uint64_t> served_;
};

/// Simple: one latency, one request a cycle over all channels. Banked: banks, rows, FR-FCFS (Rixner et al., Memory
/// access scheduling, ISCA 2000) and the timing of the preset.
std::unique_ptr<Dram> make_dram(const Hardware& hardware);

}  // namespace npu
