// Networks that line_solver simulated, drawn by this test and simulated here.
#include <QtTest>
#include <cmath>
#include <set>

#include "core/base/csv.h"
#include "core/base/read_file.h"
#include "core/des/lowering.h"
#include "solvers/queueing/exchange/jmt.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/conformance/line_cases.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// One long run of the drawing, which is told what it is asked for.
ResultSet simulated(LineModel& drawn) {
  drawn.ask();
  RunRequest request{.seed = 1, .confidence = 0.999};
  request.precision = 0.02;
  request.options["output-analysis"] = "batch-means", request.options["longest"] = "100";
  return solved(drawn.d.m.document(), request);
}

/// Numbers of theirs that are further from ours than both say of themselves, by case, and why that is theirs.
struct Apart {
  int numbers;
  const char* why;
};
const std::map<std::string, Apart>& known_apart() {
  static const std::map<std::string, Apart> all = {
      {"testCqnMmpp2ServiceJMT", {1, "its utilisation is 6 % less than what passes there times its mean service"}},
      {"testCqnThreeclassHyperlJMT", {3, "their exact table of the same model has ours (tst_queueing_solvers)"}},
      {"testCqnThreeclassHyperlSSA", {3, "their exact table of the same model has ours (tst_queueing_solvers)"}},
      {"testFjCsPreforkJMT", {4, "of two queues that are alike one is 40 % longer than the other"}},
      {"testFjSerialfjsClosedJMT", {3, "of two queues that are alike one response is 13 % longer than the other"}},
      {"testPrioHolOpenSSA", {11, "out of balance: of 0.097 customers that come to the last station 0.082 go"}}};
  return all;
}

}  // namespace

/// Oracle: their simulations, within what they say of their precision, and our interval at 99.9 %.
class TestLineSimulated : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void simulations_of_line_solver() {
    if (case_folder("line_solver").empty()) QSKIP("no cases folder: ERGODE_CASES names none with line_solver");
    const nlohmann::json models = line_json("models.json"), expected = line_json("expected.json");
    std::map<std::string, ResultSet> answers;  // by model
    std::map<std::string, std::string> left_out;
    int sets = 0, information = 0, compared = 0, rows_left_out = 0;
    std::map<std::string, int> apart;
    for (const nlohmann::json& one : expected) {
      const std::string name = one["case"], model = one["model"], trust = one["trust"];
      if (trust == "approximation" || trust == "truncated") {
        qInfo("left out: %s: %s", name.c_str(),
              trust == "truncated"       ? "a chain cut off too early, off by up to a factor of 7"
              : one["solver"] == "Fluid" ? "an approximation; those that are fixed points are in tst_queueing_solvers"
                                         : "an approximation that is not here");
        ++information;
      }
      if (trust != "simulation") continue;
      ++sets;
      LineModel drawn(models[model]);
      const std::vector<LineRow> rows = rows_of(drawn, one["expected"]["QLen"].size());
      if (drawn.missing.empty() && rows.empty()) drawn.missing = "of its rows nobody knows whose they are";
      if (drawn.missing.empty() && !answers.contains(model)) {
        if (const Diagnostics why = find_solver("simulation")->fits(drawn.d.m.document(), {}); has_errors(why))
          drawn.missing = listed(why);
        else answers[model] = simulated(drawn);
      }
      if (!drawn.missing.empty()) {
        left_out[name] = drawn.missing;
        rows_left_out += static_cast<int>(one["expected"]["QLen"].size());
        continue;
      }
      const double share = one["solver"] == "SSA" ? 0.1 : 0.05;
      for (const auto& [theirs, ours] : line_words())
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const auto told = line_answer(answers[model], drawn, rows[i], ours);
          const double wanted = one["expected"][theirs][i];
          if (!told) {
            QVERIFY2(wanted == 0.0 || drawn.unasked(rows[i].station, ours),
                     (name + ", no " + ours + rows[i].at(drawn)).c_str());
            continue;
          }
          ++compared;
          if (std::fabs(told->value - wanted) <= share * std::fabs(wanted) + told->half_width) continue;
          ++apart[name];
          qInfo("%s, %s%s: %g (+-%g), wanted %g", name.c_str(), ours, rows[i].at(drawn).c_str(), told->value,
                told->half_width, wanted);
        }
    }
    for (const auto& [name, why] : left_out) qInfo("left out: %s: %s", name.c_str(), why.c_str());
    int all_apart = 0;
    for (const auto& [name, numbers] : apart) {
      all_apart += numbers;
      const auto known = known_apart().find(name);
      qInfo("left out: %d numbers of %s: %s", numbers, name.c_str(),
            known == known_apart().end() ? "?" : known->second.why);
    }
    qInfo("%d sets, %d numbers, %d apart, %d rows left out", sets, compared, all_apart, rows_left_out);
    for (const auto& [name, numbers] : apart) {
      const auto known = known_apart().find(name);
      QVERIFY2(known != known_apart().end() && numbers == known->second.numbers,
               (name + ": " + std::to_string(numbers) + " numbers apart").c_str());
    }
    QCOMPARE(sets, 47);
    QCOMPARE(information, 37);
    QCOMPARE(left_out.size(), std::size_t{13});
    QCOMPARE(rows_left_out, 78);
    QCOMPARE(compared, 927);
  }

  // Their models in the format of JMT have no values with them: taken and run, or refused with what and why.
  void models_are_taken_or_refused() {
    const std::string folder = case_folder("line_solver");
    if (folder.empty()) QSKIP("no cases folder: ERGODE_CASES names none with line_solver");
    const auto table = parse_csv(std::get<std::string>(read_text(folder + "/expected.csv")));
    int rows = 0, taken = 0;
    for (const std::vector<std::string>& cells : std::get<std::vector<std::vector<std::string>>>(table)) {
      if (cells.size() < 3 || cells[2] != "import") continue;
      ++rows;
      const ReadOutcome read = import_network(std::get<std::string>(read_text(folder + "/" + cells[1])), "model");
      if (!read.document) {
        QVERIFY2(has_errors(read.diagnostics), cells[1].c_str());
        qInfo("refused: %s: %s", cells[1].c_str(), listed(read.diagnostics).c_str());
        continue;
      }
      const Diagnostics why = find_solver("simulation")->fits(*read.document, {});
      if (has_errors(why)) {
        for (const Diagnostic& one : why) QVERIFY2(one.element, one.message.c_str());
        qInfo("taken, and refused when it is to run: %s: %s", cells[1].c_str(), listed(why).c_str());
        continue;
      }
      const ResultSet r =
          solved(*read.document, {.overrides = {{"run_length", "100 s"}}, .seed = 1, .replications = 2});
      QVERIFY2(r.events > 0, cells[1].c_str());
      ++taken;
    }
    qInfo("%d models, %d taken", rows, taken);
    QCOMPARE(rows, 17);
    QCOMPARE(taken, 16);
  }
};

QTEST_APPLESS_MAIN(TestLineSimulated)
#include "tst_line_simulated.moc"
