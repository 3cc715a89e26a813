#pragma once
#include <cstdint>
#include <span>

namespace ergode {

/// The values of a model's slots at any moment of a stretch of time in which nothing happens: what measures see of it.
/// SI units, indexed by the slots of the model's SlotTable. One thread; good until the history goes on.
class ContinuousPath {
 public:
  virtual ~ContinuousPath() = default;
  /// All slots at a time within the stretch [s]; valid until the next call. O(variables that flow).
  virtual const double* at(double time_s) = 0;
  /// One of them at several times, ascending, at least one. O(times) for a variable that flows.
  /// @param out  as many values
  virtual void at(std::span<const double> times_s, std::uint32_t slot, double* out) = 0;
};

}  // namespace ergode
