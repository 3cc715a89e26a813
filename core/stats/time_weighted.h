#pragma once

namespace ergode {

/// Time integral and average of a piecewise constant quantity: tell it the value whenever that changes. Times in s from
/// any origin; the integral is in the quantity's unit times s. No allocation; not mergeable: one per history.
///
///     TimeWeighted queue(0.0, 0.0);       // empty at time 0 s
///     queue.change(10.0, 3.0);            // three customers from 10 s on
///     queue.average(20.0);                // 1.5
class TimeWeighted {
 public:
  TimeWeighted() = default;
  /// The quantity is `value` from `time` [s] on.
  TimeWeighted(double time, double value) noexcept : start_(time), last_(time), value_(value) {}

  /// The quantity becomes `value` at `time`, not before the last change.
  void change(double time, double value) noexcept {
    integral_ += value_ * (time - last_);
    last_ = time;
    value_ = value;
  }
  /// Present value.
  double value() const noexcept { return value_; }
  /// Integral from the start to `time`, not before the last change.
  double integral(double time) const noexcept { return integral_ + value_ * (time - last_); }
  /// Average from the start to `time`; the present value when no time has passed.
  double average(double time) const noexcept { return time > start_ ? integral(time) / (time - start_) : value_; }

 private:
  double start_ = 0.0;
  double last_ = 0.0;
  double value_ = 0.0;
  double integral_ = 0.0;
};

}  // namespace ergode
