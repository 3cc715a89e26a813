// Networks of line_solver as drawings, and the rows of its tables.
#pragma once
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/conformance/cases.h"
#include "tests/solvers/queueing/drawn_network.h"

namespace ergode::test {

/// A file of theirs.
inline nlohmann::json line_json(const std::string& name) {
  std::ifstream file(case_folder("line_solver") + "/" + name);
  return nlohmann::json::parse(file);
}

/// A network of theirs as a drawing, node by node; empty with what it has that is not drawn here. Stations are called
/// n0, n1, ... in their order, other nodes x0, x1, ... by their number, classes c0, c1, ...
struct LineModel {
  /// Numbers of the codes of line_solver (enums.json) that the drawings here have.
  enum NodeCode { source = 0, sink = 1, queue = 2, delay = 3, fork = 4, join = 5, router = 7, class_switch = 8 };

  const nlohmann::json& model;
  std::string missing;
  DrawnNetwork d;
  std::size_t classes = 0;
  std::vector<int> kinds;  ///< by station

  explicit LineModel(const nlohmann::json& of) : model(of), classes(of["classnames"].size()) { draw(); }

  /// What a code of theirs stands for.
  static std::string word(const char* list, int code) {
    static const nlohmann::json words = line_json("enums.json");
    return words[list].value(std::to_string(code), std::to_string(code));
  }
  static double number(const nlohmann::json& value) { return value.is_string() ? INFINITY : value.get<double>(); }
  static std::string of_class(std::size_t c) { return "c" + std::to_string(c); }
  /// Nothing is measured at a source, nothing but who waits at a join, and no utilisation of a delay.
  bool unasked(std::size_t station, const std::string& measure) const {
    if (station >= kinds.size()) return true;  // a router, a sink
    if (measure == "residence_time" && forks()) return true;
    const int kind = kinds[station];
    return kind == source || (kind == join && (classes > 1 || measure != "queue_length")) ||
           (kind == delay && measure == "utilisation");
  }
  /// Their residence times are then of one of the siblings, some over the number of them.
  bool forks() const {
    return std::find(model["nodetype"].begin(), model["nodetype"].end(), static_cast<int>(fork)) !=
           model["nodetype"].end();
  }
  /// Customers of the class at the station pass it so often, by their visits.
  double visits(std::size_t station, std::size_t c) const {
    double out = 0;
    for (const auto& chain : model["visits"]) out += number(chain[station][c]);
    return out;
  }
  /// Measures under the names that solvers have for what they tell unasked.
  void ask() {
    for (std::size_t n = 0; n < kinds.size(); ++n)
      for (std::size_t c = 0; c < classes; ++c) {
        const std::string name = "n" + std::to_string(n), only = classes > 1 ? "." + of_class(c) : "";
        const std::string at = "/" + name + "/" + of_class(c);
        if (kinds[n] == join && classes == 1) d.mean("queue_length" + at, name + ".number");
        if ((kinds[n] != queue && kinds[n] != delay) || law(n, c).empty()) continue;
        d.mean("queue_length" + at, name + ".number" + only);
        if (kinds[n] == queue)
          d.mean("utilisation" + at, name + ".busy" + only + " / " + number_text(number(model["nservers"][n])));
        for (const auto& [id, type] :
             {std::pair("response_time", "steady_state_mean"), std::pair("throughput", "observed_rate")}) {
          Value more = {{"of", name + ".response_time"}, {"unit", std::string(type) == "observed_rate" ? "/s" : "s"}};
          if (classes > 1) more["class"] = of_class(c);
          d.m.measure(id + at, type, "", std::move(more));
        }
      }
  }
  /// Of a process; empty: none, or one that is not drawn here.
  std::string law(std::size_t station, std::size_t c) {
    const std::string kind = model["procid"][station][c];
    const nlohmann::json& process = model["proc"][station][c];
    if (kind == "DISABLED" || number(model["rates"][station][c]) == 0) return {};
    if (kind == "EXP" && process.contains("rate")) return "exponential(rate = " + number_text(process["rate"]) + " /s)";
    if (kind == "IMMEDIATE") return "0 s";
    if (kind == "ERLANG")
      return "erlang(k = " + std::to_string(process["k"].get<int>()) +
             ", mean = " + number_text(process["k"].get<double>() / process["mu"].get<double>()) + " s)";
    if (kind == "HYPEREXP" && process.contains("probs"))
      return "hyperexponential(p = [" + number_text(process["probs"][0]) + ", " + number_text(process["probs"][1]) +
             "], rate = [" + number_text(process["rates"][0]) + " /s, " + number_text(process["rates"][1]) + " /s])";
    if (kind == "APH" || kind == "PH")
      return "phase_type(initial = " + list(process[0], "") + ", generator = " + matrix(process[1]) + ")";
    if (kind == "MAP" || kind == "MMPP2")
      return "map(d0 = " + matrix(process[0]) + ", d1 = " + matrix(process[1]) + ")";
    if (!process.is_null()) missing = "process " + kind;
    return {};
  }

 private:
  static std::string list(const nlohmann::json& values, const std::string& unit) {
    std::string out;
    for (const auto& one : values) out += (out.empty() ? "" : ", ") + number_text(one) + unit;
    return "[" + out + "]";
  }
  static std::string matrix(const nlohmann::json& rows) {
    std::string out;
    for (const auto& row : rows) out += (out.empty() ? "" : ", ") + list(row, " /s");
    return "[" + out + "]";
  }

  void draw_classes() {
    for (std::size_t c = 0; c < classes; ++c) {
      const double population = number(model["njobs"][c]);
      // Theirs: smaller ones go first.
      Value more = {{"priority", number_text(-number(model["classprio"][c]))}};
      if (std::isfinite(population) && population > 0) {
        more["population"] = number_text(population);
        more["reference"] = "n" + std::to_string(model["refstat"][c].get<std::size_t>());
      }
      d.node("job_class", of_class(c), more);
    }
  }

  ElementId draw_station(std::size_t station, int kind, Value more) {
    static const std::map<int, const char*> disciplines = {{0, "fcfs"}, {1, "lcfs"}, {2, "lcfs_pr"}, {4, "ps"},
                                                           {5, "dps"},  {9, "fcfs"}, {12, "siro"}};
    const std::string name = "n" + std::to_string(station);
    std::string by_class, weights;
    for (std::size_t c = 0; c < classes; ++c) {
      const std::string one = law(station, c);
      if (one.empty()) continue;
      by_class += (by_class.empty() ? "" : ", ") + of_class(c) + " = " + one;
      weights +=
          (weights.empty() ? "" : ", ") + of_class(c) + " = " + number_text(number(model["schedparam"][station][c]));
    }
    if (kind == delay) {
      more["time_of"] = by_class;
      return d.node("delay", name, more);
    }
    const int code = model["sched"][std::to_string(station)];
    const auto found = disciplines.find(code);
    if (found == disciplines.end()) {
      missing = "discipline " + word("SchedStrategy", code);
      return {};
    }
    more["service_of"] = by_class, more["discipline"] = found->second;
    more["priorities"] = code == 9 ? "nonpreemptive" : "ignored";
    more["weights"] = code == 5 ? weights : std::string();
    more["servers"] = number_text(number(model["nservers"][station]));
    return d.node("station", name, more);
  }

  void draw() {
    draw_classes();
    const std::size_t count = model["nodetype"].size();
    std::vector<int> node_kinds;
    std::vector<std::vector<ElementId>> drawn(count, std::vector<ElementId>(classes));  // by node, then class
    for (std::size_t n = 0, station = 0; n < count; ++n) {
      const int kind = model["nodetype"][n];
      node_kinds.push_back(kind);
      Value more = Value::object();
      for (const auto& one : model["routing"][n]) {
        const int code = one;
        if (code > 2) missing = "routing " + word("RoutingStrategy", code);
        if (code == 2 && classes == 1) more["routing"] = "round_robin";
      }
      if (kind != source && kind != sink && kind != queue && kind != delay && kind != fork && kind != join &&
          kind != router && kind != class_switch)
        missing = "a node of kind " + word("NodeType", kind);
      if (!missing.empty()) return;
      ElementId id;
      if (kind == source) {
        for (std::size_t c = 0; c < classes; ++c)
          if (const std::string gap = law(station, c); !gap.empty())
            drawn[n][c] = d.node("source", "n" + std::to_string(station) + of_class(c),
                                 {{"interarrival", gap}, {"class", of_class(c)}});
      } else if (kind == sink) {
        id = d.node("sink", "out");
      } else if (kind == join) {
        id = d.node("join", "n" + std::to_string(station), more);
      } else if (kind == queue || kind == delay) {
        id = draw_station(station, kind, more);
      } else {
        id = d.node(kind == fork ? "fork" : "router", "x" + std::to_string(n), more);
      }
      if (!missing.empty()) return;
      if (id) drawn[n].assign(classes, id);
      if (kind != sink && kind != fork && kind != router && kind != class_switch) kinds.push_back(kind), ++station;
    }
    draw_flows(node_kinds, drawn);
  }

  void draw_flows(const std::vector<int>& node_kinds, const std::vector<std::vector<ElementId>>& drawn) {
    for (std::size_t n = 0; n < node_kinds.size(); ++n)
      for (std::size_t c = 0; c < classes; ++c) {
        if (!drawn[n][c] || node_kinds[n] == sink) continue;
        ElementId from = drawn[n][c];
        // Theirs take turns class by class.
        if (classes > 1 && model["routing"][n][c] == 2) {
          const ElementId turns =
              d.node("router", "turns" + std::to_string(n) + of_class(c), {{"routing", "round_robin"}});
          d.flow(from, turns, {{"class", of_class(c)}});
          from = turns;
        }
        for (std::size_t j = 0; j < node_kinds.size(); ++j)
          for (std::size_t to = 0; to < classes; ++to) {
            const double p = model["rtnodes"][n * classes + c][j * classes + to];
            if (p == 0 || !drawn[j][to]) continue;
            Value more = {{"class", of_class(c)}};
            if (node_kinds[n] != fork) more["probability"] = number_text(p);
            else more["count"] = number_text(number(model["nodeparam"][std::to_string(n)]["fanOut"]));
            if (to != c) more["becomes"] = of_class(to);
            d.flow(from, drawn[j][to], more);
          }
      }
  }
};

/// A row of a table of theirs.
struct LineRow {
  std::size_t station = 0, of_class = 0;
  std::string at(const LineModel& model) const {
    return "/n" + std::to_string(station) + "/" + model.of_class(of_class);
  }
};
/// Station after station, all classes each; some tables have only rows of stations to which somebody of the class
/// comes.
inline std::vector<LineRow> rows_of(const LineModel& drawn, std::size_t count) {
  std::vector<LineRow> all, visited;
  for (std::size_t n = 0; n < drawn.model["nstations"].get<std::size_t>(); ++n)
    for (std::size_t c = 0; c < drawn.classes; ++c) {
      all.push_back({n, c});
      if (drawn.visits(n, c) > 1e-9) visited.push_back({n, c});
    }
  if (count == all.size()) return all;
  // Some have rows of all nodes, also of those that are no stations.
  std::vector<LineRow> nodes;
  std::size_t station = 0;
  for (const auto& type : drawn.model["nodetype"]) {
    const int kind = type;
    const bool none = kind == LineModel::sink || kind == LineModel::fork || kind == LineModel::router ||
                      kind == LineModel::class_switch;
    for (std::size_t c = 0; c < drawn.classes; ++c) nodes.push_back({none ? std::string::npos : station, c});
    if (!none) ++station;
  }
  if (count == nodes.size()) return nodes;
  return count == visited.size() ? visited : std::vector<LineRow>();
}

/// What their tables call what ours do; residence times and arrivals follow from other answers (line_answer()).
inline const std::map<std::string, const char*>& line_words() {
  static const std::map<std::string, const char*> words = {{"QLen", "queue_length"},     {"Util", "utilisation"},
                                                           {"RespT", "response_time"},   {"Tput", "throughput"},
                                                           {"ResidT", "residence_time"}, {"ArvR", "arrivals"}};
  return words;
}

/// An answer with how far it may be off.
struct LineAnswer {
  double value = 0, half_width = 0;
};
/// Of results with one of line_words(); nothing where they do not have it. Residence times are those of a passage of
/// the chain, which begins at its reference: customers there over passages per second. As many arrive as leave.
inline std::optional<LineAnswer> line_answer(const ResultSet& r, const LineModel& drawn, const LineRow& row,
                                             const std::string& word) {
  const auto told = [&](const std::string& what, const LineRow& where) -> std::optional<LineAnswer> {
    const MeasureResult* const m = r.measure(what + where.at(drawn));
    if (m == nullptr || std::isnan(m->estimate)) return std::nullopt;
    const double half = std::max(m->upper - m->estimate, m->estimate - m->lower);
    return LineAnswer{m->estimate, std::isfinite(half) ? half : 0.0};
  };
  if (word == "arrivals") return told("throughput", row);
  if (word != "residence_time") return told(word, row);
  if (drawn.forks()) return std::nullopt;
  const auto number = told("queue_length", row);
  if (!number) return std::nullopt;
  const auto& model = drawn.model;
  for (const auto& [chain, members] : model["inchain"].items()) {
    if (std::find(members.begin(), members.end(), row.of_class) == members.end()) continue;
    LineAnswer passages;
    for (const std::size_t c : members.get<std::vector<std::size_t>>()) {
      const std::size_t reference = model["refstat"][c];
      if (drawn.kinds[reference] == LineModel::source) {
        if (!model["proc"][reference][c].is_null()) passages.value += LineModel::number(model["rates"][reference][c]);
      } else if (const auto one = told("throughput", {reference, c})) {
        passages.value += one->value, passages.half_width += one->half_width;
      }
    }
    const double value = number->value / passages.value;
    return LineAnswer{value, number->half_width / passages.value + value * passages.half_width / passages.value};
  }
  return std::nullopt;
}

inline bool near_line(double ours, double theirs, double digits) {
  return std::fabs(ours - theirs) <= digits * std::max(1e-3, std::fabs(theirs));
}

}  // namespace ergode::test
