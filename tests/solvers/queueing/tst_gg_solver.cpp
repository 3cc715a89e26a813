// Open networks by means and variances: exact where they must be, near exact answers elsewhere, and never called exact.
#include <QtTest>
#include <cmath>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

ResultSet run(const DrawnNetwork& d, const char* formula = "kraemer-langenbach-belz") {
  return solved(d.m.document(), {.solver = "gg-approximation", .options = {{"gg-formula", formula}}});
}
void equals(const ResultSet& r, const std::string& id, double wanted, double digits = 1e-12) {
  const double seen = estimate(r, id);
  QVERIFY2(std::fabs(seen - wanted) <= digits * std::fabs(wanted),
           qPrintable(QString("%1: %2, wanted %3").arg(id.c_str()).arg(seen, 0, 'g', 17).arg(wanted, 0, 'g', 17)));
}
/// Waiting of GI/M/1: the root of x = A(mu (1 - x)), A the transform of the gaps.
template <class Transform>
double gi_m_1(double service_s, const Transform& gaps) {
  double x = 0.5;
  for (int i = 0; i < 10000; ++i) x = gaps((1 - x) / service_s);
  return x * service_s / (1 - x);
}

}  // namespace

class TestGgSolver : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void exact_where_formulas_are() {
    for (const char* formula : {"kraemer-langenbach-belz", "allen-cunneen"}) {
      DrawnNetwork general, several;
      general.queue(exponential(1), "0.8 s"), several.queue(exponential(1), exponential(1.5), {{"servers", "2"}});
      equals(run(general, formula), "wait", 0.8 * 0.8 / 2 / (1 - 0.8));
      equals(run(several, formula), "wait", 1.5 * 0.75 * 0.75 / (1 - 0.75 * 0.75));
      equals(run(several, formula), "queue_length/desk", 1.5 + 1.5 * 0.75 * 0.75 / (1 - 0.75 * 0.75));
    }
  }
  void near_the_roots_of_general_arrivals() {
    for (const double load : {0.5, 0.7, 0.9}) {
      DrawnNetwork regular, fixed, bursts;
      regular.queue("erlang(k = 2, mean = 1 s)", exponential(load));
      fixed.queue("1 s", exponential(load));
      bursts.queue("hyperexponential(p = [0.5, 0.5], rate = [0.6 /s, 3 /s])", exponential(load));
      equals(run(regular), "wait", gi_m_1(load, [](double s) { return std::pow(2 / (2 + s), 2); }), 0.1);
      equals(run(fixed), "wait", gi_m_1(load, [](double s) { return std::exp(-s); }), 0.1);
      equals(run(bursts), "wait", gi_m_1(load, [](double s) { return 0.5 * 0.6 / (0.6 + s) + 0.5 * 3 / (3 + s); }),
             0.2);
    }
  }
  // Jackson's network with a way back.
  void networks_at_random_are_exact() {
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"rate", "1 /s"}}), out = d.node("sink", "out"),
                    one = d.node("station", "one", {{"service", exponential(0.5)}}),
                    two = d.node("station", "two", {{"service", exponential(0.9)}, {"servers", "2"}});
    d.flow(in, one), d.flow(one, two), d.flow(two, one, {{"probability", "0.25"}}), d.flow(two, out);
    const ResultSet r = run(d);
    const double rate = 1 / 0.75, rho = rate * 0.5, load = rate * 0.9 / 2;
    equals(r, "queue_length/one", rho / (1 - rho));
    equals(r, "queue_length/two", 2 * load / (1 - load * load));
  }
  // By hand, as Whitt has it: split, passed through a server, superposed.
  void variabilities_follow_the_flows() {
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"interarrival", "1 s"}}), out = d.node("sink", "out"),
                    one = d.node("station", "one", {{"service", "gamma(shape = 2, scale = 0.3 s)"}}),
                    two = d.node("station", "two", {{"service", exponential(0.8)}}),
                    other = d.node("source", "other", {{"rate", "0.3 /s"}});
    d.flow(in, one), d.flow(one, two, {{"probability", "0.7"}}), d.flow(one, out), d.flow(other, two), d.flow(two, out);
    const ResultSet r = run(d, "allen-cunneen");
    equals(r, "waiting_time/one", 0.6 / (1 - 0.6) * 0.6 * (0 + 0.5) / 2);
    const double leaving = 1 + (1 - 0.36) * (0 - 1) + 0.36 * (0.5 - 1), split = 0.7 * leaving + 0.3;
    const double load = 0.8, parts = 1 / (0.7 * 0.7 + 0.3 * 0.3), weight = 1 / (1 + 4 * 0.04 * (parts - 1)),
                 arriving = 1 - weight + weight * (0.7 * split + 0.3);
    equals(r, "waiting_time/two", load / (1 - load) * 0.8 * (arriving + 1) / 2);
  }
  // Kingman's limit is exact where arrivals are Poisson, and so is Jackson's network; ways back to the same station
  // too.
  void heavy_traffic_is_exact_where_all_is_poisson() {
    DrawnNetwork general;
    general.queue(exponential(1), "gamma(shape = 4, scale = 0.2 s)");
    equals(run(general, "brownian"), "wait", 0.8 * 0.8 * (1 + 0.25) / 2 / (1 - 0.8));
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"rate", "1 /s"}}), out = d.node("sink", "out"),
                    one = d.node("station", "one", {{"service", exponential(0.4)}}),
                    rest = d.node("delay", "rest", {{"time", "3 s"}}),
                    two = d.node("station", "two", {{"service", exponential(0.6)}});
    d.flow(in, one), d.flow(one, one, {{"probability", "0.1"}}), d.flow(one, rest), d.flow(rest, two);
    d.flow(two, one, {{"probability", "0.25"}}), d.flow(two, out);
    const ResultSet r = run(d, "brownian");
    const double two_rate = 1 / 0.75, one_rate = two_rate / 0.9;
    equals(r, "queue_length/one", one_rate * 0.4 / (1 - one_rate * 0.4), 1e-10);
    equals(r, "queue_length/two", two_rate * 0.6 / (1 - two_rate * 0.6), 1e-10);
    equals(r, "queue_length/rest", two_rate * 3);
    QVERIFY(std::stod(r.provenance.options.at("product_form_gap")) < 1e-12);
    QVERIFY(!r.tables.back().exact && r.tables.back().name == "heavy_traffic");
  }
  void heavy_traffic_is_near_where_stations_are_nearly_saturated() {
    DrawnNetwork regular, fixed;
    regular.queue("erlang(k = 2, mean = 1 s)", exponential(0.95)), fixed.queue("1 s", exponential(0.95));
    equals(run(regular, "brownian"), "wait", gi_m_1(0.95, [](double s) { return std::pow(2 / (2 + s), 2); }), 0.03);
    equals(run(fixed, "brownian"), "wait", gi_m_1(0.95, [](double s) { return std::exp(-s); }), 0.05);
    // 400 servers with a spare capacity of one root of 400: Erlang's formula by its recursion.
    DrawnNetwork many;
    many.queue(exponential(1), exponential(380), {{"servers", "400"}});
    double loss = 1;
    for (int n = 1; n <= 400; ++n) loss = 380 * loss / (n + 380 * loss);
    const double waits = loss / (1 - 0.95 * (1 - loss));
    equals(run(many, "brownian"), "wait", waits * 380 / 20, 0.03);
    // Bursts before several servers: against all states.
    DrawnNetwork bursts;
    bursts.queue("hyperexponential(p = [0.5, 0.5], rate = [0.6 /s, 3 /s])", exponential(9.5), {{"servers", "10"}});
    const double exact =
        estimate(solved(bursts.m.document(), {.solver = "ctmc-network", .options = {{"error-bound", "1e-3"}}}), "wait");
    equals(run(bursts, "brownian"), "wait", exact, 0.1);
  }
  // A light station before a heavy one holds nothing back; one with the same variabilities as what comes keeps the
  // product form. Against all states.
  void heavy_traffic_passes_light_stations() {
    DrawnNetwork d;
    const ElementId in = d.node("source", "in", {{"interarrival", "erlang(k = 4, mean = 1 s)"}}),
                    light = d.node("station", "light", {{"service", exponential(0.3)}}),
                    heavy = d.node("station", "heavy", {{"service", exponential(0.9)}}), out = d.node("sink", "out");
    d.flow(in, light), d.flow(light, heavy), d.flow(heavy, out);
    const double exact = estimate(
        solved(d.m.document(), {.solver = "ctmc-network", .options = {{"error-bound", "1e-3"}}}), "waiting_time/heavy");
    const ResultSet r = run(d, "brownian");
    equals(r, "waiting_time/heavy", exact, 0.12);
    equals(r, "waiting_time/heavy", 0.9 / (1 - 0.9) * 0.9 * (0.25 + 1) / 2);
    QVERIFY(std::stod(r.provenance.options.at("product_form_gap")) > 0.1);
    DrawnNetwork same;
    const ElementId from = same.node("source", "in", {{"interarrival", "erlang(k = 4, mean = 1 s)"}}),
                    one = same.node("station", "one", {{"service", "erlang(k = 4, mean = 0.8 s)"}}),
                    two = same.node("station", "two", {{"service", exponential(0.7)}}), end = same.node("sink", "out");
    same.flow(from, one), same.flow(one, two), same.flow(two, end);
    QVERIFY(std::stod(run(same, "brownian").provenance.options.at("product_form_gap")) < 1e-12);
  }
  void nothing_is_called_exact_and_what_does_not_fit_is_named() {
    DrawnNetwork d;
    d.queue("1 s", exponential(0.5));
    const ResultSet r = run(d);
    QVERIFY(!r.measures.empty());
    for (const MeasureResult& m : r.measures) QVERIFY2(!m.exact && std::isnan(m.lower), m.id.c_str());
    QVERIFY(!find_solver("gg-approximation")->spec().exact);
    const auto why = [](Value more) {
      DrawnNetwork other;
      other.queue("1 s", exponential(0.5), std::move(more));
      std::string all;
      for (const Diagnostic& one : find_solver("gg-approximation")->fits(other.m.document(), {})) all += one.message;
      return all;
    };
    QVERIFY(why({{"capacity", "5"}}).find("turns customers away") != std::string::npos);
    QVERIFY(why({{"discipline", "srpt"}}).find("how long services will take") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestGgSolver)
#include "tst_gg_solver.moc"
