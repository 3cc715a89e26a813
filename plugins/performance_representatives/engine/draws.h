#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace performance_representatives {

/// Draws of a seed, the same on every machine: the standard fixes the bits of its engines, not of its distributions.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : bits_(seed) {}
  double uniform() { return static_cast<double>(bits_() >> 11U) * 0x1p-53; }  ///< in [0, 1)
  std::int64_t below(std::int64_t count) {                                    ///< 0 .. count - 1
    return std::min(static_cast<std::int64_t>(uniform() * static_cast<double>(count)), count - 1);
  }
  /// Box and Muller, A note on the generation of random normal deviates, 1958.
  double normal() { return std::sqrt(-2.0 * std::log(1.0 - uniform())) * std::cos(2.0 * std::numbers::pi * uniform()); }
  /// Lognormal with mean 1 and this coefficient of variation.
  double lognormal(double cv) {
    const double variance = std::log1p(cv * cv);
    return std::exp(std::sqrt(variance) * normal() - 0.5 * variance);
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i)
      std::swap(all[i - 1], all[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace performance_representatives
