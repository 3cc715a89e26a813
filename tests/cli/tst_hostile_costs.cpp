#include <signal.h>
#include <sys/resource.h>

#include <QtTest>
#include <nlohmann/json.hpp>

using Json = nlohmann::json;

namespace {

struct CostOutcome {
  int code = -1;
  QByteArray out, err;
};

/// Of which solvers may have half. Nothing here takes a minute, on a machine that has other work too.
constexpr rlim_t address_space = 600000000;

struct Asked {
  QStringList arguments;
  int interrupt_after_ms = 0;
  bool bounded = true;
};

CostOutcome ergode(const Asked& asked) {
  QProcess process;
  if (asked.bounded)
    process.setChildProcessModifier([] {
      const rlimit limit{address_space, address_space};
      setrlimit(RLIMIT_AS, &limit);
    });
  process.start(QString(ERGODE_BIN_DIR) + "/ergode", asked.arguments);
  if (asked.interrupt_after_ms > 0 && !process.waitForFinished(asked.interrupt_after_ms)) {
    kill(static_cast<pid_t>(process.processId()), SIGINT);
  }
  if (!process.waitForFinished(60000)) {
    process.kill(), process.waitForFinished();
    throw std::runtime_error("no end after a minute: " + asked.arguments.join(' ').toStdString());
  }
  CostOutcome out{process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
  if (process.exitStatus() == QProcess::CrashExit) throw std::runtime_error("it crashed: " + out.err.toStdString());
  return out;
}

CostOutcome ergode(const QStringList& arguments) { return ergode(Asked{arguments}); }

QByteArray shown_cost(const CostOutcome& o) {
  return "exit " + QByteArray::number(o.code) + "\n" + o.out + "\n" + o.err;
}

const QStringList bomb = {"--set", "lambda=1e15 /h", "--set", "mttr=1e-12 h"};

}  // namespace

/// Questions that are answered in an instant by one solver and in years by another.
class TestHostileCosts : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString model_, stiff_;

  QString file(const QString& name, const QByteArray& text) const {
    const QString path = folder_.filePath(name);
    QFile f(path);
    if (!f.open(QIODevice::WriteOnly) || f.write(text) != text.size()) throw std::runtime_error("cannot write");
    return path;
  }
  /// 24 ANDs of two events below an OR.
  QString tree() const {
    QByteArray text = "toplevel T; T or";
    for (int i = 0; i < 24; ++i) text += " G" + QByteArray::number(i);
    text += ";\n";
    for (int i = 0; i < 24; ++i) {
      const QByteArray n = QByteArray::number(i);
      text += "G" + n + " and A" + n + " B" + n + "; A" + n + " lambda=0.01; B" + n + " lambda=0.02;\n";
    }
    return file("ands.dft", text);
  }
 private Q_SLOTS:
  void initTestCase() {
    model_ = folder_.filePath("n.ergode");
    QCOMPARE(ergode({"new", model_}).code, 0);
    stiff_ = folder_.filePath("stiff.ergode");
    const QString tree = file("stiff.dft", "toplevel T; T and A B; A lambda=1e15; B lambda=1e-9;");
    QCOMPARE(ergode({"import", tree, "-o", stiff_}).code, 0);
  }
  // Refused at its thousandth character; what stands after it costs its length.
  void a_sum_without_end_is_refused_with_a_short_message() {
    QFile source(model_);
    QVERIFY(source.open(QIODevice::ReadOnly));
    Json model = Json::parse(source.readAll().toStdString());
    std::string sum = "1";
    for (int i = 0; i < 1000000; ++i) sum += "+1";
    model["measures"][0]["expression"] = sum;
    for (Json& diagram : model["diagrams"])
      for (Json& edge : diagram["edges"])
        if (edge.contains("trigger")) edge["guard"] = sum, edge["trigger"] = "rate(" + sum + ")";
    const CostOutcome out = ergode({"validate", file("sum.ergode", QByteArray::fromStdString(model.dump()))});
    QVERIFY2(out.code == 3 && out.out.contains("EXP001") && out.out.contains("More than 500"),
             shown_cost(out).left(3000));
    for (const QByteArray& line : out.out.split('\n')) QVERIFY2(line.size() < 300, line.left(1000));
  }
  void a_run_of_endless_events_ends_with_its_wall_time() {
    for (const char* solver : {"simulation", "all"}) {
      const CostOutcome ran =
          ergode(QStringList{"run", model_, "--replications", "5", "--wall-time", "1 s", "--solver", solver} + bomb);
      QVERIFY2(ran.out.contains("stopped by wall_time"), shown_cost(ran));
      QVERIFY2(!ran.err.contains("bad_alloc"), shown_cost(ran));
    }
    const CostOutcome report = ergode({"report", model_, "-o", folder_.filePath("endless.html")});
    QVERIFY2(report.code == 0, shown_cost(report));
  }
  void whoever_waits_for_a_replication_without_end_is_told_why_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<bool>("interrupted");
    for (const char* method : {"none", "failure-biasing", "splitting", "auto"})
      for (const bool interrupted : {false, true})
        QTest::addRow("%s, %s", method, interrupted ? "interrupted" : "wall time") << QString(method) << interrupted;
  }
  void whoever_waits_for_a_replication_without_end_is_told_why() {
    QFETCH(QString, method);
    QFETCH(bool, interrupted);
    const QStringList run = QStringList{"run", model_, "--variance-reduction", method} + bomb;
    // Of auto the pilot runs have a tenth of the time each.
    const QString enough = method == "auto" ? "40 s" : "5 s";
    const CostOutcome ran = interrupted ? ergode(Asked{.arguments = run, .interrupt_after_ms = 4500})
                                        : ergode(run + QStringList{"--wall-time", enough});
    // With auto the last pilot run and the run itself may both say it.
    const auto said = ran.err.count("RUN031");
    QVERIFY2(said == 1 || (said == 2 && method == "auto"), shown_cost(ran));
    QVERIFY2(ran.code != 0, shown_cost(ran));
    QVERIFY2(ran.out.contains("0 replications") && ran.err.contains("kept in"), shown_cost(ran));
    if (method == "none" || method == "failure-biasing")
      QVERIFY2(ran.err.contains("of 8760 h") && ran.err.contains("so it would take about"), shown_cost(ran));
  }
  void a_companion_says_what_it_would_cost_and_never_touches_the_run() {
    const CostOutcome ran = ergode({"run", stiff_, "--replications", "5", "--verbose"});
    QVERIFY2(ran.code == 0, shown_cost(ran));
    QVERIFY2(ran.out.contains("5 replications") && ran.out.contains("MKV022"), shown_cost(ran));
    // What the record holds is not asked again.
    const CostOutcome report = ergode({"report", stiff_, "-o", folder_.filePath("r.html")});
    QVERIFY2(report.code == 0, shown_cost(report));
  }
  void all_solvers_end_in_answers_or_reasons() {
    const CostOutcome ran = ergode({"run", stiff_, "--solver", "all", "--replications", "5"});
    QVERIFY2(ran.code == 0 && ran.out.contains("5 replications") && ran.out.contains("MKV022"), shown_cost(ran));
  }
  void a_solver_asked_for_by_name_says_what_it_would_cost() {
    const CostOutcome ran = ergode({"run", stiff_, "--solver", "ctmc-transient"});
    QVERIFY2(ran.code != 0 && ran.err.contains("products with the matrix") && ran.err.contains("allowed"),
             shown_cost(ran));
    const CostOutcome other = ergode({"run", stiff_, "--solver", "ctmc-transient", "--method", "cvode"});
    QVERIFY2(other.code == 0 || other.err.contains("CVODE"), shown_cost(other));
  }
  void wall_time_and_interrupts_end_an_exact_solver() {
    // Forty machines told apart: 2^40 states, of which two million are made.
    QByteArray tree = "toplevel T; T vot20";
    for (int i = 0; i < 40; ++i) tree += " E" + QByteArray::number(i);
    tree += ";\n";
    for (int i = 0; i < 40; ++i)
      tree += "E" + QByteArray::number(i) + " lambda=0." + QByteArray::number(11 + i) + ";\n";
    const QString dft = file("votes.dft", tree), model = folder_.filePath("votes.ergode");
    QVERIFY2(ergode({"import", dft, "-o", model}).code == 0, "import");
    const QStringList run = {"run", model, "--solver", "ctmc-transient", "--state-limit", "1e8", "--no-store"};
    const CostOutcome late = ergode(Asked{.arguments = run + QStringList{"--wall-time", "1 s"}, .bounded = false});
    QVERIFY2(late.code != 0 && late.err.contains("RUN003"), shown_cost(late));
    const CostOutcome stopped = ergode(Asked{.arguments = run, .interrupt_after_ms = 2000, .bounded = false});
    QVERIFY2(stopped.code == 130 && stopped.err.contains("Stopped before there was a result") &&
                 !stopped.err.contains("error"),
             shown_cost(stopped));
    const CostOutcome full = ergode(Asked{.arguments = run});
    QVERIFY2(full.code != 0 && full.err.contains("MKV010") && full.err.contains("allowed: 300 MB"), shown_cost(full));
  }
  void importance_of_many_ands_is_quick() {
    const CostOutcome out = ergode({"importance", tree(), "--time", "10", "--json"});
    QVERIFY2(out.code == 0, shown_cost(out));
    const Json json = Json::parse(out.out.toStdString());
    const double p = (1 - std::exp(-0.1)) * (1 - std::exp(-0.2)), top = 1 - std::pow(1 - p, 24);
    QVERIFY(std::fabs(json["top"].get<double>() - top) < 1e-12);
    QVERIFY(std::fabs(json["events"][0]["birnbaum"].get<double>() - (1 - std::exp(-0.2)) * std::pow(1 - p, 23)) <
            1e-12);
  }
  void the_same_tree_runs_beside_its_cross_check() {
    const QString model = folder_.filePath("ands.ergode");
    QVERIFY2(ergode({"import", tree(), "-o", model}).code == 0, "import");
    for (const char* solver : {"simulation", "all"}) {
      const CostOutcome ran = ergode({"run", model, "--replications", "100", "--solver", solver, "--wall-time", "3 s"});
      QVERIFY2(ran.code == 0, shown_cost(ran));
      QVERIFY2(ran.out.contains("exact") && ran.out.contains("0.00471794"), shown_cost(ran));
      QVERIFY2(!ran.out.contains("ctmc-transient gave no answer"), shown_cost(ran));
    }
  }
};

QTEST_MAIN(TestHostileCosts)
#include "tst_hostile_costs.moc"
