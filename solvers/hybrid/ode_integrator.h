#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace ergode {

/// A condition g(t, y) whose zeros are looked for. Where it is the distance of one value from a limit, it says so.
struct OdeCondition {
  std::uint32_t number = 0;
  std::uint32_t value = 0;  ///< place in y
  double sign = 0.0;        ///< 1: y - limit; -1: limit - y; 0: something else
  double limit = 0.0;
  bool general() const { return sign == 0.0; }
  double at(double y) const { return sign * (y - limit); }
};

/// Ordinary differential equations y' = f(t, y), with conditions g(t, y) whose zeros are looked for. Time in seconds.
class OdeSystem {
 public:
  virtual ~OdeSystem() = default;
  /// Those derivatives that stay as they are until the next restart, which derivatives() need not set again.
  virtual void still_derivatives(double* out) { (void)out; }
  /// @returns false: it has no value here, as where one is infinite or no number; a shorter step may stay where it has.
  virtual bool derivatives(double time_s, const double* y, double* out) = 0;
  /// All conditions by number; one that is not looked at is constant and not zero.
  virtual void conditions(double time_s, const double* y, double* out) = 0;
  virtual double condition(std::size_t number, double time_s, const double* y) = 0;
  /// Those looked at until the next restart, numbers ascending; left as it is: all, of the general kind.
  virtual void looked_at(std::vector<OdeCondition>& conditions) { (void)conditions; }
};

/// It cannot go on; the text says why.
class OdeFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Integrates a system step by step and stops at zeros of its conditions. Between two restarts equations and conditions
/// are smooth and stay the same; it keeps nothing from before a restart.
class OdeIntegrator {
 public:
  virtual ~OdeIntegrator() = default;
  /// @throws OdeFailure  also of the other functions that go on.
  virtual void restart(double time_s, const double* y) = 0;
  /// One step, not beyond `until_s` and not beyond the first zero of a condition within it. @returns the time reached
  /// [s]
  virtual double step(double until_s) = 0;
  /// Which conditions passed zero where the last step ended; empty: none.
  const std::vector<int>& found() const { return found_; }
  /// The values where the last step ended.
  virtual const double* values() const = 0;
  /// Until where the values are known [s]: where the step would have ended without a zero.
  virtual double end() const = 0;
  /// Length of the step [s].
  virtual double length() const = 0;
  /// The values at any time within the last step. @returns false: it is outside.
  virtual bool look(double time_s, double* out) = 0;
  /// One of them at several times, ascending. @returns false: one is outside.
  virtual bool look(std::span<const double> times_s, std::size_t place, double* out) = 0;

 protected:
  std::vector<int> found_;
};

}  // namespace ergode
