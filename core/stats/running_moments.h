#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ergode {

/// Number, mean and sum of squared deviations of many observations, block by block: two passes over a block, of which
/// neither divides. Mergeable as Tally, which tells more of few. Values in the observed quantity's own unit; worthless
/// after one that is infinite or NaN. No allocation; one thread.
/// Chan, Golub and LeVeque, Algorithms for computing the sample variance, The American Statistician 37(3), 1983.
class RunningMoments {
 public:
  /// Each of them. O(n); for blocks of some hundred a few operations each.
  void observe(std::span<const double> block) noexcept {
    if (block.empty()) return;
    const auto n = static_cast<double>(block.size());
    const double mean = four_sums(block, [](double x) { return x; }) / n;
    merge({block.size(), mean, four_sums(block, [mean](double x) { return (x - mean) * (x - mean); })});
  }
  /// The same value so many times.
  void observe(double x, std::uint64_t times) noexcept { merge({times, x, 0.0}); }
  /// Adds what `other` saw; other partitions than before agree to rounding. O(1).
  void merge(const RunningMoments& other) noexcept {
    if (other.n_ == 0) return;
    if (n_ == 0) {
      *this = other;
      return;
    }
    const double a = static_cast<double>(n_), b = static_cast<double>(other.n_), share = b / (a + b);
    const double delta = other.mean_ - mean_;
    mean_ += delta * share;
    squares_ += other.squares_ + delta * delta * a * share;
    n_ += other.n_;
  }

  std::uint64_t n() const noexcept { return n_; }
  double mean() const noexcept { return mean_; }  ///< 0 when nothing was observed
  /// Sum of the squares of x - centre over what was observed.
  double squares_about(double centre) const noexcept {
    const double off = mean_ - centre;
    return squares_ + static_cast<double>(n_) * off * off;
  }
  /// Mean squared deviation (divisor n); 0 when nothing was observed.
  double variance() const noexcept { return n_ > 0 ? squares_ / static_cast<double>(n_) : 0.0; }

  /// Names the fields to a ByteWriter or ByteReader.
  template <typename Archive>
  void archive(Archive& a) {
    a(n_, mean_, squares_);
  }

  RunningMoments() = default;

 private:
  RunningMoments(std::uint64_t n, double mean, double squares) : n_(n), mean_(mean), squares_(squares) {}

  /// Four sums side by side, as an addition waits for the one before it.
  template <class Term>
  static double four_sums(std::span<const double> block, Term term) noexcept {
    std::array<double, 4> sums{};
    std::size_t i = 0;
    for (; i + 4 <= block.size(); i += 4)
      for (std::size_t k = 0; k < 4; ++k) sums[k] += term(block[i + k]);
    for (; i < block.size(); ++i) sums[0] += term(block[i]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  std::uint64_t n_ = 0;
  double mean_ = 0.0, squares_ = 0.0;
};

}  // namespace ergode
