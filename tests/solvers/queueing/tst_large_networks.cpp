// Networks of so many stations that what comes next is fetched ahead: nothing of what happens may depend on it.
#include <QtTest>
#include <random>
#include <utility>

#include "core/des/event_queue.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "solvers/simulation/model_history.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Two closed classes over 600 stations and delays, ways among one, a few or many of them; a third of the stations has
/// several servers, some serve the last first, and some all at once. With `priorities` the second class is ahead where
/// classes count, of lines in every order.
Document large_network(unsigned seed, bool priorities) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  DrawnNetwork d;
  std::vector<ElementId> nodes;
  for (std::size_t i = 0; i < 600; ++i) {
    const std::string name = "n" + std::to_string(i), time = exponential(0.5 + static_cast<double>(below(100)) / 50.0);
    if (i % 10 == 0) {
      nodes.push_back(d.node("delay", name, {{"time", time}}));
      continue;
    }
    Value more = {{"service", i % 7 == 0 ? "gamma(shape = 2, scale = 0.5 s)" : time}};
    if (i % 3 == 0) more["servers"] = std::to_string(1 + below(4));
    if (i % 11 == 0) more["discipline"] = "lcfs";
    if (i % 13 == 0) more["discipline"] = "ps";
    if (i % 17 == 0) more["routing"] = "random";
    if (priorities) {
      const char* const orders[] = {"fcfs", "fcfs", "lcfs", "siro", "sjf"};
      const char* const classes[] = {"nonpreemptive", "preemptive", "ignored"};
      more["discipline"] = orders[below(5)], more["priorities"] = classes[below(3)];
    }
    nodes.push_back(d.node("station", name, std::move(more)));
  }
  for (const char* name : {"a", "b"})
    d.node("job_class", name,
           {{"reference", "n0"}, {"population", "3000"}, {"priority", priorities && *name == 'b' ? "1" : "0"}});
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::size_t ways = i == 0 ? 500 : i % 19 == 0 ? 20 : 1 + below(4);
    for (std::size_t w = 0; w < ways; ++w) d.flow(nodes[i], nodes[(i + 1 + w * (1 + below(5))) % nodes.size()]);
  }
  d.mean("number", "n1.number");
  return d.m.document();
}

/// Customers of 300 sources, by rates and by times, who go through 300 stations and delays and leave. No way stands
/// there beforehand where all `choose` among several; else of every third node.
Document open_network(unsigned seed, bool choose) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  DrawnNetwork d;
  const ElementId out[] = {d.node("sink", "out", {}), d.node("sink", "elsewhere", {})};
  std::vector<ElementId> nodes;
  const auto routing = [&](std::size_t i, Value more) {
    if (choose || i % 3 == 0) more["routing"] = i % 2 == 0 ? "round_robin" : "random";
    return more;
  };
  for (std::size_t i = 0; i < 300; ++i) {
    const std::string name = "n" + std::to_string(i), time = exponential(0.5 + static_cast<double>(below(100)) / 50.0);
    if (i % 5 == 0) nodes.push_back(d.node("delay", name, routing(i, {{"time", time}})));
    else nodes.push_back(d.node("station", name, routing(i, {{"service", time}, {"servers", "2"}})));
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const ElementId sink : out) d.flow(nodes[i], sink);
    d.flow(nodes[i], nodes[(i + 1 + below(200)) % nodes.size()]);
    Value comes = {{"interarrival", exponential(3.0)}};
    if (i % 2 == 0) comes = {{"rate", "0.4 /s"}};
    const ElementId source = d.node("source", "s" + std::to_string(i), routing(i, std::move(comes)));
    for (std::size_t w = 0; w < (choose ? 2 : 1 + below(12)); ++w) d.flow(source, nodes[(i + w) % nodes.size()]);
  }
  d.mean("number", "n1.number");
  return d.m.document();
}

/// All slots at the end of a stretch, how many events there were, and the mark of what happened.
struct Ended {
  std::vector<double> slots;
  std::uint64_t events = 0, fingerprint = 0;
  bool operator==(const Ended&) const = default;
};

/// What comes of each stream.
class Heard : public ObservationSink {
 public:
  explicit Heard(std::size_t streams) : values(streams) {}
  void observed(std::uint32_t stream, double value, std::uint32_t) override { values[stream].push_back(value); }
  std::vector<std::vector<double>> values;
};

}  // namespace

class TestLargeNetworks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void what_is_fetched_ahead_changes_nothing_data() {
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"closed", "closed, priorities", "open", "all choose"}) QTest::newRow(kind) << kind;
  }
  void what_is_fetched_ahead_changes_nothing() {
    QFETCH(QString, kind);
    if (!EventQueue::eight_at_once) QSKIP("this processor has no AVX2: nothing is fetched ahead");
    for (unsigned seed = 1; seed <= 5; ++seed) {
      Diagnostics problems;
      const auto model = build_model(
          kind.startsWith("closed") ? large_network(seed, kind != "closed") : open_network(seed, kind == "all choose"),
          {}, "", problems);
      QVERIFY2(model != nullptr && !has_errors(problems),
               problems.empty() ? "" : qPrintable(QString::fromStdString(problems.front().message)));
      const CcfProgram groups(*model);
      const auto run = [&](bool ahead) {
        // A queue that plays in pairs names nobody who comes soon.
        const bool before = std::exchange(EventQueue::eight_at_once, ahead);
        ModelHistory history(*model, groups, seed);
        EventQueue::eight_at_once = before;
        NobodyWatches nobody;
        // The second one begins anew in the middle of what the first had drawn ahead.
        for (const std::uint64_t replication : {0U, 1U}) {
          history.start(replication);
          while (history.step(200.0, nobody)) {
          }
        }
        const World& world = history.world();
        return Ended{{world.slots(), world.slots() + world.slot_count()}, world.events, world.fingerprint};
      };
      const Ended with = run(true), without = run(false);
      QVERIFY2(with.events > 50'000, qPrintable(QString::number(with.events)));
      QVERIFY(with == without);
    }
  }

  // When customers came is kept only where somebody wants to know: what he is told does not depend on who else does.
  void times_are_the_same_whoever_else_is_measured() {
    for (const bool open : {false, true}) {
      Diagnostics problems;
      const auto model = build_model(open ? open_network(1, false) : large_network(1, false), {}, "", problems);
      QVERIFY2(model != nullptr, listed(problems).c_str());
      const CcfProgram groups(*model);
      ModelHistory history(*model, groups, 1);
      World& world = history.world();
      const std::size_t streams = world.table().streams.size();
      NobodyWatches nobody;
      const auto heard = [&](std::size_t every) {
        Heard out(streams);
        std::vector<std::uint8_t> wanted(streams);
        for (std::size_t i = 0; i < streams; i += every) wanted[i] = 1;
        world.observations.listen(&out, wanted, world.slots() + World::now_slot);
        history.start(0);
        while (history.step(100.0, nobody)) {
        }
        world.observations.listen(nullptr, {}, nullptr);
        return out.values;
      };
      const auto all = heard(1), some = heard(7), again = heard(1);
      QVERIFY(all == again);
      std::size_t count = 0;
      for (std::size_t i = 0; i < streams; ++i) {
        QVERIFY(some[i] == (i % 7 == 0 ? all[i] : std::vector<double>()));
        count += some[i].size();
        for (const double value : some[i]) QVERIFY(value >= 0.0 && value <= 100.0);
      }
      QVERIFY2(count > 2'000, qPrintable(QString::number(count)));
    }
  }

  // Ten thousand stations whose ways lead anywhere, closed and open: what is checked beforehand is no matter of
  // minutes.
  void large_networks_are_checked_at_once() {
    constexpr std::size_t stations = 10'000;
    for (const bool closed : {true, false}) {
      std::mt19937 random(9);
      DrawnNetwork d;
      std::vector<ElementId> desks;
      const ElementId other =
          d.node(closed ? "delay" : "sink", "other", closed ? Value{{"time", "1 s"}} : Value::object());
      for (std::size_t i = 0; i < stations; ++i)
        desks.push_back(d.node("station", "desk" + std::to_string(i), {{"service", "exponential(mean = 0.1 s)"}}));
      if (closed) d.node("job_class", "users", {{"population", "1000000"}});
      for (std::size_t i = 0; i < stations; ++i) {
        if (closed) d.flow(other, desks[i]);
        else d.flow(d.node("source", "in" + std::to_string(i), {{"rate", "0.4 /s"}}), desks[i]);
        if (!closed || i == 0) d.flow(desks[i], other, {{"probability", closed ? "0.01" : "0.5"}});
        // By a delay, so that customers come back after an even number of steps only.
        const ElementId on = closed ? desks[i] : d.node("delay", "trip" + std::to_string(i), {{"time", "1 s"}});
        if (!closed) d.flow(desks[i], on);
        for (int w = 0; w < 4; ++w) d.flow(on, desks[random() % stations]);
      }
      d.mean("number", "desk5.number");
      const Document document = d.m.document();
      Diagnostics problems;
      QElapsedTimer clock;
      clock.start();
      const auto model = build_model(document, {}, "", problems);
      QVERIFY2(model != nullptr && problems.empty(), listed(problems).c_str());
      QVERIFY2(clock.elapsed() < 10'000, qPrintable(QString("%1 ms").arg(clock.elapsed())));
    }
  }

  // Who is asked to stop while customers are put in place looks every 4,096 of them, and begins anew when nobody asks.
  void a_long_beginning_may_be_given_up() {
    DrawnNetwork d;
    d.node("job_class", "users", {{"population", "200000"}, {"reference", "think"}});
    const ElementId think = d.node("delay", "think", {{"time", "exponential(mean = 1000 s)"}}),
                    desk = d.node("station", "desk", {{"service", "exponential(mean = 0.01 s)"}});
    d.flow(think, desk), d.flow(desk, think);
    d.mean("number", "desk.number"), d.m.measure("there", "final_value", "think.number");
    Diagnostics problems;
    const auto model = build_model(d.m.document(), {}, "", problems);
    QVERIFY2(model != nullptr, listed(problems).c_str());
    const CcfProgram groups(*model);
    ModelHistory history(*model, groups, 1);
    int asked = 0;
    history.others().heed([&] { return ++asked == 10; });
    QVERIFY_THROWS_EXCEPTION(GivenUp, history.start(0));
    QCOMPARE(asked, 10);
    history.others().heed([&] { return ++asked < 0; });
    history.start(0);
    QCOMPARE(asked, 10 + 200000 / 4096);
    ModelHistory fresh(*model, groups, 1);
    fresh.start(0);
    QVERIFY(history.world().fingerprint == fresh.world().fingerprint);
    // Its time is over before the first event of one long run, whose clock goes on by 10 s at each look.
    RunRequest request{.solver = "simulation"};
    request.wall_time_s = 45.0;
    request.options["output-analysis"] = "batch-means";
    RunControl control;
    double now_s = 0.0;
    control.clock_s = [&] { return now_s += 10.0; };
    const ResultSet r = find_solver("simulation")->solve(d.m.document(), request, control);
    QCOMPARE(r.stop_reason, std::string("wall_time"));
    QCOMPARE(r.events, std::uint64_t{0});
  }
};

QTEST_APPLESS_MAIN(TestLargeNetworks)
#include "tst_large_networks.moc"
