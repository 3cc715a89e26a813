#pragma once
#include <array>
#include <cstddef>

namespace ergode::test {

/// Layers of equal area under a density that falls from 0 on, the last with the tail: Marsaglia and Tsang, The ziggurat
/// method for generating random variables, J. of Statistical Software 5(8), 2000. `Whole` and `Real` are the numbers in
/// which a generator keeps them, which its draws depend on.
template <std::size_t N, class Whole, class Real>
struct Ziggurat {
  std::array<Whole, N> inside{};  ///< of whole numbers below `unit`: below it no height has to be looked at
  std::array<Real, N> width{}, height{};

  /// @param unit     whole numbers are drawn below it
  /// @param end      where the tail begins
  /// @param area     of a layer
  /// @param density  of x, 1 at 0
  /// @param where    the density has a value
  template <class Density, class Where>
  Ziggurat(double unit, double end, double area, const Density& density, const Where& where) {
    double x = end, last = end;
    const double base = area / density(x);
    inside[0] = static_cast<Whole>(x / base * unit);
    width[0] = static_cast<Real>(base / unit), width[N - 1] = static_cast<Real>(x / unit);
    height[0] = Real{1}, height[N - 1] = static_cast<Real>(density(x));
    for (std::size_t i = N - 2; i >= 1; --i) {
      x = where(area / x + density(x));
      inside[i + 1] = static_cast<Whole>(x / last * unit);
      last = x;
      width[i] = static_cast<Real>(x / unit), height[i] = static_cast<Real>(density(x));
    }
  }
  bool below(std::size_t i, double u, double density) const {
    return height[i] + static_cast<Real>(u) * (height[i - 1] - height[i]) < static_cast<Real>(density);
  }
};

}  // namespace ergode::test
