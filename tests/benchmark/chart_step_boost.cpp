// The charts as `ergode export --format boost-statechart` writes them at build time. What they include comes first, so
// that two of them have room beside each other.
#define BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
#define BOOST_MPL_LIMIT_LIST_SIZE 50
#define ERGODE_NO_MAIN
#include <algorithm>
#include <boost/mpl/list.hpp>
#include <boost/statechart/custom_reaction.hpp>
#include <boost/statechart/deep_history.hpp>
#include <boost/statechart/event.hpp>
#include <boost/statechart/shallow_history.hpp>
#include <boost/statechart/state.hpp>
#include <boost/statechart/state_machine.hpp>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "tests/benchmark/chart_step.h"

namespace structure {
#undef BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
#undef BOOST_MPL_LIMIT_LIST_SIZE
#include "chart_step_boost.inc"
}  // namespace structure
namespace variables {
#undef BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
#undef BOOST_MPL_LIMIT_LIST_SIZE
#include "chart_variables_boost.inc"
}  // namespace variables

namespace ergode::bench {
namespace {

template <class Machine>
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

StepEngine& boost_statechart_engine(StepChart chart) {
  static BoostEngine<structure::Machine> plain;
  static BoostEngine<variables::Machine> reading;
  if (chart == StepChart::structure) return plain;
  return reading;
}

}  // namespace ergode::bench
