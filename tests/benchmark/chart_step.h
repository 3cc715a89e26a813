#pragma once
#include <string>
#include <vector>

namespace ergode::bench {

/// The charts that all engines step: of pure structure, and one whose guards and actions read variables.
enum class StepChart { structure, variables };
const char* file_of(StepChart chart);
/// Their events; engines get them by their place here.
inline const std::vector<std::string> step_events = {"start", "up", "down", "open", "close", "stop", "trip", "reset"};

/// One engine with the chart in it.
class StepEngine {
 public:
  virtual ~StepEngine() = default;
  virtual void give(const std::vector<std::uint8_t>& events) = 0;
  /// Active states without active states inside, sorted and joined by `|`.
  virtual std::string configuration() = 0;
};

StepEngine& boost_statechart_engine(StepChart chart);
/// Null when Qt SCXML is not there.
StepEngine* qt_scxml_engine();

}  // namespace ergode::bench
