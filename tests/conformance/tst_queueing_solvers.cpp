// Networks and stations that others published, drawn by this test and answered by the solvers of drawings.
#include <QtTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/conformance/cases.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using Json = nlohmann::json;

std::string text(double x) {
  std::ostringstream out;
  out.precision(17);
  out << x;
  return out.str();
}
Json read_json(const std::string& path) {
  std::ifstream file(path);
  return Json::parse(file);
}
/// Numbers of the codes of line_solver (enums.json) that the drawings here have.
enum NodeCode { source_node = 0, sink_node = 1, queue_node = 2, delay_node = 3, switch_node = 8 };

/// A network of theirs as a drawing; empty with what it has that is not drawn here.
struct LineModel {
  const Json& model;
  std::string missing;
  DrawnNetwork d;
  std::size_t classes = 0;
  std::vector<int> kinds;  ///< by station

  explicit LineModel(const Json& of) : model(of), classes(of["classnames"].size()) { draw(); }

  /// What a code of theirs stands for.
  static std::string word(const char* list, int code) {
    static const Json words = read_json(case_folder("line_solver") + "/enums.json");
    return words[list].value(std::to_string(code), std::to_string(code));
  }
  static double number(const Json& value) { return value.is_string() ? INFINITY : value.get<double>(); }
  std::string of_class(std::size_t c) const { return "c" + std::to_string(c); }
  /// Nothing is measured at a source, and no utilisation of a delay.
  bool unasked(std::size_t station, const std::string& measure) const {
    const int kind = kinds[station];
    return kind == source_node || (kind == delay_node && measure == "utilisation");
  }
  /// Of a process; empty: none, or one that is not drawn here.
  std::string law(std::size_t station, std::size_t c) {
    const std::string kind = model["procid"][station][c];
    const Json& process = model["proc"][station][c];
    if (kind == "DISABLED" || number(model["rates"][station][c]) == 0) return {};
    if (kind == "EXP") return "exponential(rate = " + text(process["rate"]) + " /s)";
    if (kind == "ERLANG")
      return "erlang(k = " + std::to_string(process["k"].get<int>()) +
             ", mean = " + text(process["k"].get<double>() / process["mu"].get<double>()) + " s)";
    if (kind == "HYPEREXP" && process.contains("probs"))
      return "hyperexponential(p = [" + text(process["probs"][0]) + ", " + text(process["probs"][1]) + "], rate = [" +
             text(process["rates"][0]) + " /s, " + text(process["rates"][1]) + " /s])";
    missing = "process " + kind;
    return {};
  }

  void draw() {
    for (std::size_t c = 0; c < classes; ++c) {
      const double population = number(model["njobs"][c]);
      Value more = Value::object();
      if (std::isfinite(population) && population > 0) {
        more["population"] = text(population);
        more["reference"] = "n" + std::to_string(model["refstat"][c].get<std::size_t>());
      }
      d.node("job_class", of_class(c), more);
    }
    static const std::map<int, const char*> disciplines = {{0, "fcfs"}, {1, "lcfs"}, {2, "lcfs_pr"},
                                                           {4, "ps"},   {5, "dps"},  {12, "siro"}};
    std::vector<ElementId> nodes;
    std::vector<std::vector<ElementId>> sources;  // by stateful node, then class
    std::size_t station = 0;
    for (std::size_t n = 0; n < model["nodetype"].size(); ++n) {
      const int kind = model["nodetype"][n];
      const auto& routing = model["routing"][n];
      for (const auto& one : routing)
        if (one.get<int>() > 1) missing = "routing " + word("RoutingStrategy", one.get<int>());
      if (kind == switch_node || kind == sink_node) continue;
      if (kind != source_node && kind != queue_node && kind != delay_node)
        missing = "a node of kind " + word("NodeType", kind);
      if (!missing.empty()) return;
      const std::string name = "n" + std::to_string(station);
      std::string by_class, weights;
      sources.emplace_back(classes);
      for (std::size_t c = 0; c < classes; ++c) {
        const std::string one = law(station, c);
        if (one.empty()) continue;
        if (kind == source_node)
          sources.back()[c] = d.node("source", name + of_class(c), {{"interarrival", one}, {"class", of_class(c)}});
        by_class += (by_class.empty() ? "" : ", ") + of_class(c) + " = " + one;
        weights += (weights.empty() ? "" : ", ") + of_class(c) + " = " + text(number(model["schedparam"][station][c]));
      }
      kinds.push_back(kind);
      if (kind == source_node) nodes.push_back({});
      if (kind == delay_node) nodes.push_back(d.node("delay", name, {{"time_of", by_class}}));
      if (kind == queue_node) {
        const int code = model["sched"][std::to_string(station)];
        const auto found = disciplines.find(code);
        if (found == disciplines.end()) missing = "discipline " + word("SchedStrategy", code);
        else
          nodes.push_back(d.node("station", name,
                                 {{"service_of", by_class},
                                  {"discipline", found->second},
                                  {"weights", code == 5 ? weights : std::string()},
                                  {"servers", text(number(model["nservers"][station]))}}));
      }
      if (!missing.empty()) return;
      ++station;
    }
    const ElementId out = d.node("sink", "out");
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t c = 0; c < classes; ++c) {
        if (kinds[i] == source_node && !sources[i][c]) continue;
        const Json& row = model["rt"][i * classes + c];
        double left = 1;  // their sink has no place in the table, or leads back to the source
        for (const auto& p : row) left -= p.get<double>();
        const ElementId from = kinds[i] == source_node ? sources[i][c] : nodes[i];
        if (left > 1e-9) d.flow(from, out, {{"class", of_class(c)}, {"probability", text(left)}});
        for (std::size_t j = 0; j < nodes.size(); ++j)
          for (std::size_t to = 0; to < classes; ++to) {
            const double p = row[j * classes + to];
            if (p == 0) continue;
            const bool leaves = kinds[j] == source_node;
            Value more = {{"class", of_class(c)}, {"probability", text(p)}};
            if (to != c && !leaves) more["becomes"] = of_class(to);
            d.flow(from, leaves ? out : nodes[j], more);
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
std::vector<LineRow> rows_of(const LineModel& drawn, std::size_t count) {
  std::vector<LineRow> all, visited;
  for (std::size_t n = 0; n < drawn.model["nstations"].get<std::size_t>(); ++n)
    for (std::size_t c = 0; c < drawn.classes; ++c) {
      double visits = 0;
      for (const auto& chain : drawn.model["visits"]) visits += LineModel::number(chain[n][c]);
      all.push_back({n, c});
      if (visits > 1e-9) visited.push_back({n, c});
    }
  if (count == all.size()) return all;
  return count == visited.size() ? visited : std::vector<LineRow>();
}

bool near(double ours, double theirs, double digits) {
  return std::fabs(ours - theirs) <= digits * std::max(1e-3, std::fabs(theirs));
}

}  // namespace

class TestQueueingSolvers : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Means that the full chain or a product form confirmed there, to the digits stored.
  void networks_of_line_solver() {
    const std::string folder = case_folder("line_solver");
    if (folder.empty()) QSKIP("no cases folder");
    const Json models = read_json(folder + "/models.json"), expected = read_json(folder + "/expected.json");
    int cases = 0, answered = 0, compared = 0;
    std::map<std::string, std::string> left_out;
    for (const Json& one : expected) {
      if (one["trust"] != "exact") continue;
      ++cases;
      LineModel drawn(models[one["model"].get<std::string>()]);
      const std::string name = one["case"];
      // Two stations that nobody leaves: their visits are not those of its ways.
      if (one["model"] == "cqn_twoqueues") drawn.missing = "customers never come back";
      const std::vector<LineRow> rows = rows_of(drawn, one["expected"]["QLen"].size());
      if (drawn.missing.empty() && rows.empty()) drawn.missing = "of its rows nobody knows whose they are";
      if (!drawn.missing.empty()) {
        left_out[name] = drawn.missing;
        continue;
      }
      bool by_any = false;
      std::string why;
      for (const char* solver : {"ctmc-network", "mva"}) {
        const Diagnostics found = find_solver(solver)->fits(drawn.d.m.document(), {.solver = solver});
        if (has_errors(found)) {
          why += std::string(why.empty() ? "" : "; ") + solver + ": " + listed(found);
          continue;
        }
        const ResultSet r = solved(drawn.d.m.document(), {.solver = solver, .options = {{"error-bound", "1e-8"}}});
        by_any = true, ++answered;
        const std::map<std::string, const char*> words = {
            {"QLen", "queue_length"}, {"Util", "utilisation"}, {"RespT", "response_time"}, {"Tput", "throughput"}};
        for (const auto& [theirs, ours] : words)
          for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::string id = ours + rows[i].at(drawn);
            const MeasureResult* m = r.measure(id);
            const double wanted = one["expected"][theirs][i];
            if (m == nullptr) {
              // Sources, utilisations of delays, classes that never come there.
              QVERIFY2(wanted == 0.0 || drawn.unasked(rows[i].station, ours), (name + ", no " + id).c_str());
              continue;
            }
            ++compared;
            QVERIFY2(near(m->estimate, wanted, 1e-4), qPrintable(QString("%1 by %2, %3: %4, wanted %5")
                                                                     .arg(name.c_str(), solver, id.c_str())
                                                                     .arg(m->estimate, 0, 'g', 10)
                                                                     .arg(wanted, 0, 'g', 10)));
          }
      }
      if (!by_any) left_out[name] = why;
    }
    for (const auto& [name, why] : left_out) qInfo("left out: %s: %s", name.c_str(), why.c_str());
    qInfo("%d cases, %d answers, %d numbers", cases, answered, compared);
    QCOMPARE(cases, 25);
    QCOMPARE(left_out.size(), std::size_t{7});
    QCOMPARE(answered, 35);
    QCOMPARE(compared, 452);
  }
  // Their fluid solver's fixed points, to the digits that their integration has.
  void fluid_networks_of_line_solver() {
    const std::string folder = case_folder("line_solver");
    if (folder.empty()) QSKIP("no cases folder");
    const Json models = read_json(folder + "/models.json"), expected = read_json(folder + "/expected.json");
    int compared = 0, answered = 0;
    for (const Json& one : expected) {
      const std::string name = one["case"];
      if (name.find("Fluid") == std::string::npos) continue;
      LineModel drawn(models[one["model"].get<std::string>()]);
      std::string left = drawn.missing;
      const std::vector<LineRow> rows = rows_of(drawn, one["expected"]["QLen"].size());
      if (left.empty() && rows.empty()) left = "of its rows nobody knows whose they are";
      const Diagnostics why = find_solver("fluid")->fits(drawn.d.m.document(), {.solver = "fluid"});
      if (left.empty() && has_errors(why)) left = why[0].message;
      // Of a fixed point as much comes as goes; their sinks and sources aside.
      const Json &come = one["expected"]["ArvR"], &go = one["expected"]["Tput"];
      for (std::size_t i = 0; left.empty() && i < come.size(); ++i)
        if (come[i] != 0.0 && go[i] != 0.0 && !near(come[i], go[i], 1e-3)) left = "what comes is not what goes there";
      if (!left.empty()) {
        qInfo("left out: %s: %s", name.c_str(), left.c_str());
        continue;
      }
      const ResultSet r = solved(drawn.d.m.document(), {.solver = "fluid"});
      ++answered;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string at = rows[i].at(drawn);
        for (const auto& [theirs, ours] : {std::pair("QLen", "queue_length"), std::pair("Tput", "throughput")}) {
          const MeasureResult* m = r.measure(ours + at);
          const double wanted = one["expected"][theirs][i];
          if (m == nullptr) {
            QVERIFY2(wanted == 0.0 || drawn.unasked(rows[i].station, ours), (name + ", no " + ours + at).c_str());
            continue;
          }
          ++compared;
          QVERIFY2(near(m->estimate, wanted, 1e-4), qPrintable(QString("%1, %2: %3, wanted %4")
                                                                   .arg(name.c_str(), (ours + at).c_str())
                                                                   .arg(m->estimate, 0, 'g', 10)
                                                                   .arg(wanted, 0, 'g', 10)));
        }
      }
    }
    qInfo("%d networks, %d numbers", answered, compared);
    QCOMPARE(answered, 4);
    QCOMPARE(compared, 32);
  }
  // Every row as a drawing; moments go through a distribution and back, which costs the last digit.
  void tables_of_single_stations() {
    const std::string folder = case_folder("analytic_tables");
    if (folder.empty()) QSKIP("no cases folder");
    int compared = 0;
    for (const char* name : {"mmm", "mmmk", "mg1"})
      for (const auto& row : table(folder + "/" + name + ".csv")) {
        const bool general = std::string(name) == "mg1";
        const double mean = general ? row.at("xavg") : 1 / row.at("mu");
        std::string service = "exponential(mean = " + text(mean) + " s)";
        if (general) {
          const double variability = row.at("x2nd") / (mean * mean) - 1;
          service = variability < 1e-12
                        ? text(mean) + " s"
                        : "gamma(shape = " + text(1 / variability) + ", scale = " + text(mean * variability) + " s)";
        }
        Value more = Value::object();
        if (!general) more["servers"] = text(row.at("m"));
        if (row.count("K") != 0) more["capacity"] = text(row.at("K"));
        DrawnNetwork d;
        const ElementId in = d.node("source", "in", {{"rate", text(row.at("lambda")) + " /s"}}),
                        out = d.node("sink", "out");
        more["service"] = service;
        const ElementId desk = d.node("station", "desk", more);
        d.flow(in, desk), d.flow(desk, out);
        const ResultSet r = solved(d.m.document(), {.solver = "queueing-closed-form"});
        const std::map<std::string, const char*> words = {{"U", "utilisation/desk"},
                                                          {"R", "response_time/desk"},
                                                          {"Q", "queue_length/desk"},
                                                          {"X", "throughput/desk"},
                                                          {"pK", "loss_probability/desk"}};
        for (const auto& [theirs, ours] : words) {
          if (row.count(theirs) == 0 || r.measure(ours) == nullptr) continue;
          ++compared;
          const double seen = estimate(r, ours), wanted = row.at(theirs);
          QVERIFY2(
              std::fabs(seen - wanted) <= 1e-11 * std::fabs(wanted),
              qPrintable(
                  QString("%1 of %2: %3, wanted %4").arg(ours, name).arg(seen, 0, 'g', 17).arg(wanted, 0, 'g', 17)));
        }
      }
    QVERIFY2(compared > 300, qPrintable(QString::number(compared)));
  }
};

QTEST_APPLESS_MAIN(TestQueueingSolvers)
#include "tst_queueing_solvers.moc"
