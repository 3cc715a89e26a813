// Amounts that flow: against solutions in closed form, an integration written out here, and exact means of ever more
// customers.
#include <QtTest>
#include <array>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

constexpr double integrated = 1e-6;  ///< to what CVODE is held

ResultSet fluid(const DrawnNetwork& d) { return solved(d.m.document(), {.solver = "fluid"}); }

/// Two classes that think and share `servers` servers; k times as many of everything.
DrawnNetwork shared(int k) {
  DrawnNetwork d("40 s");
  d.node("job_class", "a", {{"population", std::to_string(3 * k)}, {"reference", "think"}});
  d.node("job_class", "b", {{"population", std::to_string(2 * k)}, {"reference", "think"}});
  const ElementId think = d.node("delay", "think",
                                 {{"time_of", "a = exponential(mean = 2 s), b = exponential(mean = 1 s)"}}),
                  desk = d.node("station", "desk",
                                {{"service_of", "a = exponential(mean = 1 s), b = exponential(mean = 3 s)"},
                                 {"discipline", "ps"},
                                 {"servers", std::to_string(k)}});
  d.flow(think, desk), d.flow(desk, think);
  return d;
}

}  // namespace

class TestFluidSolver : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // One linear equation: x' = rate - x / mean.
  void a_delay_fills_as_its_equation_says() {
    DrawnNetwork d("6 s");
    const ElementId in = d.node("source", "in", {{"rate", "5 /s"}}),
                    stay = d.node("delay", "stay", {{"time", "exponential(mean = 2 s)"}}), out = d.node("sink", "out");
    d.flow(in, stay), d.flow(stay, out);
    d.m.measure("mean", "time_average", "stay.number", {{"curve", "12"}});
    d.m.measure("end", "final_value", "2 * stay.number + 1");
    d.m.measure("many", "probability_at", "stay.number > 3", {{"at", "3 s"}});
    d.mean("long", "stay.number");
    const ResultSet r = fluid(d);
    const auto x = [](double t) { return 10 * (1 - std::exp(-t / 2)); };
    near(r, "end", 2 * x(6) + 1, integrated), near(r, "mean", 10 * (1 - (1 - std::exp(-3.0)) / 3), integrated),
        near(r, "long", 10.0, integrated);
    near(r, "system_response_time", 2.0, integrated), near(r, "throughput/stay", 5.0, integrated);
    QVERIFY(!r.series.empty() && r.series[0].x.size() >= 12 && !r.series[0].exact);
    for (std::size_t i = 0; i < r.series[0].x.size(); ++i) near(r.series[0].y[i], x(r.series[0].x[i]), "curve", 1e-6);
    for (const MeasureResult& m : r.measures) QVERIFY2(!m.exact && std::isnan(m.lower), m.id.c_str());
    for (const ResultTable& t : r.tables) QVERIFY(!t.exact);
    QVERIFY(r.measure("many") == nullptr);
  }
  // Two stages of service and a station of two servers: Euler's steps, small ones.
  void phases_and_servers_as_integrated_by_hand() {
    DrawnNetwork d("9 s");
    d.node("job_class", "jobs", {{"population", "5"}});
    const ElementId think = d.node("delay", "think", {{"time", "exponential(mean = 1 s)"}}),
                    desk = d.node("station", "desk", {{"service", "erlang(k = 2, mean = 1.5 s)"}, {"servers", "2"}});
    d.flow(think, desk), d.flow(desk, think);
    d.m.measure("end", "final_value", "desk.number"), d.m.measure("busy", "time_average", "desk.busy");
    d.m.measure("line", "final_value", "desk.waiting");
    double t = 5, one = 0, two = 0, busy = 0;
    constexpr int steps = 3000000;
    constexpr double h = 9.0 / steps;
    for (int i = 0; i < steps; ++i) {
      const double n = one + two, share = n > 2 ? 2 / n : 1;
      const double thought = t, first = one * share * 2 / 1.5, second = two * share * 2 / 1.5;
      busy += h * n * share;
      t += h * (second - thought), one += h * (thought - first), two += h * (first - second);
    }
    const ResultSet r = fluid(d);
    near(r, "end", one + two, 1e-5), near(r, "busy", busy / 9, 1e-5), near(r, "line", one + two - 2, 1e-5);
    // Two servers are always busy in the end.
    near(r, "throughput/desk/jobs", 2 / 1.5, integrated), near(r, "queue_length/think/jobs", 2 / 1.5, integrated);
  }
  // Both numbers grow fourfold: so does what the answer is good for.
  void the_error_falls_like_one_over_the_number() {
    std::array<double, 3> errors{};
    const int times[] = {2, 8, 32};
    for (std::size_t i = 0; i < 3; ++i) {
      const DrawnNetwork d = shared(times[i]);
      const double exact = estimate(solved(d.m.document(), {.solver = "mva"}), "queue_length/desk/a");
      errors[i] = std::fabs(estimate(fluid(d), "queue_length/desk/a") - exact) / times[i];
    }
    QVERIFY2(errors[0] > 1e-3, qPrintable(QString::number(errors[0])));
    for (std::size_t i = 1; i < 3; ++i) {
      const double falls = errors[i - 1] / errors[i];
      QVERIFY2(falls > 3 && falls < 5, qPrintable(QString("%1 times, to %2").arg(falls).arg(errors[i])));
    }
  }
  void an_overloaded_station_has_its_curve_and_no_rest() {
    DrawnNetwork d("50 s");
    d.queue("exponential(mean = 1 s)", "exponential(mean = 2 s)");
    d.m.measure("end", "final_value", "desk.number");
    const ResultSet r = fluid(d);
    // x' = 1 - x / 2 until one is there, after 2 ln 2 seconds; then half a customer more per second.
    near(r, "end", 1 + (50 - 2 * std::log(2.0)) / 2, 1e-5);
    QVERIFY(r.measure("number") == nullptr && r.measure("queue_length/desk") == nullptr);
    QVERIFY(find_code(r.diagnostics, "SOL002") != nullptr);
  }
  void classes_may_change_and_go_straight_out() {
    DrawnNetwork d;
    d.node("job_class", "raw"), d.node("job_class", "done");
    const ElementId in = d.node("source", "in", {{"rate", "3 /s"}, {"class", "raw"}}), way = d.node("router", "way"),
                    desk = d.node("station", "desk", {{"service", "exponential(mean = 1 s)"}, {"servers", "20"}}),
                    out = d.node("sink", "out");
    d.flow(in, way), d.flow(way, out, {{"probability", "0.2"}}), d.flow(way, desk);
    d.flow(desk, desk, {{"class", "raw"}, {"becomes", "done"}}), d.flow(desk, out, {{"class", "done"}});
    d.m.measure("rate", "observed_rate", "", {{"of", "out.time_in_system"}, {"unit", "/s"}});
    const ResultSet r = fluid(d);
    near(r, "rate", 3.0, integrated), near(r, "queue_length/desk/raw", 2.4, integrated),
        near(r, "queue_length/desk/done", 2.4, integrated);
  }
  void what_does_not_flow_is_refused() {
    const auto why = [](const char* service, Value more = Value::object()) {
      DrawnNetwork d;
      d.queue("exponential(mean = 2 s)", service, std::move(more));
      std::string out;
      for (const Diagnostic& x : find_solver("fluid")->fits(d.m.document(), {.solver = "fluid"}))
        out += x.message + "\n";
      return out;
    };
    QCOMPARE(why("exponential(mean = 1 s)"), std::string());
    QVERIFY(why("1 s").find("have no phases") != std::string::npos);
    QVERIFY(why("exponential(mean = 1 s)", {{"capacity", "3"}}).find("turns customers away") != std::string::npos);
    QVERIFY(
        why("exponential(mean = 1 s)", {{"servers", "if(desk.number > 1, 2, 1)"}}).find("servers of \"desk\" change") !=
        std::string::npos);
    DrawnNetwork d = shared(2);
    for (const Element* one : d.m.document().nodes(d.diagram))
      if (one->name() == "desk") d.m.set(one->id, "discipline", "fcfs");
    const Diagnostics differ = find_solver("fluid")->fits(d.m.document(), {.solver = "fluid"});
    QVERIFY(has_errors(differ) && differ[0].message.find("differ between classes") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestFluidSolver)
#include "tst_fluid_solver.moc"
