// Plugin stations that are down at times: beside theory, beside drawn stations whose servers a chart takes away, and
// beside stations written here that keep a record of when they were called.
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "app/session/catalogue.h"
#include "app/session/stepper.h"
#include "plugins/host/station_host.h"
#include "tests/plugins/plugin_test.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// One server, in order of arrival; customers bring their work.
class WorkStation : public PluginStation {
 public:
  void begin(std::uint64_t, std::uint64_t, StationNews&) override { line_.clear(), done_ = never; }
  double arrive(double now, std::uint64_t job, std::span<const double> attributes, StationNews&) override {
    line_.push_back({job, attributes[0]});
    if (line_.size() == 1) done_ = now + attributes[0];
    return done_;
  }
  double advance(double now, StationNews& news) override {
    news.departures.push_back({line_.front().job, false});
    line_.erase(line_.begin());
    return done_ = line_.empty() ? never : now + line_.front().work;
  }
  void finish(double, StationNews& news) override { news.observations.push_back({0, 0.0}); }

 private:
  struct One {
    std::uint64_t job;
    double work;
  };
  std::vector<One> line_;
  double done_ = never;
};

/// What happened to one that keeps everybody for his work, as a text: "begin 0; arrive 1; advance 3; finish 7; ".
std::string record_of_calls;  // of one history in one thread
class RecordingStation : public PluginStation {
 public:
  void begin(std::uint64_t, std::uint64_t life, StationNews&) override {
    leave_.clear(), note("begin", static_cast<double>(life));
  }
  double arrive(double now, std::uint64_t job, std::span<const double> attributes, StationNews&) override {
    leave_.emplace(now + attributes[0], job), note("arrive", now);
    return leave_.begin()->first;
  }
  double advance(double now, StationNews& news) override {
    note("advance", now);
    news.departures.push_back({leave_.begin()->second, false});
    leave_.erase(leave_.begin());
    return leave_.empty() ? never : leave_.begin()->first;
  }
  void finish(double now, StationNews& news) override {
    note("finish", now);
    news.observations.push_back({0, now});
  }

 private:
  static void note(const char* what, double number) {
    record_of_calls += std::string(what) + " " + number_text(number, 6) + "; ";
  }
  std::multimap<double, std::uint64_t> leave_;
};

template <class Station>
StationPlugin outage_station(const std::string& name) {
  StationPlugin out{.manifest = *plugin_named("misbehaving").manifest};
  out.manifest.name = name;
  out.make = [](const PluginValues&, std::uint64_t, const std::string&, const std::function<bool()>&) {
    return std::make_unique<Station>();
  };
  return out;
}

struct OutageNetwork : DrawnNetwork {
  ElementId in, desk, out;
  /// A machine that is up and down by these triggers, and a source; the station is added by served_by() or node().
  OutageNetwork(const std::string& horizon, const std::string& fails, const std::string& repaired)
      : DrawnNetwork(horizon) {
    ChartBuilder machine(m, "Machine");
    const ElementId up = machine.state("Up"), down = machine.state("Down");
    machine.initial(up);
    machine.transition(up, down, fails), machine.transition(down, up, repaired);
    m.component("machine", "Machine");
  }
  void drawn(const std::string& gap, const std::string& work, const std::string& kind, Value more) {
    in = node("source", "in", {{"interarrival", gap}, {"attributes", "work: real s = " + work}});
    desk = node(kind, "desk", std::move(more)), out = node("sink", "out");
    flow(in, desk), flow(desk, out);
    m.measure("number", "time_average", "desk.number");
    m.measure("response", "observed_mean", "", {{"of", "desk.response_time"}});
    m.measure("served", "final_value", "out.arrived");
  }
  void plugin(const std::string& gap, const std::string& work, const std::string& name, Value more = Value::object()) {
    more["plugin"] = name;
    if (!more.contains("up")) more["up"] = "in(machine.Up)";
    drawn(gap, work, "plugin_station", std::move(more));
  }
  ResultSet run(std::uint64_t replications, double confidence = 0.95) const {
    RunControl control;
    ResultSet r =
        find_solver("simulation")
            ->solve(m.document(), {.replications = replications, .threads = 1, .confidence = confidence}, control);
    if (r.status != RunStatus::complete) throw std::runtime_error(listed(r.diagnostics));
    return r;
  }
};

}  // namespace

class TestPluginOutages : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    for (const char* name : {"single_server", "misbehaving"})
      register_station_plugin(station_plugin(plugin_named(name)));
    register_station_plugin(outage_station<WorkStation>("work_server"));
    register_station_plugin(outage_station<RecordingStation>("recording"));
    catalogue();
  }

  // M/M/1 with exponential times to failure, busy or not, and to repair; preemptive resume.
  // Avi-Itzhak and Naor, Some queuing problems with the service station subject to breakdown, Operations Research 11,
  // 1963, model A.
  void single_server_is_an_m_m_1_queue_with_breakdowns() {
    qputenv("ERGODE_PLUGINS_IN_PROCESS", "single_server");  // for speed
    const double arrive = 0.4, serve = 1.0, fail = 0.05, repair = 0.2, both = fail + repair;
    OutageNetwork net("20000 s", "rate(0.05 /s)", "rate(0.2 /s)");
    net.plugin("exponential(rate = 0.4 /s)", "1 s", "single_server", {{"single_server_service_rate", "1 /s"}});
    net.m.measure("lost", "final_value", "desk.lost");
    const ResultSet r = net.run(20, 0.9999);
    qunsetenv("ERGODE_PLUGINS_IN_PROCESS");
    const double number = arrive * (both * both + serve * fail) / (both * (repair * serve - arrive * both));
    compare_inside(r, "number", number);
    QVERIFY(r.measure("number")->upper - r.measure("number")->lower < 0.2 * number);
    compare_inside(r, "response", number / arrive);
    QCOMPARE(estimate(r, "lost"), 0.0);
  }

  // The same with everybody lost at a failure and until the repair: while it is up, those there are geometric with the
  // root r < 1 of serve r^2 - (arrive + serve + fail) r + arrive = 0.
  void single_server_that_loses_everybody_is_an_m_m_1_queue_with_disasters() {
    qputenv("ERGODE_PLUGINS_IN_PROCESS", "single_server");  // for speed
    const double arrive = 0.8, serve = 1.0, fail = 0.05, repair = 0.2;
    OutageNetwork net("20000 s", "rate(0.05 /s)", "rate(0.2 /s)");
    net.plugin("exponential(rate = 0.8 /s)", "1 s", "single_server",
               {{"single_server_service_rate", "1 /s"}, {"when_down", "lose"}});
    net.m.measure("lost", "final_value", "desk.lost / 20000");
    const ResultSet r = net.run(20, 0.9999);
    qunsetenv("ERGODE_PLUGINS_IN_PROCESS");
    const double sum = arrive + serve + fail,
                 root = (sum - std::sqrt(sum * sum - 4.0 * serve * arrive)) / (2.0 * serve);
    const double up = repair / (fail + repair), number = up * root / (1.0 - root);
    compare_inside(r, "number", number);
    compare_inside(r, "lost", fail * number + arrive * (1.0 - up));
  }

  // No two of the fixed times come together: who is first then is nobody's rule.
  void one_server_that_resumes_is_a_drawn_station_whose_server_is_taken_away() {
    for (unsigned seed = 1; seed <= 80; ++seed) {
      const auto answers = [&](bool plugin) {
        std::mt19937 any(seed);
        const auto one_of = [&](std::initializer_list<const char*> words) {
          return std::string(*(words.begin() + any() % words.size()));
        };
        const std::string fails = one_of({"rate(0.1 /s)", "rate(1 /s)", "after(3.0173 s)"}),
                          repaired = one_of({"rate(0.5 /s)", "rate(2 /s)", "after(1.70931 s)"});
        OutageNetwork net("200 s", fails, repaired);
        const std::string gap = one_of({"exponential(rate = 0.5 /s)", "exponential(rate = 1 /s)", "1.30417 s"}),
                          work = one_of({"exponential(mean = 0.7 s)", "uniform(low = 0 s, high = 2 s)", "0.90211 s"});
        if (plugin) net.plugin(gap, work, "work_server");
        else
          net.drawn(gap, work, "station",
                    {{"service", "work"}, {"servers", "if(in(machine.Up), 1, 0)"}, {"interruption", "resume"}});
        const ResultSet r = net.run(5);
        std::vector<double> numbers;
        for (const MeasureResult& one : r.measures) numbers.push_back(one.estimate);
        return numbers;
      };
      const auto as_station = answers(false), as_plugin = answers(true);
      QCOMPARE(as_plugin.size(), as_station.size());
      for (std::size_t i = 0; i < as_station.size(); ++i)
        near(as_plugin[i], as_station[i], "seed " + std::to_string(seed) + ", measure " + std::to_string(i), 1e-9);
    }
  }

  // Up for 10 s, down for 10 s, up again: one life of those who wait, two where they are lost.
  void it_speaks_in_each_life() {
    for (const auto& [when_down, lives] : {std::pair("hold", 1), std::pair("lose", 2)}) {
      OutageNetwork net("25 s", "after(10 s)", "after(10 s)");
      net.plugin("2 s", "1.5 s", "misbehaving", {{"misbehaving_how", "talks"}, {"when_down", when_down}});
      const ResultSet r = net.run(2);
      const auto said = [&](const std::string& what) {
        return std::count_if(r.diagnostics.begin(), r.diagnostics.end(), [&](const Diagnostic& d) {
          return d.message == "misbehaving: " + what && d.severity == Severity::warning && d.element == net.desk;
        });
      };
      QCOMPARE(said("begins"), lives);
      QCOMPARE(said("ends"), lives);
    }
  }

  // Up for 3 s and down for 2 s in turns; one comes every 2 s, at 2, 4, ... 10, and stays for 1.5 s.
  void its_clock_stands_while_it_is_down() {
    OutageNetwork net("11 s", "after(3 s)", "after(2 s)");
    net.plugin("2 s", "1.5 s", "recording");
    net.m.measure("up", "observed_mean", "", {{"of", "desk.served"}});
    record_of_calls.clear();
    const ResultSet r = net.run(1);
    // By the world's clock: in at 2, out at 5.5; in at 4 (while it stands at 3), out at 6.5; in at 6, out at 7.5; in at
    // 8 (while it stands at 6) and at 10, when it goes on.
    QCOMPARE(record_of_calls,
             std::string("begin 0; arrive 2; arrive 3; advance 3.5; arrive 4; advance 4.5; advance 5.5; "
                         "arrive 6; arrive 6; finish 7; "));
    near(r, "up", 7.0);
    near(r, "response", (3.5 + 2.5 + 1.5) / 3.0);
  }

  void it_begins_again_where_everybody_is_lost() {
    OutageNetwork net("11 s", "after(3 s)", "after(2 s)");
    net.plugin("2 s", "1.5 s", "recording", {{"when_down", "lose"}});
    const ElementId again = net.node("sink", "again");
    net.flow(net.desk, again, {{"taken_by", "refused"}});
    net.m.measure("turned_away", "final_value", "again.arrived"), net.m.measure("lost", "final_value", "desk.lost");
    record_of_calls.clear();
    const ResultSet r = net.run(1);
    // In at 2, lost at 3; lost at 4; in at 6, out at 7.5; lost at 8; what comes at 10, when it begins anew, depends on
    // who is first at that moment.
    QVERIFY2(
        record_of_calls.starts_with("begin 0; arrive 2; finish 3; begin 1; arrive 1; advance 2.5; finish 3; begin 2; "),
        record_of_calls.c_str());
    QVERIFY2(record_of_calls.ends_with("finish 1; "), record_of_calls.c_str());
    QVERIFY(estimate(r, "lost") == 3.0 || estimate(r, "lost") == 4.0);
    near(r, "turned_away", estimate(r, "lost"));
    near(r, "served", 1.0);
  }

  void every_life_draws_numbers_of_its_own() {
    // Up for 1,000 s and down for 1 s: were the draws those of the life before, every life had the same mean service.
    OutageNetwork net("2000.5 s", "after(1000 s)", "after(1 s)");
    net.plugin("0.5 s", "1 s", "single_server", {{"single_server_service_rate", "4 /s"}, {"when_down", "lose"}});
    net.m.measure("longest", "observed_maximum", "", {{"of", "desk.service_time"}});
    net.m.measure("mean", "observed_mean", "", {{"of", "desk.service_time"}});
    const ResultSet twice = net.run(1);
    OutageNetwork first("1000.5 s", "after(1000 s)", "after(1 s)");
    first.plugin("0.5 s", "1 s", "single_server", {{"single_server_service_rate", "4 /s"}, {"when_down", "lose"}});
    first.m.measure("mean", "observed_mean", "", {{"of", "desk.service_time"}});
    const double one = estimate(first.run(1), "mean"), both = estimate(twice, "mean");
    QVERIFY2(std::fabs(one - both) > 1e-4, qPrintable(QString("%1 and %2").arg(one).arg(both)));
    near(twice, "mean", 0.25, 0.03);
  }

  void who_stands_there_is_seen_to_wait() {
    OutageNetwork net("11 s", "after(3 s)", "after(2 s)");
    net.plugin("2 s", "1.5 s", "recording");
    Diagnostics problems;
    const auto run = Stepper::begin(net.m.document(), {.seed = 3}, problems);
    QVERIFY2(run != nullptr, listed(problems).c_str());
    const auto standing = [&](Standing how) {
      std::uint64_t out = 0;
      for (const Present& one : run->present()) out += one.standing == how ? one.count : 0;
      return out;
    };
    while (run->now_s() < 4.0) run->step();
    QCOMPARE(standing(Standing::waiting), 2U);
    QCOMPARE(standing(Standing::served), 0U);
    while (run->now_s() < 5.0) run->step();
    QCOMPARE(standing(Standing::served), 2U);
    while (run->now_s() > 4.0) QVERIFY(run->step_back());
    QCOMPARE(standing(Standing::waiting), 2U);
  }

  void what_is_no_truth_is_refused() {
    const auto problems = [](const char* up, const char* when_down) {
      OutageNetwork net("11 s", "after(3 s)", "after(2 s)");
      net.plugin("2 s", "1.5 s", "recording", {{"up", up}, {"when_down", when_down}});
      return net.problems();
    };
    QCOMPARE(problems("in(machine.Up)", "hold"), std::string());
    QCOMPARE(problems("true", "lose"), std::string());
    QVERIFY(problems("machine.Up + 1", "hold").starts_with("EXP"));
    QVERIFY(problems("3 s", "hold").starts_with("EXP"));
    QVERIFY(problems("in(engine.Up)", "hold").starts_with("EXP"));
    QCOMPARE(problems("true", "sleep"), std::string("DOC002"));
  }

  // At its 40th arrival of 30 or so: the replications before it are there, as if nobody had asked for more.
  void a_station_that_goes_wrong_loses_no_results_data() {
    QTest::addColumn<QString>("code");
    for (const auto& [how, code] : std::map<std::string, QString>{{"crash", "PLG020"},
                                                                  {"exit", "PLG020"},
                                                                  {"throw_text", "PLG023"},
                                                                  {"past", "PLG025"},
                                                                  {"nan_time", "PLG025"}})
      QTest::newRow(how.c_str()) << code;
  }
  void a_station_that_goes_wrong_loses_no_results() {
    QFETCH(QString, code);
    const auto run = [](const char* how, std::uint64_t replications) {
      OutageNetwork net("30 s", "rate(0.05 /s)", "rate(0.2 /s)");
      net.plugin("exponential(rate = 1 /s)", "1 s", "misbehaving",
                 {{"up", "true"}, {"misbehaving_how", how}, {"misbehaving_at", "40"}});
      RunControl control;
      return find_solver("simulation")->solve(net.m.document(), {.replications = replications, .threads = 1}, control);
    };
    const ResultSet failed = run(QTest::currentDataTag(), 400);
    QCOMPARE(failed.status, RunStatus::failed);
    QCOMPARE(QString::fromStdString(failed.diagnostics.back().code), code);
    QVERIFY2(failed.replications > 0 && failed.replications < 400, std::to_string(failed.replications).c_str());
    const ResultSet good = run("well", failed.replications);
    QCOMPARE(good.status, RunStatus::complete);
    for (const char* measure : {"number", "response", "served"})
      QCOMPARE(estimate(failed, measure), estimate(good, measure));
  }

  // A value is observed when the station is told to finish: a long run ends once, a station that loses everybody often.
  void a_long_run_says_what_it_cannot_tell_of_a_station() {
    qputenv("ERGODE_PLUGINS_IN_PROCESS", "single_server");
    for (const bool loses : {false, true}) {
      OutageNetwork net("5000 s", "rate(0.05 /s)", "rate(0.2 /s)");
      net.plugin("exponential(rate = 0.4 /s)", "1 s", "single_server",
                 {{"single_server_service_rate", "1 /s"}, {"when_down", loses ? "lose" : "hold"}});
      net.m.measure("busy", "observed_mean", "", {{"of", "desk.busy_share"}});
      net.m.measure("service", "observed_mean", "", {{"of", "desk.service_time"}, {"unit", "s"}});
      RunRequest request;
      request.options["output-analysis"] = "batch-means";
      const std::string told = listed(find_solver("simulation")->fits(net.m.document(), request));
      QCOMPARE(told.find("\"busy\" has no answer from one long run: it is observed once") == std::string::npos, loses);
      RunControl control;
      const ResultSet r = find_solver("simulation")->solve(net.m.document(), request, control);
      const MeasureResult& busy = *r.measure("busy");
      QCOMPARE(busy.not_available.empty(), loses);
      QCOMPARE(std::isfinite(busy.estimate) && busy.lower < busy.estimate && busy.estimate < busy.upper, loses);
      QVERIFY(std::fabs(estimate(r, "service") - 1.0) < 0.2);
    }
    qunsetenv("ERGODE_PLUGINS_IN_PROCESS");
  }

  void customers_of_a_closed_class_are_not_lost() {
    for (const bool refused : {false, true}) {
      OutageNetwork net("11 s", "after(3 s)", "after(2 s)");
      net.node("job_class", "users", {{"population", "3"}});
      const ElementId think = net.node("delay", "think", {{"time", "1 s"}}),
                      desk = net.node("plugin_station", "desk",
                                      {{"plugin", "recording"}, {"up", "in(machine.Up)"}, {"when_down", "lose"}});
      net.flow(think, desk), net.flow(desk, think);
      if (refused) net.flow(desk, think, {{"taken_by", "refused"}});
      net.m.measure("here", "time_average", "desk.number + think.number");
      QCOMPARE(net.problems(), std::string(refused ? "" : "QN006"));
      if (!refused) continue;
      near(net.run(3), "here", 3.0);
    }
  }

  void what_flows_does_not_stop_it() {
    OutageNetwork net("11 s", "after(3 s)", "after(2 s)");
    net.plugin("2 s", "1.5 s", "recording", {{"up", "now < 4 s"}});
    Diagnostics found;
    build_model(net.m.document(), {}, "", found);
    QVERIFY2(codes(found) == "QN012", listed(found).c_str());
  }
};

QTEST_APPLESS_MAIN(TestPluginOutages)
#include "tst_plugin_outages.moc"
