#pragma once

namespace ergode {

/// The values of a model's slots at any moment of a stretch of time in which nothing happens.
class ContinuousPath {
 public:
  virtual ~ContinuousPath() = default;
  /// All slots at a time within the stretch; valid until the next call.
  virtual const double* at(double time_s) = 0;
};

}  // namespace ergode
