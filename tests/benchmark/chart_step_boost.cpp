// The chart as `ergode export --format boost-statechart` writes it at build time.
#define ERGODE_NO_MAIN
#include "chart_step_boost.inc"
//
#include "tests/benchmark/chart_step.h"

namespace ergode::bench {
namespace {

class BoostEngine : public StepEngine {
 public:
  BoostEngine() {
    for (const std::string& event : step_events) makers_.push_back(machine_.makers().at(event));
    machine_.start();
    machine_.settle();
  }
  void give(const std::vector<std::uint8_t>& events) override {
    for (const std::uint8_t event : events) makers_[event](machine_), machine_.settle();
  }
  std::string configuration() override {
    std::string out;
    for (const std::string& state : machine_.configuration()) out += (out.empty() ? "" : "|") + state;
    return out;
  }

 private:
  Machine machine_;
  std::vector<void (*)(Machine&)> makers_;
};

}  // namespace

StepEngine& boost_statechart_engine() {
  static BoostEngine engine;
  return engine;
}

}  // namespace ergode::bench
