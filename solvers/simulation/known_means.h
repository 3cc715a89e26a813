#pragma once
#include "core/base/diagnostic.h"
#include "core/results/result_set.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// RUN050 (warning) for means in the long run of which theory knows what they are (LoweredPart::known_means()) and
/// which a run saw elsewhere, by more than three half widths of their intervals and 2 %: servers whose longest services
/// are so seldom that the run has hardly seen one are busy far less than what comes to them asks for, and their
/// interval, made of the others, is narrow. All that depends on them is then as wrong, where nothing in the
/// observations shows it. Looks at measures that are a known quantity times a factor; of each quantity at the first.
/// O(measures).
/// @param out  whose measures are answered, as many as the model has and in its order
Diagnostics unlikely_means(const AnalysisModel& model, const ResultSet& out);

}  // namespace ergode
