// Drawn networks answered exactly, and those refused that are none of its kind.
#include <QtTest>
#include <cmath>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/plain_chain.h"

using namespace ergode;
using namespace ergode::test;

namespace {

const auto nearly = [](const ResultSet& r, const std::string& id, double exact) { near(r, id, exact, 1e-10); };

std::string reasons(const DrawnNetwork& drawn) {
  std::string out;
  for (const Diagnostic& d : find_solver("mva")->fits(drawn.m.document(), {})) out += d.code + " " + d.message + "\n";
  return out;
}

}  // namespace

class TestMeanValueSolver : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Oracle: M/M/2 in closed form.
  void measures_and_stations_of_an_open_queue() {
    DrawnNetwork d;
    d.queue("exponential(mean = 2 s)", "exponential(mean = 3 s)", {{"servers", "2"}});
    d.m.measure("rate", "observed_rate", "", {{"of", "out.time_in_system"}, {"unit", "/s"}});
    d.m.measure("whole", "observed_mean", "", {{"of", "out.time_in_system"}, {"unit", "s"}});
    d.m.measure("twice", "steady_state_mean", "2 * desk.number");
    d.m.measure("share", "time_average", "desk.busy / 2");
    d.m.measure("idle", "steady_state_mean", "2 - desk.busy - 0 * desk.lost");
    d.m.measure("apart", "steady_state_mean", "-(desk.busy - desk.number) * 3 + 1");
    d.m.measure("square", "steady_state_mean", "desk.number * desk.busy");
    d.m.measure("full", "steady_state_mean", "if(desk.busy > 1, 1, 0)");
    d.m.measure("ended", "steady_state_mean", "desk.busy + out.arrived");
    d.m.measure("always", "steady_state_mean", "3"), d.m.measure("true", "time_average", "1 < 2");
    const ResultSet r = solved(d.m.document(), {.solver = "mva"});
    const double load = 0.75, waits = 2 * load * load / (1 + load), queue = waits * load / (1 - load) / 1.0;
    nearly(r, "busy", 1.5), nearly(r, "waiting", queue), nearly(r, "number", 1.5 + queue);
    nearly(r, "wait", queue * 2), nearly(r, "response", queue * 2 + 3), nearly(r, "whole", queue * 2 + 3),
        nearly(r, "rate", 0.5);
    nearly(r, "queue_length/desk", 1.5 + queue), nearly(r, "response_time/desk", queue * 2 + 3);
    nearly(r, "utilisation/desk", 0.75), nearly(r, "throughput/desk", 0.5);
    // What is linear in means that are known is known; what is not is declined, each with its reason.
    nearly(r, "twice", 2 * (1.5 + queue)), nearly(r, "share", 0.75), nearly(r, "idle", 0.5);
    nearly(r, "apart", 3 * queue + 1), nearly(r, "always", 3), nearly(r, "true", 1);
    const std::string declined = listed(r.diagnostics);
    for (const char* name : {"square", "full", "ended"}) QVERIFY2(r.measure(name) == nullptr, name);
    QVERIFY2(declined.find("square: it is not linear") != std::string::npos, declined.c_str());
    QVERIFY2(declined.find("full: it is not linear") != std::string::npos, declined.c_str());
    QVERIFY2(declined.find("ended: the mean of \"out.arrived\" is not known") != std::string::npos, declined.c_str());
    nearly(r, "residence_time/desk", queue * 2 + 3), nearly(r, "system_response_time", queue * 2 + 3);
    nearly(r, "system_throughput", 0.5), nearly(r, "system_number", 1.5 + queue);
    QCOMPARE(r.tables.size(), 2u);
    QCOMPARE(r.tables[0].rows.size(), 1u);
    QCOMPARE(r.tables[1].rows.size(), 1u);
  }

  // Oracle: all states of two closed classes, added up.
  void two_closed_classes_with_ways_and_times_of_their_own() {
    DrawnNetwork d;
    d.node("job_class", "gold", {{"population", "2"}, {"reference", "cpu"}});
    d.node("job_class", "bulk", {{"population", "3"}, {"reference", "cpu"}});
    const ElementId cpu = d.node("station", "cpu",
                                 {{"discipline", "ps"}, {"service_of", "gold = exponential(mean = 1 s), bulk = 2 s"}}),
                    disk = d.node("station", "disk", {{"service", "exponential(mean = 3 s)"}, {"servers", "2"}}),
                    think = d.node("delay", "think", {{"time", "7 s"}}), fork = d.node("router", "fork");
    d.flow(cpu, fork), d.flow(fork, disk), d.flow(fork, think, {{"probability", "0.25"}});
    d.flow(cpu, disk, {{"class", "bulk"}});
    d.flow(disk, cpu), d.flow(think, cpu);
    const ResultSet r = solved(d.m.document(), {.solver = "mva"});
    // Demands per visit of the cpu: gold 1, 0.75 * 3, 0.25 * 7; bulk 2, 3, 0.
    double sum = 0, gold_cpu = 0, bulk_disk = 0, gold_think = 0;
    const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
    for (int g1 = 0; g1 <= 2; ++g1)
      for (int g2 = 0; g1 + g2 <= 2; ++g2)
        for (int b1 = 0; b1 <= 3; ++b1) {
          const int g3 = 2 - g1 - g2, b2 = 3 - b1, at_disk = g2 + b2;
          double p = factorial(g1 + b1) / factorial(g1) / factorial(b1) * std::pow(1.0, g1) * std::pow(2.0, b1);
          double speeds = 1;
          for (int n = 1; n <= at_disk; ++n) speeds *= std::min(n, 2);
          p *= factorial(at_disk) / factorial(g2) / factorial(b2) / speeds * std::pow(2.25, g2) * std::pow(3.0, b2);
          p *= std::pow(1.75, g3) / factorial(g3);
          sum += p, gold_cpu += g1 * p, bulk_disk += b2 * p, gold_think += g3 * p;
        }
    nearly(r, "queue_length/cpu/gold", gold_cpu / sum);
    nearly(r, "queue_length/disk/bulk", bulk_disk / sum);
    nearly(r, "queue_length/think/gold", gold_think / sum);
    nearly(r, "throughput/think/gold", gold_think / sum / 7);
    nearly(r, "throughput/cpu/gold", gold_think / sum / 7 / 0.25);
    QVERIFY(r.measure("queue_length/think/bulk") == nullptr);
    // Per visit of the cpu; three quarters of them lead to the disk.
    const double passages = gold_think / sum / 7 / 0.25;
    nearly(r, "residence_time/think/gold", 7 * 0.25), nearly(r, "residence_time/cpu/gold", gold_cpu / sum / passages);
    nearly(r, "system_throughput/gold", passages), nearly(r, "system_response_time/gold", 2 / passages);
    nearly(r, "system_number/bulk", 3.0);
  }

  // Oracle: the weights of all numbers at a station, multiplied up and added.
  void speeds_may_depend_on_the_number_present() {
    const auto speed = [](int n) { return n == 1 ? 1.0 : n == 2 ? 1.5 : 1.8 + 0.01 * std::min(n, 30); };
    const char* text = "if(desk.number < 2, 1, if(desk.number < 3, 1.5, 1.8 + 0.01 * min(desk.number, 30)))";
    DrawnNetwork open;
    open.queue("exponential(mean = 2 s)", "exponential(mean = 3 s)", {{"speed", text}});
    double weight = 1, sum = 1, first = 0;
    for (int n = 1; n < 20000; ++n) weight *= 1.5 / speed(n), sum += weight, first += n * weight;
    const ResultSet r = solved(open.m.document(), {.solver = "mva"});
    nearly(r, "number", first / sum), nearly(r, "busy", 1 - 1 / sum), nearly(r, "response", first / sum * 2);
    nearly(r, "waiting", first / sum - 1 + 1 / sum), nearly(r, "utilisation/desk", 1 - 1 / sum);

    // Three servers at that speed, closed; a second class shares it.
    DrawnNetwork closed;
    closed.node("job_class", "a", {{"population", "4"}}), closed.node("job_class", "b", {{"population", "2"}});
    const ElementId think = closed.node("delay", "think", {{"time", "7 s"}}),
                    desk = closed.node("station", "desk",
                                       {{"service_of", "a = 3 s, b = 2 s"},
                                        {"discipline", "ps"},
                                        {"servers", "3"},
                                        {"speed", "1 + 0.25 * desk.number"}});
    closed.flow(think, desk), closed.flow(desk, think);
    const ResultSet two = solved(closed.m.document(), {.solver = "mva"});
    double all = 0, at_desk = 0;
    for (int a = 0; a <= 4; ++a)
      for (int b = 0; b <= 2; ++b) {
        double p =
            std::tgamma(a + b + 1) / std::tgamma(a + 1) / std::tgamma(b + 1) * std::pow(3.0, a) * std::pow(2.0, b);
        for (int n = 1; n <= a + b; ++n) p /= std::min(n, 3) * (1 + 0.25 * n);
        p *= std::pow(7.0, 6 - a - b) / std::tgamma(5 - a) / std::tgamma(3 - b);
        all += p, at_desk += a * p;
      }
    nearly(two, "queue_length/desk/a", at_desk / all), nearly(two, "throughput/think/a", (4 - at_desk / all) / 7);
    QVERIFY(two.measure("utilisation/desk/a") == nullptr);  // how many of the servers are busy is not known
  }
  void speeds_that_are_something_else_are_refused() {
    const auto why = [](const char* speed) {
      DrawnNetwork d;
      d.queue("exponential(mean = 2 s)", "exponential(mean = 1 s)", {{"speed", speed}});
      return reasons(d);
    };
    QCOMPARE(why("1 + min(desk.number, 5)"), std::string());
    QCOMPARE(why("2.5"), std::string());
    QVERIFY2(why("1 + desk.waiting").find("more than the number of customers") != std::string::npos,
             why("1 + desk.waiting").c_str());
    QVERIFY2(why("desk.number").find("cannot be proven") != std::string::npos, why("desk.number").c_str());
    QVERIFY2(why("min(desk.number, 3) - 1").find("is 0 with 1 customers") != std::string::npos,
             why("min(desk.number, 3) - 1").c_str());
    QVERIFY(why("if(desk.number > 3, 0.4, 1)").find("QUE103") != std::string::npos);
  }

  // A second delay on the way is no thinking.
  void bounds_hold_for_the_passage_that_is_answered() {
    DrawnNetwork d;
    d.node("job_class", "jobs", {{"population", "4"}, {"reference", "think"}});
    const ElementId think = d.node("delay", "think", {{"time", "3 s"}}),
                    walk = d.node("delay", "walk", {{"time", "2 s"}}),
                    desk = d.node("station", "desk", {{"service", "exponential(mean = 1 s)"}});
    d.flow(think, desk), d.flow(desk, walk), d.flow(walk, think);
    const double exact = estimate(solved(d.m.document(), {.solver = "mva"}), "system_response_time/jobs");
    // Weights of 0 to 4 at the desk, the others on their five seconds.
    double sum = 0, at_desk = 0;
    for (int n = 0; n <= 4; ++n) {
      const double p = std::pow(5.0, 4 - n) / std::tgamma(5 - n);
      sum += p, at_desk += n * p;
    }
    const double wanted = at_desk / sum / ((4 - at_desk / sum) / 5) + 2;
    QVERIFY2(std::fabs(exact - wanted) < 1e-10, qPrintable(QString("%1, wanted %2").arg(exact).arg(wanted)));
    const ResultSet bounds = solved(d.m.document(), {.solver = "mva", .options = {{"mva-method", "bounds"}}});
    const MeasureResult* m = bounds.measure("system_response_time/jobs");
    QVERIFY(m != nullptr && m->lower <= exact && exact <= m->upper && m->upper < 2 * m->lower);
  }
  // Approximations are for constant speeds, bounds for classes that stay.
  void methods_say_what_they_do_not_take() {
    DrawnNetwork d;
    const ElementId desk =
        d.queue("exponential(mean = 2 s)", "exponential(mean = 1 s)", {{"speed", "1 + min(desk.number, 3)"}});
    for (const char* method : {"schweitzer", "linearizer", "bounds"}) {
      const Diagnostics why =
          find_solver("mva")->fits(d.m.document(), {.solver = "mva", .options = {{"mva-method", method}}});
      QVERIFY2(why.size() == 1 && why[0].element == desk && why[0].message.find("constant ones") != std::string::npos,
               listed(why).c_str());
    }
    DrawnNetwork changing;
    changing.node("job_class", "a", {{"population", "2"}});
    const ElementId other = changing.node("job_class", "b");
    const ElementId think = changing.node("delay", "think", {{"time", "1 s"}}),
                    cpu = changing.node("station", "cpu", {{"service", "exponential(mean = 1 s)"}});
    changing.flow(think, cpu), changing.flow(cpu, think, {{"class", "b"}, {"becomes", "a"}});
    changing.flow(cpu, cpu, {{"class", "a"}, {"becomes", "b"}});
    const Diagnostics why =
        find_solver("mva")->fits(changing.m.document(), {.solver = "mva", .options = {{"mva-method", "bounds"}}});
    QVERIFY2(why.size() == 1 && why[0].element == other, listed(why).c_str());
    QVERIFY(find_solver("mva")->fits(changing.m.document(), {.solver = "mva"}).empty());
  }

  // Oracle: all states of who is where as which class, by the balance equations.
  void classes_that_become_others_are_one_chain() {
    DrawnNetwork d;
    d.node("job_class", "a", {{"population", "2"}, {"reference", "think"}});
    d.node("job_class", "b", {{"population", "1"}, {"reference", "desk"}}), d.node("job_class", "c");
    const ElementId think = d.node("delay", "think",
                                   {{"time_of", "a = exponential(mean = 4 s), b = exponential(mean = 1 s)"}}),
                    desk = d.node("station", "desk", {{"service", "exponential(mean = 0.7 s)"}, {"servers", "2"}}),
                    disk = d.node("station", "disk",
                                  {{"discipline", "ps"},
                                   {"service_of", "b = exponential(mean = 2 s), c = exponential(mean = 3 s)"}});
    d.flow(think, desk);
    d.flow(desk, think, {{"class", "a"}, {"probability", "0.4"}}),
        d.flow(desk, disk, {{"class", "a"}, {"becomes", "b"}});
    d.flow(desk, disk, {{"class", "b"}});
    d.flow(disk, disk, {{"class", "b"}, {"becomes", "c"}, {"probability", "0.3"}});
    d.flow(disk, think, {{"class", "b"}}), d.flow(disk, think, {{"class", "c"}, {"becomes", "a"}});
    d.m.measure("wait", "steady_state_mean", "", {{"of", "desk.waiting_time"}});
    // think a, think b, desk a, desk b, disk b; the rest disk c. The desk serves at random, which means the same.
    using S = PlainChain::State;
    const PlainChain chain({2, 0, 0, 1, 0}, [](const S& s, const PlainChain::Go& go) {
      const auto move = [&](int from, int to, double rate) {
        S next = s;
        if (from < 5) --next[static_cast<std::size_t>(from)];
        if (to < 5) ++next[static_cast<std::size_t>(to)];
        if (rate > 0) go(next, rate);
      };
      const double at_desk = s[2] + s[3], at_disk = 3 - s[0] - s[1] - at_desk, c = at_disk - s[4];
      move(0, 2, s[0] / 4.0), move(1, 3, s[1] / 1.0);
      const double each = at_desk > 0 ? std::min(at_desk, 2.0) / at_desk / 0.7 : 0;
      move(2, 0, 0.4 * each * s[2]), move(2, 4, 0.6 * each * s[2]), move(3, 4, each * s[3]);
      const double share = at_disk > 0 ? 1 / at_disk : 0;
      move(4, 5, 0.3 * share * s[4] / 2), move(4, 1, 0.7 * share * s[4] / 2), move(5, 0, share * c / 3);
    });
    const ResultSet r = solved(d.m.document(), {.solver = "mva"});
    const auto mean = [&](std::size_t i) { return chain.mean([i](const S& s) { return static_cast<double>(s[i]); }); };
    nearly(r, "queue_length/think/a", mean(0)), nearly(r, "queue_length/think/b", mean(1));
    nearly(r, "queue_length/desk/a", mean(2)), nearly(r, "queue_length/desk/b", mean(3));
    nearly(r, "queue_length/disk/b", mean(4));
    nearly(r, "queue_length/disk/c", 3 - mean(0) - mean(1) - mean(2) - mean(3) - mean(4));
    // Passages end where somebody leaves the reference of the class that he has.
    const double of_a = mean(0) / 4, of_b = chain.mean([](const S&s) {
      return s[3] == 0 ? 0.0 : std::min(s[2] + s[3], 2) / 0.7 * s[3] / (s[2] + s[3]);
    });
    nearly(r, "throughput/think/a", of_a), nearly(r, "system_throughput/a+b+c", of_a + of_b);
    nearly(r, "system_number/a+b+c", 3.0), nearly(r, "system_response_time/a+b+c", (3 - mean(0)) / (of_a + of_b));
    // Of whole passages, as those of which it is a part; none is of b alone.
    const double at_disk = 3 - mean(0) - mean(1) - mean(2) - mean(3);
    nearly(r, "residence_time/disk/a+b+c", at_disk / (of_a + of_b));
    QVERIFY(r.measure("residence_time/disk/b") == nullptr);
    const double all = mean(2) + mean(3), busy = chain.mean([](const S&s) { return std::min(s[2] + s[3], 2); });
    nearly(r, "wait", (all - busy) / busy * 0.7);
  }
  // Oracle: M/M/1 and M/M/inf of what comes.
  void open_customers_may_become_others() {
    DrawnNetwork d;
    d.node("job_class", "raw"), d.node("job_class", "done");
    const ElementId in = d.node("source", "in", {{"rate", "0.3 /s"}, {"class", "raw"}}),
                    desk = d.node("station", "desk", {{"service", "exponential(mean = 2 s)"}}),
                    dry = d.node("delay", "dry", {{"time", "5 s"}}), out = d.node("sink", "out");
    d.flow(in, desk, {{"class", "raw"}});
    d.flow(desk, dry, {{"class", "raw"}, {"becomes", "done"}}),
        d.flow(dry, desk, {{"class", "done"}, {"probability", "0.25"}});
    d.flow(dry, out, {{"class", "done"}}), d.flow(desk, dry, {{"class", "done"}});
    d.m.measure("served", "time_average", "desk.busy.raw + 3 * desk.busy.done");
    const ResultSet r = solved(d.m.document(), {.solver = "mva"});
    const double dry_rate = 0.3 / 0.75, load = 2 * (0.3 + dry_rate / 4);
    nearly(r, "served", 2 * 0.3 + 3 * 2 * dry_rate / 4);
    nearly(r, "throughput/dry/done", dry_rate), nearly(r, "queue_length/dry/done", 5 * dry_rate);
    nearly(r, "queue_length/desk/raw", 0.6 / (1 - load)),
        nearly(r, "queue_length/desk/done", dry_rate / 4 * 2 / (1 - load));
    nearly(r, "system_throughput/raw+done", 0.3);
    nearly(r, "system_response_time/raw+done", (load / (1 - load) + 5 * dry_rate) / 0.3);
    const auto where_they_end = reasons(d);
    QCOMPARE(where_they_end, std::string());
  }
  // Oracle: visits by hand; the logger stands behind a router, for half of those who are served.
  void loggers_change_nothing_and_tell_how_many_pass() {
    DrawnNetwork d;
    d.node("job_class", "jobs", {{"population", "3"}});
    const ElementId think = d.node("delay", "think", {{"time", "4 s"}}), way = d.node("router", "way"),
                    log = d.node("logger", "log"),
                    desk = d.node("station", "desk", {{"service", "exponential(mean = 1 s)"}});
    d.flow(think, desk), d.flow(desk, way), d.flow(way, log, {{"probability", "0.5"}}), d.flow(way, think);
    d.flow(log, desk);
    d.m.measure("passes", "observed_rate", "", {{"of", "log.age"}, {"unit", "/s"}});
    const ResultSet r = solved(d.m.document(), {.solver = "mva"});
    // Twice a passage at the desk: weights of 0 to 3 there.
    double sum = 0, at_desk = 0;
    for (int n = 0; n <= 3; ++n) {
      const double p = std::pow(2.0, n) * std::pow(4.0, 3 - n) / std::tgamma(4 - n);
      sum += p, at_desk += n * p;
    }
    nearly(r, "queue_length/desk/jobs", at_desk / sum), nearly(r, "passes", (3 - at_desk / sum) / 4);
  }
  // Two ends, and which one is a matter of the first step: no model. A way back from one of them does not keep anybody
  // from the other, where they all are in the end.
  void customers_who_may_end_elsewhere_are_refused() {
    for (const bool back : {false, true}) {
      DrawnNetwork d;
      d.node("job_class", "a", {{"population", "2"}, {"reference", "start"}}), d.node("job_class", "b"),
          d.node("job_class", "c");
      const ElementId start = d.node("delay", "start", {{"time", "1 s"}}),
                      one = d.node("delay", "one", {{"time", "1 s"}}), two = d.node("delay", "two", {{"time", "1 s"}});
      d.flow(start, one, {{"becomes", "b"}, {"class", "a"}, {"probability", "0.5"}});
      d.flow(start, two, {{"becomes", "c"}, {"class", "a"}});
      d.flow(one, one);
      if (back) d.flow(two, start, {{"class", "c"}, {"becomes", "a"}});
      else d.flow(two, two);
      QCOMPARE(d.problems(), std::string(back ? "MEA008 QN006" : "QN006"));
      const char* const why = back ? "never come back to \"start\"" : "back to \"start\", where they begin";
      QVERIFY2(reasons(d).find(why) != std::string::npos, reasons(d).c_str());
    }
  }

  // Oracle: Erlang's formula by its recursion, summed from its smallest term.
  void few_who_wait_keep_all_their_digits() {
    DrawnNetwork d;
    d.queue("exponential(mean = 1 s)", "exponential(mean = 0.7 s)", {{"servers", "40"}});
    const ResultSet r = solved(d.m.document(), {.solver = "mva"});
    double loss = 1.0;
    for (int n = 1; n <= 40; ++n) loss = 0.7 * loss / (n + 0.7 * loss);
    const double queue = loss / (1.0 - 0.7 / 40 * (1.0 - loss)) * 0.7 / (40 - 0.7);
    QVERIFY(queue < 1e-50);
    QVERIFY(std::fabs(estimate(r, "waiting") / queue - 1.0) < 1e-12);
    QVERIFY(std::fabs(estimate(r, "wait") / queue - 1.0) < 1e-12);
  }
  // Thousands of servers that open and closed customers share: what waits is a difference there, and far below its
  // digits.
  void what_only_rounding_would_say_is_declined() {
    DrawnNetwork d;
    d.node("job_class", "staff", {{"population", "3"}}), d.node("job_class", "guest");
    const ElementId in = d.node("source", "in", {{"class", "guest"}, {"interarrival", "exponential(mean = 1 s)"}}),
                    desk = d.node("station", "desk", {{"service", "exponential(mean = 1 s)"}, {"servers", "2000"}}),
                    think = d.node("delay", "think", {{"time", "1 s"}}), out = d.node("sink", "out");
    d.flow(in, desk, {{"class", "guest"}}), d.flow(desk, out, {{"class", "guest"}});
    d.flow(desk, think, {{"class", "staff"}}), d.flow(think, desk, {{"class", "staff"}});
    d.mean("waiting", "desk.waiting"), d.mean("number", "desk.number"), d.mean_of("wait", "desk.waiting_time");
    const ResultSet r = solved(d.m.document(), {.solver = "mva"});
    nearly(r, "number", 1.0 + 1.5);
    for (const char* id : {"waiting", "wait"}) QVERIFY2(r.measure(id) == nullptr, id);
    const Diagnostic* why = find_code(r.diagnostics, "SOL002");
    QVERIFY(why != nullptr && why->message.find("rounding alone") != std::string::npos);
  }
  void nobody_waits_where_there_is_a_server_for_each() {
    DrawnNetwork d;
    d.node("job_class", "jobs", {{"population", "4"}});
    const ElementId think = d.node("delay", "think", {{"time", "8.686 s"}}),
                    desk = d.node("station", "desk", {{"service", "exponential(mean = 0.25 s)"}, {"servers", "4"}});
    d.flow(think, desk), d.flow(desk, think);
    d.mean("waiting", "desk.waiting"), d.mean("busy", "desk.busy"), d.mean_of("wait", "desk.waiting_time");
    const ResultSet r = solved(d.m.document(), {.solver = "mva"});
    QCOMPARE(estimate(r, "waiting"), 0.0);
    QCOMPARE(estimate(r, "wait"), 0.0);
    nearly(r, "busy", 4 * 0.25 / 8.936);
  }
  void it_stops_when_it_is_asked_to_and_at_its_limit() {
    DrawnNetwork d;
    d.node("job_class", "jobs", {{"population", "1000000"}});
    const ElementId think = d.node("delay", "think", {{"time", "10 s"}}),
                    desk = d.node("station", "desk", {{"service", "exponential(mean = 1 s)"}, {"servers", "1000"}});
    d.flow(think, desk), d.flow(desk, think);
    const auto asked = [&](const Limits& limits, bool stop, std::optional<double> wall_s = {}) {
      RunControl control;
      control.limits = limits;
      if (stop) control.stop.request_stop();
      return find_solver("mva")->solve(d.m.document(), {.solver = "mva", .wall_time_s = wall_s}, control);
    };
    QCOMPARE(asked({}, true).stop_reason, std::string("cancelled"));
    for (const ResultSet& dear : {asked({.operations = 1e8}, false), asked({}, false, 0.01)}) {
      QVERIFY(dear.status == RunStatus::failed);
      QVERIFY2(dear.stop_reason.find("1000001 populations") != std::string::npos, dear.stop_reason.c_str());
    }
  }
  // 10^7 customers at 10^5 servers are 10^5 passes over 10^7 numbers and more: days. It is said before it is begun.
  void what_takes_for_ever_is_not_begun() {
    DrawnNetwork d;
    d.node("job_class", "jobs", {{"population", "10000000"}, {"reference", "desk"}});
    const ElementId desk = d.node("station", "desk", {{"service", "exponential(mean = 1 s)"}, {"servers", "100000"}}),
                    other = d.node("station", "other", {{"service", "exponential(mean = 1 s)"}});
    d.flow(desk, other), d.flow(other, desk);
    RunControl control;
    const ResultSet r = find_solver("mva")->solve(d.m.document(), {.solver = "mva"}, control);
    QVERIFY(r.status == RunStatus::failed);
    const Diagnostic* cost = find_code(r.diagnostics, "QUE104");
    QVERIFY(cost != nullptr);
    QVERIFY2(cost->message.find("allowed: 1e+11 operations") != std::string::npos, cost->message.c_str());
    QVERIFY2(cost->hint.find("--wall-time") != std::string::npos, cost->hint.c_str());
    QVERIFY(find_solver("mva")->spec().takes_long);  // so --wall-time is taken
  }

  void what_has_no_product_form_is_refused_with_its_element() {
    const auto why = [](const std::string& gap, const std::string& service, Value more = Value::object()) {
      DrawnNetwork d;
      d.queue(gap, service, std::move(more));
      return reasons(d);
    };
    const char *poisson = "exponential(mean = 2 s)", *markov = "exponential(mean = 1 s)";
    QCOMPARE(why(poisson, markov), std::string());
    QVERIFY(why("2 s", markov).find("\"in\" do not come at random") != std::string::npos);
    QVERIFY(why(poisson, "1 s").find("not exponential") != std::string::npos);
    QCOMPARE(why(poisson, "1 s", {{"discipline", "ps"}}), std::string());
    QVERIFY(why(poisson, markov, {{"capacity", "3"}}).find("turns customers away") != std::string::npos);
    const std::string heavy = why(markov, poisson);
    QVERIFY2(heavy.find("QUE103") != std::string::npos && heavy.find("desk") != std::string::npos, heavy.c_str());
    DrawnNetwork chart;
    chart.queue(poisson, markov, {{"servers", "1 + count(m.On)"}});
    ChartBuilder c(chart.m, "Chart");
    const ElementId on = c.state("On"), off = c.state("Off");
    c.initial(on), c.transition(on, off, "rate(1 /h)");
    chart.m.component("m", "Chart");
    QVERIFY(reasons(chart).find("charts that run") != std::string::npos);
    QVERIFY(reasons(chart).find("servers of \"desk\" change") != std::string::npos);  // all reasons at once
  }
  void only_true_reasons_are_given() {
    DrawnNetwork routers;
    const ElementId in = routers.node("source", "in"), way = routers.node("router", "way"),
                    out = routers.node("sink", "out");
    routers.flow(in, way), routers.flow(way, out);
    QVERIFY2(reasons(routers).find("no station: customers only pass") != std::string::npos, reasons(routers).c_str());
    DrawnNetwork changing;
    changing.queue("exponential(mean = 2 s)", "1 s", {{"capacity", "3"}});
    changing.m.set(changing.m.document().find(changing.diagram)->id, "description", "");
    ChartBuilder c(changing.m, "Chart");
    const ElementId on = c.state("On"), off = c.state("Off");
    c.initial(on), c.transition(on, off, "rate(1 /h)");
    changing.m.component("m", "Chart");
    for (const Element* source : changing.m.document().nodes(changing.diagram))
      if (source->kind == "source") changing.m.set(source->id, "rate", "1 /s + count(m.On) * 1 /s");
    const std::string all = reasons(changing);
    for (const char* one : {"charts that run", "the rate of \"in\" changes", "turns customers away", "not exponential"})
      QVERIFY2(all.find(one) != std::string::npos, all.c_str());
    QVERIFY2(all.find("Nobody ever comes") == std::string::npos, all.c_str());
    for (const Element* flow : changing.m.document().edges(changing.diagram))
      changing.m.set(flow->id, "probability", "if(count(m.On) > 0, 1, 0.5)");
    const std::string more = reasons(changing);
    for (const char* one : {"the rate of \"in\" changes", "ways from \"desk\" change"})
      QVERIFY2(more.find(one) != std::string::npos, more.c_str());
  }
  // Oracle: M/M/1 and M/M/inf by hand; each network has its own sink.
  void networks_side_by_side_have_their_own_ways_out() {
    DrawnNetwork d;
    d.queue("exponential(mean = 2 s)", "exponential(mean = 1 s)");
    const ElementId in = d.node("source", "second", {{"rate", "10000000000000 /s"}}),
                    stay = d.node("delay", "stay", {{"time", "1 s"}}), out = d.node("sink", "end");
    d.flow(in, stay), d.flow(stay, out);
    d.m.measure("whole", "observed_mean", "", {{"of", "out.time_in_system"}, {"unit", "s"}});
    d.m.measure("other", "observed_mean", "", {{"of", "end.time_in_system"}, {"unit", "s"}});
    const ResultSet r = solved(d.m.document(), {.solver = "mva"});
    nearly(r, "whole", 2.0), nearly(r, "other", 1.0);
  }

  // Oracle: throughputs by the recursion of one class, written out.
  void approximations_and_bounds_of_great_populations() {
    const auto draw = [](int population) {
      DrawnNetwork d;
      d.node("job_class", "job", {{"population", std::to_string(population)}, {"reference", "think"}});
      const ElementId think = d.node("delay", "think", {{"time", "10 s"}}),
                      cpu = d.node("station", "cpu", {{"service", "exponential(mean = 0.5 s)"}}),
                      disk = d.node("station", "disk", {{"service", "exponential(mean = 0.3 s)"}});
      d.flow(think, cpu), d.flow(cpu, disk, {{"probability", "0.6"}}), d.flow(cpu, think), d.flow(disk, cpu);
      return d;
    };
    constexpr int population = 30;
    const double demands[] = {0.5 * 2.5, 0.3 * 1.5}, think_s = 10;
    double queues[] = {0, 0}, rate = 0, response = 0;
    for (int n = 1; n <= population; ++n) {
      const double times[] = {demands[0] * (1 + queues[0]), demands[1] * (1 + queues[1])};
      response = times[0] + times[1], rate = n / (think_s + response);
      queues[0] = rate * times[0], queues[1] = rate * times[1];
    }
    const DrawnNetwork d = draw(population);
    const auto by = [](const DrawnNetwork& drawn, const char* method) {
      return solved(drawn.m.document(), {.solver = "mva", .options = {{"mva-method", method}}});
    };
    nearly(by(d, "convolution"), "queue_length/cpu/job", queues[0]);
    nearly(by(d, "exact"), "throughput/disk/job", rate * 1.5);
    for (const auto& [method, error] : {std::pair("schweitzer", 0.05), std::pair("linearizer", 0.005)}) {
      const ResultSet r = by(d, method);
      const double seen = estimate(r, "throughput/think/job");
      QVERIFY2(std::fabs(seen / rate - 1) < error && seen != rate, method);
      QVERIFY(!r.measures[0].exact && std::isnan(r.measures[0].lower) && !r.tables[0].exact);
    }
    const ResultSet bounds = by(d, "bounds");
    compare_inside(bounds, "system_throughput/job", rate);
    compare_inside(bounds, "system_response_time/job", response);
    // What lies between two ends is not called exact, by its middle.
    QVERIFY(bounds.stop_reason == "bounds" && !bounds.measure("system_throughput/job")->exact);
    QVERIFY(bounds.measure("system_throughput/job")->upper <= 1 / demands[0] * (1 + 1e-12));
    QCOMPARE(bounds.tables[1].name, std::string("demands"));
    const auto& bottleneck = bounds.tables[1].rows[1];
    QCOMPARE(std::get<std::string>(bottleneck[0]), std::string("cpu"));
    QCOMPARE(std::get<double>(bottleneck[4]), (think_s + demands[0] + demands[1]) / demands[0]);
  }
  void too_many_customers_for_exact_ones_name_what_would_do() {
    DrawnNetwork d;
    const ElementId one = d.node("station", "one", {{"discipline", "ps"}}),
                    two = d.node("station", "two", {{"discipline", "ps"}});
    for (const char* name : {"a", "b", "c", "d"})
      d.node("job_class", name, {{"population", "1000"}, {"reference", "one"}});
    d.flow(one, two), d.flow(two, one);
    RunControl control;
    const ResultSet r = find_solver("mva")->solve(d.m.document(), {.solver = "mva"}, control);
    QVERIFY(r.status == RunStatus::failed);
    const Diagnostic* why = find_code(r.diagnostics, "QUE104");
    QVERIFY(why != nullptr && why->hint.find("linearizer") != std::string::npos);
    const ResultSet near_by = solved(d.m.document(), {.solver = "mva", .options = {{"mva-method", "linearizer"}}});
    // Balanced stations: a quarter of 4000 jobs are of each class, half of them here.
    QVERIFY(std::fabs(estimate(near_by, "queue_length/one/a") - 500) < 1e-3);
  }
};

QTEST_APPLESS_MAIN(TestMeanValueSolver)
#include "tst_mean_value_solver.moc"
