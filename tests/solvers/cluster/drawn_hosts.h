#pragma once
#include <QTemporaryDir>
#include <fstream>
#include <string>
#include <vector>

#include "solvers/model/analysis_model.h"
#include "tests/solvers/solver_check.h"

namespace ergode::test {

/// A cluster diagram with one node of hosts to which streams of jobs lead, drawn in code, and a folder for traces.
/// Times are in seconds.
struct DrawnHosts {
  QTemporaryDir folder;
  ModelBuilder m;
  ElementId diagram, hosts;
  DrawnHosts(const std::string& kind, const std::string& name, const std::string& horizon, Value properties)
      : m(horizon), diagram(m.diagram("Cluster", "cluster")) {
    m.header("time_unit", "s");
    properties["name"] = name;
    hosts = m.node(diagram, {}, kind, std::move(properties));
  }
  /// A node whose jobs come to the hosts.
  ElementId sends(const std::string& kind, const std::string& name, Value more) {
    more["name"] = name;
    const ElementId out = m.node(diagram, {}, kind, std::move(more));
    m.edge(diagram, "job_flow", out, hosts);
    return out;
  }
  ElementId stream(const std::string& name, Value more) { return sends("job_stream", name, std::move(more)); }
  void file(const std::string& name, const std::string& text) const {
    std::ofstream(folder.path().toStdString() + "/" + name) << text;
  }
  void mean_of(const std::string& name, const std::string& of, const std::string& unit = "s") {
    if (unit.empty()) m.measure(name, "observed_mean", "", {{"of", of}});
    else m.measure(name, "observed_mean", "", {{"of", of}, {"unit", unit}});
  }
  /// A component array "node" of a chart with two states, which fails and is repaired by these triggers.
  void draw_nodes(int count, const std::string& failure, const std::string& repair) {
    ChartBuilder chart(m, "Node");
    const ElementId up = chart.state("Up"), down = chart.state("Down");
    chart.initial(up), chart.transition(up, down, failure), chart.transition(down, up, repair);
    m.component("node", "Node", std::to_string(count));
  }
  Diagnostics found() const {
    Diagnostics out;
    build_model(m.document(), {}, folder.path().toStdString(), out);
    return out;
  }
  ResultSet run(std::uint64_t replications, unsigned threads = 0) const {
    RunRequest request;
    request.replications = replications, request.seed = 1, request.confidence = 0.999, request.threads = threads;
    request.folder = folder.path().toStdString();
    return solved(m.document(), request);
  }
};

/// One GPU cluster "grid".
struct DrawnCluster : DrawnHosts {
  explicit DrawnCluster(const std::string& horizon, Value properties = Value::object())
      : DrawnHosts("gpu_cluster", "grid", horizon, std::move(properties)) {}
};

/// One pool of hosts "pool".
struct DrawnPool : DrawnHosts {
  explicit DrawnPool(const std::string& horizon, Value properties = Value::object())
      : DrawnHosts("host_pool", "pool", horizon, std::move(properties)) {}
  ElementId provisioner(Value more) { return sends("provisioner", "service", std::move(more)); }
};

/// One fleet of GPUs "fleet".
struct DrawnFleetModel : DrawnHosts {
  explicit DrawnFleetModel(const std::string& horizon, Value properties = Value::object())
      : DrawnHosts("gpu_fleet", "fleet", horizon, std::move(properties)) {}
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
