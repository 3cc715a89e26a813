#include "core/results/result_set.h"

namespace ergode {

const char* to_text(RunStatus status) {
  switch (status) {
    case RunStatus::complete:
      return "complete";
    case RunStatus::partial:
      return "partial";
    case RunStatus::failed:
      return "failed";
  }
  return "failed";
}

const MeasureResult* ResultSet::measure(const std::string& id) const {
  for (const MeasureResult& result : measures)
    if (result.id == id) return &result;
  return nullptr;
}

}  // namespace ergode
