#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/drawing/picture.h"

namespace ergode {

/// One line of a plot, x ascending, in the units of the axes.
struct PlotSeries {
  std::string label{};
  std::vector<double> x{}, y{};
  std::vector<double> lower{}, upper{};  ///< Band at 20 % opacity; empty: none. Same length as x.
  std::optional<Role> role{};            ///< Colour and dash; by the series' place in the list when not given.
  std::optional<Dash> dash{};
  bool sets_range = true;  ///< Otherwise drawn where the others leave room for it.
  bool steps = false;      ///< y holds until the next x (distribution functions).
  bool points = false;     ///< Dots with upright intervals, rings where there are none; nothing joins them.
};

/// A line plot. Values that are not finite interrupt a line; on a logarithmic axis so do values <= 0.
///
///     PlotSpec spec{.x_label = "Model time", .x_unit = "h", .y_label = "Probability"};
///     spec.series.push_back({.label = "estimate", .x = times_h, .y = values, .lower = lower, .upper = upper});
///     const std::string file = to_svg(draw_plot(spec), Theme::print());
struct PlotSpec {
  std::string title{};                                   ///< Above the axes; empty: none.
  std::string x_label{}, x_unit{}, y_label{}, y_unit{};  ///< Axis titles read "label [unit]".
  bool log_x = false, log_y = false;
  bool whole_x = false;                ///< x counts something: ticks are whole numbers.
  std::vector<std::string> x_words{};  ///< x is the place of a word, from 0: these stand at the axis instead of ticks.
  std::vector<PlotSeries> series{};
  std::string band_label{};  ///< In the legend, once: "95 % interval"; empty: bands are not named.
  std::string caption{};     ///< Below the plot: replications, seed.
  double width = 660, height = 380;
  /// Points with x below this share of the largest x do not count for the range of y: the wild beginning of a
  /// convergence plot.
  double settling = 0.0;
};

/// Axes left and below with nice ticks and a light grid; lines cut at the axes, not hidden behind them; each series
/// with its colour and dash; the legend inside where it covers no data, else below. Empty series, single points and
/// constants are all drawn; without any value the plot says "no data". The view is exactly width x height.
/// O(points). Times and values are what the caller gives: nothing is converted.
Picture draw_plot(const PlotSpec& spec);

/// Ascending, within the range that was asked for; a label for each.
struct AxisTicks {
  std::vector<double> at;
  std::vector<std::string> labels;
  int exponent = 0;  ///< Labels are in units of 10^exponent.
};
/// About `wanted` round values within [low, high]; low < high. On a logarithmic axis powers of ten (or 1, 2, 5 times
/// them). With `hours`, steps of 3, 4, 6, 12 or 24 where a day's length calls for them. `whole`: of what is counted,
/// with no tick between two whole numbers.
AxisTicks axis_ticks(double low, double high, int wanted, bool logarithmic, bool hours = false, bool whole = false);

/// The parts of a polyline inside a rectangle, in their order, cut at its border; none for a line that stays outside.
std::vector<std::vector<Point>> clipped(const std::vector<Point>& line, const Rect& box);

}  // namespace ergode
