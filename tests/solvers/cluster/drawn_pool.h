#pragma once
#include <QTemporaryDir>
#include <fstream>

#include "solvers/model/analysis_model.h"
#include "tests/solvers/solver_check.h"

namespace ergode::test {

/// A cluster diagram with one pool of hosts "pool", drawn in code, and a folder for its traces. Times are in seconds.
struct DrawnPool {
  QTemporaryDir folder;
  ModelBuilder m;
  ElementId diagram, pool;
  explicit DrawnPool(const std::string& horizon, Value properties = Value::object())
      : m(horizon), diagram(m.diagram("Cluster", "cluster")) {
    m.header("time_unit", "s");
    properties["name"] = "pool";
    pool = m.node(diagram, {}, "host_pool", std::move(properties));
  }
  ElementId stream(const std::string& name, Value more) {
    more["name"] = name;
    const ElementId out = m.node(diagram, {}, "job_stream", std::move(more));
    m.edge(diagram, "job_flow", out, pool);
    return out;
  }
  ElementId provisioner(Value more) {
    more["name"] = "service";
    const ElementId out = m.node(diagram, {}, "provisioner", std::move(more));
    m.edge(diagram, "job_flow", out, pool);
    return out;
  }
  void file(const std::string& name, const std::string& text) const {
    std::ofstream(folder.path().toStdString() + "/" + name) << text;
  }
  void mean_of(const std::string& name, const std::string& of) {
    m.measure(name, "observed_mean", "", {{"of", of}, {"unit", "s"}});
  }
  Diagnostics found() const {
    Diagnostics out;
    build_model(m.document(), {}, folder.path().toStdString(), out);
    return out;
  }
  ResultSet run(std::uint64_t replications) const {
    RunRequest request;
    request.replications = replications, request.seed = 1, request.confidence = 0.999;
    request.folder = folder.path().toStdString();
    return solved(m.document(), request);
  }
};

}  // namespace ergode::test
