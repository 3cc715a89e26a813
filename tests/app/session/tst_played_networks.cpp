// Histories of drawn networks under the eyes: played by model time, forwards and back, and for very long.
#include <QtTest>
#include <map>

#include "app/session/catalogue.h"
#include "app/session/stepper.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Three desks for two classes, 9 + 3 customers an hour; each is served for a quarter of an hour.
struct Office {
  ModelBuilder m{"100000 h"};
  ElementId diagram = m.diagram("Net", "queueing"), gold, plain, desk, to_desk, out;
  explicit Office(const std::string& plain_rate = "9 /h") {
    const auto node = [&](const char* kind, const char* name, Value more = Value::object()) {
      more["name"] = name;
      return m.node(diagram, {}, kind, std::move(more));
    };
    gold = node("job_class", "gold", {{"priority", "1"}}), plain = node("job_class", "plain");
    const ElementId some = node("source", "some", {{"rate", plain_rate}, {"class", "plain"}}),
                    few = node("source", "few", {{"rate", "2 /h"}, {"class", "gold"}});
    desk = node("station", "desk", {{"servers", "3"}, {"service", "exponential(mean = 15 min)"}});
    out = node("sink", "out");
    to_desk = m.edge(diagram, "flow", some, desk);
    m.edge(diagram, "flow", few, desk), m.edge(diagram, "flow", desk, out);
  }
  std::unique_ptr<Stepper> begin() const {
    Diagnostics problems;
    auto run = Stepper::begin(m.document(), {.seed = 5}, problems);
    if (!run) throw std::runtime_error(listed(problems));
    return run;
  }
};

double value(const Stepper& run, const std::string& name) {
  for (const Stepper::Watched& one : run.variables())
    if (one.name == name) return std::stod(one.value);
  throw std::logic_error(name);
}

constexpr double hour_s = 3600.0, long_enough = 60.0;

}  // namespace

class TestPlayedNetworks : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { catalogue(); }  // every notation that runs

  /// The first steps of a network are its first customers, not its end.
  void a_step_is_somebody_who_moves() {
    const Office office;
    const auto run = office.begin();
    QVERIFY(run->step() == Stepper::Stop::step);
    QVERIFY(run->now_s() < hour_s);
    QCOMPARE(value(*run, "desk.number"), 1.0);
    const std::vector<Moved> moves = run->take_moves();
    QCOMPARE(std::count_if(moves.begin(), moves.end(), [](const Moved& m) { return bool(m.edge); }), std::ptrdiff_t{1});
    QVERIFY(run->take_moves().empty());
    QCOMPARE(run->trace().size(), std::size_t{1});
    QVERIFY2(run->trace()[0].text.find(" to desk") != std::string::npos, run->trace()[0].text.c_str());
  }

  /// Oracle: the same history, step by step, until the next step lies beyond.
  void played_to_a_time_it_is_where_steps_have_led() {
    const Office office;
    const auto played = office.begin(), stepped = office.begin();
    for (double until = 0.1 * hour_s; until < 30 * hour_s; until += 0.7 * hour_s) {
      const Stepper::Reached reached = played->go_to(until, long_enough);
      QVERIFY(reached.stop == Stepper::Stop::step && !reached.behind);
      QVERIFY(played->now_s() <= until);
      while (stepped->steps() < played->steps()) stepped->step();
      QCOMPARE(stepped->now_s(), played->now_s());
      QCOMPARE(stepped->fingerprint(), played->fingerprint());
      QVERIFY(stepped->present() == played->present());
      const auto next = office.begin();
      while (next->steps() <= played->steps()) next->step();
      QVERIFY(next->now_s() > until);
    }
    QVERIFY(played->steps() > 500);
  }

  void without_time_it_takes_one_step_and_says_that_it_is_behind() {
    const Office office;
    const auto run = office.begin();
    const Stepper::Reached reached = run->go_to(1000 * hour_s, 0.0);
    QVERIFY(reached.behind);
    QVERIFY(run->steps() <= 1);
  }

  void a_step_back_shows_who_was_where_before() {
    const Office office;
    const auto run = office.begin();
    std::vector<std::vector<Present>> seen;
    for (int i = 0; i < 60; ++i) {
      seen.push_back(run->present());
      run->step();
    }
    for (int i = 59; i >= 0; --i) {
      QVERIFY(run->step_back());
      QVERIFY(run->present() == seen[static_cast<std::size_t>(i)]);
      QVERIFY(run->take_moves().empty());
    }
  }

  void breakpoints_stop_at_flows_and_at_who_comes() {
    const Office office;
    const auto run = office.begin();
    run->set_breakpoints({office.to_desk});
    QVERIFY(run->go_to(1000 * hour_s, long_enough).stop == Stepper::Stop::breakpoint);
    QCOMPARE(run->trace().back().element, office.to_desk);
    const double first = run->now_s();
    run->set_breakpoints({office.out});
    QVERIFY(run->go_to(1000 * hour_s, long_enough).stop == Stepper::Stop::breakpoint);
    QVERIFY(run->now_s() > first);
    QCOMPARE(value(*run, "out.arrived"), 1.0);
  }

  void a_very_long_history_keeps_its_end_and_goes_back() {
    const Office office;
    const auto run = office.begin();
    while (run->steps() < 230'000) run->go_to(run->now_s() + 200 * hour_s, long_enough);
    QVERIFY(run->trace().size() >= 100'000 && run->trace().size() <= 200'000);
    QVERIFY(run->take_moves().size() <= 4'000);
    const Value saved = Value::parse(run->trace_json().dump());
    QCOMPARE(saved.at("inputs").size(), std::size_t{1});
    QCOMPARE(saved.at("taken").size(), std::size_t{100'000});
    const double now = run->now_s();
    const auto present = run->present();
    const std::string last = run->trace().back().text;
    run->step();
    QVERIFY(run->step_back());
    QCOMPARE(run->now_s(), now);
    QVERIFY(run->present() == present);
    QCOMPARE(run->trace().back().text, last);
    QVERIFY(run->trace_json() == saved);
    const auto again = office.begin();
    const Diagnostics problems = again->replay(saved);
    QVERIFY2(problems.empty(), listed(problems).c_str());
    QVERIFY(again->present() == present);
    Value wrong = saved;
    wrong["inputs"].at(0)["times"] = 0;
    QVERIFY(find_code(again->replay(wrong), "STP001") != nullptr);
  }
};

QTEST_APPLESS_MAIN(TestPlayedNetworks)
#include "tst_played_networks.moc"
