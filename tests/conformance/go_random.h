// The generator of Go's package math/rand, for cases that were recorded with it.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "tests/conformance/ziggurat.h"

namespace ergode::test {

/// Numbers as Go's `rand.New(rand.NewSource(seed))` draws them: an additive lagged Fibonacci generator of 607 words
/// (Mitchell and Reeds), and ziggurats for normal and exponential numbers (Marsaglia and Tsang, The ziggurat method for
/// generating random variables, Journal of Statistical Software 5(8), 2000). No table is copied: the words that are
/// mixed into every seed are those of the generator after 7.8e12 steps from seed 1, and found here by x^7.8e12 modulo
/// its characteristic polynomial.
class GoRandom {
 public:
  explicit GoRandom(std::int64_t seed) {
    static const Words mixed = far_words();
    std::int64_t x = seed % modulus;
    if (x < 0) x += modulus;
    if (x == 0) x = 89482311;
    fill(words_, x, 40, 20);
    for (std::size_t i = 0; i < length; ++i) words_[i] ^= mixed[i];
  }
  /// In 0 .. 2^63 - 1.
  std::int64_t int63() {
    tap_ = tap_ == 0 ? length - 1 : tap_ - 1;
    feed_ = feed_ == 0 ? length - 1 : feed_ - 1;
    words_[feed_] += words_[tap_];
    return static_cast<std::int64_t>(words_[feed_] & (~std::uint64_t{0} >> 1U));
  }
  /// In 0 .. n - 1. @param n  1 .. 2^31 - 1
  std::int32_t intn(std::int32_t n) {
    const auto draw = [this] { return static_cast<std::int32_t>(int63() >> 32); };
    if ((n & (n - 1)) == 0) return draw() & (n - 1);
    const auto most = static_cast<std::int32_t>((1U << 31U) - 1 - (1U << 31U) % static_cast<std::uint32_t>(n));
    std::int32_t v = draw();
    while (v > most) v = draw();
    return v % n;
  }
  /// In [0, 1).
  double uniform() {
    for (;;) {
      const double u = static_cast<double>(int63()) * 0x1p-63;
      if (u < 1.0) return u;
    }
  }
  /// Of mean 1.
  double exponential() {
    static const Exponentials z = exponential_ziggurat();
    for (;;) {
      const auto j = static_cast<std::uint32_t>(int63() >> 31);
      const std::size_t i = j & 0xFFU;
      const double x = j * static_cast<double>(z.width[i]);
      if (j < z.inside[i]) return x;
      if (i == 0) return exponential_end - std::log(uniform());
      if (z.below(i, uniform(), std::exp(-x))) return x;
    }
  }
  /// Of mean 0 and variance 1.
  double normal() {
    static const Normals z = normal_ziggurat();
    for (;;) {
      const auto j = static_cast<std::int32_t>(static_cast<std::uint32_t>(int63() >> 31));
      const std::size_t i = static_cast<std::uint32_t>(j) & 0x7FU;
      double x = j * static_cast<double>(z.width[i]);
      if (static_cast<std::uint32_t>(std::abs(std::int64_t{j})) < z.inside[i]) return x;
      if (i == 0) {
        double y = 0.0;
        do {
          x = -std::log(uniform()) / normal_end;
          y = -std::log(uniform());
        } while (y + y < x * x);
        return j > 0 ? normal_end + x : -normal_end - x;
      }
      if (z.below(i, uniform(), std::exp(-0.5 * x * x))) return x;
    }
  }

 private:
  static constexpr std::size_t length = 607, lag = 273;
  static constexpr std::int64_t modulus = (std::int64_t{1} << 31) - 1;
  static constexpr double exponential_end = 7.69711747013104972, normal_end = 3.442619855899;
  using Words = std::array<std::uint64_t, length>;

  using Exponentials = Ziggurat<256, std::uint32_t, float>;
  using Normals = Ziggurat<128, std::uint32_t, float>;

  static void fill(Words& words, std::int64_t x, unsigned first, unsigned second) {
    const auto next = [&x] { return static_cast<std::uint64_t>(x = x * 48271 % modulus); };
    for (int i = 0; i < 20; ++i) next();
    for (std::uint64_t& word : words) {
      word = next() << first;
      word ^= next() << second;
      word ^= next();
    }
  }
  /// Words are overwritten from place 333 down: in that order they are y_0 .. y_606, and y_{n+607} = y_n + y_{n+334}.
  static Words far_words() {
    constexpr std::uint64_t steps = 7'800'000'000'000;
    std::array<std::uint64_t, 2 * length> power{}, square{};
    power[0] = 1;
    for (int bit = 63; bit >= 0; --bit) {
      square.fill(0);
      const std::size_t shift = (steps >> static_cast<unsigned>(bit)) & 1U;
      for (std::size_t i = 0; i < length; ++i)
        for (std::size_t j = 0; j < length; ++j) square[i + j + shift] += power[i] * power[j];
      for (std::size_t d = 2 * length - 1; d >= length; --d) {
        square[d - length] += square[d], square[d - lag] += square[d];
        square[d] = 0;
      }
      power = square;
    }
    Words start{}, out{};
    fill(start, 1, 20, 10);
    std::array<std::uint64_t, 2 * length> y{};
    for (std::size_t k = 0; k < length; ++k) y[k] = start[place(k)];
    for (std::size_t k = 0; k < length; ++k) y[k + length] = y[k] + y[k + length - lag];
    for (std::size_t k = 0; k < length; ++k) {
      std::uint64_t sum = 0;
      for (std::size_t j = 0; j < length; ++j) sum += power[j] * y[j + k];
      out[place(steps % length + k)] = sum;
    }
    return out;
  }
  static std::size_t place(std::size_t k) { return (length - lag - 1 + 2 * length - k % length) % length; }

  static Exponentials exponential_ziggurat() {
    return {0x1p32, exponential_end, 3.949659822581557e-3, [](double x) { return std::exp(-x); },
            [](double y) { return -std::log(y); }};
  }
  static Normals normal_ziggurat() {
    return {0x1p31, normal_end, 9.91256303526217e-3, [](double x) { return std::exp(-0.5 * x * x); },
            [](double y) { return std::sqrt(-2.0 * std::log(y)); }};
  }

  Words words_{};
  std::size_t tap_ = 0, feed_ = length - lag;
};

}  // namespace ergode::test
