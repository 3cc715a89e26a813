// Sources whose gaps have memory: against plain chains, published means and times written down by hand.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>

#include "core/base/sha256.h"
#include "core/des/lowering.h"
#include "core/random/fit_laws.h"
#include "core/random/markovian_arrival_process.h"
#include "solvers/queueing/lowering/gaps_seen.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/plain_chain.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using S = PlainChain::State;
using Go = PlainChain::Go;

void agree(double seen, double wanted, double digits) {
  QVERIFY2(std::fabs(seen - wanted) <= digits * std::max(1.0, std::fabs(wanted)),
           qPrintable(QString("%1, wanted %2").arg(seen, 0, 'g', 17).arg(wanted, 0, 'g', 17)));
}

Diagnostics problems_of(const Document& document, const std::string& folder = "") {
  Diagnostics found;
  build_model(document, {}, folder, found);
  return found;
}
std::string words(const Diagnostics& found) {
  std::string out;
  for (const Diagnostic& one : found) out += one.code + " " + one.message + "\n";
  return out;
}
std::string problem(const std::string& gap) {
  DrawnNetwork d;
  d.queue(gap, "1 s");
  return words(problems_of(d.m.document()));
}

/// When a source that sends straight to a sink does so, until 60 s.
std::vector<double> times_of(const std::string& gap, const std::string& folder = "", double until_s = 60.0) {
  DrawnNetwork d("1000 s");
  d.flow(d.node("source", "in", {{"interarrival", gap}}), d.node("sink", "out"));
  d.m.measure("come", "final_value", "in.emitted");
  Diagnostics found;
  const auto model = build_model(d.m.document(), {}, folder, found);
  if (model == nullptr) throw std::runtime_error(words(found));
  const CcfProgram groups(*model);
  ModelHistory history(*model, groups, 5);
  NobodyWatches nobody;
  history.start(3);
  std::vector<double> out;
  while (history.step(until_s, nobody)) out.push_back(history.world().now());
  return out;
}

std::string written(const QTemporaryDir& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder.filePath(QString::fromStdString(name)).toStdString()) << text;
  return folder.path().toStdString();
}

}  // namespace

class TestArrivalProcesses : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Two states, numbers to 400 in a plain chain; intervals of 99.9 % of the simulation hold what is exact.
  void modulated_arrivals_at_one_server() {
    DrawnNetwork d("20000 s");
    d.queue("mmpp(rates = [2 /s, 0.3 /s], switching = [0.5 /s, 0.25 /s])", "exponential(mean = 0.7 s)");
    const PlainChain chain({0, 0}, [](const S& s, const Go& go) {
      if (s[0] < 400) go({s[0] + 1, s[1]}, s[1] == 0 ? 2.0 : 0.3);
      go({s[0], 1 - s[1]}, s[1] == 0 ? 0.5 : 0.25);
      if (s[0] > 0) go({s[0] - 1, s[1]}, 1 / 0.7);
    });
    const double number = chain.mean([](const S& s) { return s[0]; });
    const double rate = (2 * 0.25 + 0.3 * 0.5) / 0.75, response = number / rate;
    const ResultSet qbd = solved(d.m.document(), {.solver = "qbd"});
    agree(estimate(qbd, "number"), number, 1e-9), agree(estimate(qbd, "response"), response, 1e-9);
    agree(estimate(qbd, "busy"), rate * 0.7, 1e-9);
    const ResultSet states = solved(d.m.document(), {.solver = "ctmc-network"});
    agree(estimate(states, "number"), number, 1e-5), agree(estimate(states, "response"), response, 1e-5);
    const ResultSet r = solved(d.m.document(), {.replications = 40, .confidence = 0.999});
    compare_inside(r, "number", number), compare_inside(r, "response", response), compare_inside(r, "busy", rate * 0.7);
  }

  // Three phases, services of two, room for five: a chain that is finite, with what is lost.
  void general_processes_at_a_full_station() {
    DrawnNetwork d("20000 s");
    d.queue(
        "map(d0 = [[-1 /s, 0.4 /s, 0 /s], [0.1 /s, -2 /s, 0.3 /s], [0 /s, 0 /s, -4 /s]], "
        "d1 = [[0.2 /s, 0 /s, 0.4 /s], [0 /s, 1.6 /s, 0 /s], [3 /s, 0 /s, 1 /s]])",
        "erlang(k = 2, mean = 0.6 s)", {{"capacity", "5"}});
    const double d0[3][3] = {{0, 0.4, 0}, {0.1, 0, 0.3}, {0, 0, 0}}, d1[3][3] = {{0.2, 0, 0.4}, {0, 1.6, 0}, {3, 0, 1}};
    const PlainChain chain({0, 0, 0}, [&](const S& s, const Go& go) {
      for (int j = 0; j < 3; ++j) {
        if (j != s[1]) go({s[0], j, s[2]}, d0[s[1]][j]);
        go({std::min(5, s[0] + 1), j, s[2]}, d1[s[1]][j]);
      }
      if (s[0] > 0 && s[2] == 0) go({s[0], s[1], 1}, 2 / 0.6);
      if (s[0] > 0 && s[2] == 1) go({s[0] - 1, s[1], 0}, 2 / 0.6);
    });
    const double number = chain.mean([](const S& s) { return s[0]; });
    const double full = chain.mean([&](const S& s) { return s[0] == 5 ? d1[s[1]][0] + d1[s[1]][1] + d1[s[1]][2] : 0; });
    const double comes = chain.mean([&](const S& s) { return d1[s[1]][0] + d1[s[1]][1] + d1[s[1]][2]; });
    const ResultSet states = solved(d.m.document(), {.solver = "ctmc-network"});
    agree(estimate(states, "number"), number, 1e-9), agree(estimate(states, "response"), number / (comes - full), 1e-9);
    const ResultSet r = solved(d.m.document(), {.replications = 40, .confidence = 0.999});
    compare_inside(r, "number", number), compare_inside(r, "response", number / (comes - full));
  }

  // Written by moments, they are the chain whose rates are worked out by hand.
  void processes_of_moments_wait_as_their_chains() {
    const auto number = [](const std::string& gap) {
      DrawnNetwork d;
      d.queue(gap, "exponential(mean = 0.5 s)");
      return estimate(solved(d.m.document(), {.solver = "qbd"}), "number");
    };
    // Without correlation it is a renewal process: sigma = sum p_i u_i / (u_i + mu (1 - sigma)), number = rho / (1 -
    // sigma), of the gaps' two exponentials.
    const double scv = 4, p = 0.5 * (1 + std::sqrt(3.0 / 5)), u = 2 * p, v = 2 * (1 - p);
    double sigma = 0.5;
    for (int i = 0; i < 500; ++i) sigma = p * u / (u + 2 * (1 - sigma)) + (1 - p) * v / (v + 2 * (1 - sigma));
    const double renewal = 0.5 / (1 - sigma);
    const std::string two = "(mean = 1 s, scv = " + std::to_string(scv) + ", ";
    agree(number("mmpp" + two + "correlation = 0)"), renewal, 1e-9);
    agree(number("mmpp" + two + "decay = 0)"), renewal, 1e-9);
    agree(number("hyperexponential(mean = 1 s, scv = 4)"), renewal, 1e-9);
    agree(number("map(mean = 1 s, scv = 1, correlation = 0, decay = 0.5)"), 1.0, 1e-9);
    // With correlation more wait, and fewer where it is negative; the chain of the rates found by hand.
    const double decay = 0.5, w = u * v, turns = w * (1 - decay), sum = 2 - turns;
    const double fast = 0.5 * (sum + std::sqrt(sum * sum - 4 * decay * w)), slow = sum - fast;
    const double leaves_slow = turns * (1 - slow) / (fast - slow), leaves_fast = turns - leaves_slow;
    const PlainChain chain({0, 0}, [&](const S& s, const Go& go) {
      if (s[0] < 600) go({s[0] + 1, s[1]}, s[1] == 0 ? fast : slow);
      go({s[0], 1 - s[1]}, s[1] == 0 ? leaves_fast : leaves_slow);
      if (s[0] > 0) go({s[0] - 1, s[1]}, 2.0);
    });
    const double waiting = chain.mean([](const S& s) { return s[0]; });
    agree(number("mmpp" + two + "decay = 0.5)"), waiting, 1e-9);
    agree(number("mmpp" + two + "correlation = 0.1875)"), waiting, 1e-9);
    agree(number("map" + two + "correlation = 0.1875, decay = 0.5)"), waiting, 1e-9);
    QVERIFY(waiting > renewal);
    QVERIFY(number("map(mean = 1 s, scv = 1, correlation = -0.3, decay = -0.8)") < 1.0);
  }

  // Who chooses one sees what it is before it stands in a model.
  void gaps_are_seen_before_they_are_chosen() {
    const QTemporaryDir folder;
    const std::string where = written(folder, "gaps.csv", "id,gap\na,1\nb,3\nc,2\n");
    ParameterTable none;
    ParameterScope scope(none);
    constexpr auto services = TimesWithMemory::services, traces = TimesWithMemory::traces;
    const auto seen = [&](const std::string& text, TimesWithMemory taken = TimesWithMemory::arrivals) {
      return gaps_seen(std::get<Syntax>(parse_expression(text)), taken, scope, DataFiles({where, {}}));
    };
    const auto law = [&](const std::string& text, TimesWithMemory taken = TimesWithMemory::arrivals) {
      return std::get<GapsSeen>(seen(text, taken).value());
    };
    QVERIFY(!seen("exponential(mean = 2 s)") && !seen("mmpp(rates = [1 /s], switching = [])", traces));
    QVERIFY(!seen("burst(gaps = [1 s, 9 s], lengths = [9 s, 9 s])", services) &&
            !seen("schedule(times = [1 s])", traces));
    agree(law("mmpp(mean = 2 s, scv = 4, decay = 0.5)", services).neighbours, 0.1875, 1e-9);
    const GapsSeen made = law("mmpp(mean = 2 s, scv = 4, correlation = 0.2)");
    agree(made.law.mean(), 2, 1e-9), agree(made.law.variance(), 16, 1e-9), agree(made.neighbours, 0.2, 1e-9);
    const GapsSeen list = law("trace(file = \"gaps.csv\", column = \"gap\", unit = \"min\")");
    agree(list.law.mean(), 120, 1e-12), agree(list.law.quantile(1), 180, 1e-12);
    agree(law("trace(file = \"gaps.csv\", column = 2, unit = \"s\")", traces).law.mean(), 2, 1e-12);
    agree(law("schedule(times = [1 s, 5 s])").law.mean(), 2.5, 1e-12);
    // Memoryless both: 2 /s for 3 s, 1/4 /s for 5 s, by turns.
    const GapsSeen burst =
        law("burst(gaps = [exponential(mean = 0.5 s), exponential(mean = 4 s)], lengths = [exponential(mean = 3 s), "
            "exponential(mean = 5 s)])");
    agree(burst.law.mean(), 8 / (3 * 2.0 + 5 * 0.25), 0.05);
    QVERIFY(burst.neighbours > 0.05);
    const auto wrong = std::get<Diagnostics>(seen("mmpp(rates = [1 /s, 2 /s], switching = [1 /s, -1 /s])").value());
    QVERIFY(words(wrong).find("QN015 mmpp: switching, row 2, column 1, is -1 /s") == 0);
    QVERIFY(has_errors(std::get<Diagnostics>(seen("trace(file = \"none.csv\", unit = \"s\")").value())));
  }

  void times_are_those_that_are_written() {
    QCOMPARE(times_of("schedule(times = [0 s, 5 s, 5 s, 9 s])"), (std::vector<double>{0, 5, 5, 9}));
    QCOMPARE(times_of("schedule(times = [1 s, 0.5 min], at_end = repeat)", "", 100.0),
             (std::vector<double>{1, 30, 31, 60, 61, 90, 91}));
    const QTemporaryDir folder;
    const std::string where = written(folder, "gaps.csv", "id,gap\na,1.5\nb,0\nc,10\n");
    written(folder, "times.csv", "2\n2\n3\n");
    QCOMPARE(times_of("trace(file = \"gaps.csv\", column = \"gap\", unit = \"s\")", where),
             (std::vector<double>{1.5, 1.5, 11.5}));
    QCOMPARE(times_of("trace(file = \"gaps.csv\", column = 2, unit = \"s\", at_end = repeat)", where, 25.0),
             (std::vector<double>{1.5, 1.5, 11.5, 13, 13, 23, 24.5, 24.5}));
    QCOMPARE(times_of("trace(file = \"times.csv\", unit = \"min\", as = times)", where, 1000.0),
             (std::vector<double>{120, 120, 180}));
    // What was read can be told.
    DrawnNetwork d("10 s");
    d.queue("trace(file = \"gaps.csv\", column = \"gap\", unit = \"s\")", "1 s");
    RunRequest request{.replications = 4};
    request.folder = where;
    const ResultSet r = solved(d.m.document(), request);
    QCOMPARE(r.provenance.data_files.at("gaps.csv"), sha256_hex("id,gap\na,1.5\nb,0\nc,10\n"));
  }

  // Gaps of 4 s in intervals of 10 s, then none; a gap that would end beyond its interval is not taken.
  void bursts_begin_anew_with_each_interval() {
    QCOMPARE(times_of("burst(gaps = [4 s, 100 s], lengths = [10 s, 10 s])"),
             (std::vector<double>{4, 8, 24, 28, 44, 48}));
    QCOMPARE(times_of("burst(gaps = [100 s, 4 s], lengths = [10 s, 10 s])", "", 50.0),
             (std::vector<double>{14, 18, 34, 38}));
    QCOMPARE(times_of("burst(gaps = [4 s, 100 s], lengths = [10 s, 10 s], probability = 1)", "", 30.0),
             (std::vector<double>{4, 8, 14, 18, 24, 28}));
    // Memoryless gaps and lengths: modulated Poisson arrivals.
    DrawnNetwork d("20000 s");
    d.queue(
        "burst(gaps = [exponential(mean = 0.5 s), exponential(mean = 4 s)], lengths = [exponential(mean = 3 s), "
        "exponential(mean = 5 s)])",
        "exponential(mean = 0.6 s)");
    const PlainChain chain({0, 0}, [](const S& s, const Go& go) {
      if (s[0] < 300) go({s[0] + 1, s[1]}, s[1] == 0 ? 2.0 : 0.25);
      go({s[0], 1 - s[1]}, s[1] == 0 ? 1 / 3.0 : 0.2);
      if (s[0] > 0) go({s[0] - 1, s[1]}, 1 / 0.6);
    });
    const ResultSet r = solved(d.m.document(), {.replications = 40, .confidence = 0.999});
    compare_inside(r, "number", chain.mean([](const S& s) { return s[0]; }));
  }

  void a_saved_moment_keeps_the_phase() {
    for (const char* gap :
         {"mmpp(rates = [4 /s, 0.5 /s], switching = [0.05 /s, 0.05 /s])",
          "burst(gaps = [0.5 s, exponential(mean = 2 s)], lengths = [uniform(low = 1 s, high = 9 s), 5 s])",
          "schedule(times = [0.1 s, 0.7 s, 1.1 s], at_end = repeat)"}) {
      DrawnNetwork d("500 s");
      d.queue(gap, "exponential(mean = 0.3 s)");
      compare_saved_moment(d.m.document());
    }
  }

  void what_is_no_process_is_refused() {
    const auto has = [](const std::string& gap, const char* what) {
      const std::string all = problem(gap);
      QVERIFY2(all.find(what) != std::string::npos, all.c_str());
    };
    has("map(d0 = [[-1 /s]], d1 = [[2 /s]])", "QN015 map: row 1 of d0 and d1 together sums to 1 /s, wanted 0.");
    has("map(d0 = [[-1 /s]])", "QN015 map: \"d1\" is missing; wanted map(d0, d1).");
    has("map(d0 = [[-1 /s, 1 /s], [1 /s]], d1 = [[1 /s]])", "QN015 map: a row of d0 has 1 values; wanted 2");
    has("mmpp(rates = [1 /s, 2 s], switching = [1 /s, 1 /s])", "EXP004");
    has("mmpp(rates = [1 /s, 2 /s], switching = [1 /s, -1 /s])", "QN015 mmpp: switching, row 2, column 1, is -1 /s");
    has("mmpp(rates = [1 /s, 2 /s], turns = [1 /s, 1 /s])", "QN015 mmpp: there is no argument \"turns\"");
    has("schedule(times = [1 s, 0.5 s])", "QN015 schedule: time 2 is 0.5 s after 1 s; wanted times");
    has("schedule(times = [0 s], at_end = repeat)", "QN015 schedule: all times are 0 s");
    has("schedule(times = [0 s], at_end = never)", "QN015 schedule: at_end is \"never\"; wanted stop or repeat.");
    has("burst(gaps = [9 s, 9 s], lengths = [1 s, 1 s])", "QN015 burst: no gap is ever as short as its interval");
    has("burst(gaps = [9 s], lengths = [1 s, 1 s])", "QN015 burst: gaps is no list of two");
    has("burst(gaps = [1 s, 1 s], lengths = [9 s, 9 s], probability = 2)", "QN015 burst: the probability is 2");
    has("mmpp(mean = 1 s, scv = 0.5, decay = 0.5)", "QN015 mmpp: scv is 0.5, wanted more than 1");
    has("mmpp(mean = 1 s, scv = 2)", "QN015 mmpp: \"correlation\" is missing; wanted mmpp(mean, scv, correlation).");
    has("mmpp(mean = 1 s, scv = 2, correlation = 0.1, decay = 0.5)",
        "QN015 mmpp: there is no argument \"correlation\"; wanted mmpp(mean, scv, decay).");
    has("mmpp(mean = [1 s, 2 s], scv = 2, decay = 0)", "QN015 mmpp: mean has 2 values; wanted one.");
    has("mmpp(mean = 1, scv = 2, decay = 0)", "EXP004");
    has("map(mean = 1 s, scv = 2, decay = 0)",
        "QN015 map: \"correlation\" is missing; wanted map(mean, scv, correlation, decay).");
    has("map(mean = 1 s, scv = 1, correlation = 0.9, decay = 0.5)",
        "QN015 map: correlation is 0.9, wanted from 0 to 0.480392 with scv = 1 and decay = 0.5.");
    QCOMPARE(problem("schedule(times = [1 s])"), std::string());
  }

  void every_bad_row_of_a_trace_is_told() {
    const QTemporaryDir folder;
    const std::string where = written(folder, "a.csv", "gap\n1\nx\n-2\n3\n1;2\n4\n");
    const auto told = [&](const std::string& gap) {
      DrawnNetwork d;
      d.queue(gap, "1 s");
      return words(problems_of(d.m.document(), where));
    };
    const std::string gaps = told("trace(file = \"a.csv\", column = \"gap\", unit = \"s\")");
    for (const char* one :
         {"a.csv, row 3: 'x', wanted a finite number", "a.csv, row 4: -2 s, wanted >= 0 s", "a.csv, row 6: '1;2'"})
      QVERIFY2(gaps.find(one) != std::string::npos, gaps.c_str());
    written(folder, "b.csv", "5\n4\n6\n5.5\n");
    const std::string times = told("trace(file = \"b.csv\", unit = \"s\", as = times)");
    for (const char* one : {"row 2: 4 s after 5 s, wanted times that do not fall", "row 4: 5.5 s after 6 s"})
      QVERIFY2(times.find(one) != std::string::npos, times.c_str());
    std::string many;
    for (int i = 0; i < 40; ++i) many += "-1\n";
    written(folder, "c.csv", many);
    QVERIFY(told("trace(file = \"c.csv\", unit = \"s\")").find("row 10: -1 s, wanted >= 0 s; and 30 more rows.") !=
            std::string::npos);
    QVERIFY(told("trace(file = \"none.csv\", unit = \"s\")").find("none.csv") != std::string::npos);
    QVERIFY(told("trace(file = \"b.csv\")").find("EXP004") != std::string::npos);
    QVERIFY(told("trace(file = \"b.csv\", unit = \"s\", as = sizes)").find("as is \"sizes\"") != std::string::npos);
    QVERIFY(told("trace(file = \"../b.csv\", unit = \"s\")").find("EXP008") != std::string::npos);
  }

  // Services of 1, 3 and 2 s, one after the other by whoever is next; all come at time zero.
  void services_may_be_a_trace_too() {
    const QTemporaryDir folder;
    const std::string where = written(folder, "a.csv", "1\n3\n2\n");
    const auto ends = [&](const std::string& service, int customers) {
      DrawnNetwork d("1000 s");
      const ElementId in = d.node("source", "in",
                                  {{"interarrival", "schedule(times = [0 s])"}, {"batch", std::to_string(customers)}}),
                      desk = d.node("station", "desk", {{"service", service}}), out = d.node("sink", "out");
      d.flow(in, desk), d.flow(desk, out);
      Diagnostics found;
      const auto model = build_model(d.m.document(), {}, where, found);
      if (model == nullptr) throw std::runtime_error(words(found));
      const CcfProgram groups(*model);
      ModelHistory history(*model, groups, 5);
      NobodyWatches nobody;
      history.start(3);
      std::vector<double> seen;
      while (history.step(60.0, nobody)) seen.push_back(history.world().now());
      return seen;
    };
    QCOMPARE(ends("trace(file = \"a.csv\", unit = \"s\")", 3), (std::vector<double>{0, 1, 4, 6}));
    QCOMPARE(ends("trace(file = \"a.csv\", unit = \"s\", at_end = repeat)", 5),
             (std::vector<double>{0, 1, 4, 6, 7, 10}));
    std::string why;
    try {
      ends("trace(file = \"a.csv\", unit = \"s\")", 4);
    } catch (const ModelFailure& failure) {
      why = failure.diagnostic.message;
    }
    QVERIFY2(why.find("All 3 times of its trace are taken") != std::string::npos, why.c_str());
    DrawnNetwork d;
    d.queue("1 s", "trace(file = \"none.csv\", unit = \"s\")");
    QVERIFY(words(problems_of(d.m.document())).find("none.csv") != std::string::npos);
    // No solver takes it for a law.
    DrawnNetwork known;
    known.queue("exponential(mean = 9 s)", "trace(file = \"a.csv\", unit = \"s\", at_end = repeat)");
    RunRequest request;
    request.folder = where;
    for (const char* solver : {"mva", "queueing-closed-form", "gg-approximation", "qbd", "ctmc-network"})
      QVERIFY2(has_errors(find_solver(solver)->fits(known.m.document(), request)), solver);
  }

  // Who knows of rates only must not take a process for one.
  void solvers_say_what_they_do_not_know() {
    DrawnNetwork d, list;
    d.queue("mmpp(rates = [1 /s, 0.1 /s], switching = [1 /s, 1 /s])", "exponential(mean = 0.5 s)");
    list.queue("schedule(times = [1 s], at_end = repeat)", "exponential(mean = 0.5 s)");
    for (const char* solver : {"mva", "queueing-closed-form", "gg-approximation"})
      QVERIFY2(words(find_solver(solver)->fits(d.m.document(), {})).find("memory") != std::string::npos, solver);
    for (const char* solver : {"qbd", "ctmc-network"})
      QVERIFY2(words(find_solver(solver)->fits(list.m.document(), {})).find("no matter of phases") != std::string::npos,
               solver);
    QVERIFY(!has_errors(find_solver("qbd")->fits(d.m.document(), {})));
  }

  void loads_are_those_of_the_long_run() {
    QVERIFY(problem("mmpp(rates = [3 /s, 0.1 /s], switching = [1 /s, 1 /s])").find("QN010 \"desk\" gets 1.55 times") ==
            0);
    QCOMPARE(problem("mmpp(rates = [1 /s, 0.1 /s], switching = [1 /s, 1 /s])"), std::string());
    // Five in ten seconds, each a second.
    QCOMPARE(problem("schedule(times = [1 s, 2 s, 3 s, 4 s, 10 s], at_end = repeat)"), std::string());
    QVERIFY(problem("schedule(times = [1 s, 2 s, 3 s], at_end = repeat)").find("QN010 \"desk\" gets as much work as") ==
            0);
    DrawnNetwork heavy, rare;
    heavy.queue("exponential(mean = 9 s)", "pareto(shape = 1, scale = 1 s)");
    QVERIFY(words(problems_of(heavy.m.document())).find("QN010 Service times at \"desk\" have no finite mean") == 0);
    for (const char* solver : {"mva", "queueing-closed-form", "gg-approximation"})
      QVERIFY2(has_errors(find_solver(solver)->fits(heavy.m.document(), {})), solver);
    rare.queue("pareto(shape = 0.9, scale = 1 s)", "exponential(mean = 2 s)");
    QCOMPARE(words(problems_of(rare.m.document())), std::string());
    DrawnNetwork shared;  // where laws count by their means alone
    shared.queue("exponential(mean = 9 s)", "pareto(shape = 1, scale = 1 s)", {{"discipline", "ps"}});
    for (const char* solver : {"mva", "queueing-closed-form"})
      QVERIFY2(words(find_solver(solver)->fits(shared.m.document(), {})).find("finite mean") != std::string::npos,
               solver);
  }

  // What the fitting of traces prints is taken by a model as it is, and is the law that was judged.
  void fitted_texts_are_texts_of_models() {
    const auto process = std::get<MarkovianArrivalProcess>(
        MarkovianArrivalProcess::modulated(std::vector{3.0, 0.2}, std::vector{0.1, 0.05}));
    RandomStream stream(stream_key(1, "trace"), 0);
    std::uint32_t phase = process.begin(stream);
    std::vector<double> values(20000);
    for (double& x : values) x = process.next(phase, stream);
    int taken = 0;
    for (const LawFit& fit : fit_laws(values, "s")) {
      QVERIFY2(!fit.text.empty(), fit.why.c_str());
      DrawnNetwork d;
      d.queue(fit.text, "0.1 s");
      Diagnostics found;
      const auto model = build_model(d.m.document(), {}, "", found);
      QVERIFY2(model != nullptr, (fit.text + "\n" + words(found)).c_str());
      taken += 1;
    }
    QCOMPARE(taken, 7);
  }

  // Pollaczek and Khinchine: two moments of a service decide the wait, whichever law has them.
  void fitted_services_wait_as_their_moments_say() {
    for (const double scv : {0.3, 4.0}) {
      DrawnNetwork d;
      d.queue("exponential(mean = 2 s)", "fitted(mean = 1.2 s, scv = " + std::to_string(scv) + ")");
      const double wait = 0.6 * 1.2 * (1 + scv) / 2 / 0.4;
      agree(estimate(solved(d.m.document(), {.solver = "qbd"}), "wait"), wait, 1e-9);
      agree(estimate(solved(d.m.document(), {.solver = "queueing-closed-form"}), "wait"), wait, 1e-9);
      agree(estimate(solved(d.m.document(), {.solver = "ctmc-network"}), "wait"), wait, 1e-4);
    }
  }
};

QTEST_APPLESS_MAIN(TestArrivalProcesses)
#include "tst_arrival_processes.moc"
