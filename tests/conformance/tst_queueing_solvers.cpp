// Networks and stations that others published, drawn by this test and answered by the solvers of drawings.
#include <QtTest>
#include <cmath>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/conformance/line_cases.h"

using namespace ergode;
using namespace ergode::test;

class TestQueueingSolvers : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Means that the full chain or a product form confirmed there, to the digits stored.
  void networks_of_line_solver() {
    const std::string folder = case_folder("line_solver");
    if (folder.empty()) QSKIP("no cases folder");
    const nlohmann::json models = line_json("models.json"), expected = line_json("expected.json");
    int cases = 0, answered = 0, compared = 0;
    std::map<std::string, std::string> left_out;
    for (const nlohmann::json& one : expected) {
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
        for (const auto& [theirs, ours] : line_words())
          for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::string id = ours + rows[i].at(drawn);
            const auto told = line_answer(r, drawn, rows[i], ours);
            const double wanted = one["expected"][theirs][i];
            if (!told) {
              // Sources, utilisations of delays, classes that never come there.
              QVERIFY2(wanted == 0.0 || drawn.unasked(rows[i].station, ours), (name + ", no " + id).c_str());
              continue;
            }
            ++compared;
            QVERIFY2(near_line(told->value, wanted, 1e-4), qPrintable(QString("%1 by %2, %3: %4, wanted %5")
                                                                          .arg(name.c_str(), solver, id.c_str())
                                                                          .arg(told->value, 0, 'g', 10)
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
    QCOMPARE(compared, 708);
  }
  // Their fluid solver's fixed points, to the digits that their integration has.
  void fluid_networks_of_line_solver() {
    const std::string folder = case_folder("line_solver");
    if (folder.empty()) QSKIP("no cases folder");
    const nlohmann::json models = line_json("models.json"), expected = line_json("expected.json");
    int compared = 0, answered = 0;
    for (const nlohmann::json& one : expected) {
      const std::string name = one["case"];
      if (name.find("Fluid") == std::string::npos) continue;
      LineModel drawn(models[one["model"].get<std::string>()]);
      std::string left = drawn.missing;
      const std::vector<LineRow> rows = rows_of(drawn, one["expected"]["QLen"].size());
      if (left.empty() && rows.empty()) left = "of its rows nobody knows whose they are";
      const Diagnostics why = find_solver("fluid")->fits(drawn.d.m.document(), {.solver = "fluid"});
      if (left.empty() && has_errors(why)) left = why[0].message;
      // Of a fixed point as much comes as goes; their sinks and sources aside.
      const nlohmann::json &come = one["expected"]["ArvR"], &go = one["expected"]["Tput"];
      for (std::size_t i = 0; left.empty() && i < come.size(); ++i)
        if (come[i] != 0.0 && go[i] != 0.0 && !near_line(come[i], go[i], 1e-3))
          left = "what comes is not what goes there";
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
          QVERIFY2(near_line(m->estimate, wanted, 1e-4), qPrintable(QString("%1, %2: %3, wanted %4")
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
        std::string service = "exponential(mean = " + number_text(mean) + " s)";
        if (general) {
          const double variability = row.at("x2nd") / (mean * mean) - 1;
          service = variability < 1e-12 ? number_text(mean) + " s"
                                        : "gamma(shape = " + number_text(1 / variability) +
                                              ", scale = " + number_text(mean * variability) + " s)";
        }
        Value more = Value::object();
        if (!general) more["servers"] = number_text(row.at("m"));
        if (row.count("K") != 0) more["capacity"] = number_text(row.at("K"));
        DrawnNetwork d;
        const ElementId in = d.node("source", "in", {{"rate", number_text(row.at("lambda")) + " /s"}}),
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
