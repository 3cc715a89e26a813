#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugins/npu/engine/core.h"
#include "plugins/npu/engine/dram.h"
#include "plugins/npu/engine/hardware.h"
#include "plugins/npu/engine/mapping.h"
#include "plugins/npu/engine/network.h"
#include "plugins/npu/engine/roofline.h"
#include "plugins/npu/engine/timeline.h"

namespace npu {

/// Gives out the flat address space: starts are multiples of 256, and what ends on one goes on to the next.
class AddressSpace {
 public:
  std::uint64_t allocate(std::uint64_t bytes) {
    constexpr std::uint64_t step = 256;
    const std::uint64_t start = (top_ + step - 1) / step * step;
    top_ = (start + bytes) / step * step + step;
    return start;
  }

 private:
  std::uint64_t top_ = 0;
};

/// A layer of a model that came: its tiles are made when it starts.
struct SimulatedLayer {
  std::string name;
  std::function<TileList()> tiles;
  LayerWork work;
  std::optional<ConvShape> conv;         ///< what it is, where it convolves
  std::optional<GemmShape> product;      ///< or multiplies
  std::vector<std::uint32_t> consumers;  ///< layers of the same model, in the order of the graph
  std::uint32_t waits_for = 0;           ///< layers whose output it needs
};

/// A model that comes. Released, it allocates its tensors and makes its layers.
struct ModelInstance {
  std::string name;
  std::uint64_t request_ps = 0;
  std::uint32_t partition = 0;
  std::function<std::vector<SimulatedLayer>(AddressSpace&)> build;
  /// What comes when it has ended, in the next cycle; empty: nothing.
  std::function<std::optional<ModelInstance>()> again;
};

/// Models that come while the clock runs.
class ModelSource {
 public:
  virtual ~ModelSource() = default;
  /// In each core cycle, before anything else. @param idle  no model is there @returns one that is released at once
  virtual std::optional<ModelInstance> next(std::uint64_t cycle, bool idle, AddressSpace& space) = 0;
  /// The last layer of a model ended.
  virtual void finished(std::uint64_t cycle) = 0;
  /// Some may still come: the clock goes on.
  virtual bool left() const = 0;
  /// The cycle before which nothing will come while all is idle.
  virtual std::uint64_t sleeps_until() const { return 0; }
};

struct LayerRecord {
  std::string model, layer;
  std::uint64_t start = 0, finish = 0;  ///< [core cycles]
  std::uint32_t number = 0;             ///< in the order in which they start
  LayerWork work;
  std::uint64_t requests = 0;  ///< of the memory
};

/// A model from when it was asked for to its last layer's end [core cycles].
struct ModelRecord {
  std::string name;
  std::uint64_t asked = 0, start = 0, finish = 0;
  bool done = false;
};

struct NpuResult {
  std::uint64_t cycles = 0;  ///< with the writes at the end
  bool cancelled = false;
  std::vector<LayerRecord> layers;  ///< in the order in which they finish
  std::vector<ModelRecord> models;  ///< in the order in which they are released
  std::vector<TileRecord>
      tiles;  ///< in the order in which they end, the first 100,000; none of those that cost nothing
  std::vector<WindowRecord> windows;
  std::vector<CoreCounts> cores;
  RowCounts rows;
  std::vector<RowCounts> channel_rows;
  std::vector<std::uint64_t> channel_requests;
  std::uint64_t requests = 0;  ///< that the memory served
};

/// Runs models from their release to the last write, each clock cycle by cycle.
/// @param space  with the weights already allocated
/// @param stop   asked now and then; true ends the run
/// @param source models beside those of the list
/// Throws std::invalid_argument where hardware_fault() finds one.
NpuResult simulate(const Hardware& hardware, AddressSpace& space, std::vector<ModelInstance> models,
                   const std::function<bool(std::uint64_t cycle)>& stop = {}, ModelSource* source = nullptr);

}  // namespace npu
