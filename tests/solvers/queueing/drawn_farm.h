#pragma once
#include "tests/solvers/queueing/overloads_told.h"

namespace ergode::test {

/// "desk", to which customers come without end, and charts.
struct Farm : DrawnNetwork {
  ElementId in, desk;
  explicit Farm(const std::string& rate = "1 /s") : DrawnNetwork("1000 s") {
    in = node("source", "in", {{"rate", rate}});
    desk = node("station", "desk", {{"service", exponential(1.0)}});
    flow(in, desk), flow(desk, node("sink", "out"));
  }
  Farm& station(const std::string& property, const std::string& text) {
    m.set(desk, property, text);
    return *this;
  }
  /// Machines that are up and down, by these triggers.
  Farm& machines(const std::string& name, const std::string& count, const std::string& fails,
                 const std::string& is_repaired) {
    ChartBuilder chart(m, "Chart_of_" + name);
    const ElementId up = chart.state("Up"), down = chart.state("Down");
    chart.initial(up), chart.transition(up, down, fails), chart.transition(down, up, is_repaired);
    m.component(name, "Chart_of_" + name, count);
    return *this;
  }
};

}  // namespace ergode::test
