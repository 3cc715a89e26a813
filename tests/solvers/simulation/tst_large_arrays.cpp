#include <QtTest>
#include <algorithm>

#include "core/random/random_stream.h"
#include "solvers/simulation/model_history.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

const Value failing = {{"role", "failure"}}, repairing = {{"role", "repair"}};

/// A chart with a parameter `k` that nothing reads. Where the members of an array set it to their index each has a
/// value of its own, and is compiled by itself; otherwise the members of a large array are alike.
struct Drawn {
  ModelBuilder m{"100 h"};
  ChartBuilder c{m, "Unit"};
  ElementId failure, repair;
  Drawn() {
    m.parameter("lambda", "0.02 /h"), m.parameter("mu", "0.2 /h");
    c.variable("k", "integer", "1", "", true);
  }
  void repairable() {
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up);
    failure = c.transition(up, down, "rate(lambda)", "", "", failing);
    repair = c.transition(down, up, "rate(mu)", "", "", repairing);
    m.measure("down", "time_average", "count(unit[*].Down)", {{"curve", 0}});
  }
  void members(int count, bool alone) { m.component("unit", "Unit", std::to_string(count), alone ? "k = index" : ""); }
};

void draw(const std::string& what, Drawn& d) {
  ModelBuilder& m = d.m;
  ChartBuilder& c = d.c;
  if (what == "repairable" || what == "watched from outside") d.repairable();
  if (what == "watched from outside") {
    m.measure("one", "time_average", "unit[7].Down", {{"curve", 0}});
    m.measure("some", "time_average", "count(unit[100..200].Down) + count(unit[150..280].Up)", {{"curve", 0}});
    m.measure("first", "time_average", "unit[1].Down or unit[2].Down", {{"curve", 0}});
    ChartBuilder watch(m, "Watch");
    const ElementId waits = watch.state("Waits"), seen = watch.state("Seen");
    watch.initial(waits), watch.transition(waits, seen, "when(unit[250].Down and count(unit[*].Down) > 20)");
    watch.transition(seen, waits, "when(unit[250].Up)");
    m.component("watch", "Watch");
  }
  if (what == "regions that read each other") {
    const ElementId both = c.state("Both"), a = c.region("A", both), b = c.region("B", both);
    const ElementId up = c.state("UpA", a), down = c.state("DownA", a), on = c.state("UpB", b),
                    off = c.state("DownB", b);
    c.initial(both), c.initial(up, a), c.initial(on, b);
    c.transition(up, down, "rate(DownB ? 3 * lambda : lambda)", "", "", failing), c.transition(down, up, "rate(mu)");
    c.transition(on, off, "when(DownA and count(unit[*].DownA) > 10)"),
        c.transition(off, on, "after(weibull(shape = 2, scale = 3 h))");
    m.measure("off", "time_average", "count(unit[*].DownB)", {{"curve", 0}});
  }
  if (what == "variables and actions") {
    c.variable("n", "integer", "0"), c.variable("limit", "integer", "3");
    const ElementId up = c.state("Up", {}, "n := n + 1", "record(left)"), down = c.state("Down"),
                    worn = c.state("Worn");
    c.initial(up);
    c.transition(up, down, "rate(lambda * (1 + n))", "", "raise(broken, size = n + 1)", failing);
    c.transition(down, up, "rate(mu)", "n < limit and count(unit[*].Worn) < 200", "", repairing);
    c.transition(down, worn, "when(n >= limit)", "", "send(help, unit[*]); limit := limit + 1");
    c.transition(worn, up, "after(20 h)", "", "", {{"priority", 5}});
    c.transition(up, up, "every(30 h)", "", "n := n - 1", {{"priority", 2}});
    c.transition(down, down, "broken", "event.size > 2 and in(Down)", "n := n + 1");
    m.measure("worn", "time_average", "count(unit[*].Worn)", {{"curve", 0}});
    m.measure("of_one", "time_average", "unit[12].n + unit[290].limit", {{"curve", 0}});
  }
  if (what == "delays, chances, edges") {
    c.variable("seen", "integer", "0");
    const ElementId up = c.state("Up"), down = c.state("Down"), choice = c.choice();
    c.initial(up);
    c.transition(up, choice, "rate(lambda)", "",
                 "send(late, to = unit[1], delay = 2 h, id = mine, v = seen); seen := seen + 1");
    c.transition(choice, down, "p(0.4)", "", "", failing), c.transition(choice, up, "", "else", "cancel(mine)");
    c.transition(down, up, "after(lognormal(mean = 4 h, sd = 2 h))", "", "", repairing);
    c.transition(down, down, "late", "", "record(hit)", {{"internal", true}});
    c.transition(up, up, "becomes(count(unit[*].Down) > 15)", "seen < 4", "seen := seen + 2", {{"internal", true}});
    m.measure("down", "time_average", "count(unit[*].Down)", {{"curve", 0}});
  }
}

std::shared_ptr<const AnalysisModel> built(const Document& document) {
  Diagnostics problems;
  auto model = build_model(document, {}, {}, problems);
  if (model == nullptr) throw std::runtime_error(listed(problems));
  return model;
}

/// A history and all that it consists of.
struct FollowedArray {
  std::shared_ptr<const AnalysisModel> model;
  CcfProgram groups;
  ModelHistory history;
  explicit FollowedArray(std::shared_ptr<const AnalysisModel> of)
      : model(std::move(of)), groups(*model), history(*model, groups, 7) {}
  void until(double end_s) {
    NobodyWatches nobody;
    while (history.step(end_s, nobody)) continue;
  }
  std::vector<double> slots() const {
    const World& world = history.world();
    return {world.slots(), world.slots() + world.slot_count()};
  }
};

}  // namespace

class TestLargeArrays : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void members_compiled_together_run_as_compiled_alone_data();
  void members_compiled_together_run_as_compiled_alone();
  void tables_of_alike_members_are_kept_once();
  void a_plain_program_with_the_same_streams_has_the_same_history_data();
  void a_plain_program_with_the_same_streams_has_the_same_history();
  void a_saved_history_goes_on_as_it_did_data();
  void a_saved_history_goes_on_as_it_did();
  void a_million_members_are_the_limit();
};

void TestLargeArrays::members_compiled_together_run_as_compiled_alone_data() {
  QTest::addColumn<QString>("what");
  for (const char* what : {"repairable", "watched from outside", "regions that read each other",
                           "variables and actions", "delays, chances, edges"})
    QTest::newRow(what) << what;
}

// The same names, so the same streams: whatever is wrong with a number in a table changes the fingerprint or a slot.
void TestLargeArrays::members_compiled_together_run_as_compiled_alone() {
  QFETCH(QString, what);
  Drawn one, other;
  draw(what.toStdString(), one), draw(what.toStdString(), other);
  one.members(300, false), other.members(300, true);
  FollowedArray together(built(one.m.document())), alone(built(other.m.document()));
  QVERIFY(together.model->charts.timers.specs.size() < 100);
  QVERIFY(alone.model->charts.timers.specs.size() >= 300);
  for (std::uint64_t replication = 0; replication < 3; ++replication) {
    together.history.start(replication), alone.history.start(replication);
    for (const double end_h : {1.0, 20.0, 60.0, 100.0}) {
      together.until(end_h * hour), alone.until(end_h * hour);
      QCOMPARE(together.history.world().events, alone.history.world().events);
      QCOMPARE(together.history.world().fingerprint, alone.history.world().fingerprint);
      const std::vector<double> mine = together.slots(), theirs = alone.slots();
      QCOMPARE(mine.size(), theirs.size());
      for (std::size_t s = 0; s < mine.size(); ++s)
        QVERIFY2(mine[s] == theirs[s] || (std::isnan(mine[s]) && std::isnan(theirs[s])), std::to_string(s).c_str());
      for (const Measure& measure : together.model->measures) {
        const std::size_t m = static_cast<std::size_t>(&measure - together.model->measures.data());
        QCOMPARE(measure.program.evaluate(mine.data()), alone.model->measures[m].program.evaluate(theirs.data()));
      }
    }
    QVERIFY(together.history.world().events > 300);
  }
  std::vector<std::string> names, theirs;
  for (const NamedSlot& slot : together.model->charts.table->named())
    names.push_back(slot.name + std::to_string(slot.slot));
  for (const NamedSlot& slot : alone.model->charts.table->named())
    theirs.push_back(slot.name + std::to_string(slot.slot));
  QCOMPARE(names, theirs);
}

void TestLargeArrays::tables_of_alike_members_are_kept_once() {
  std::size_t sizes[2];
  for (const int large : {0, 1}) {
    Drawn d;
    draw("variables and actions", d);
    d.members(large == 0 ? 1000 : 2000, false);
    const auto model = built(d.m.document());
    sizes[large] = model->charts.guards.size() + model->charts.states.size() + model->charts.hops.size() +
                   model->charts.clock_hops.size() + model->charts.state_values.size();
  }
  QCOMPARE(sizes[0], sizes[1]);
}

void TestLargeArrays::a_plain_program_with_the_same_streams_has_the_same_history_data() {
  QTest::addColumn<int>("count");
  for (const int count : {3, 300, 20000}) QTest::newRow(std::to_string(count).c_str()) << count;
}

// Components that do not hear of each other, one after the other, by the rule of the streams alone.
void TestLargeArrays::a_plain_program_with_the_same_streams_has_the_same_history() {
  QFETCH(int, count);
  Drawn d;
  draw("repairable", d);
  d.members(count, false);
  FollowedArray drawn(built(d.m.document()));
  for (const std::uint64_t replication : {0U, 5U}) {
    drawn.history.start(replication);
    drawn.until(100 * hour);
    std::uint64_t events = 0;
    int down_at_end = 0;
    for (int i = 1; i <= count; ++i) {
      const std::string name = "unit[" + std::to_string(i) + "]/";
      RandomStream up(stream_key(7, name + d.failure.text()), replication);
      RandomStream down(stream_key(7, name + d.repair.text()), replication);
      bool is_down = false;
      double now = 0.0;
      for (;;) {
        now += is_down ? down.exponential() * (hour / 0.2) : up.exponential() * (hour / 0.02);
        if (now > 100 * hour) break;
        is_down = !is_down, ++events;
      }
      down_at_end += is_down ? 1 : 0;
    }
    QCOMPARE(drawn.history.world().events, events);
    QCOMPARE(drawn.model->measures[0].program.evaluate(drawn.history.world().slots()),
             static_cast<double>(down_at_end));
  }
}

void TestLargeArrays::a_saved_history_goes_on_as_it_did_data() {
  QTest::addColumn<int>("count");
  QTest::addColumn<QString>("what");
  for (const char* what : {"repairable", "delays, chances, edges", "variables and actions"})
    for (const int count : {300, 9000}) QTest::newRow((std::to_string(count) + " " + what).c_str()) << count << what;
}

void TestLargeArrays::a_saved_history_goes_on_as_it_did() {
  QFETCH(int, count);
  QFETCH(QString, what);
  Drawn d;
  draw(what.toStdString(), d);
  d.members(count, false);
  FollowedArray one(built(d.m.document()));
  one.history.start(3);
  one.until(10 * hour);
  ModelHistory::Saved saved;
  one.history.save(saved);
  one.until(25 * hour);
  const std::uint64_t events = one.history.world().events, fingerprint = one.history.world().fingerprint;
  one.history.start(4);
  one.until(5 * hour);
  one.history.restore(saved, 3);
  one.until(25 * hour);
  QCOMPARE(one.history.world().events, events);
  QCOMPARE(one.history.world().fingerprint, fingerprint);
}

void TestLargeArrays::a_million_members_are_the_limit() {
  Drawn most, more;
  most.repairable(), more.repairable();
  most.members(1000000, false), more.members(1000001, false);
  Diagnostics problems;
  const auto model = build_model(most.m.document(), {}, {}, problems);
  QVERIFY2(model != nullptr && problems.empty(), listed(problems).c_str());
  QCOMPARE(model->charts.name(999999), std::string("unit[1000000]"));
  QVERIFY(build_model(more.m.document(), {}, {}, problems) == nullptr);
  const Diagnostic* refused = find_code(problems, "SYS003");
  QVERIFY2(refused != nullptr, listed(problems).c_str());
  QVERIFY(refused->message.find("1000001") != std::string::npos);
  QVERIFY(refused->message.find("1 to 1000000") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestLargeArrays)
#include "tst_large_arrays.moc"
