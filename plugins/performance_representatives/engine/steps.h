#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace performance_representatives {

/// Times along one parameter, the others fixed.
struct SizeSweep {
  std::vector<std::int64_t> values;  ///< ascending by one step: 1, or what a hint says
  std::vector<double> times;         ///< by value, above 0; medians of repeats
  std::int64_t step() const { return values.size() > 1 ? values[1] - values[0] : 1; }
};

/// When a rise counts as a jump, and when jumps as stairs.
struct StepRules {
  double noises = 6.0;                   ///< kappa: of the noise of rises, 1.4826 times their median absolute deviation
  double share_of_median = 0.005;        ///< eps: of the median time
  double share_of_greatest = 0.25;       ///< of the greatest rise: noiseless sweeps have ripples in their stairs
  double explained = 0.9;                ///< share of jumps that a width has to explain where there is noise; else all
  double correlation = 0.2;              ///< least autocorrelation that confirms a width
  std::vector<std::int64_t> hints = {};  ///< known widths of the hardware: lanes, rows of an array, bytes per word
};

/// What was found in one sweep.
struct SweepJumps {
  double noise = 0.0, threshold = 0.0;
  std::vector<std::int64_t> jumps;  ///< c where t[c + 1] - t[c] is a jump that lasts: the last value of a stair
};

/// What was found in all sweeps of a parameter.
struct Steps {
  std::int64_t width = 1, offset = 0;
  std::vector<SweepJumps> sweeps;
  std::int64_t most_frequent_gap = 0;  ///< between jumps; 0: fewer than two
  std::int64_t common_divisor = 0;     ///< of all gaps; 0: fewer than two jumps
  double correlation = 0.0;            ///< greatest autocorrelation of rises at a multiple of the width
  std::string because;                 ///< for people
};

/// The jumps of one sweep. O(n log n).
SweepJumps find_jumps(const SizeSweep& sweep, const StepRules& rules);
/// The width that explains all jumps of all sweeps of one parameter: the greatest w with all of them at o + j * w,
/// their greatest common divisor; with noise, a tenth may lie elsewhere. No jumps: 1. The rules are own ones (those of
/// Jung et al., arXiv 2406.08330, 2024, are not published). O(sum of n log n + greatest gap * jumps).
/// @throws std::invalid_argument  a sweep is not ascending by one step, or a time is not above 0
Steps find_steps(const std::vector<SizeSweep>& sweeps, const StepRules& rules = {});

}  // namespace performance_representatives
