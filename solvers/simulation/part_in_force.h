#pragma once
#include "solvers/model/analysis_model.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// The part of the model's split in force now, in a history at any moment: the gravest cause among the failures that
/// stand in its charts, or what the slot of another part says that divides what measures see (LoweredPart::split()).
/// Less than AnalysisModel::parts(). O(1).
inline SplitPart part_in_force(const AnalysisModel& model, const ChartReplication& charts) {
  if (model.split_slot < 0) return charts.split_part();
  const double part = charts.slots()[model.split_slot];
  return part >= 0.0 && part < static_cast<double>(model.split->parts.size()) ? static_cast<SplitPart>(part) : 0;
}

}  // namespace ergode
