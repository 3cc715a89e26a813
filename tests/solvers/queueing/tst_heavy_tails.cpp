// Which tails leave a long run without a central limit theorem. Oracle: the moments of Daley (1968) and of
// Scheller-Wolf and Sigman (1997), case by case.
#include <QtTest>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Of mean 0.7 s.
std::string heavy(double shape) {
  return "pareto(shape = " + number_text(shape) + ", scale = " + number_text(0.7 * (shape - 1) / shape) + " s)";
}
/// "QN020 service: ... 4" and so on; empty: no doubt.
std::string doubts(const DrawnNetwork& d) {
  Diagnostics found;
  const auto model = build_model(d.m.document(), {}, "", found);
  if (model == nullptr) return codes(found);
  std::string out;
  for (const auto& part : model->others)
    for (const Diagnostic& one : part->long_run_doubts()) out += one.code + " " + one.pointer + ": " + one.message;
  return out;
}
std::string at_desk(const std::string& service, Value more = Value::object(),
                    const std::string& gap = "exponential(mean = 1 s)") {
  DrawnNetwork d;
  d.queue(gap, service, std::move(more));
  return doubts(d);
}
void wants(const std::string& said, const std::string& from, const std::string& to) {
  QVERIFY2(said.starts_with("QN020 " + from) && said.ends_with(to), said.c_str());
}

}  // namespace

class TestHeavyTails : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void one_server_in_order_of_arrival_asks_for_the_fourth_moment() {
    wants(at_desk(heavy(2.2)), "service: Service times at \"desk\"", "a shape above 4.");
    wants(at_desk(heavy(4.0)), "service", "a shape above 4.");
    QCOMPARE(at_desk(heavy(4.01)), std::string());
    QCOMPARE(at_desk("lognormal(mean = 0.7 s, sd = 5 s)"), std::string());
    QCOMPARE(at_desk("pareto(shape = 2.2, scale = 0.3 s, limit = 900 s)"), std::string());
  }

  // Two servers of which one would do: two long services must meet.
  void spare_servers_ask_for_less() {
    wants(at_desk(heavy(2.5), {{"servers", "2"}}), "service", "a shape above 2.5.");
    QCOMPARE(at_desk(heavy(2.6), {{"servers", "2"}}), std::string());
    const std::string busier = "exponential(mean = 0.5 s)";  // 1.4 servers' work
    wants(at_desk(heavy(2.6), {{"servers", "2"}}, busier), "service", "a shape above 4.");
  }

  void who_lets_others_pass_asks_for_a_variance() {
    for (const char* discipline : {"ps", "srpt", "las", "lcfs_pr"}) {
      QCOMPARE(at_desk(heavy(2.2), {{"discipline", discipline}}), std::string());
      wants(at_desk(heavy(1.9), {{"discipline", discipline}}), "service", "a shape above 2.");
    }
    QCOMPARE(at_desk(heavy(2.2), {{"capacity", "10"}}), std::string());
    wants(at_desk("exponential(mean = 0.1 s)", Value::object(), heavy(1.8)), "interarrival: Gaps", "a shape above 2.");
    QCOMPARE(at_desk("exponential(mean = 0.1 s)", Value::object(), heavy(2.1)), std::string());
  }

  // A queue that grows without end is another matter.
  void laws_without_a_mean_are_said_elsewhere() {
    QCOMPARE(at_desk("pareto(shape = 0.9, scale = 0.1 s)"), std::string());
  }

  void a_long_run_says_it_and_replications_do_not() {
    DrawnNetwork d;
    d.queue("exponential(mean = 1 s)", heavy(2.2));
    RunRequest request{.seed = 1, .replications = 2};
    const auto said = [&] {
      const ResultSet r = solved(d.m.document(), request);
      return std::count_if(r.diagnostics.begin(), r.diagnostics.end(),
                           [](const Diagnostic& one) { return one.code == "QN020"; });
    };
    QCOMPARE(said(), 0);
    request.options["output-analysis"] = "batch-means";
    QCOMPARE(said(), 1);
  }
};

QTEST_APPLESS_MAIN(TestHeavyTails)
#include "tst_heavy_tails.moc"
