#include "core/study/precision_goals.h"

#include <QtTest>
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>

#include "core/random/random_stream.h"
#include "core/study/result_builder.h"
#include "core/study/runner.h"

using namespace ergode;

namespace {

/// What is thrown in a replication: coin m falls on its head with probability chance[m].
struct Coins : ReplicationSource {
  std::vector<double> chance;
  std::vector<MeasureSpec> specs;
  std::uint64_t seed = 1;
  std::function<void()> before = [] {};  ///< each replication

  explicit Coins(std::vector<double> chances) : chance(std::move(chances)), specs(chance.size()) {
    for (std::size_t m = 0; m < chance.size(); ++m)
      specs[m] = {.id = "coin" + std::to_string(m), .kind = &measure_kind("probability_by"), .proportion = true};
  }
  bool head(std::size_t coin, std::uint64_t replication) const {
    RandomStream stream(stream_key(seed, "coin " + std::to_string(coin)), replication);
    return stream.uniform() < chance[coin];
  }
  std::span<const MeasureSpec> measures() const override { return specs; }
  std::string identity() const override { return "coins"; }
  struct Worker : ReplicationWorker {
    const Coins& coins;
    explicit Worker(const Coins& c) : coins(c) {}
    ReplicationEnd run(std::uint64_t replication, Tallies& into, const std::atomic<bool>&) override {
      coins.before();
      for (std::size_t m = 0; m < coins.chance.size(); ++m) into.measures[m].observe(coins.head(m, replication));
      return ReplicationEnd::whole;
    }
  };
  std::unique_ptr<ReplicationWorker> make_worker() const override { return std::make_unique<Worker>(*this); }
};

constexpr double z = 1.959963984540054;  // of 95 %, both sides

/// Half the width of Wilson's interval over the proportion, from its formula.
double wilson(double successes, double n) {
  const double p = successes / n;
  return z * std::sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n)) / (1.0 + z * z / n) / p;
}

/// After how many replications the rule must end: thrown once more, and asked between batches of 1/32 of what was done,
/// from 30 on; below 1,000 it must have been enough ever since 30 % fewer.
std::uint64_t replayed(const Coins& coins, const std::vector<double>& goals, std::vector<double>* reached = nullptr) {
  std::vector<double> heads(goals.size());
  double since = 0.0;
  for (std::uint64_t done = 0;;) {
    const std::uint64_t end = done + std::min<std::uint64_t>(std::max<std::uint64_t>(done / 32, 1), 4096);
    for (; done < end; ++done)
      for (std::size_t m = 0; m < goals.size(); ++m) heads[m] += coins.head(m, done) ? 1.0 : 0.0;
    if (done < 30) continue;
    bool enough = true;
    for (std::size_t m = 0; m < goals.size(); ++m)
      enough = enough && (goals[m] == 0.0 || wilson(heads[m], static_cast<double>(done)) <= goals[m]);
    if (!enough) since = 0.0;
    else if (since == 0.0) since = static_cast<double>(done);
    if (!enough || (done < 1000 && static_cast<double>(done) < 1.3 * since)) continue;
    for (std::size_t m = 0; reached != nullptr && m < goals.size(); ++m)
      reached->push_back(wilson(heads[m], static_cast<double>(done)));
    return done;
  }
}

RunOutcome run(const Coins& coins, const StoppingRule& rule, RunControl& control) {
  return run_replications(coins, rule, 2, control, {});
}
StoppingRule rule_of(std::vector<double> goals) { return {.precision = {.relative = std::move(goals)}}; }

/// A clock that stands, or goes on by 10 s whenever it is asked; and a wait until a run has heard of that.
struct Clock {
  std::atomic<int> asked{0};
  double step_s = 10.0;
  std::function<double()> clock_s() {
    return [this] { return step_s * asked.fetch_add(1); };
  }
  void wait() const {
    while (asked.load() < 3) std::this_thread::yield();
  }
};

std::string state(const ResultTable& table, std::size_t row) { return std::get<std::string>(table.rows[row][3]); }

}  // namespace

/// Oracle: the same coins thrown by the test, Wilson's formula, and the rule written once more.
class TestPrecisionGoals : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void goals_come_by_name_then_from_the_model_then_from_the_run() {
    std::vector<MeasureSpec> specs(4);
    for (std::size_t m = 0; m < 4; ++m) specs[m].id = std::string(1, static_cast<char>('a' + m));
    RunRequest request;
    QVERIFY(!precision_goals(specs, request).any());
    request.precision = 0.03;
    QCOMPARE(precision_goals(specs, request).relative, (std::vector<double>{0.03, 0.03, 0.03, 0.03}));
    specs[1].precision = 0.01;  // of the model
    request.precision_of["c"] = 0.2;
    QCOMPARE(precision_goals(specs, request).relative, (std::vector<double>{0.03, 0.01, 0.2, 0.03}));
    specs[0].headline = true;  // then the run's is for headline measures only; what has its own keeps its say
    QCOMPARE(precision_goals(specs, request).relative, (std::vector<double>{0.03, 0.01, 0.2, 0.0}));
    QCOMPARE(precision_goals(specs, request).left_out, std::vector<std::string>{"d"});
    request.precision_for = PrecisionFor::all;
    QCOMPARE(precision_goals(specs, request).relative, (std::vector<double>{0.03, 0.01, 0.2, 0.03}));
    QVERIFY(precision_goals(specs, request).left_out.empty());
    request.precision_for = PrecisionFor::headline;
    request.precision_of["b"] = 0.5;
    request.precision.reset();
    QCOMPARE(precision_goals(specs, request).relative, (std::vector<double>{0.0, 0.5, 0.2, 0.0}));
  }

  void texts_say_it_for_the_run_and_for_measures() {
    RunRequest request;
    QVERIFY(read_precisions("response = 1 %, 0.03,lost/a=0.5", request));
    QCOMPARE(request.precision, std::optional(0.03));
    QCOMPARE(request.precision_of, (std::map<std::string, double>{{"response", 0.01}, {"lost/a", 0.5}}));
    RunRequest again;
    QVERIFY(read_precisions(precisions_text(request), again));
    QCOMPARE(again.precision_of, request.precision_of);
    QCOMPARE(again.precision, request.precision);
    for (const char* wrong :
         {"", "0", "1", "100 %", "-0.1", "x", "x=", "=0.1", "x=2", "0.1,0.2", "x=0.1,x=0.2", "0.1,"}) {
      RunRequest untouched;
      QVERIFY2(!read_precisions(wrong, untouched), wrong);
      QVERIFY(!untouched.precision && untouched.precision_of.empty());
    }
    request.precision_of = {{"respnse", 0.1}, {"lost", 0.1}};
    const Diagnostics unknown = unknown_precisions({"response", "lost"}, request);
    QCOMPARE(unknown.size(), std::size_t{1});
    QCOMPARE(unknown[0].code, std::string("RUN010"));
    QVERIFY(unknown[0].hint.find("response") != std::string::npos);
  }

  void a_run_ends_when_each_has_reached_its_own() {
    // Of the second coin 10 % takes fewer replications than 2 % of the first, then more.
    for (const std::vector<double>& goals : {std::vector<double>{0.02, 0.1}, {0.1, 0.05}, {0.0, 0.05}, {0.02, 0.0}}) {
      const Coins coins({0.3, 0.05});
      std::vector<double> widths;
      const std::uint64_t wanted = replayed(coins, goals, &widths);
      RunControl control;
      const StoppingRule rule = rule_of(goals);
      const RunOutcome out = run(coins, rule, control);
      QCOMPARE(out.stop_reason, std::string("precision"));
      QCOMPARE(out.tallies.replications, wanted);
      ResultSet results;
      summarise(out, coins.specs, 0.95, "test", results);
      summarise_precision(out, coins.specs, rule, true, "test", results);
      const ResultTable& table = results.tables.front();
      std::size_t decided = goals[0] == 0.0 ? 1 : 0;
      if (goals[0] > 0.0 && goals[1] > 0.0 && widths[1] / goals[1] > widths[0] / goals[0]) decided = 1;
      for (std::size_t m = 0, row = 0; m < 2; ++m) {
        if (goals[m] == 0.0) continue;
        QCOMPARE(std::get<std::string>(table.rows[row][0]), coins.specs[m].id);
        QVERIFY(std::fabs(std::get<double>(table.rows[row][1]) / goals[m] - 1) < 1e-12);
        QVERIFY(std::fabs(std::get<double>(table.rows[row][2]) / widths[m] - 1) < 1e-9);
        QCOMPARE(state(table, row), std::string(m == decided ? "reached, decided" : "reached"));
        ++row;
      }
      QVERIFY(table.note.find(coins.specs[decided].id) != std::string::npos);
      QCOMPARE(results.conclusions().size(), std::size_t{1});
      QCOMPARE(results.conclusions()[0].sentence, table.note);
      QVERIFY(!precision_not_reached(results));
      QVERIFY(results.diagnostics.empty() && control.told().empty());
    }
  }

  // A run that ends by its precision holds its intervals: of 1,000 at 95 %, both of two measures, after some thousand
  // replications and after some hundred. Fewer than 925 of one of them have a probability of 4e-4 where each is held
  // with 95 %.
  void intervals_hold_when_two_precisions_decide() {
    for (const std::vector<double>& goals : {std::vector<double>{0.06, 0.2}, {0.25, 0.9}, {0.4, 0.0}}) {
      int held[2] = {0, 0};
      double made = 0.0;
      for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        Coins coins({0.3, 0.05});
        coins.seed = seed;
        RunControl control;
        const RunOutcome out = run_replications(coins, rule_of(goals), 1, control, {});
        made += static_cast<double>(out.tallies.replications) / 1000;
        for (std::size_t m = 0; m < 2; ++m) {
          const Estimate e = estimate(out.tallies.measures[m], coins.specs[m], 0.95);
          held[m] += e.lower <= coins.chance[m] && coins.chance[m] <= e.upper;
        }
      }
      for (const int n : held) QVERIFY2(n >= 925 && n < 1000, qPrintable(QString("%1 after %2").arg(n).arg(made)));
    }
  }

  // A share of time of 1 before the first failure is as little known as one of 0.
  void what_never_left_an_end_of_what_is_possible_is_not_known() {
    const Support share{.least = 0.0, .greatest = 1.0};
    QVERIFY(!unchanged_is_known(1.0, share) && !unchanged_is_known(0.0, share) && unchanged_is_known(0.5, share));
    QVERIFY(unchanged_is_known(1.0, {.least = 1.0, .greatest = 1.0}));
    QVERIFY(unchanged_is_known(3.0, {}) && !unchanged_is_known(0.0, {}));
  }

  // What never changed is known to be its value, but for 0, unless nothing else is possible: the table and the end of a
  // run say the same of it.
  void what_never_changes_is_known_unless_it_is_zero() {
    struct Constant : ReplicationSource {
      std::vector<MeasureSpec> specs;
      double value = 0.0;
      Clock clock;
      struct Worker : ReplicationWorker {
        const Constant& of;
        explicit Worker(const Constant& c) : of(c) {}
        ReplicationEnd run(std::uint64_t, Tallies& into, const std::atomic<bool>&) override {
          of.clock.wait();
          into.measures[0].observe(of.value);
          return ReplicationEnd::whole;
        }
      };
      std::unique_ptr<ReplicationWorker> make_worker() const override { return std::make_unique<Worker>(*this); }
      std::span<const MeasureSpec> measures() const override { return specs; }
      std::string identity() const override { return "constant"; }
    };
    for (const auto& [value, only, ends] : {std::tuple{0.0, false, false}, {3.0, false, true}, {0.0, true, true}}) {
      Constant source;
      source.value = value;
      MeasureSpec spec{.id = "level"};
      for (const MeasureKind& kind : measure_kinds())
        if (kind.meaning == MeasureKind::Meaning::average) spec.kind = &kind;
      if (only) spec.support = {value, value};
      source.specs = {spec};
      StoppingRule rule = rule_of({0.1});
      rule.max_replications = 2000;
      RunControl control;
      control.clock_s = source.clock.clock_s();
      const RunOutcome out = run_replications(source, rule, 1, control, {});
      QCOMPARE(out.stop_reason, std::string(ends ? "precision" : "replications"));
      QVERIFY(!ends || out.tallies.replications <= 40);
      QCOMPARE(control.told().size(), std::size_t{ends ? 0U : 1U});
      ResultSet results;
      summarise_precision(out, source.specs, rule, true, "test", results);
      QCOMPARE(state(results.tables.front(), 0),
               std::string(ends ? "reached, decided" : "not reached: it cannot be told from 0"));
      QCOMPARE(results.diagnostics.size(), std::size_t{ends ? 0U : 1U});
    }
  }

  void what_is_never_seen_is_said_and_not_waited_for_in_silence() {
    Coins coins({0.5, 0.0});
    Clock clock;
    coins.before = [&] { clock.wait(); };
    StoppingRule rule = rule_of({0.02, 0.1});
    rule.max_replications = 50000;
    RunControl control;
    control.clock_s = clock.clock_s();
    const RunOutcome out = run(coins, rule, control);
    QCOMPARE(out.stop_reason, std::string("replications"));
    QCOMPARE(control.told().size(), std::size_t{1});  // while it went on, once
    QCOMPARE(control.told()[0].code, std::string("RUN042"));
    ResultSet results;
    summarise(out, coins.specs, 0.95, "test", results);
    summarise_precision(out, coins.specs, rule, true, "test", results);
    QCOMPARE(results.diagnostics.size(), std::size_t{1});
    QCOMPARE(results.diagnostics[0].message, control.told()[0].message);
    QCOMPARE(state(results.tables.front(), 0), std::string("reached"));
    QCOMPARE(state(results.tables.front(), 1), std::string("not reached: it cannot be told from 0"));
    QVERIFY(precision_not_reached(results).value().find("coin1") != std::string::npos);
    QVERIFY(precision_not_reached(results).value().find("coin0") == std::string::npos);
  }

  void who_need_not_wait_hears_nothing_of_zeros() {
    Coins coins({0.5, 0.001});  // of which the second is not seen for about as long as patience lasts
    Clock clock;
    clock.step_s = 0.0;
    coins.before = [&] { clock.wait(); };
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      coins.seed = seed;
      RunControl control;
      control.clock_s = clock.clock_s();
      QCOMPARE(run(coins, rule_of({0.1, 0.5}), control).stop_reason, std::string("precision"));
      QVERIFY(control.told().empty());
    }
  }

  void what_was_seen_of_what_cannot_be_negative_is_told_from_zero() {
    const Interval around{-1.0, 3.0}, above{0.5, 3.0}, open{std::nan(""), std::nan("")};
    const Support any, share{0.0, 1.0}, loss{.greatest = 0.0};
    QVERIFY(!known_from_zero(1.0, around, any) && known_from_zero(1.0, above, any));
    QVERIFY(known_from_zero(1.0, around, share) && known_from_zero(0.5, open, share));
    QVERIFY(!known_from_zero(0.0, {0.0, 0.3}, share) && !known_from_zero(0.0, open, any));
    QVERIFY(known_from_zero(-1.0, around, loss) && !known_from_zero(-1.0, around, any));
  }

  void others_that_are_not_precise_yet_are_no_reason_to_warn() {
    const Coins coins({0.5, 0.0});
    StoppingRule rule = rule_of({0.001, 0.1});
    rule.max_replications = 20000;
    RunControl control;
    const RunOutcome out = run(coins, rule, control);
    QVERIFY(control.told().empty());
    ResultSet results;
    summarise_precision(out, coins.specs, rule, true, "test", results);
    QVERIFY(results.diagnostics.empty());
    QCOMPARE(state(results.tables.front(), 0), std::string("not reached"));
  }

  void weights_that_cannot_be_trusted_count_as_not_reached() {
    const Coins coins({0.5});
    const StoppingRule rule = rule_of({0.05});
    RunControl control;
    const RunOutcome out = run(coins, rule, control);
    ResultSet results;
    summarise_precision(out, coins.specs, rule, false, "test", results);
    QCOMPARE(state(results.tables.front(), 0), std::string("not reached: its interval cannot be trusted yet"));
    results.stop_reason = "replications";
    QVERIFY(precision_not_reached(results).has_value());
  }

  void a_precision_of_the_model_leaves_the_number_of_replications_open() {
    Coins coins({0.5, 0.5});
    RunRequest request;
    QCOMPARE(stopping_rule(request, coins.specs, 7).max_replications, std::uint64_t{7});
    coins.specs[1].precision = 0.1;
    QCOMPARE(stopping_rule(request, coins.specs, 7).max_replications, std::uint64_t{0});
    request.replications = 9;
    QCOMPARE(stopping_rule(request, coins.specs, 7).max_replications, std::uint64_t{9});
  }
};

QTEST_APPLESS_MAIN(TestPrecisionGoals)
#include "tst_precision_goals.moc"
