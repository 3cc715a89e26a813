// Means that theory knows and a run saw elsewhere: services whose longest ones a run has hardly seen.
#include <QtTest>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

class TestKnownMeans : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Load 0.7, of which half is brought by one service in two million.
  void what_hardly_comes_about_is_told() {
    const char* const seldom = "hyperexponential(p = [0.9999995, 0.0000005], rate = [2.857141 /s, 0.000001428571 /s])";
    DrawnNetwork d("4000 s");
    d.queue("exponential(mean = 1 s)", seldom);
    const auto said = [&](const RunRequest& request) {
      const ResultSet r = solved(d.m.document(), request);
      const Diagnostic* told = find_code(r.diagnostics, "RUN050");
      return told == nullptr ? std::string() : told->message;
    };
    const std::string from_start = "\"busy\" came to 0.35", wanted = " make it 0.7: times that carry the mean";
    const std::string replications = said({.seed = 1, .replications = 20});
    QVERIFY2(replications.starts_with(from_start) && replications.find(wanted) != std::string::npos,
             replications.c_str());
    RunRequest one{.seed = 1};
    one.options["output-analysis"] = "batch-means";
    const std::string long_run = said(one);
    QVERIFY2(long_run.find(wanted) != std::string::npos, long_run.c_str());
  }

  // Whatever the seed, a mean in the long run that is seen where it is is not told of, nor is one over a mission.
  void what_is_seen_is_not_told_of() {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      DrawnNetwork d("2000 s");
      d.queue("exponential(mean = 1 s)",
              seed % 2 == 0 ? "exponential(mean = 0.7 s)" : "hyperexponential(mean = 0.7 s, scv = 9)",
              {{"servers", seed % 3 == 0 ? "2" : "1"}});
      d.mean("share", "desk.busy / 2");
      d.m.measure("mission", "time_average", "desk.busy");
      const ResultSet r = solved(d.m.document(), {.seed = seed, .replications = 20});
      QVERIFY2(find_code(r.diagnostics, "RUN050") == nullptr, listed(r.diagnostics).c_str());
    }
  }
};

QTEST_APPLESS_MAIN(TestKnownMeans)
#include "tst_known_means.moc"
