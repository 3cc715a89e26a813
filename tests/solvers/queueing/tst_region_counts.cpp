// Who is inside a capacity region, waits before it and is lost there, by class: against product forms and birth and
// death processes.
#include <QtTest>
#include <array>
#include <cmath>
#include <functional>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/saved_moment.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

constexpr double gold_rate = 1.5, bulk_rate = 1.0, gold_s = 0.8, bulk_s = 1.6;

/// A loss system of two classes with limits for each and for all: p(g, b) is proportional to a^g / g! b^b / b!
/// (Kaufman, Blocking in a shared resource environment, IEEE Transactions on Communications 29(10), 1981), whatever the
/// laws of the stays.
struct LossSystem {
  static constexpr int most = 4, most_gold = 3, most_bulk = 2;
  double number_gold = 0.0, number_bulk = 0.0, lost_gold = 0.0, lost_bulk = 0.0;  ///< means, probabilities
  LossSystem() {
    double all = 0.0;
    for (int g = 0; g <= most_gold; ++g)
      for (int b = 0; b <= most_bulk && g + b <= most; ++b) {
        const double p =
            std::pow(gold_rate * gold_s, g) / std::tgamma(g + 1) * std::pow(bulk_rate * bulk_s, b) / std::tgamma(b + 1);
        all += p;
        number_gold += p * g, number_bulk += p * b;
        if (g == most_gold || g + b == most) lost_gold += p;
        if (b == most_bulk || g + b == most) lost_bulk += p;
      }
    for (double* one : {&number_gold, &number_bulk, &lost_gold, &lost_bulk}) *one /= all;
  }
};

/// Two classes that stay in a region of one delay.
struct RegionDrawing : DrawnNetwork {
  ElementId stay;
  RegionDrawing(const std::string& of_gold, const std::string& of_bulk, Value limits) {
    node("job_class", "gold"), node("job_class", "bulk");
    stay = node("delay", "stay", {{"time_of", "gold = " + of_gold + ", bulk = " + of_bulk}});
    const ElementId out = node("sink", "out");
    for (const auto& [of, rate] : {std::pair{"gold", gold_rate}, std::pair{"bulk", bulk_rate}})
      flow(node("source", std::string("of_") + of, {{"interarrival", exponential(1 / rate)}, {"class", of}}), stay);
    flow(stay, out);
    limits["stations"] = "stay";
    node("region", "yard", std::move(limits));
    for (const std::string of : {"gold", "bulk"}) {
      mean("inside_" + of, "yard.number." + of), mean("before_" + of, "yard.waiting." + of);
      m.measure("lost_" + of, "final_value", "yard.lost." + of + " / 4000 s", {{"unit", "/s"}});
      for (const auto& [name, kind] : {std::pair{"time_", "observed_mean"}, std::pair{"rate_", "observed_rate"}})
        m.measure(name + of, kind, "", {{"of", "yard.response_time"}, {"class", of}});
    }
  }
  ResultSet run() const { return solved(m.document(), {.replications = 60, .confidence = 0.999}); }
};

}  // namespace

/// Exact values are asked to lie in 99.9 % intervals at a fixed seed: 28 of them.
class TestRegionCounts : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void who_is_inside_and_who_is_lost_data() {
    QTest::addColumn<QString>("law");
    QTest::newRow("exponential") << "exponential(mean = %1 s)";
    QTest::newRow("constant") << "%1 s";
  }
  void who_is_inside_and_who_is_lost() {
    QFETCH(QString, law);
    const RegionDrawing d(law.arg(gold_s).toStdString(), law.arg(bulk_s).toStdString(),
                          {{"capacity", "4"}, {"capacity_of", "gold = 3, bulk = 2"}, {"when_full", "lose"}});
    const LossSystem wanted;
    const ResultSet r = d.run();
    compare_inside(r, "inside_gold", wanted.number_gold), compare_inside(r, "inside_bulk", wanted.number_bulk);
    compare_inside(r, "lost_gold", gold_rate * wanted.lost_gold);
    compare_inside(r, "lost_bulk", bulk_rate * wanted.lost_bulk);
    compare_inside(r, "rate_gold", gold_rate * (1 - wanted.lost_gold));
    compare_inside(r, "rate_bulk", bulk_rate * (1 - wanted.lost_bulk));
    QCOMPARE(estimate(r, "before_gold"), 0.0);
    if (law.startsWith("exponential")) {
      compare_inside(r, "time_gold", gold_s), compare_inside(r, "time_bulk", bulk_s);
      const ResultSet exact = solved(d.m.document(), {.solver = "ctmc-network"});
      near(exact, "inside_gold", wanted.number_gold), near(exact, "inside_bulk", wanted.number_bulk);
      near(exact, "before_bulk", 0.0);
      near(exact, "loss_probability/stay/gold", wanted.lost_gold);
      near(exact, "loss_probability/stay/bulk", wanted.lost_bulk);
    }
    compare_saved_moment(d.m.document());
  }

  // Alike but for their rates, they stand before it as at M/M/4, each class by its share.
  void who_waits_before_it() {
    constexpr double stay_s = 1.2;
    const RegionDrawing d(exponential(stay_s), exponential(stay_s), {{"capacity", "4"}});
    double p = 1.0, all = 1.0, waiting = 0.0, inside = 0.0;
    for (int n = 1; n < 2000; ++n) {
      p *= (gold_rate + bulk_rate) * stay_s / std::min(n, 4);
      all += p, waiting += p * std::max(0, n - 4), inside += p * std::min(n, 4);
    }
    const double gold = gold_rate / (gold_rate + bulk_rate);
    const ResultSet r = d.run();
    compare_inside(r, "before_gold", waiting / all * gold),
        compare_inside(r, "before_bulk", waiting / all * (1 - gold));
    compare_inside(r, "inside_gold", inside / all * gold), compare_inside(r, "inside_bulk", inside / all * (1 - gold));
    compare_inside(r, "time_gold", stay_s), compare_inside(r, "time_bulk", stay_s);
    compare_inside(r, "rate_gold", gold_rate), compare_inside(r, "rate_bulk", bulk_rate);
    QCOMPARE(estimate(r, "lost_gold"), 0.0);
    compare_saved_moment(d.m.document());
  }

  // Closed, so that the chain is whole: of each class two think, and one place is for both. States: who is inside, and
  // the line before it.
  void who_waits_state_by_state() {
    DrawnNetwork d;
    for (const char* of : {"gold", "bulk"}) d.node("job_class", of, {{"population", "1"}, {"reference", "think"}});
    const ElementId think = d.node("delay", "think",
                                   {{"time_of", "gold = " + exponential(1) + ", bulk = " + exponential(0.5)}}),
                    stay = d.node("delay", "stay",
                                  {{"time_of", "gold = " + exponential(2) + ", bulk = " + exponential(1)}});
    d.flow(think, stay), d.flow(stay, think);
    d.node("region", "yard", {{"stations", "stay"}, {"capacity", "1"}});
    for (const std::string of : {"gold", "bulk"})
      d.mean("inside_" + of, "yard.number." + of), d.mean("before_" + of, "yard.waiting." + of);
    // 0: both think; gold inside: 1, 2 with bulk before it; bulk inside: 3, 4 with gold before it.
    // Balance with rates of thinking 1 and 2, of staying 1/2 and 1.
    std::array<std::array<double, 5>, 5> rate{};
    rate[0][1] = 1, rate[0][3] = 2, rate[1][0] = 0.5, rate[1][2] = 2, rate[3][0] = 1, rate[3][4] = 1;
    rate[2][3] = 0.5, rate[4][1] = 1;
    std::array<double, 5> p{0.2, 0.2, 0.2, 0.2, 0.2};
    for (int step = 0; step < 20000; ++step) {
      std::array<double, 5> next = p;
      for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < p.size(); ++j)
          next[j] += 0.1 * p[i] * rate[i][j], next[i] -= 0.1 * p[i] * rate[i][j];
      p = next;
    }
    const ResultSet exact = solved(d.m.document(), {.solver = "ctmc-network"});
    near(exact, "inside_gold", p[1] + p[2]), near(exact, "inside_bulk", p[3] + p[4]);
    near(exact, "before_gold", p[4]), near(exact, "before_bulk", p[2]);
    const ResultSet r = solved(d.m.document(), {.replications = 60, .confidence = 0.999});
    compare_inside(r, "inside_gold", p[1] + p[2]), compare_inside(r, "inside_bulk", p[3] + p[4]);
    compare_inside(r, "before_gold", p[4]), compare_inside(r, "before_bulk", p[2]);
  }

  // As whom they came in counts, whatever they become inside; states do not tell that.
  void who_became_another_inside_is_whom_he_was() {
    DrawnNetwork d("200 s");
    d.node("job_class", "gold"), d.node("job_class", "bulk");
    const ElementId in = d.node("source", "in", {{"interarrival", "exponential(mean = 1 s)"}, {"class", "gold"}}),
                    a = d.node("delay", "a", {{"time", exponential(0.5)}}),
                    b = d.node("delay", "b", {{"time", exponential(0.5)}}), out = d.node("sink", "out");
    d.flow(in, a), d.flow(a, b, {{"becomes", "bulk"}}), d.flow(b, out);
    d.node("region", "yard", {{"stations", "a, b"}, {"capacity", "3"}, {"when_full", "lose"}});
    d.mean("all", "yard.number"), d.mean("gold", "yard.number.gold"), d.mean("bulk", "yard.number.bulk");
    const ResultSet r = solved(d.m.document(), {.replications = 2});
    QVERIFY(estimate(r, "all") > 0.1);
    QCOMPARE(estimate(r, "gold"), estimate(r, "all"));
    QCOMPARE(estimate(r, "bulk"), 0.0);
    const ResultSet exact = solved(d.m.document(), {.solver = "ctmc-network"});
    QVERIFY(exact.measure("all") != nullptr);
    QVERIFY(exact.measure("gold") == nullptr);
  }

  // A region that is never full holds who is at its stations, so Little's law tells what a passage stays there, also
  // where it ends inside. Product form (Gordon and Newell, Operations Research 15(2), 1967).
  void passages_that_end_inside() {
    constexpr double cpu_s = 0.2, disk_s = 0.5, think_s = 1.0, to_disk = 0.4;
    constexpr int customers = 3;
    double all = 0.0, inside = 0.0, busy = 0.0;
    for (int thinking = 0; thinking <= customers; ++thinking)
      for (int at_cpu = 0; thinking + at_cpu <= customers; ++at_cpu) {
        const double p = std::pow((1 - to_disk) * think_s, thinking) / std::tgamma(thinking + 1) *
                         std::pow(cpu_s, at_cpu) * std::pow(to_disk * disk_s, customers - thinking - at_cpu);
        all += p, inside += p * (customers - thinking), busy += at_cpu > 0 ? p : 0.0;
      }
    const double passages = busy / all / cpu_s;
    for (const char* reference : {"cpu", "think"}) {
      DrawnNetwork d;
      d.node("job_class", "users", {{"population", std::to_string(customers)}, {"reference", reference}});
      const ElementId think = d.node("delay", "think", {{"time", exponential(think_s)}}),
                      cpu = d.node("station", "cpu", {{"service", exponential(cpu_s)}}),
                      disk = d.node("station", "disk", {{"service", exponential(disk_s)}});
      d.flow(think, cpu), d.flow(cpu, disk, {{"probability", std::to_string(to_disk)}}), d.flow(cpu, think);
      d.flow(disk, cpu), d.node("region", "yard", {{"stations", "cpu, disk"}, {"capacity", "9"}});
      d.mean_of("inside", "yard.residence_time");
      const double ends = reference == std::string("cpu") ? passages : passages * (1 - to_disk);
      compare_inside(solved(d.m.document(), {.replications = 60, .confidence = 0.999}), "inside", inside / all / ends);
      compare_saved_moment(d.m.document());
    }
  }

  // Two parts stay 0.1 s and 0.3 s, their customer once more 0.2 s, and of two regions each counts its own; he waits
  // before the second until the first customer has left it, which is no stay there.
  void what_parts_stay_inside_is_of_their_customer() {
    DrawnNetwork d("20 s");
    const ElementId in = d.node("source", "in", {{"interarrival", "schedule(times = [1 s, 1.05 s])"}}),
                    fork = d.node("fork", "split"), a = d.node("delay", "a", {{"time", "0.1 s"}}),
                    b = d.node("delay", "b", {{"time", "0.3 s"}}), join = d.node("join", "meet"),
                    c = d.node("delay", "c", {{"time", "0.2 s"}}), out = d.node("sink", "out");
    d.flow(in, fork), d.flow(fork, a), d.flow(fork, b), d.flow(a, join), d.flow(b, join), d.flow(join, c);
    d.flow(c, out);
    d.node("region", "yard", {{"stations", "a, b"}, {"capacity", "9"}});
    d.node("region", "gate", {{"stations", "c"}, {"capacity", "1"}});
    for (const char* one : {"yard", "gate"})
      d.m.measure(one, "observed_mean", "", {{"of", std::string(one) + ".residence_time"}});
    const ResultSet r = solved(d.m.document(), {.replications = 1});
    near(r, "yard", 0.4), near(r, "gate", 0.2);
  }
};

QTEST_APPLESS_MAIN(TestRegionCounts)
#include "tst_region_counts.moc"
