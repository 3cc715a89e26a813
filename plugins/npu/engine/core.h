#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "plugins/npu/engine/hardware.h"
#include "plugins/npu/engine/ring.h"
#include "plugins/npu/engine/tile.h"

namespace npu {

/// A tile on its way: how big the halves must be is its layer's.
struct TileJob {
  Tile tile;
  std::uint32_t scratchpad_blocks = 0, accumulator_blocks = 0;
  std::uint64_t started = 0;
};

struct CoreCounts {
  std::uint64_t systolic = 0;  ///< cycles in which the oldest product is under way
  std::uint64_t pe = 0;        ///< cycles that all elements together were busy
  std::uint64_t vector = 0, memory_idle = 0, idle = 0;
  std::uint64_t products = 0, preloads = 0, vectors = 0;
};

/// A core, cycle by cycle.
class Core {
 public:
  /// @param waits_for_writes  a tile is finished when what it stores is in the memory, not when it was sent there
  Core(const CoreHardware& hardware, std::uint8_t number, bool waits_for_writes = false)
      : hw_(hardware), number_(number), waits_for_writes_(waits_for_writes) {}
  std::size_t tiles() const { return count_; }
  void admit(std::unique_ptr<TileJob> job);
  void step();
  bool finished() const { return !finished_.empty(); }
  std::unique_ptr<TileJob> take_finished();
  bool busy() const;
  /// Goes on by cycles in which it has nothing to do.
  void skip(std::uint64_t cycles) { now_ += cycles, counts_.idle += cycles, counts_.memory_idle += cycles; }
  bool asks() const { return !outgoing_.empty(); }
  MemoryRequest take_request() { return outgoing_.pop(); }
  void answer(const MemoryRequest& request);
  const CoreCounts& counts() const { return counts_; }

 private:
  struct Half {
    std::vector<std::int32_t> pending;   // of each block; below 0: it is not there
    std::vector<std::uint32_t> touched;  // blocks that are
    std::uint32_t layer = UINT32_MAX;
    std::uint16_t era = 0;
    void clear(std::size_t blocks);
  };
  struct Resident {
    std::unique_ptr<TileJob> job;
    std::uint8_t scratchpad = 0, accumulator = 0;
    std::uint32_t next = 0, writes = 0;
    bool done = false;
  };
  /// Of a tile: what it stores and is not in the memory yet; the tile, once that is all that it waits for.
  struct Writes {
    std::uint64_t left = 0;
    std::unique_ptr<TileJob> job;
  };
  struct Issued {
    const Instruction* instruction = nullptr;
    Resident* tile = nullptr;
    std::uint64_t start = 0, finish = 0;
    bool last = false;
  };
  std::int32_t& pending(const Resident& tile, std::uint32_t block);
  bool valid(const Resident& tile, std::uint32_t block) { return pending(tile, block) == 0; }
  void touch(const Resident& tile, std::uint32_t block, std::int32_t more);
  bool can_execute(const Issued& one);
  void retire(FixedRing<Issued>& pipe, bool products);
  void execute();
  void ask(const Issued& one, bool write);
  void issue();
  std::uint64_t vector_latency(const Instruction& one) const;
  std::uint32_t count_writes();
  void finish(Resident& tile);

  CoreHardware hw_;
  std::uint8_t number_;
  bool waits_for_writes_;
  std::uint64_t now_ = 0;
  Half halves_[2][2];  // scratchpad, accumulator
  Resident slots_[2];
  Resident* resident_[2] = {nullptr, nullptr};
  std::size_t count_ = 0, turn_ = 0;
  std::uint32_t last_layer_ = UINT32_MAX;
  std::uint64_t last_fused_ = UINT64_MAX;
  FixedRing<Issued> loads_, stores_, executions_, systolic_, vector_;
  FixedRing<MemoryRequest> outgoing_;
  std::vector<std::unique_ptr<TileJob>> finished_;
  std::uint64_t writes_out_ = 0;
  std::vector<Writes> writes_;              ///< where they are waited for
  std::vector<std::uint32_t> free_writes_;  ///< of these
  CoreCounts counts_;
};

}  // namespace npu
