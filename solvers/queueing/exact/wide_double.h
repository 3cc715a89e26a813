#pragma once
#include <cmath>
#include <cstdint>

namespace ergode {

/// A number >= 0 with the digits of a double and an exponent that never runs out: mantissa * 2^(512 * block). Sums and
/// products only, which is all that normalising constants need; both cost little more than those of doubles, because
/// the mantissa is moved only when it leaves [2^-256, 2^256).
class WideDouble {
 public:
  WideDouble() = default;
  explicit WideDouble(double value) : mantissa_(value) { settle(); }

  friend WideDouble operator*(WideDouble a, WideDouble b) {
    WideDouble product;
    product.mantissa_ = a.mantissa_ * b.mantissa_, product.block_ = a.block_ + b.block_;
    product.settle();
    return product;
  }
  WideDouble& operator+=(WideDouble other) {
    if (other.mantissa_ == 0) return *this;
    if (mantissa_ == 0) return *this = other;
    // Blocks that are two apart differ by more than a double has digits; neighbours need not.
    if (block_ == other.block_) {
      mantissa_ += other.mantissa_;
    } else if (block_ == other.block_ + 1) {
      mantissa_ += other.mantissa_ * down();
    } else if (block_ + 1 == other.block_) {
      mantissa_ = mantissa_ * down() + other.mantissa_, block_ = other.block_;
    } else if (block_ < other.block_) {
      *this = other;
    }
    settle();
    return *this;
  }
  bool is_zero() const { return mantissa_ == 0; }
  /// Infinity and zero beyond the range of a double.
  double value() const { return std::ldexp(mantissa_, static_cast<int>(512 * clamped())); }
  /// Natural logarithm; minus infinity at zero.
  double log() const { return std::log(mantissa_) + 512.0 * static_cast<double>(block_) * std::log(2.0); }
  /// b above 0.
  friend WideDouble operator/(WideDouble a, WideDouble b) {
    WideDouble quotient;
    quotient.mantissa_ = a.mantissa_ / b.mantissa_, quotient.block_ = a.block_ - b.block_;
    quotient.settle();
    return quotient;
  }
  friend double ratio(WideDouble a, WideDouble b) { return (a / b).value(); }
  explicit operator double() const { return value(); }

 private:
  static constexpr double down() { return 0x1p-512; }
  std::int64_t clamped() const { return block_ > 4 ? 4 : block_ < -4 ? -4 : block_; }
  void settle() {
    while (mantissa_ >= 0x1p256) mantissa_ *= 0x1p-512, ++block_;
    while (mantissa_ < 0x1p-256 && mantissa_ > 0) mantissa_ *= 0x1p512, --block_;
    if (mantissa_ == 0) block_ = 0;
  }

  double mantissa_ = 0;
  std::int64_t block_ = 0;
};

inline double ratio(double a, double b) { return a / b; }

}  // namespace ergode
