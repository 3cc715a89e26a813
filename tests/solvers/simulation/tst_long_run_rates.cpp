#include <QtTest>
#include <cmath>

#include "core/study/precision_goals.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// A station with Poisson arrivals and whatever else it has.
ModelBuilder station(const std::string& mission, const std::string& unit, const std::string& arrivals,
                     Value properties) {
  ModelBuilder m(mission);
  m.header("time_unit", unit);
  const ElementId q = m.diagram("Queue", "queueing");
  const ElementId source = m.node(q, {}, "source", {{"name", "calls"}, {"interarrival", arrivals}});
  properties["name"] = "desk";
  const ElementId desk = m.node(q, {}, "station", std::move(properties));
  const ElementId sink = m.node(q, {}, "sink", {{"name", "out"}});
  m.edge(q, "flow", source, desk);
  m.edge(q, "flow", desk, sink);
  return m;
}
constexpr double arrivals = 0.8;
constexpr int room = 5;
/// M/M/1/5.
ModelBuilder with_room(const std::string& mission) {
  return station(mission, "s", "exponential(rate = 0.8 /s)",
                 {{"service", "exponential(rate = 1 /s)"}, {"capacity", "5"}});
}
void ratio(ModelBuilder& m, const std::string& name, const std::string& of, const std::string& per,
           Value more = Value::object()) {
  more["of"] = of, more["per"] = per;
  m.measure(name, "ratio", "", std::move(more));
}

/// Of a birth-and-death process: the mean of what each number of customers is worth. From the definition.
template <class Birth, class Death, class Worth>
double mean_over_states(int most, const Birth& birth, const Death& death, const Worth& worth) {
  double term = 1.0, sum = 0.0, all = 0.0;
  for (int n = 0; n <= most; ++n) {
    if (n > 0) term *= birth(n - 1) / death(n);
    all += term, sum += term * worth(n);
  }
  return sum / all;
}
double of_room(double (*worth)(int)) {
  return mean_over_states(
      room, [](int) { return arrivals; }, [](int) { return 1.0; }, worth);
}
double full() {
  return of_room([](int n) { return n == room ? 1.0 : 0.0; });
}

RunRequest long_run(double confidence, std::uint64_t seed = 1) {
  RunRequest out;
  out.seed = seed, out.confidence = confidence, out.options["output-analysis"] = "batch-means";
  return out;
}

void compare_told(const ResultSet& results, const char* id, double wanted, double widest) {
  const MeasureResult& r = *results.measure(id);
  QVERIFY2(r.lower <= wanted && wanted <= r.upper,
           qPrintable(
               QString("%1: %2, %3 ... %4; wanted %5").arg(id).arg(r.estimate).arg(r.lower).arg(r.upper).arg(wanted)));
  QVERIFY2(r.upper - r.lower < widest * wanted, qPrintable(QString("%1: %2").arg(id).arg(r.upper - r.lower)));
}

}  // namespace

/// How fast counts grow, and ratios of them: oracles are the stationary laws of M/M/1/5 and of Erlang A.
class TestLongRunRates : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Seven questions at 99.9 %.
  void of_customers_who_are_turned_away() {
    ModelBuilder m = with_room("200000 s");
    m.measure("lost", "rate", "desk.lost", {{"unit", "/s"}});
    m.measure("per_hour", "rate", "2 * desk.lost + desk.number - 7", {{"unit", "/h"}});
    m.measure("came", "rate", "calls.emitted");
    m.measure("number", "time_average", "desk.number");
    m.measure("served", "observed_rate", "", {{"of", "desk.response_time"}, {"unit", "/s"}});
    m.measure("all_lost", "final_value", "desk.lost");
    m.measure("all_come", "final_value", "calls.emitted");
    m.measure("all_served", "observed_count", "", {{"of", "desk.response_time"}});
    ratio(m, "share", "lost", "came"), ratio(m, "share_of_counts", "all_lost", "all_come");
    ratio(m, "lost_per_served", "all_lost", "all_served"), ratio(m, "stay", "number", "served", {{"unit", "s"}});
    const ResultSet out = solved(m.document(), long_run(0.999));
    const double lost = full(), number = of_room([](int n) { return static_cast<double>(n); });
    compare_told(out, "lost", arrivals * lost, 0.2), compare_told(out, "per_hour", 7200.0 * arrivals * lost, 0.2);
    compare_told(out, "came", arrivals, 0.03);
    compare_told(out, "share", lost, 0.2), compare_told(out, "share_of_counts", lost, 0.2);
    compare_told(out, "lost_per_served", lost / (1.0 - lost), 0.2);
    compare_told(out, "stay", number / (arrivals * (1.0 - lost)), 0.1);
    // The same path, whichever way it is asked.
    QVERIFY(std::fabs(out.measure("share")->estimate / out.measure("share_of_counts")->estimate - 1.0) < 1e-9);
    for (const char* of_mission : {"all_lost", "all_come", "all_served"})
      QVERIFY(!out.measure(of_mission)->not_available.empty());
  }

  void of_callers_who_give_up() {
    ModelBuilder m = station(
        "20000 min", "min", "exponential(rate = 10 /min)",
        {{"servers", "30"}, {"service", "exponential(mean = 3 min)"}, {"patience", "exponential(mean = 2 min)"}});
    m.measure("gave_up", "rate", "desk.gave_up"), m.measure("called", "rate", "calls.emitted");
    ratio(m, "share", "gave_up", "called");
    const double share =
        mean_over_states(
            400, [](int) { return 10.0; }, [](int n) { return std::min(n, 30) / 3.0 + std::max(0, n - 30) / 2.0; },
            [](int n) { return std::max(0, n - 30) / 2.0; }) /
        10.0;
    const ResultSet out = solved(m.document(), long_run(0.999));
    compare_told(out, "gave_up", 10.0 * share, 0.2), compare_told(out, "share", share, 0.2);
    const ResultSet exact = solved(m.document(), {.solver = "queueing-closed-form"});
    QVERIFY(std::fabs(exact.measure("gave_up")->estimate / (10.0 * share) - 1.0) < 1e-9);
    QVERIFY(std::fabs(exact.measure("called")->estimate / 10.0 - 1.0) < 1e-9);
    QCOMPARE(exact.measure("called")->unit, std::string("/min"));
    // In missions the beginning, when everybody is free, counts.
    const RunRequest missions{.seed = 1, .replications = 20, .confidence = 0.999};
    const ResultSet replicated = solved(m.document(), missions);
    compare_told(replicated, "gave_up", 10.0 * share, 0.1), compare_told(replicated, "share", share, 0.1);
  }

  // What flows into a tank.
  void of_what_flows() {
    ModelBuilder m("1000 s");
    m.header("time_unit", "s");
    ChartBuilder c(m, "Tank");
    c.variable("level", "real", "3");
    const ElementId filling = c.state("Filling");
    c.initial(filling), m.set(filling, "flow", "level := 2 /s");
    m.component("tank", "Tank");
    m.measure("speed", "rate", "tank.level", {{"unit", "/s"}});
    for (const RunRequest& request : {long_run(0.95), RunRequest{.seed = 1, .replications = 2}}) {
      const ResultSet out = solved(m.document(), request);
      QVERIFY2(std::fabs(out.measure("speed")->estimate - 2.0) < 1e-6,
               qPrintable(QString::number(out.measure("speed")->estimate)));
    }
  }

  // Of 200 intervals at 95 % fewer than 180 hold the exact share with a chance below 1 %.
  void shares_are_covered() {
    int held = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      ModelBuilder m = with_room("5000 s");
      m.measure("lost", "final_value", "desk.lost"), m.measure("came", "final_value", "calls.emitted");
      ratio(m, "share", "lost", "came");
      const ResultSet out = solved(m.document(), long_run(0.95, seed));
      const MeasureResult& share = *out.measure("share");
      held += share.lower <= full() && full() <= share.upper;
    }
    QVERIFY2(held >= 180, qPrintable(QString::number(held)));
  }

  void what_has_no_limit_is_not_answered() {
    ModelBuilder m = with_room("2000 s");
    m.measure("lost", "final_value", "desk.lost"), m.measure("number", "time_average", "desk.number");
    m.measure("left", "final_value", "desk.number"), m.measure("full", "probability_at", "desk.number == 5");
    ratio(m, "mixed", "lost", "number"), ratio(m, "likely", "full", "number");
    ratio(m, "no_growth", "lost", "left", {{"headline", "true"}});
    const ResultSet out = solved(m.document(), long_run(0.95));
    const auto why = [&](const char* id) { return out.measure(id)->not_available; };
    QCOMPARE(why("mixed"), std::string("of \"lost\" and \"number\" one grows with the mission and the other does not"));
    QCOMPARE(why("likely"), std::string("it is a ratio with \"full\", which is about a mission"));
    QCOMPARE(why("no_growth"), std::string("what it is divided by cannot be told from 0"));
    const Diagnostic* said = find_code(out.diagnostics, "RUN038");
    QVERIFY(said != nullptr && said->hint.find("rate") != std::string::npos);
  }

  void a_condition_does_not_grow() {
    ModelBuilder m = with_room("2000 s");
    m.measure("wrong", "rate", "desk.number == 5");
    const Diagnostics found = find_solver("simulation")->fits(m.document(), {});
    QVERIFY(has_errors(found) && find_code(found, "MEA002") != nullptr);
  }

  // Whoever wants a precision of what one long run never answers is told so, and is not told that all is reached.
  void a_precision_that_is_never_reached_is_said() {
    ModelBuilder m = with_room("2000 s");
    m.measure("number", "steady_state_mean", "desk.number"), m.measure("lost", "final_value", "desk.lost");
    RunRequest asked = long_run(0.95);
    asked.precision = 0.1;
    const ResultSet all = solved(m.document(), asked);
    QVERIFY(all.stop_reason != "precision");
    const MeasureResult& number = *all.measure("number");
    QVERIFY(number.upper - number.estimate <= 0.1 * number.estimate);
    const auto missed = precision_not_reached(all);
    QVERIFY(missed && missed->find("\"lost\" (unknown") != std::string::npos);
    QVERIFY(missed->find("number") == std::string::npos);
    const Diagnostic* said = find_code(all.diagnostics, "RUN038");
    QVERIFY(said != nullptr && said->message.find("never reaches it") != std::string::npos);
    // Of others only: nobody wants more.
    asked.precision.reset(), asked.precision_of = {{"number", 0.1}};
    const ResultSet one = solved(m.document(), asked);
    QCOMPARE(one.stop_reason, std::string("precision"));
    QVERIFY(!precision_not_reached(one));
    // Of it alone: the run is one mission.
    asked.precision_of = {{"lost", 0.1}};
    const ResultSet none = solved(m.document(), asked);
    QCOMPARE(none.stop_reason, std::string("mission time"));
    QVERIFY(precision_not_reached(none));
  }
};

QTEST_APPLESS_MAIN(TestLongRunRates)
#include "tst_long_run_rates.moc"
