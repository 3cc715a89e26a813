#include "statecharts/execute/configuration_defect.h"

namespace ergode {

std::optional<std::string> configuration_defect(const ChartTables& tables, const std::uint64_t* words) {
  const StateChart& chart = tables.chart;
  const auto active = [words](int s) { return (words[s / 64] >> (s % 64) & 1U) != 0; };
  const auto name = [&chart](int s) {
    return "\"" + (s == 0 ? chart.name : state_path(chart, s)) + "\" (state " + std::to_string(s) + ")";
  };
  if (!active(0)) return "the chart is not active";
  for (int s = 0; s < static_cast<int>(chart.states.size()); ++s) {
    const State& state = chart.states[static_cast<std::size_t>(s)];
    std::size_t inside = 0, regions = 0;
    for (const int child : state.children) {
      if (active(child)) ++inside;
      if (!chart.states[static_cast<std::size_t>(child)].history()) ++regions;
    }
    if (active(s) && state.history()) return "the history " + name(s) + " is active";
    const std::size_t wanted = !active(s)                             ? 0
                               : state.kind == State::Kind::composite ? 1
                               : state.kind == State::Kind::parallel  ? regions
                                                                      : 0;
    if (inside != wanted)
      return name(s) + (active(s) ? " is active with " : " is not active but has ") + std::to_string(inside) +
             " active children; wanted " + std::to_string(wanted);
  }
  return std::nullopt;
}

}  // namespace ergode
