#pragma once
#include <cstddef>
#include <span>

namespace ergode {

/// How the warm-up of one long run is told from the rest.
enum class WarmUpRule { none, mser_5, heidelberger_welch };

/// What such a rule says of a row of batch means.
struct WarmUp {
  std::size_t batches = 0;  ///< to leave out at the beginning, at most half of all
  bool failed = false;      ///< the rule found no such beginning: half is left out, and what follows may still drift
};

/// MSER: leaves out as many batches d as make the squared standard error of the rest, sum (x - mean)^2 / (n - d)^2, the
/// least. Failed where that is more than half of the row. MSER-5 when each mean is of five observations; when the
/// batches have grown it is MSER with larger ones. O(n).
/// White, Cobb and Spratt, A comparison of five steady-state truncation heuristics for simulation, Winter Simulation
/// Conference 2000, pp. 755-760.
WarmUp warm_up_by_mser(std::span<const double> means);

/// The test of Heidelberger and Welch: leaves out 10, 20, ..., 50 % of the row, the first of them after which the rest
/// is stationary by the statistic of Cramer and von Mises of its standardised cumulative sums (level 0.1 %). Their
/// variance is that of the second half, from twenty groups of neighbouring means in place of the spectrum at zero.
/// Failed where none is. Fewer than 40 means: nothing is left out, and nothing is tested. O(n).
///
/// The first tenth goes whatever was seen, and the level is far below their 5 %: a test that rejects one stationary row
/// of twenty takes away the long busy spells near its beginning, and with them part of the mean and of its spread. Of
/// two queues behind a router to the shorter one the mean came out 0.7 % low (run of 230 relaxation times) and its
/// standard error 8 % too small; with the first tenth alone neither was.
/// Heidelberger and Welch, Simulation run length control in the presence of an initial transient, Operations Research
/// 31(6), 1983; Anderson and Darling, Annals of Mathematical Statistics 23(2), 1952 (1.168).
WarmUp warm_up_by_stationarity(std::span<const double> means);

WarmUp warm_up(WarmUpRule rule, std::span<const double> means);

}  // namespace ergode
