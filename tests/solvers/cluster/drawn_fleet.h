#pragma once
#include <QTemporaryDir>
#include <fstream>
#include <string>

#include "solvers/model/analysis_model.h"
#include "tests/solvers/solver_check.h"

namespace ergode::test {

/// A cluster diagram with one fleet of GPUs "fleet", drawn in code, and a folder for its traces. Times are in seconds.
struct DrawnFleetModel {
  QTemporaryDir folder;
  ModelBuilder m;
  ElementId diagram, fleet;
  explicit DrawnFleetModel(const std::string& horizon, Value properties = Value::object())
      : m(horizon), diagram(m.diagram("Cluster", "cluster")) {
    m.header("time_unit", "s");
    properties["name"] = "fleet";
    fleet = m.node(diagram, {}, "gpu_fleet", std::move(properties));
  }
  ElementId stream(const std::string& name, Value more) {
    more["name"] = name;
    const ElementId out = m.node(diagram, {}, "job_stream", std::move(more));
    m.edge(diagram, "job_flow", out, fleet);
    return out;
  }
  void file(const std::string& name, const std::string& text) const {
    std::ofstream(folder.path().toStdString() + "/" + name) << text;
  }
  Diagnostics found() const {
    Diagnostics out;
    build_model(m.document(), {}, folder.path().toStdString(), out);
    return out;
  }
  ResultSet run(std::uint64_t replications, unsigned threads = 1) const {
    RunRequest request;
    request.replications = replications, request.seed = 1, request.confidence = 0.999, request.threads = threads;
    request.folder = folder.path().toStdString();
    return solved(m.document(), request);
  }
};

}  // namespace ergode::test
