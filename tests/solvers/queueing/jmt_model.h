#pragma once
// Simulation models of JMT, section by section as JMT 1.2 writes them.
#include <stdexcept>
#include <string>
#include <vector>

#include "solvers/queueing/exchange/jmt.h"

namespace ergode::test::jmt {

inline const std::string strategies = "jmt.engine.NetStrategies.";

inline std::string sub(const std::string& name, const std::string& path, const std::string& inside) {
  return "<subParameter classPath='" + path + "' name='" + name + "'>" + inside + "</subParameter>";
}
inline std::string value(const std::string& name, const std::string& text) {
  return sub(name, "java.lang.Object", "<value>" + text + "</value>");
}
inline std::string parameter(const std::string& name, const std::string& path, const std::string& inside) {
  return "<parameter classPath='" + path + "' name='" + name + "'>" + inside + "</parameter>";
}
inline std::string number(const std::string& name, const std::string& text) {
  return parameter(name, "java.lang.Integer", "<value>" + text + "</value>");
}
inline std::string of(const std::string& name, const std::string& inside) {
  return "<refClass>" + name + "</refClass>" + inside;
}
inline std::string section(const std::string& kind, const std::string& inside = "") {
  return "<section className='" + kind + "'>" + inside + "</section>";
}
inline std::string node(const std::string& name, const std::string& sections) {
  return "<node name='" + name + "'>" + sections + "</node>";
}

/// Two parts: the distribution and its parameters.
inline std::string exponential_rate(const std::string& rate) {
  return sub("Exponential", "jmt.engine.random.Exponential", "") +
         sub("distrPar", "jmt.engine.random.ExponentialPar", value("lambda", rate));
}
inline std::string constant(const std::string& time_s) {
  return sub("Deterministic", "jmt.engine.random.DeterministicDistr", "") +
         sub("distrPar", "jmt.engine.random.DeterministicDistrPar", value("t", time_s));
}
inline std::string law(const std::string& distribution) {
  return sub("ServiceTimeStrategy", strategies + "ServiceStrategies.ServiceTimeStrategy", distribution);
}
inline const std::string no_time = sub("Zero", strategies + "ServiceStrategies.ZeroServiceTimeStrategy", "");
inline std::string laws(const std::string& name, const std::string& by_class) {
  return parameter(name, strategies + "ServiceStrategy", by_class);
}

/// A model of classes A, B.. (as many as gaps), which all come by one source, pass what is given, and leave.
struct Model {
  std::vector<std::string> gaps;  ///< laws
  std::string nodes, connections, more;

  std::string name(std::size_t c) const { return std::string(1, static_cast<char>('A' + c)); }
  std::string each(const std::string& one) const {
    std::string out;
    for (std::size_t c = 0; c < gaps.size(); ++c) out += of(name(c), one);
    return out;
  }
  std::string router(const std::string& strategy = "RandomStrategy", const std::string& inside = "") const {
    const std::string one = sub("routing", strategies + "RoutingStrategies." + strategy, inside);
    return section("Router", parameter("RoutingStrategy", strategies + "RoutingStrategy", each(one)));
  }
  /// @param more  parameters of the queue besides
  std::string queue(const std::string& size = "-1", const std::string& rule = "drop", const std::string& besides = "",
                    const std::string& get = "FCFSstrategy", const std::string& put = "TailStrategy",
                    const std::string& in_get = "") const {
    return section("Queue", number("size", size) +
                                parameter("dropStrategies", "java.lang.String", each(value("dropStrategy", rule))) +
                                parameter("FCFSstrategy", strategies + "QueueGetStrategies." + get, in_get) +
                                parameter("QueuePutStrategy", strategies + "QueuePutStrategy",
                                          each(sub("put", strategies + "QueuePutStrategies." + put, ""))) +
                                besides);
  }
  std::string server(const std::string& service, const std::string& besides = "", const std::string& kind = "Server",
                     const std::string& servers = "1") const {
    return section(kind, number("maxJobs", servers) +
                             parameter("numberOfVisits", "java.lang.Integer", each(value("numberOfVisits", "1"))) +
                             laws("ServiceStrategy", each(service)) +
                             parameter("classParallelism", "java.lang.Integer", each(value("serverParallelism", "1"))) +
                             besides);
  }
  void add(const std::string& title, const std::string& sections) { nodes += node(title, sections); }
  void connect(const std::string& from, const std::string& to) {
    connections += "<connection source='" + from + "' target='" + to + "'/>";
  }
  /// Source, station, sink.
  void line(const std::string& queue_section, const std::string& serving) {
    add("S", queue_section + serving + router());
    connect("In", "S"), connect("S", "Out");
  }
  std::string text() const {
    std::string classes, sources;
    for (std::size_t c = 0; c < gaps.size(); ++c) {
      classes +=
          "<userClass name='" + name(c) + "' type='open' priority='" + std::to_string(c) + "' referenceSource='In'/>";
      sources += of(name(c), gaps[c]);
    }
    return "<sim>" + classes +
           node("In", section("RandomSource", laws("ServiceStrategy", sources)) + section("ServiceTunnel") + router()) +
           nodes + node("Out", section("JobSink")) + connections + more + "</sim>";
  }
};

inline std::string said(const ReadOutcome& read) {
  std::string out;
  for (const Diagnostic& one : read.diagnostics) out += one.code + " " + one.message + "\n";
  return out;
}
inline Document drawn(const Model& model) {
  ReadOutcome read = import_network(model.text(), "model");
  if (!read.document) throw std::runtime_error(said(read));
  return std::move(*read.document);
}
}  // namespace ergode::test::jmt
