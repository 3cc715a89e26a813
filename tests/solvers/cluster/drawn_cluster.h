#pragma once
#include <QTemporaryDir>
#include <fstream>
#include <string>
#include <vector>

#include "solvers/model/analysis_model.h"
#include "tests/solvers/solver_check.h"

namespace ergode::test {

/// A cluster diagram with one GPU cluster "grid", drawn in code, and a folder for its traces. Times are in seconds.
struct DrawnCluster {
  QTemporaryDir folder;
  ModelBuilder m;
  ElementId diagram, cluster;
  explicit DrawnCluster(const std::string& horizon, Value properties = Value::object())
      : m(horizon), diagram(m.diagram("Cluster", "cluster")) {
    m.header("time_unit", "s");
    properties["name"] = "grid";
    cluster = m.node(diagram, {}, "gpu_cluster", std::move(properties));
  }
  ElementId stream(const std::string& name, Value more) {
    more["name"] = name;
    const ElementId out = m.node(diagram, {}, "job_stream", std::move(more));
    m.edge(diagram, "job_flow", out, cluster);
    return out;
  }
  void file(const std::string& name, const std::string& text) const {
    std::ofstream(folder.path().toStdString() + "/" + name) << text;
  }
  void mean_of(const std::string& name, const std::string& of, const std::string& unit = "s") {
    if (unit.empty()) m.measure(name, "observed_mean", "", {{"of", of}});
    else m.measure(name, "observed_mean", "", {{"of", of}, {"unit", unit}});
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

/// A column of a table, by its label; NaN where nothing stands.
inline std::vector<double> column_of(const ResultTable& table, const std::string& label) {
  std::vector<double> out;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].label == label)
      for (const auto& row : table.rows) out.push_back(std::get<double>(row[i]));
  return out;
}

}  // namespace ergode::test
