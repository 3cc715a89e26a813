#pragma once
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "solvers/cluster/budget/speedup.h"

namespace ergode {

/// A speedup of a family that is nearest to measurements.
struct SpeedupFit {
  double parameter = 0.0;  ///< of the family, in [0, 1]
  double rms = 0.0;        ///< root of the mean square of measured less fitted speed
  double worst = 0.0;      ///< the greatest such difference, without its sign
};

/// The parameter in [0, 1] with the least sum of squares of s(k_i) - s_i, to 1e-9 where that sum has one valley.
/// @param points  not empty, GPUs >= 1
/// @param family  amdahl, power or logarithmic
/// O(points) times some hundred.
SpeedupFit fit_speedup(Speedup::Family family, std::span<const SpeedupPoint> points);

/// Speeds that were measured, as a table in CSV with a header that names each of these columns once; others are passed
/// over: gpus and speed, in that of one GPU; or num_replicas (or placement), local_bsz and step_time, as Pollux
/// profiles jobs. Of a number of GPUs (the digits of a placement are GPUs of one host each) the best of num_replicas *
/// local_bsz / step_time [1/s] counts, in that of one GPU, which must be there.
///
/// Qiao et al., Pollux: Co-adaptive cluster scheduling for goodput-optimized deep learning, OSDI 2021.
/// @returns points by GPUs, ascending, or one sentence that names file, row, value seen and wanted.
std::variant<std::vector<SpeedupPoint>, std::string> read_speeds(std::string_view text, const std::string& file);

}  // namespace ergode
