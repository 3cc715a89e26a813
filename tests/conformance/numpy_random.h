#pragma once
#include <cmath>
#include <cstdint>

#include "tests/conformance/ziggurat.h"

namespace ergode::test {

/// The generator that NumPy makes by default (version 1.17 and later), seeded with nought: to draw what published
/// workloads were drawn from. O'Neill, PCG: A family of simple fast space-efficient statistically good algorithms for
/// random number generation, HMC-CS-2014-0905 (128 bits of state, output by rotation); Marsaglia and Tsang, The
/// ziggurat method for generating random variables, J. of Statistical Software 5(8), 2000 (256 layers); Lemire, Fast
/// random integer generation in an interval, ACM Trans. on Modeling and Computer Simulation 29(1), 2019.
class NumpyRandom {
 public:
  /// [mean of any unit]
  double exponential(double mean) { return mean * standard_exponential(); }
  /// @returns low to high - 1, both below 2^32
  std::uint32_t integer(std::uint32_t low, std::uint32_t high) {
    const std::uint32_t many = high - low;
    std::uint64_t product = std::uint64_t{half()} * many;
    // What would make the first numbers more frequent is drawn again.
    const std::uint32_t uneven = (0U - many) % many;
    while (static_cast<std::uint32_t>(product) < uneven) product = std::uint64_t{half()} * many;
    return low + static_cast<std::uint32_t>(product >> 32);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr Wide wide(std::uint64_t high, std::uint64_t low) { return Wide{high} << 64 | low; }

  static constexpr double tail = 7.69711747013104972;
  using Layers = Ziggurat<256, std::uint64_t, double>;
  static const Layers& layers() {
    static const Layers all(
        0x1p53, tail, 3.949659822581572e-3, [](double x) { return std::exp(-x); },
        [](double y) { return -std::log(y); });
    return all;
  }

  std::uint64_t bits() {
    state_ = state_ * wide(2549297995355413924ULL, 4865540595714422341ULL) + increment_;
    const auto mixed = static_cast<std::uint64_t>(state_ >> 64) ^ static_cast<std::uint64_t>(state_);
    const auto turn = static_cast<unsigned>(state_ >> 122);
    return mixed >> turn | mixed << (-turn & 63U);
  }
  /// Both halves of a number, the lower one first.
  std::uint32_t half() {
    if (kept_) return kept_ = false, upper_;
    const std::uint64_t both = bits();
    kept_ = true, upper_ = static_cast<std::uint32_t>(both >> 32);
    return static_cast<std::uint32_t>(both);
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double standard_exponential() {
    const Layers& all = layers();
    for (;;) {
      std::uint64_t drawn = bits() >> 3;
      const std::size_t layer = drawn & 255U;
      drawn >>= 8;
      const double x = static_cast<double>(drawn) * all.width[layer];
      if (drawn < all.inside[layer]) return x;
      if (layer == 0) return tail - std::log1p(-uniform());
      if (all.below(layer, uniform(), std::exp(-x))) return x;
    }
  }

  // As `numpy.random.PCG64(0).state` tells them.
  Wide state_ = wide(1919014152682489133ULL, 673392287158723043ULL);
  Wide increment_ = wide(4723672219303484034ULL, 6377435431028945833ULL);
  bool kept_ = false;
  std::uint32_t upper_ = 0;
};

}  // namespace ergode::test
