#pragma once
#include <cstdint>
#include <vector>

#include "plugins/npu/engine/ring.h"

namespace npu {

/// A crossbar: one queue for each pair of source and destination, each destination takes one request a cycle, sources
/// in turn. Memory: two tables of nodes^2.
class Network {
 public:
  Network(std::uint32_t nodes, std::uint32_t latency);
  void push(std::uint32_t source, std::uint32_t destination, const MemoryRequest& request);
  bool arrived(std::uint32_t node) const { return !out_[node].empty(); }
  MemoryRequest take(std::uint32_t node) {
    --held_;
    return out_[node].pop();
  }
  void step();
  /// Nothing is in it.
  bool empty() const { return held_ == 0; }
  void skip(std::uint64_t cycles) { now_ += cycles; }
  std::uint64_t carried() const { return carried_; }

 private:
  struct Entry {
    MemoryRequest request;
    std::uint64_t ready = 0;
  };
  std::uint32_t nodes_, latency_, words_;
  std::uint64_t now_ = 0, held_ = 0, carried_ = 0;
  std::vector<FixedRing<Entry>> queues_;  // [destination][source]
  std::vector<std::uint64_t> waiting_;    // [destination][word of sources]
  std::vector<std::uint32_t> in_queues_;  // by destination
  std::vector<std::uint32_t> turn_;
  std::vector<FixedRing<MemoryRequest>> out_;
};

}  // namespace npu
