// For how long a quantity has which value: queue lengths beside plain programs and closed forms.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <map>
#include <random>

#include "core/des/lowering.h"
#include "core/results/result_json.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

const Series& distribution_of(const ResultSet& r, const std::string& id) {
  for (const Series& one : r.series)
    if (one.kind == "distribution" && one.measure == id) return one;
  throw std::runtime_error("no distribution of " + id);
}

/// Share of the time for which it was at most `x`.
double share(const Series& distribution, double x) {
  double out = 0.0;
  for (std::size_t i = 0; i < distribution.x.size() && distribution.x[i] <= x; ++i) out = distribution.y[i];
  return out;
}

/// From the definition: times [s] for which so many are in a queue of one server, whose customers come at these
/// times and take so long.
std::map<int, double> held(const std::vector<double>& comes_s, const std::vector<double>& takes_s, double end_s) {
  std::vector<std::pair<double, int>> steps;
  double free_s = 0.0;
  for (std::size_t i = 0; i < comes_s.size(); ++i) {
    free_s = std::max(free_s, comes_s[i]) + takes_s[i];
    steps.emplace_back(comes_s[i], 1), steps.emplace_back(free_s, -1);
  }
  std::sort(steps.begin(), steps.end());
  std::map<int, double> out;
  double since_s = 0.0;
  int number = 0;
  for (const auto& [at_s, by] : steps) {
    const double upto_s = std::min(at_s, end_s);
    out[number] += upto_s - since_s, since_s = upto_s, number += by;
  }
  out[number] += end_s - since_s;
  return out;
}

RunRequest one_long_run(std::uint64_t seed, double confidence) {
  RunRequest out;
  out.seed = seed, out.confidence = confidence;
  out.options["output-analysis"] = "batch-means";
  return out;
}

}  // namespace

/// Exact values are asked to lie in 99.9 % intervals at fixed seeds: 16 of them.
class TestTimeDistribution : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Whole numbers are kept in another way than all others.
  void it_is_what_a_plain_program_finds() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0.1, 1.9);
    QTemporaryDir folder;
    for (int round = 0; round < 20; ++round) {
      constexpr double end_s = 40.0;
      std::vector<double> comes_s, takes_s;
      std::string gaps = "gap\n", services = "time\n";
      for (double now_s = 0.0; now_s < end_s;) {
        const double gap_s = uniform(random), service_s = 0.9 * uniform(random);
        comes_s.push_back(now_s += gap_s), takes_s.push_back(service_s);
        gaps += number_text(gap_s) + "\n", services += number_text(service_s) + "\n";
      }
      for (const auto& [name, text] : {std::pair{"gaps.csv", gaps}, std::pair{"services.csv", services}}) {
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text.c_str()) > 0);
      }
      DrawnNetwork d("40 s");
      d.queue("trace(file = \"gaps.csv\", column = \"gap\", unit = \"s\")",
              "trace(file = \"services.csv\", column = \"time\", unit = \"s\")");
      d.m.measure("plain", "time_distribution", "desk.number");
      d.m.measure("third", "time_distribution", "-desk.number / 3 - 0.1");
      d.m.measure("far", "time_distribution", "desk.number + 5000", {{"curve", "0"}});
      RunRequest once{.replications = 1}, for_long = one_long_run(1, 0.95);
      once.folder = for_long.folder = folder.path().toStdString();
      const ResultSet r = solved(d.m.document(), once), long_run = solved(d.m.document(), for_long);
      double cumulated = 0.0, mean = 0.0;
      for (const auto& [number, time_s] : held(comes_s, takes_s, end_s)) {
        cumulated += time_s / end_s, mean += number * time_s / end_s;
        near(share(distribution_of(r, "plain"), number), cumulated, "share of the time", 1e-6);
        near(share(distribution_of(r, "far"), number + 5000), cumulated, "of greater numbers", 1e-5);
        near(1.0 - share(distribution_of(r, "third"), -number / 3.0 - 0.1 - 1e-9), cumulated, "of fractions", 1e-5);
      }
      near(estimate(r, "plain"), mean, "mean");
      near(estimate(r, "third"), -mean / 3.0 - 0.1, "mean of fractions");
      near(estimate(long_run, "plain"), estimate(long_run, "far") - 5000.0, "mean of the long run");
    }
  }

  // P(N <= n) = 1 - rho^(n+1).
  void the_numbers_of_a_queue_are_geometric() {
    constexpr double load = 0.7;
    DrawnNetwork d("200000 s");
    d.queue("exponential(rate = 0.7 /s)", "exponential(mean = 1 s)");
    d.m.measure("spread", "time_distribution", "desk.number");
    const ResultSet r = solved(d.m.document(), one_long_run(4, 0.999));
    const Series& s = distribution_of(r, "spread");
    QCOMPARE(s.y_label, std::string("Share of the time"));
    for (int n = 0; n < 8; ++n) {
      const double exact = 1.0 - std::pow(load, n + 1);
      QCOMPARE(s.x[static_cast<std::size_t>(n)], static_cast<double>(n));
      const double lower = s.lower[static_cast<std::size_t>(n)], upper = s.upper[static_cast<std::size_t>(n)];
      QVERIFY2(lower <= exact && exact <= upper && upper - lower < 0.1,
               qPrintable(QString("P(N <= %1) = %2 in [%3, %4]").arg(n).arg(exact).arg(lower).arg(upper)));
    }
    const MeasureResult& m = *r.measure("spread");
    compare_inside(r, "spread", load / (1.0 - load));
    for (const auto& [p, seen] : m.quantiles) {
      const double exact = std::max(0.0, std::ceil(std::log1p(-p) / std::log(load)) - 1.0);
      const auto [lower, upper] = m.quantile_intervals.at(p);
      QVERIFY2((std::isnan(lower) || lower <= exact) && (std::isnan(upper) || exact <= upper),
               qPrintable(QString("p%1: %2 in [%3, %4]").arg(100.0 * p).arg(exact).arg(lower).arg(upper)));
    }
    // Batches are told in seconds.
    for (const ResultTable& t : r.tables)
      for (const auto& row : t.rows)
        if (t.name == "long_run" && std::get<std::string>(row[0]) == "spread" && std::get<std::string>(row[1]) == "p50")
          QVERIFY(std::get<double>(row[7]) > 100.0 && std::get<double>(row[7]) < 200000.0 / 24.0);
  }

  // M/M/1/3 by hand: probabilities 8, 4, 2, 1 of 15 for an even load of 1/2; and the simulation beside it.
  void the_chain_of_the_network_knows_it() {
    DrawnNetwork d("20000 s");
    d.queue("exponential(rate = 0.5 /s)", "exponential(mean = 1 s)", {{"capacity", "3"}});
    d.m.measure("spread", "time_distribution", "desk.number", {{"scale", "2"}});
    const ResultSet r = solved(d.m.document(), {.solver = "ctmc-network"});
    const Series& s = distribution_of(r, "spread");
    QCOMPARE(s.x, (std::vector<double>{0.0, 2.0, 4.0, 6.0}));
    QVERIFY(s.exact);
    for (std::size_t n = 0; n < 4; ++n)
      near(s.y[n], (16.0 - std::pow(2.0, 3.0 - static_cast<double>(n))) / 15.0, "share", 1e-9);
    const MeasureResult& m = *r.measure("spread");
    QCOMPARE(m.quantiles.at(0.5), 0.0);
    QCOMPARE(m.quantiles.at(0.9), 4.0);
    QCOMPARE(m.quantiles.at(0.95), 6.0);
    near(m.variance, 4.0 * (21.0 / 15.0 - 121.0 / 225.0), "variance", 1e-9);
    const ResultSet seen = solved(d.m.document(), {.replications = 40});
    for (const auto& [p, value] : m.quantiles) QCOMPARE(seen.measure("spread")->quantiles.at(p), value);
    // Without a limit it is cut far out; the mean is exact, and half of the time nobody is there.
    DrawnNetwork open("20000 s");
    open.queue("exponential(rate = 0.5 /s)", "exponential(mean = 1 s)");
    open.m.measure("spread", "time_distribution", "desk.number");
    const ResultSet cut = solved(open.m.document(), {.solver = "ctmc-network"});
    near(cut, "spread", 1.0, 1e-6);
    QCOMPARE(cut.measure("spread")->quantiles.at(0.5), 0.0);
    QCOMPARE(cut.measure("spread")->quantiles.at(0.999), 9.0);  // 1 - 2^-10
    near(cut.measure("spread")->variance, 2.0, "variance", 1e-6);
  }

  void replications_have_one_together_at_any_number_of_threads() {
    DrawnNetwork d("2000 s");
    d.queue("exponential(rate = 0.5 /s)", "exponential(mean = 1 s)");
    d.m.measure("spread", "time_distribution", "desk.number");
    RunRequest asked{.replications = 60};
    const ResultSet one = solved(d.m.document(), asked);
    asked.threads = 2;
    const ResultSet two = solved(d.m.document(), asked);
    const Series &a = distribution_of(one, "spread"), &b = distribution_of(two, "spread");
    QVERIFY(a.x == b.x && a.y == b.y);
    for (int n = 0; n < 5; ++n) near(share(a, n), 1.0 - std::pow(0.5, n + 1), "share", 0.02);
    const MeasureResult& m = *one.measure("spread");
    QCOMPARE(m.quantiles.at(0.25), 0.0);
    QCOMPARE(m.quantiles.at(0.9), 3.0);
    QCOMPARE(m.quantiles.at(0.95), 4.0);  // 1 - 0.5^4 = 0.9375
    QVERIFY(m.quantiles.contains(0.999));
    const auto holds = [&](double p, double value) {
      const auto [lower, upper] = m.quantile_intervals.at(p);
      return lower <= value && value <= upper && upper <= value + 1.0;
    };
    QVERIFY(holds(0.25, 0.0) && holds(0.9, 3.0) && holds(0.95, 4.0));
    // Of a geometric number of customers at load 1/2.
    QVERIFY(std::fabs(m.variance - 2.0) < 0.1);
    QVERIFY(m.variance_interval.lower <= 2.0 && 2.0 <= m.variance_interval.upper);
    QVERIFY(m.variance == two.measure("spread")->variance);
    for (int n = 0; n < 5; ++n) {
      const auto at = static_cast<std::size_t>(std::find(a.x.begin(), a.x.end(), n) - a.x.begin());
      QVERIFY(a.lower[at] <= 1.0 - std::pow(0.5, n + 1) && 1.0 - std::pow(0.5, n + 1) <= a.upper[at]);
    }
  }

  // M/M/1 from empty, long after: times at the station are exponential of mean 2 s, numbers geometric of 1/2; in
  // replications, whose second half is kept, and in one long run.
  void the_long_run_has_its_distribution_where_asked() {
    DrawnNetwork d("40000 s");
    d.queue("exponential(rate = 0.5 /s)", "exponential(mean = 1 s)");
    d.m.measure("present", "steady_state_mean", "desk.number", {{"distribution", "true"}});
    d.m.measure("alone", "steady_state_mean", "desk.number");
    const ElementId time = d.m.measure("stay", "steady_state_mean", "");
    d.m.set(time, "of", "desk.response_time"), d.m.set(time, "unit", "s"), d.m.set(time, "distribution", "true");
    RunRequest asked{.replications = 40};
    asked.confidence = 0.999;
    const ResultSet one = solved(d.m.document(), asked);
    asked.threads = 2;
    const ResultSet two = solved(d.m.document(), asked), run = solved(d.m.document(), one_long_run(3, 0.999));
    QVERIFY(one.measure("present")->estimate == one.measure("alone")->estimate);
    QVERIFY(one.measure("alone")->quantiles.empty());
    for (const ResultSet* r : {&one, &two, &run}) {
      const MeasureResult &number = *r->measure("present"), &times = *r->measure("stay");
      for (const double p : {0.5, 0.9, 0.99}) {
        const auto [lower, upper] = times.quantile_intervals.at(p);
        const double exact = -2.0 * std::log1p(-p);
        // One run of 20,000 customers says little of the last in a hundred.
        if (r == &run && p > 0.95) continue;
        QVERIFY2(lower <= exact && exact <= upper, qPrintable(QString("p%1 in [%2, %3]").arg(p).arg(lower).arg(upper)));
        if (r != &run) QVERIFY(upper - lower < 0.1 * exact);
      }
      QVERIFY(times.variance_interval.lower <= 4.0 && 4.0 <= times.variance_interval.upper);
      QVERIFY(number.variance_interval.lower <= 2.0 && 2.0 <= number.variance_interval.upper);
      near(share(distribution_of(*r, "present"), 1.0), 0.75, "share", 0.02);
    }
    QVERIFY(one.measure("stay")->quantiles == two.measure("stay")->quantiles);
    QVERIFY(one.measure("present")->variance == two.measure("present")->variance);
    QCOMPARE(distribution_of(one, "present").y_label, std::string("Share of the time"));
    QCOMPARE(distribution_of(one, "stay").y_label, std::string("Share of observations"));
    const ResultSet chain = solved(d.m.document(), {.solver = "ctmc-network"});
    near(chain.measure("present")->variance, 2.0, "variance", 1e-6);
  }

  // A transient that an empty beginning makes is not in it.
  void the_beginning_is_no_part_of_the_long_run() {
    ModelBuilder m("100 h");
    ChartBuilder c(m, "Machine");
    const ElementId fresh = c.state("Fresh"), worn = c.state("Worn");
    c.initial(fresh), c.transition(fresh, worn, "after(10 h)");
    m.component("machine", "Machine");
    m.measure("worn", "steady_state_mean", "count(machine.Worn) + 1", {{"distribution", "true"}});
    const MeasureResult r = *solved(m.document(), {.replications = 8}).measure("worn");
    QVERIFY(r.quantiles.at(0.05) == 2.0 && r.variance == 0.0);
  }

  void what_flows_is_looked_at_often() {
    ModelBuilder m("10 h");
    ChartBuilder c(m, "Vessel");
    c.variable("level", "real", "1");
    const ElementId fills = c.state("Fills");
    m.set(fills, "flow", "level := 2 / 1 h");
    c.initial(fills);
    m.component("vessel", "Vessel");
    m.measure("spread", "time_distribution", "vessel.level");
    m.measure("curved", "time_distribution", "vessel.level * vessel.level");
    for (const ResultSet& r : {solved(m.document(), {.replications = 2}), solved(m.document(), one_long_run(1, 0.95))})
      for (const double p : {0.25, 0.5, 0.95}) {
        const bool mission = r.replications == 2;
        const double level = mission ? 1.0 + 20.0 * p : r.measure("spread")->quantiles.at(p);
        near(r.measure("spread")->quantiles.at(p), level, "level", 0.07);
        near(r.measure("curved")->quantiles.at(p), level * level, "its square", 0.14);
      }
  }

  // A sawtooth that comes again thousands of times is met everywhere: even from 0 to 1; with random resets exponential.
  void short_stretches_are_looked_at_everywhere() {
    for (const bool even : {true, false}) {
      ModelBuilder m(even ? "3000 h" : "20000 h");
      ChartBuilder c(m, "Vessel");
      c.variable("level", "real", "0");
      const ElementId fills = c.state("Fills");
      m.set(fills, "flow", "level := 1 / 1 h");
      c.initial(fills);
      c.transition(fills, fills, even ? "after(1 h)" : "rate(1 /h)", "", "level := 0");
      m.component("vessel", "Vessel");
      m.measure("spread", "time_distribution", "vessel.level");
      for (const ResultSet& r :
           {solved(m.document(), {.replications = 1}), solved(m.document(), one_long_run(1, 0.95))})
        for (const double p : {0.05, 0.25, 0.5, 0.9, 0.99})
          near(r.measure("spread")->quantiles.at(p), even ? p : -std::log1p(-p), even ? "even" : "exponential",
               even ? 0.01 : 0.06);
    }
  }

  void of_a_condition_there_is_only_the_share() {
    DrawnNetwork d("2000 s");
    d.queue("exponential(rate = 0.5 /s)", "exponential(mean = 1 s)");
    d.m.measure("empty", "time_distribution", "desk.number == 0");
    const ResultSet r = solved(d.m.document(), {.replications = 20});
    QVERIFY(r.measure("empty")->quantiles.empty());
    near(estimate(r, "empty"), 0.5, "share of the time", 0.05);
  }
};

QTEST_GUILESS_MAIN(TestTimeDistribution)
#include "tst_time_distribution.moc"
