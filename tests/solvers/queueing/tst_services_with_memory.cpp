// Services and stays that depend on those before (MAP, MMPP): against plain chains, and a plain program of the
// definition.
#include <QtTest>
#include <cmath>
#include <random>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/plain_chain.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using S = PlainChain::State;
using Go = PlainChain::Go;

const char* const slow_and_fast = "mmpp(rates = [2 /s, 0.4 /s], switching = [0.1 /s, 0.1 /s])";

Diagnostics problems_of(const Document& document) {
  Diagnostics found;
  build_model(document, {}, "", found);
  return found;
}

/// Mean waiting time [s] of customers who come at random and are served in their order by several servers, whose
/// services are those of slow_and_fast, one after the other as they begin.
double plain_wait(double rate, std::size_t servers, int customers) {
  std::mt19937_64 random(1);
  const auto after = [&](double of) { return std::exponential_distribution<>(of)(random); };
  std::vector<double> free(servers, 0.0);
  double now = 0.0, sum = 0.0;
  int phase = 0;
  for (int i = 0; i < customers; ++i) {
    now += after(rate);
    const auto first = std::min_element(free.begin(), free.end());
    const double begin = std::max(now, *first);
    sum += begin - now;
    double service = 0.0;
    for (bool done = false; !done;) {
      const double ends = phase == 0 ? 2.0 : 0.4;
      service += after(ends + 0.1);
      done = std::uniform_real_distribution<>()(random) * (ends + 0.1) < ends;
      if (!done) phase = 1 - phase;
    }
    *first = begin + service;
  }
  return sum / customers;
}

/// Customers of two classes come by turns, each 1000 s after the other, and are there for times that are short and long
/// by turns (1 s, 100 s): how long those of the first are, over how long those of the second are.
double stays_of_first_over_second(const std::string& kind, Value times) {
  DrawnNetwork d("400000 s");
  d.node("job_class", "x"), d.node("job_class", "y");
  std::string odd;
  for (int i = 1; i < 400; i += 2) odd += (odd.empty() ? "" : ", ") + std::to_string(1000 * i) + " s";
  const ElementId x = d.node("source", "in_x", {{"interarrival", "2000 s"}, {"class", "x"}}),
                  y = d.node("source", "in_y", {{"interarrival", "schedule(times = [" + odd + "])"}, {"class", "y"}}),
                  there = d.node(kind, "there", std::move(times)), out = d.node("sink", "out");
  d.flow(x, there), d.flow(y, there), d.flow(there, out);
  d.m.measure("come", "final_value", "out.arrived");
  Diagnostics found;
  const auto model = build_model(d.m.document(), {}, "", found);
  if (model == nullptr) throw std::runtime_error(listed(found));
  const CcfProgram groups(*model);
  ModelHistory history(*model, groups, 5);
  NobodyWatches nobody;
  history.start(1);
  double sum[2] = {0, 0};
  while (history.step(400000.0, nobody)) {
    const double now = history.world().now(), came = 1000.0 * std::floor(now / 1000.0);
    sum[std::fmod(came, 2000.0) == 0.0 ? 0 : 1] += now - came;  // 0 of who comes
  }
  return sum[0] / sum[1];
}

}  // namespace

class TestServicesWithMemory : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Two states that stand while nobody is there, numbers to 800 in a plain chain; and beside arrivals with memory.
  void services_at_one_server() {
    const PlainChain chain({0, 0}, [](const S& s, const Go& go) {
      if (s[0] < 800) go({s[0] + 1, s[1]}, 0.6);
      if (s[0] == 0) return;
      go({s[0], 1 - s[1]}, 0.1);
      go({s[0] - 1, s[1]}, s[1] == 0 ? 2.0 : 0.4);
    });
    const double number = chain.mean([](const S& s) { return s[0]; });
    DrawnNetwork d("20000 s");
    const ElementId desk = d.queue(exponential(1 / 0.6), slow_and_fast);
    const ResultSet qbd = solved(d.m.document(), {.solver = "qbd"});
    near(qbd, "number", number), near(qbd, "response", number / 0.6), near(qbd, "busy", 0.5);
    near(qbd, "wait", number / 0.6 - 1 / 1.2);
    // Whom a server takes next does not look at how long that will take.
    d.m.set(desk, "discipline", "siro");
    near(solved(d.m.document(), {.solver = "qbd"}), "number", number);
    for (const char* discipline : {"fcfs", "lcfs"}) {
      d.m.set(desk, "discipline", discipline);
      const ResultSet r = solved(d.m.document(), {.replications = 60, .confidence = 0.999});
      compare_inside(r, "number", number), compare_inside(r, "response", number / 0.6), compare_inside(r, "busy", 0.5);
    }
    // They are more than of the same law without memory.
    DrawnNetwork without;
    without.queue(exponential(1 / 0.6),
                  "phase_type(initial = [0.833333333333333, 0.166666666666667], "
                  "generator = [[-2.1 /s, 0.1 /s], [0.1 /s, -0.5 /s]])");
    QVERIFY(number > 1.2 * estimate(solved(without.m.document(), {.solver = "qbd"}), "number"));
  }

  void services_and_arrivals_at_one_server() {
    const PlainChain chain({0, 0, 0}, [](const S& s, const Go& go) {
      if (s[0] < 300) go({s[0] + 1, s[1], s[2]}, s[1] == 0 ? 1.0 : 0.2);
      go({s[0], 1 - s[1], s[2]}, 0.3);
      if (s[0] == 0) return;
      if (s[2] == 0) go({s[0], s[1], 1}, 0.4), go({s[0] - 1, s[1], 1}, 0.2), go({s[0] - 1, s[1], 0}, 2.0);
      else go({s[0], s[1], 0}, 0.1), go({s[0] - 1, s[1], 1}, 0.5), go({s[0] - 1, s[1], 0}, 0.3);
    });
    DrawnNetwork d("20000 s");
    d.queue("mmpp(rates = [1 /s, 0.2 /s], switching = [0.3 /s, 0.3 /s])",
            "map(d0 = [[-2.6 /s, 0.4 /s], [0.1 /s, -0.9 /s]], d1 = [[2 /s, 0.2 /s], [0.3 /s, 0.5 /s]])");
    const double number = chain.mean([](const S& s) { return s[0]; });
    const ResultSet qbd = solved(d.m.document(), {.solver = "qbd"});
    near(qbd, "number", number), near(qbd, "busy", chain.mean([](const S& s) { return s[0] > 0 ? 1.0 : 0.0; }));
    const ResultSet r = solved(d.m.document(), {.replications = 60, .confidence = 0.999});
    compare_inside(r, "number", number), compare_inside(r, "wait", estimate(qbd, "wait"));
    // Made to measure, without correlation: the law of those moments.
    const auto number_of = [](const std::string& service) {
      DrawnNetwork one;
      one.queue(exponential(2), service);
      return estimate(solved(one.m.document(), {.solver = "qbd"}), "number");
    };
    const double phases = number_of("hyperexponential(mean = 1 s, scv = 4)"), khinchine = 0.5 + 0.25 * 5 / 2 / 0.5;
    near(phases, khinchine, "Pollaczek and Khinchine");
    near(number_of("mmpp(mean = 1 s, scv = 4, correlation = 0)"), khinchine, "mmpp");
    near(number_of("map(mean = 1 s, scv = 4, correlation = 0, decay = 0.3)"), khinchine, "map");
    QVERIFY(number_of("mmpp(mean = 1 s, scv = 4, decay = 0.9)") > khinchine + 1);
    QVERIFY(number_of("map(mean = 1 s, scv = 1, correlation = -0.3, decay = -0.8)") < 1);
  }

  // One process for all servers, that goes on when a service begins; a plain program of ten million customers.
  void several_servers_have_one_process() {
    DrawnNetwork d("40000 s");
    d.queue(exponential(1 / 1.5), slow_and_fast, {{"servers", "2"}});
    const ResultSet r = solved(d.m.document(), {.replications = 60, .confidence = 0.999});
    compare_inside(r, "wait", plain_wait(1.5, 2, 10'000'000)), compare_inside(r, "busy", 1.5 / 1.2);
  }

  // Nobody waits: as many are there as come, times how long they stay, whatever the order (Little).
  void stays_at_a_delay() {
    DrawnNetwork d("20000 s");
    const ElementId in = d.node("source", "in", {{"interarrival", exponential(0.25)}}),
                    there = d.node("delay", "there", {{"time", slow_and_fast}}), out = d.node("sink", "out");
    d.flow(in, there), d.flow(there, out);
    d.mean("number", "there.number");
    compare_inside(solved(d.m.document(), {.replications = 40, .confidence = 0.999}), "number", 4 / 1.2);
  }

  void one_text_is_one_process() {
    const char* const turns = "map(d0 = [[-1 /s, 0 /s], [0 /s, -0.01 /s]], d1 = [[0 /s, 1 /s], [0.01 /s, 0 /s]])";
    for (const auto& [kind, law] : {std::pair("station", "service"), std::pair("delay", "time")}) {
      // Of all classes: one of them has always the long ones.
      const double shared = stays_of_first_over_second(kind, {{law, turns}});
      QVERIFY2(shared > 30 || shared < 1 / 30.0, qPrintable(QString::number(shared)));
      // Each its own: both have them by turns.
      const double own =
          stays_of_first_over_second(kind, {{law, turns}, {std::string(law) + "_of", std::string("y = ") + turns}});
      QVERIFY2(own > 0.6 && own < 1.6, qPrintable(QString::number(own)));
    }
  }

  void a_saved_moment_keeps_the_phase() {
    for (const char* discipline : {"fcfs", "sjf", "ps"}) {
      DrawnNetwork d("500 s");
      d.queue("exponential(mean = 0.4 s)", "mmpp(rates = [9 /s, 2 /s], switching = [0.1 /s, 0.1 /s])",
              {{"discipline", discipline}});
      compare_saved_moment(d.m.document());
    }
  }

  void what_may_not_stand_there_is_refused() {
    const auto has = [](const char* property, const char* text, const char* what) {
      DrawnNetwork d;
      d.m.set(d.queue("1 s", "0.5 s"), property, text);
      const std::string all = listed(problems_of(d.m.document()));
      QVERIFY2(all.find(what) != std::string::npos, all.c_str());
    };
    has("service", "mmpp(rates = [1 /s, 2 /s], switching = [1 /s, -1 /s])",
        "mmpp: switching, row 2, column 1, is -1 /s");
    has("service", "schedule(times = [1 s])", "schedule stands between arrivals; wanted a distribution");
    has("patience", slow_and_fast, "mmpp stands between arrivals, for services of a station and for stays at a delay");
  }
};

QTEST_APPLESS_MAIN(TestServicesWithMemory)
#include "tst_services_with_memory.moc"
