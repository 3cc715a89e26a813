#include <QtTest>
#include <cmath>
#include <vector>

#include "solvers/markov/bfr_ctmc.h"
#include "solvers/reliability/ccf_demand.h"
#include "tests/solvers/simulation/rare/rare_models.h"

using namespace ergode;
using namespace ergode::test;

namespace {

constexpr double q = 3e-4;

/// A runs and is repaired. When it fails B is demanded, and if that does not start, C; whoever runs may fail, too. What
/// has failed to start or to run stays down until A is back. The measure: all three are down.
struct TwoStandbys {
  double a = 1e-3, b = 1e-5, back = 0.1, mission_h = 100;  // [1/h]

  Document model() const {
    ModelBuilder m(number_text(mission_h) + " h");
    ChartBuilder running(m, "Running");
    const ElementId up = running.state("Up"), down = running.state("Down");
    running.initial(up);
    running.transition(up, down, "rate(" + number_text(a) + " /h)", "", "", {{"role", "failure"}});
    running.transition(down, up, "rate(" + number_text(back) + " /h)", "", "", {{"role", "repair"}});
    m.component("A", "Running");
    const auto standby = [&](const std::string& name, const std::string& before) {
      ChartBuilder c(m, "Standby" + name);
      const ElementId waits = c.state("Waits"), asked = c.choice(), runs = c.state("Runs"), failed = c.state("Failed");
      c.initial(waits);
      c.transition(waits, asked, "when(in(" + before + "))");
      c.transition(asked, failed, "p(" + number_text(q) + ")", "", "", {{"role", "failure"}});
      c.transition(asked, runs, "", "else");
      c.transition(runs, failed, "rate(" + number_text(b) + " /h)", "", "", {{"role", "failure"}});
      c.transition(runs, waits, "when(in(A.Up))");
      c.transition(failed, waits, "when(in(A.Up))", "", "", {{"role", "repair"}});
      m.component(name, "Standby" + name);
    };
    standby("B", "A.Down"), standby("C", "B.Failed");
    m.measure("lost", "probability_by", "in(A.Down) and in(B.Failed) and in(C.Failed)", {{"headline", "true"}});
    return m.document();
  }
  /// By uniformisation of: A up; B runs; C runs; all down.
  double exact() const {
    Generator g(4, std::vector<double>(4, 0.0));
    const auto go = [&](std::size_t from, std::size_t to, double rate) {
      g[from][to] += rate / hour, g[from][from] -= rate / hour;
    };
    go(0, 1, a * (1 - q)), go(0, 2, a * q * (1 - q)), go(0, 3, a * q * q);
    go(1, 0, back), go(1, 2, b * (1 - q)), go(1, 3, b * q);
    go(2, 0, back), go(2, 3, b);
    return transient(g, {1, 0, 0, 0}, mission_h * hour, 1e-22)[3];
  }
};

/// Three units of a common-cause group are demanded together; those that start may fail, those that are down are
/// repaired and demanded again, alone. The measure: all three are down.
struct JointStart {
  double total = 1e-3, fails = 2e-4, back = 0.2, mission_h = 24;
  std::vector<double> alphas = {0.985, 0.01, 0.005};

  Document model() const {
    ModelBuilder m(number_text(mission_h) + " h");
    ChartBuilder c(m, "Unit");
    const ElementId start = c.choice(), up = c.state("Up"), down = c.state("Down");
    c.initial(start);
    c.transition(start, down, "", "ccf(start)", "", {{"role", "failure"}});
    c.transition(start, up, "", "else");
    c.transition(up, down, "rate(" + number_text(fails) + " /h)", "", "", {{"role", "failure"}});
    c.transition(down, start, "rate(" + number_text(back) + " /h)", "", "", {{"role", "repair"}});
    const ElementId unit = m.component("unit", "Unit", "3");
    m.group("CCF", "start",
            {{"applies_to", "demand"},
             {"model", "alpha_nonstaggered"},
             {"total", number_text(total)},
             {"alphas", "[0.985, 0.01, 0.005]"}},
            {unit});
    m.measure("lost", "probability_by", "count(unit[*].Down) == 3", {{"headline", "true"}});
    return m.document();
  }
  /// Events of k units, from the definition of the alpha factors (NUREG/CR-5485, non-staggered testing); first the
  /// joint demand, then a birth and death process in which a repair succeeds with probability 1 - total.
  double exact() const {
    const double at = alphas[0] + 2 * alphas[1] + 3 * alphas[2];
    const double q1 = alphas[0] / at * total, q2 = 2 * alphas[1] / 2 / at * total, q3 = 3 * alphas[2] / at * total;
    // Which units are down after the seven independent events.
    std::vector<double> number(4, 0.0);
    for (int events = 0; events < 128; ++events) {
      static constexpr int sets[7] = {1, 2, 4, 3, 5, 6, 7};
      int hit = 0;
      double p = 1.0;
      for (int e = 0; e < 7; ++e) {
        const double one = e < 3 ? q1 : e < 6 ? q2 : q3;
        p *= (events >> e & 1) != 0 ? one : 1.0 - one;
        if ((events >> e & 1) != 0) hit |= sets[e];
      }
      number[static_cast<std::size_t>(__builtin_popcount(static_cast<unsigned>(hit)))] += p;
    }
    const double alone = 1.0 - (1.0 - q1) * (1.0 - q2) * (1.0 - q2) * (1.0 - q3);
    Generator g(4, std::vector<double>(4, 0.0));
    for (std::size_t down = 0; down < 3; ++down) {
      const double worse = static_cast<double>(3 - down) * fails / hour;
      const double better = static_cast<double>(down) * back * (1.0 - alone) / hour;
      g[down][down + 1] += worse;
      if (down > 0) g[down][down - 1] += better;
      g[down][down] -= worse + better;
    }
    return transient(g, number, mission_h * hour, 1e-22)[3];
  }
};

/// A fails and is back after exactly `repair_h`. B is demanded meanwhile, may fail to start, and may fail while it
/// runs. The measure: both are down.
struct FixedRepair {
  double a = 2e-4, b = 1e-5, repair_h = 8, mission_h = 50;

  Document model() const {
    ModelBuilder m(number_text(mission_h) + " h");
    ChartBuilder running(m, "Running");
    const ElementId up = running.state("Up"), down = running.state("Down");
    running.initial(up);
    running.transition(up, down, "rate(" + number_text(a) + " /h)", "", "", {{"role", "failure"}});
    running.transition(down, up, "after(" + number_text(repair_h) + " h)", "", "", {{"role", "repair"}});
    m.component("A", "Running");
    ChartBuilder c(m, "Standby");
    const ElementId waits = c.state("Waits"), asked = c.choice(), runs = c.state("Runs"), failed = c.state("Failed");
    c.initial(waits);
    c.transition(waits, asked, "when(in(A.Down))");
    c.transition(asked, failed, "p(" + number_text(q) + ")", "", "", {{"role", "failure"}});
    c.transition(asked, runs, "", "else");
    c.transition(runs, failed, "rate(" + number_text(b) + " /h)", "", "", {{"role", "failure"}});
    c.transition(runs, waits, "when(in(A.Up))");
    c.transition(failed, waits, "when(in(A.Up))", "", "", {{"role", "repair"}});
    m.component("B", "Standby");
    m.measure("lost", "probability_by", "in(A.Down) and in(B.Failed)", {{"headline", "true"}});
    return m.document();
  }
  double exact() const { return lost(mission_h, 4); }
  /// The probability of having lost both by t, from its renewal equation: A fails at s; both are lost at once with
  /// probability q, or when B fails within the repair, or later, when everything begins anew. With at most `more` - 1
  /// failures of A: four are below 1e-9 of the sum. Five points of Gauss and Legendre in each part.
  double lost(double t, int more) const {
    if (t <= 0.0 || more == 1) return 0.0;
    static constexpr double x[5] = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                                    0.9061798459386640};
    static constexpr double w[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                    0.2369268850561891};
    const int parts = more == 4 ? 32 : 4;
    double out = 0.0;
    for (int part = 0; part < parts; ++part)
      for (int i = 0; i < 5; ++i) {
        const double half = 0.5 * t / parts, s = (2 * part + 1 + x[i]) * half;
        const double left = std::min(repair_h, t - s);
        const double first = q - (1.0 - q) * std::expm1(-b * left);
        const double later = (1.0 - q) * std::exp(-b * repair_h) * lost(t - s - repair_h, more - 1);
        out += w[i] * half * a * std::exp(-a * s) * (first + later);
      }
    return out;
  }
};

struct Coverage {
  int inside = 0, warned = 0, unwarned_outside = 0, unwarned = 0;
};

Coverage of(const Document& document, double exact, const RunRequest& common, int seeds) {
  Coverage out;
  for (int seed = 1; seed <= seeds; ++seed) {
    RunRequest request = common;
    request.seed = static_cast<std::uint64_t>(seed);
    const ResultSet results = solved(document, request);
    const MeasureResult& m = *results.measure("lost");
    const bool inside = m.lower <= exact && exact <= m.upper;
    const bool warned = find_code(results.diagnostics, "RUN023") != nullptr;
    out.inside += inside;
    out.warned += warned;
    out.unwarned += !warned;
    out.unwarned_outside += !warned && !inside;
  }
  return out;
}

}  // namespace

/// What the intervals of both methods are worth where a probability decides on the way to the event: 500 seeds, 95 %.
/// Of a coverage that truly is 95 % fewer than 93 % are seen once in 50 such sets, and more than 97 % as seldom; the
/// seeds are fixed. Exact values: a Markov chain by hand, the events of a group one by one, a renewal equation.
class TestRareCoverage : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void intervals_hold_the_exact_value_as_often_as_they_say_data();
  void intervals_hold_the_exact_value_as_often_as_they_say();
};

void TestRareCoverage::intervals_hold_the_exact_value_as_often_as_they_say_data() {
  QTest::addColumn<Document>("document");
  QTest::addColumn<double>("exact");
  QTest::addColumn<QString>("method");
  for (const QString method : {"failure-biasing", "splitting"}) {
    // Splitting has no help where a clock alone makes the last step rare; it then only takes longer.
    TwoStandbys two;
    FixedRepair fixed;
    const JointStart joint;
    if (method == "splitting") two.b = 5e-3, fixed.b = 1e-3;
    const QByteArray name = method.toUtf8();
    QTest::addRow("two standbys, %s", name.data()) << two.model() << two.exact() << method;
    QTest::addRow("joint start, %s", name.data()) << joint.model() << joint.exact() << method;
    QTest::addRow("fixed repair, %s", name.data()) << fixed.model() << fixed.exact() << method;
  }
}

void TestRareCoverage::intervals_hold_the_exact_value_as_often_as_they_say() {
  QFETCH(Document, document);
  QFETCH(double, exact);
  QFETCH(QString, method);
  constexpr int seeds = 500;
  RunRequest request;
  request.options["variance-reduction"] = method.toStdString();
  request.precision = method == "splitting" ? 0.2 : 0.1;
  request.options["effort"] = "100";
  request.threads = 2;
  const Coverage seen = of(document, exact, request, seeds);
  const QString text = QString("exact %1: %2 of %3 inside, %4 warned, %5 of %6 unwarned outside")
                           .arg(exact)
                           .arg(seen.inside)
                           .arg(seeds)
                           .arg(seen.warned)
                           .arg(seen.unwarned_outside)
                           .arg(seen.unwarned);
  qInfo("%s", qPrintable(text));
  QVERIFY2(seen.inside >= 0.93 * seeds && seen.inside <= 0.975 * seeds, qPrintable(text));
  QVERIFY2(seen.unwarned_outside <= 0.07 * seen.unwarned, qPrintable(text));
}

QTEST_APPLESS_MAIN(TestRareCoverage)
#include "tst_rare_coverage.moc"
