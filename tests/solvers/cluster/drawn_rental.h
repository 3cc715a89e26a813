#pragma once
#include "core/base/text.h"
#include "solvers/model/analysis_model.h"
#include "tests/solvers/solver_check.h"

namespace ergode::test {

/// A cluster diagram with one rental "cloud", drawn in code. Times are in hours.
struct DrawnRental {
  ModelBuilder m;
  ElementId diagram, rental;
  explicit DrawnRental(const std::string& horizon, Value properties = Value::object())
      : m(horizon), diagram(m.diagram("Cluster", "cluster")) {
    m.header("time_unit", "h");
    properties["name"] = "cloud";
    rental = m.node(diagram, {}, "rental", std::move(properties));
  }
  ElementId stream(const std::string& name, const std::string& rate, const std::string& size, Value more) {
    more["name"] = name, more["size"] = size;
    if (!rate.empty()) more["rate"] = rate;
    const ElementId out = m.node(diagram, {}, "job_stream", std::move(more));
    m.edge(diagram, "job_flow", out, rental);
    return out;
  }
  void mean_of(const std::string& name, const std::string& of, const std::string& type = "observed_mean",
               const std::string& of_class = "") {
    Value more = {{"of", of}, {"unit", "h"}};
    if (!of_class.empty()) more["class"] = of_class;
    m.measure(name, type, "", std::move(more));
  }
  void mean(const std::string& name, const std::string& expression) { m.measure(name, "time_average", expression); }
  /// Codes of what is wrong with it, sorted.
  std::string problems() const {
    Diagnostics found;
    build_model(m.document(), {}, "", found);
    return codes(found);
  }
  ResultSet run(std::uint64_t replications, const std::string& solver = "simulation") const {
    RunRequest request;
    request.solver = solver, request.replications = replications, request.seed = 1, request.confidence = 0.999;
    return solved(m.document(), request);
  }
};

inline void compare_near(const ResultSet& r, const std::string& id, double wanted, double relative) {
  const double seen = estimate(r, id);
  QVERIFY2(std::fabs(seen - wanted) <= relative * std::fabs(wanted),
           qPrintable(QString("%1: %2, wanted %3").arg(id.c_str()).arg(seen, 0, 'g', 14).arg(wanted, 0, 'g', 14)));
}

}  // namespace ergode::test
