#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "plugins/llm_serving/engine/step_time.h"

namespace llm_serving {

/// Coefficients of the columns that come nearest to y in the least squares; one that does not vary over the rows, or
/// goes with those before it, is 0. Gram-Schmidt, O(rows columns^2).
/// @param columns  each of as many values as y
std::vector<double> least_squares(const std::vector<std::vector<double>>& columns, const std::vector<double>& y);

/// What fits a profile best: a line, or a polynomial of degree two in contexts, tokens and requests.
struct FittedProfile {
  LinearTime line;                         ///< of all passes
  std::shared_ptr<const PassModel> curve;  ///< none: the line is no worse
  double line_tested = 0.0;   ///< R2 over the passes that were kept from fitting; below 0: worse than their mean
  double curve_tested = 0.0;  ///< ... of the curve
};
/// Every fifth pass is kept from fitting and tests both; the better one is fitted to all passes (Liu et al., arXiv
/// 2406.14066: four fifths to fit, one to test). Below 25 passes the line is taken untested, since the curve has ten
/// terms. Nothing of fewer than two passes.
/// @param factor, all_reduce_ms  of GPUs that share a pass: times of the fit become time * factor + all_reduce_ms
std::optional<FittedProfile> fit_profile(const std::vector<MeasuredPass>& points, double factor = 1.0,
                                         double all_reduce_ms = 0.0);

}  // namespace llm_serving
