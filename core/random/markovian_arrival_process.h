#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/random/random_stream.h"

namespace ergode {

/// Arrivals with memory (MAP): a Markov chain of phases some of whose transitions bring an arrival. Rates D0 without
/// and D1 with one; D0 + D1 is an irreducible generator. Poisson arrivals whose rate follows a chain (MMPP) have a
/// diagonal D1; independent gaps in phases are one too.
///
/// Const but for assignment; many threads may sample one at once. Moments follow from the phase just after an arrival,
/// which is a chain of its own with transitions P = (-D0)^-1 D1: Neuts, A versatile Markovian point process, J. Appl.
/// Prob. 16, 1979; Lucantoni, New results on the single server queue with a batch Markovian arrival process, Stochastic
/// Models 7(1), 1991. Cost of making one O(n^3), of a gap O(n) for each phase visited.
class MarkovianArrivalProcess {
 public:
  /// @param d0, d1  row after row [1/s], n x n, n up to 100: off the diagonal of d0 and in d1 >= 0, rows of both
  ///     together sum to 0 within 1e-9 of what leaves
  /// @returns one sentence that names the matrix, the value seen and the values wanted, where it is none: also where
  ///     not every phase is reached from every other, or no arrival ever comes.
  static std::variant<MarkovianArrivalProcess, std::string> make(std::vector<double> d0, std::vector<double> d1);
  /// Poisson arrivals of `rates` [1/s] by phase, each >= 0, with phases that change by `switching` [1/s].
  /// @param switching  row after row, n x n; the diagonal is 0 or minus what leaves. Of two phases the two rates of
  ///     leaving them will do.
  static std::variant<MarkovianArrivalProcess, std::string> modulated(std::span<const double> rates,
                                                                      std::span<const double> switching);

  std::size_t phases() const { return leaving_.size(); }
  const std::vector<double>& without() const { return d0_; }  ///< D0, row after row [1/s]
  const std::vector<double>& with() const { return d1_; }     ///< D1
  /// Phase at any time, and just after an arrival, in the long run.
  std::span<const double> stationary() const { return stationary_; }
  std::span<const double> after_arrival() const { return after_; }
  double rate() const { return rate_; }        ///< arrivals in the long run [1/s]
  double mean_s() const { return 1 / rate_; }  ///< of a gap in the long run
  double variance() const { return variance_; }
  /// Squared coefficient of variation of a gap in the long run.
  double scv() const { return variance_ * rate_ * rate_; }
  /// Correlation of two gaps so many arrivals apart, lag >= 1; 0 where gaps do not vary. O(lag n^2).
  double autocorrelation(std::size_t lag) const;
  /// Variance over mean of the number of arrivals in a long time (index of dispersion for counts): 1 + 2 of all
  /// correlations and what gaps vary: O(n^3).
  double dispersion() const;

  /// A phase as it is at any time, and as it is just after an arrival. One uniform.
  std::uint32_t begin(RandomStream& stream) const;
  std::uint32_t begin_after_arrival(RandomStream& stream) const;
  /// Time to the next arrival [s], which leaves `phase` as it is just after that; an exponential and a uniform for each
  /// phase visited.
  double next(std::uint32_t& phase, RandomStream& stream) const;

 private:
  std::vector<double> d0_, d1_, inverse_;  ///< the last: (-D0)^-1
  std::vector<double> leaving_;            ///< by phase: rate of anything happening
  std::vector<double> jumps_;              ///< by phase 2 n cumulated probabilities: without, then with an arrival
  std::vector<double> stationary_, after_, cumulated_, cumulated_after_;
  double rate_ = 0.0, variance_ = 0.0;
};

}  // namespace ergode
