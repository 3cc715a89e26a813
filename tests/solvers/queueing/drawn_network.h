#pragma once
#include "core/base/text.h"
#include "solvers/model/analysis_model.h"
#include "tests/solvers/solver_check.h"

namespace ergode::test {

/// The law of that mean [s], to the last bit.
inline std::string exponential(double mean) { return "exponential(mean = " + number_text(mean) + " s)"; }

/// The difference is at most that share of what was wanted, or of 1 where that is more.
inline void near(double seen, double wanted, const std::string& what, double digits = 1e-8) {
  QVERIFY2(std::fabs(seen - wanted) <= digits * std::max(1.0, std::fabs(wanted)),
           qPrintable(QString("%1: %2, wanted %3").arg(what.c_str()).arg(seen, 0, 'g', 15).arg(wanted, 0, 'g', 15)));
}
inline void near(const ResultSet& r, const std::string& id, double wanted, double digits = 1e-8) {
  near(estimate(r, id), wanted, id, digits);
}

/// A queueing diagram, drawn in code. Times of the model are in seconds.
struct DrawnNetwork {
  ModelBuilder m;
  ElementId diagram;
  explicit DrawnNetwork(const std::string& horizon = "4000 s") : m(horizon), diagram(m.diagram("Net", "queueing")) {
    m.header("time_unit", "s");
  }
  /// Codes of what is wrong with it, in their order.
  std::string problems() const {
    Diagnostics found;
    build_model(m.document(), {}, "", found);
    return codes(found);
  }
  ElementId node(const std::string& kind, const std::string& name, Value more = Value::object()) {
    more["name"] = name;
    return m.node(diagram, {}, kind, std::move(more));
  }
  ElementId flow(ElementId from, ElementId to, Value more = Value::object()) {
    return m.edge(diagram, "flow", from, to, std::move(more));
  }
  void mean(const std::string& name, const std::string& expression) {
    m.measure(name, "steady_state_mean", expression);
  }
  void mean_of(const std::string& name, const std::string& stream) {
    m.measure(name, "steady_state_mean", "", {{"of", stream}});
  }
  /// Source, station "desk", sink, and measures of the station; @returns the station.
  ElementId queue(const std::string& gap, const std::string& service, Value more = Value::object()) {
    const ElementId source = node("source", "in", {{"interarrival", gap}});
    more["service"] = service;
    const ElementId station = node("station", "desk", std::move(more)), sink = node("sink", "out");
    flow(source, station), flow(station, sink);
    mean("number", "desk.number"), mean("busy", "desk.busy"), mean("waiting", "desk.waiting");
    mean_of("response", "desk.response_time"), mean_of("wait", "desk.waiting_time");
    return station;
  }
};

}  // namespace ergode::test
