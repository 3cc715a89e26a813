#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace ergode {

/// A condition g(t, y) whose zeros are looked for. Where it is the distance of one value from a limit, it says so, and
/// the system need not be asked for it.
struct OdeCondition {
  std::uint32_t number = 0;  ///< below the number of conditions of the system
  std::uint32_t value = 0;   ///< place in y
  double sign = 0.0;         ///< 1: y - limit; -1: limit - y; 0: something else
  double limit = 0.0;        ///< in the unit of the value
  bool general() const { return sign == 0.0; }
  /// Only where it is not general.
  double at(double y) const { return sign * (y - limit); }
};

/// Ordinary differential equations y' = f(t, y), with conditions g(t, y) whose zeros are looked for. Time in seconds.
/// Between two restarts all functions depend on their arguments alone; integrators call them at trial times too, in any
/// order, also a little beyond what they are asked to reach, but from one thread.
class OdeSystem {
 public:
  virtual ~OdeSystem() = default;
  /// Those derivatives that stay as they are until the next restart, which derivatives() need not set again: called
  /// first for every array that derivatives() is to fill.
  virtual void still_derivatives(double* out) { (void)out; }
  /// @param out  one for each value of y [its unit / s]
  /// @returns false: it has no value here, as where one is infinite or no number; a shorter step may stay where it has.
  virtual bool derivatives(double time_s, const double* y, double* out) = 0;
  /// The first so many values alone are read by derivatives; those after them are integrals along their way.
  virtual std::size_t states(std::size_t size) const { return size; }
  /// derivatives() of these; those of integrals may be set or left.
  virtual bool state_derivatives(double time_s, const double* y, double* out) { return derivatives(time_s, y, out); }
  /// All conditions by number; one that is not looked at is constant and not zero.
  virtual void conditions(double time_s, const double* y, double* out) = 0;
  /// One of them, with the same value as conditions() gives it.
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
/// are smooth and stay the same; it keeps nothing from before a restart, so the same start gives the same bits.
///
/// In the order restart(), then step() again and again; the rest tells of the last step and holds until the next.
class OdeIntegrator {
 public:
  virtual ~OdeIntegrator() = default;
  /// Begins at `time_s` [s] with these values, which are copied.
  /// @throws OdeFailure  the derivatives have no value there; so does step(), where no step can be made small enough
  virtual void restart(double time_s, const double* y) = 0;
  /// One step, not beyond `until_s` and not beyond the first zero of a condition within it: up to the zero or a
  /// rounding after it. A condition that is zero at the beginning of a step has no zero there. `until_s` may be another
  /// one at each call; it lies after the time reached.
  /// @param limit_s  >= until_s [s]; the values may be worked out up to there, as one step, of which the next calls
  ///     take their parts. An integrator may end its step at `until_s` all the same.
  /// @returns the time reached [s]
  virtual double step(double until_s, double limit_s) = 0;
  double step(double until_s) { return step(until_s, until_s); }
  /// Which conditions passed zero where the last step ended: by number, not 0 for those that did; empty: none.
  const std::vector<int>& found() const { return found_; }
  /// The values where the last step ended.
  virtual const double* values() const = 0;
  /// Until where the values are known [s]: where the step would have ended without a zero.
  virtual double end() const = 0;
  /// Length of the whole step, to end() [s].
  virtual double length() const = 0;
  /// Whether a value rises at one end of the step and falls at the other.
  virtual bool turns(std::size_t place) = 0;
  /// The values at any time within the last step, up to end(), by interpolation of the integrator's own order of error.
  /// @returns false: it is outside.
  virtual bool look(double time_s, double* out) = 0;
  /// One of them at several times, ascending, at least one. @returns false: one is outside.
  virtual bool look(std::span<const double> times_s, std::size_t place, double* out) = 0;

 protected:
  std::vector<int> found_;
};

}  // namespace ergode
