#pragma once
#include <array>
#include <cmath>
#include <cstdint>

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

  struct Layers {
    std::array<double, 256> width{}, height{};
    std::array<std::uint64_t, 256> inside{};  ///< of 2^53: below it no height has to be looked at
  };
  static constexpr double tail = 7.69711747013104972;
  static const Layers& layers() {
    static const Layers all = [] {
      constexpr double area = 3.949659822581572e-3, bits = 9007199254740992.0;
      Layers out;
      double x = tail, above = tail;
      const double base = area / std::exp(-tail);
      out.inside[0] = static_cast<std::uint64_t>(x / base * bits), out.inside[1] = 0;
      out.width[0] = base / bits, out.width[255] = x / bits;
      out.height[0] = 1.0, out.height[255] = std::exp(-x);
      for (std::size_t i = 254; i >= 1; --i) {
        x = -std::log(area / x + std::exp(-x));
        out.inside[i + 1] = static_cast<std::uint64_t>(x / above * bits);
        out.width[i] = x / bits, out.height[i] = std::exp(-x);
        above = x;
      }
      return out;
    }();
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
      if ((all.height[layer - 1] - all.height[layer]) * uniform() + all.height[layer] < std::exp(-x)) return x;
    }
  }

  // As `numpy.random.PCG64(0).state` tells them.
  Wide state_ = wide(1919014152682489133ULL, 673392287158723043ULL);
  Wide increment_ = wide(4723672219303484034ULL, 6377435431028945833ULL);
  bool kept_ = false;
  std::uint32_t upper_ = 0;
};

}  // namespace ergode::test
