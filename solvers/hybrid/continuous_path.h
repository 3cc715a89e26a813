#pragma once
#include <cstdint>
#include <span>

namespace ergode {

/// The values of a model's slots at any moment of a stretch of time in which nothing happens.
class ContinuousPath {
 public:
  virtual ~ContinuousPath() = default;
  /// All slots at a time within the stretch; valid until the next call.
  virtual const double* at(double time_s) = 0;
  /// One of them at several times.
  virtual void at(std::span<const double> times_s, std::uint32_t slot, double* out) = 0;
};

}  // namespace ergode
