// Tables that are worked out after a run hear a stop. Oracles: what they are when nobody stops them.
#include <QtTest>

#include "core/des/lowering.h"
#include "core/format/model_file.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/gang_lowering.h"
#include "solvers/cluster/running/batch_part.h"
#include "solvers/cluster/running/gang_part.h"
#include "solvers/model/analysis_model.h"
#include "solvers/registry.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

struct Example {
  Document document;
  RunRequest request;
  explicit Example(const std::string& name, std::map<std::string, std::string> overrides = {})
      : document(*read_model(ERGODE_SOURCE_DIR "/examples/" + name + "/model.ergode").document) {
    request.folder = ERGODE_SOURCE_DIR "/examples/" + name;
    request.overrides = std::move(overrides);
    request.replications = 1;
    request.seed = 1;
  }
  std::shared_ptr<const AnalysisModel> model() const {
    Diagnostics problems;
    return model_of(Question::of(document, request), problems);
  }
  ResultSet run(RunControl& control) const {
    return find_solver("simulation")->solve(Question::of(document, request), control);
  }
};

const LoweredPart& slow_part(const AnalysisModel& model) {
  for (const auto& part : model.others)
    if (dynamic_cast<const BatchPart*>(part.get()) != nullptr || dynamic_cast<const GangPart*>(part.get()) != nullptr)
      return *part;
  qFatal("no part of this sort");
}

std::size_t counted(const ResultSet& results, const std::string& code) {
  return static_cast<std::size_t>(std::count_if(results.diagnostics.begin(), results.diagnostics.end(),
                                                [&](const Diagnostic& d) { return d.code == code; }));
}

}  // namespace

class TestTablesOnce : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(batch_lowering), register_lowering(gang_lowering); }

  void who_gives_up_leaves_nothing_and_the_next_one_finds_all_data() {
    QTest::addColumn<QString>("example");
    for (const char* name : {"24_a100_month", "30_cluster_policies"}) QTest::newRow(name) << QString(name);
  }
  void who_gives_up_leaves_nothing_and_the_next_one_finds_all() {
    QFETCH(QString, example);
    const Example one(example.toStdString());
    const auto model = one.model();
    QVERIFY(model != nullptr);
    const LoweredPart& part = slow_part(*model);
    std::size_t asked = 0;
    QVERIFY(!part.work_out_tables([&] { return ++asked == 3; }));
    QCOMPARE(asked, std::size_t{3});  // it goes on until it is told, and no further
    QVERIFY(part.tables({}, "simulation").empty());
    asked = 0;
    QVERIFY(part.work_out_tables([&] { return ++asked == 0; }));
    QVERIFY(asked > 3);
    const auto tables = part.tables({}, "simulation");
    QVERIFY(!tables.empty());
    asked = 0;
    QVERIFY(part.work_out_tables([&] { return ++asked > 0; }));  // there is nothing left to be given up
    QCOMPARE(asked, std::size_t{0});
    QCOMPARE(part.tables({}, "simulation").size(), tables.size());
  }

  // A row takes many times the memory of what it is made of: nobody keeps it.
  void tables_are_made_for_each_who_wants_them() {
    TablesOnce once;
    int worked = 0, made = 0;
    const auto make = [&](const TablesOnce::Look&) -> TablesOnce::Tables {
      ++worked;
      return [&made] { return std::vector<ResultTable>{{.name = "table" + std::to_string(++made)}}; };
    };
    QVERIFY(once.of("simulation").empty());
    QVERIFY(once.work_out({}, 60.0, make) && once.work_out({}, 60.0, make));
    QCOMPARE(worked, 1);
    QCOMPARE(made, 0);
    QCOMPARE(once.of("simulation").at(0).name, std::string("table1"));
    QCOMPARE(once.of("simulation").at(0).name, std::string("table2"));
    QCOMPARE(once.of("mine").at(0).solver, std::string("mine"));
    QCOMPARE(worked, 1);
    // Of a run that ends at another moment they are others.
    QVERIFY(!once.work_out([] { return true; }, 90.0,
                           [](const TablesOnce::Look& look) -> TablesOnce::Tables {
                             look();
                             return {};
                           }));
    QVERIFY(once.of("simulation").empty());
    QVERIFY(once.work_out({}, 90.0, make));
    QCOMPARE(worked, 2);
  }

  // A pool of one host is what 100,000 jobs wait for.
  void a_run_whose_time_is_over_leaves_out_the_tables_and_says_so() {
    Example one("24_a100_month", {{"cluster.hosts", "1"}});
    one.request.wall_time_s = 1.0;  // long enough for a replication anywhere, too short for the tables
    RunControl control;
    const ResultSet cut = one.run(control);
    QCOMPARE(counted(cut, "RUN045"), std::size_t{1});
    QVERIFY(cut.tables.empty() ||
            std::none_of(cut.tables.begin(), cut.tables.end(), [](const auto& t) { return t.name == "decisions"; }));
    one.request.wall_time_s.reset();
    RunControl patient;
    const ResultSet whole = one.run(patient);
    QCOMPARE(counted(whole, "RUN045"), std::size_t{0});
    QVERIFY(std::any_of(whole.tables.begin(), whole.tables.end(), [](const auto& t) { return t.name == "decisions"; }));
  }

  void patience_lasts_for_a_moment_though_the_run_was_stopped() {
    RunControl control;
    const auto give_up = patience_for_tables(control, std::nullopt);
    control.stop.request_stop();
    QVERIFY(!give_up());
    QTRY_VERIFY_WITH_TIMEOUT(give_up(), 5000);
    RunControl other;
    const auto in_time = patience_for_tables(other, -1.0), unlimited = patience_for_tables(other, std::nullopt);
    QTRY_VERIFY_WITH_TIMEOUT(in_time(), 5000);
    QVERIFY(!unlimited());
  }
};

QTEST_APPLESS_MAIN(TestTablesOnce)
#include "tst_tables_once.moc"
