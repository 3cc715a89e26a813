#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/drawing/picture.h"
#include "core/drawing/plot_picture.h"
#include "core/results/result_set.h"

namespace ergode {

/// A count with its thousands parted by commas: 1,000,000.
std::string count_text(std::uint64_t n);

/// The series of one kind ("curve", "convergence", "distribution") and measure, with its exact counterparts and
/// its limit in the long run, which does not stretch the axis. Empty when the first result set has none.
/// @param title  above the plot; empty where a caption below says what it is.
std::optional<Picture> series_figure(const std::vector<ResultSet>& results, const std::string& measure,
                                     const std::string& kind, const std::string& title = {});

/// The exact answer in any of the result sets that an estimate of the measure can be compared with, or null.
/// Points into `results`; the first that there is.
const MeasureResult* exact_counterpart(const std::vector<ResultSet>& results, const std::string& measure);
/// What the measure tends to in the long run, or null.
const MeasureResult* long_run_counterpart(const std::vector<ResultSet>& results, const std::string& measure);

/// A measure in the figure below.
struct SplitBar {
  std::string label;
  std::vector<double> shares;  ///< Of the estimate, by part of the split, >= 0.
};
/// One stacked bar per measure; each part also carries its percentage where there is room, so that colour is not alone.
Picture split_figure(const Split& split, const std::vector<SplitBar>& bars);

}  // namespace ergode
