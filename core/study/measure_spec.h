#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/catalogue/measure_kinds.h"
#include "core/results/split.h"
#include "core/stats/mean_interval.h"

namespace ergode {

/// When the weights of an importance sampler count as sound (weights_sound()). A few great weights make both estimate
/// and variance too small most of the time, so an interval resting on them is not to be trusted.
struct WeightHealth {
  double fewest_effective = 100.0;  ///< (sum x)^2 / sum x^2 of the observations x must be at least this,
  double greatest_share = 0.1;      ///< and none may be more than this part of their sum.
};

/// What a tally and its report need to know of one measure; the model's side of it stays with the model. A result is
/// factor / unit_scale times what the observations say, which are in SI. Const while a run goes on; copies share the
/// split.
///
/// From observations to what is shown: x [SI] -> mean and interval [SI] -> times factor / unit_scale -> `unit`. So a
/// probability with factor 1e-3 /yr and unit "/yr" is shown as a frequency, and a time with unit "h" in hours.
///
/// Which of them go together: `proportion` with a `kind` whose observations are 0 or 1; `samples` keeps all
/// observations in bounded memory (core/stats/quantiles.h); `grid_s` makes a curve, whose points cost one or two
/// numbers each; `split` counts observations apart, at most most_split_parts of them.
struct MeasureSpec {
  std::string id = {};                                 ///< Stable name: `failed_4`.
  std::string label = {};                              ///< Sentence for people.
  const MeasureKind* kind = &measure_kinds().front();  ///< Never null.
  ElementId element = {};                              ///< The measure in the document.
  std::string unit = {};                               ///< Unit of the reported value; "" when dimensionless.
  double unit_scale = 1.0;  ///< SI value of one `unit` (Unit::scale): observations are in SI, results divided by this.
  double factor = 1.0;      ///< Multiplies the estimate and its interval: frequency = factor * probability. > 0.
  bool proportion = false;  ///< Observations are 0 or 1; counted as integers, interval of a proportion.
  /// Observations are indicators times weights, of a method for rare events: the mean is a probability, though single
  /// observations may be greater than 1.
  std::optional<WeightHealth> weighted = {};
  Support support = {};  ///< Where one observation must lie [SI]; not for weighted observations.
  /// Of an observation, relative to it: what integration in time may be off by. Ends of intervals keep at least so far
  /// from the estimate. 0 where nothing is integrated or observations are counts.
  double numerical_error = 0.0;
  bool samples = false;  ///< Keeps the distribution of the observations: quantiles, ECDF (time_to, final_value).
  bool lasting = false;  ///< With `samples`: kept is not what is observed, but for how long a value lasted.
  bool fixed = false;    ///< One value in all replications, by what it is: nothing is estimated.
  std::shared_ptr<const Split> split = {};  ///< How the model divides observations; null: it does not.
  bool headline = false;                    ///< Shown first, and held to the precision of a run (precision_goals()).
  double precision = 0.0;           ///< Relative half-width, in (0, 1), that a run waits for of it; 0: none of its own.
  std::vector<double> grid_s = {};  ///< Times of the curve [s], ascending; empty: no curve.
  std::string time_unit = "h";      ///< Unit of the curve's time axis,
  double time_scale = 3600.0;       ///< and its SI value.
};

}  // namespace ergode
