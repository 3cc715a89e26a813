// What stations count by class, how long customers are there in all visits, and the events that charts hear of them:
// against closed forms, balance equations and what must add up.
#include <QtTest>
#include <numeric>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/saved_moment.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

constexpr double gold_rate = 0.6, bulk_rate = 0.3;

/// Probabilities of so many customers in a birth and death process, the first ones up to `most`.
std::vector<double> balance(int most, const std::function<double(int)>& birth,
                            const std::function<double(int)>& death) {
  std::vector<double> out = {1.0};
  for (int n = 1; n <= most; ++n) out.push_back(out.back() * birth(n - 1) / death(n));
  const double all = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& one : out) one /= all;
  return out;
}
double mean_waiting(const std::vector<double>& p, int servers) {
  double out = 0.0;
  for (int n = servers; n < static_cast<int>(p.size()); ++n) out += (n - servers) * p[static_cast<std::size_t>(n)];
  return out;
}

/// Two classes of the same service at one station.
struct CountsByClassDrawing : DrawnNetwork {
  ElementId gold, desk, out;
  CountsByClassDrawing(double service_s, Value station) {
    gold = node("job_class", "gold"), node("job_class", "bulk");
    station["service"] = exponential(service_s);
    desk = node("station", "desk", std::move(station)), out = node("sink", "out");
    for (const auto& [of, rate] : {std::pair{"gold", gold_rate}, std::pair{"bulk", bulk_rate}})
      flow(node("source", std::string("of_") + of, {{"interarrival", exponential(1 / rate)}, {"class", of}}), desk);
    flow(desk, out);
  }
  void per_second(const std::string& id, const std::string& count) {
    m.measure(id, "final_value", count + " / 4000 s", {{"unit", "/s"}});
  }
  ResultSet run() const { return solved(m.document(), {.replications = 60, .confidence = 0.999}); }
};

}  // namespace

/// Exact values are asked to lie in 99.9 % intervals at a fixed seed: 25 of them.
class TestCountsByClass : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // A number of servers that is written is a constant, also to exact solvers; one that changes is what it is now.
  void servers_are_those_that_a_station_has() {
    for (const char* servers : {"1", "3", "clerks"}) {
      CountsByClassDrawing d(1.0, {{"servers", servers}});
      d.m.parameter("clerks", "2");
      d.m.measure("share", "time_average", "desk.busy / desk.servers");
      const double many = *servers == 'c' ? 2 : *servers - '0';
      const ResultSet exact = solved(d.m.document(), {.solver = "mva"});
      near(exact, "share", (gold_rate + bulk_rate) / many, 1e-9);
      compare_inside(d.run(), "share", (gold_rate + bulk_rate) / many);
    }
    CountsByClassDrawing d(1.5, {{"servers", "if(desk.number > 2, 2, 1)"}});
    d.m.measure("servers", "time_average", "desk.servers");
    d.m.measure("written", "time_average", "if(desk.number > 2, 2, 1)");
    const ResultSet r = d.run();
    QCOMPARE(estimate(r, "servers"), estimate(r, "written"));
    QVERIFY(estimate(r, "servers") > 1.05 && estimate(r, "servers") < 1.95);
  }

  // M/M/1/3: who comes sees what there is (Wolff, Poisson arrivals see time averages, Operations Research 30(2), 1982),
  // whatever his class.
  void who_is_lost_and_who_waits_in_a_station_of_three() {
    CountsByClassDrawing d(1.0, {{"capacity", "3"}});
    for (const char* of : {"gold", "bulk"}) {
      d.mean(std::string("waiting_") + of, std::string("desk.waiting.") + of);
      d.per_second(std::string("lost_") + of, std::string("desk.lost.") + of);
    }
    const auto p = balance(
        3, [](int) { return gold_rate + bulk_rate; }, [](int) { return 1.0; });
    const double gold = gold_rate / (gold_rate + bulk_rate);
    const ResultSet r = d.run();
    compare_inside(r, "waiting_gold", mean_waiting(p, 1) * gold),
        compare_inside(r, "waiting_bulk", mean_waiting(p, 1) * (1 - gold));
    compare_inside(r, "lost_gold", gold_rate * p[3]), compare_inside(r, "lost_bulk", bulk_rate * p[3]);
    const ResultSet exact = solved(d.m.document(), {.solver = "ctmc-network"});
    near(exact, "waiting/desk/gold", mean_waiting(p, 1) * gold), near(exact, "waiting_gold", mean_waiting(p, 1) * gold),
        near(exact, "waiting_bulk", mean_waiting(p, 1) * (1 - gold));
    compare_saved_moment(d.m.document());
  }
  // Erlang A: M/M/2 whose customers give up at rate 0.5 while they wait.
  void who_gives_up_where_patience_is_exponential() {
    CountsByClassDrawing d(2.5, {{"servers", "2"}, {"patience", "exponential(mean = 2 s)"}});
    for (const char* of : {"gold", "bulk"}) {
      d.mean(std::string("waiting_") + of, std::string("desk.waiting.") + of);
      d.per_second(std::string("gave_up_") + of, std::string("desk.gave_up.") + of);
    }
    const auto p = balance(
        200, [](int) { return gold_rate + bulk_rate; },
        [](int n) { return std::min(n, 2) / 2.5 + 0.5 * std::max(n - 2, 0); });
    const double gold = gold_rate / (gold_rate + bulk_rate);
    const ResultSet r = d.run();
    compare_inside(r, "waiting_gold", mean_waiting(p, 2) * gold),
        compare_inside(r, "waiting_bulk", mean_waiting(p, 2) * (1 - gold));
    compare_inside(r, "gave_up_gold", 0.5 * mean_waiting(p, 2) * gold);
    compare_inside(r, "gave_up_bulk", 0.5 * mean_waiting(p, 2) * (1 - gold));
  }
  void mean_values_by_class_who_wait() {
    CountsByClassDrawing d(1.0, Value::object());
    d.mean("gold", "desk.waiting.gold"), d.mean("none", "desk.lost.gold + desk.gave_up.bulk");
    const double load = gold_rate + bulk_rate;
    const ResultSet r = solved(d.m.document(), {.solver = "mva"});
    near(r, "gold", gold_rate * load / (1 - load)), near(r, "none", 0.0);
  }

  void classes_add_up_data() {
    QTest::addColumn<QString>("property");
    QTest::addColumn<QString>("value");
    for (const char* one :
         {"fcfs", "lcfs", "siro", "sjf", "ljf", "srpt", "sept", "edd", "lcfs_pr", "ps", "las", "polling"})
      QTest::newRow(one) << "discipline" << one;
    QTest::newRow("patience") << "patience"
                              << "exponential(mean = 2 s)";
    QTest::newRow("capacity") << "capacity"
                              << "4";
    QTest::newRow("batch") << "batch"
                           << "3";
    QTest::newRow("preemptive") << "priorities"
                                << "preemptive";
    QTest::newRow("set-up") << "setup"
                            << "0.2 s";
    QTest::newRow("failures") << "time_to_failure"
                              << "exponential(mean = 9 s)";
    QTest::newRow("turning round") << "balking"
                                   << "min(1, desk.number / 10)";
  }
  // At every moment those of each class together are all; none is below zero.
  void classes_add_up() {
    QFETCH(QString, property);
    QFETCH(QString, value);
    Value station = {{property.toStdString(), value.toStdString()}};
    if (property == "time_to_failure") station["time_to_repair"] = "exponential(mean = 1 s)";
    CountsByClassDrawing d(0.9, std::move(station));
    d.m.set(d.gold, "priority", "1");
    for (const char* word : {"number", "waiting", "lost", "gave_up", "blocked"}) {
      const std::string all = std::string("desk.") + word;
      d.m.measure(word, "time_average",
                  "max(" + all + " - " + all + ".gold - " + all + ".bulk, " + all + ".gold + " + all + ".bulk - " +
                      all + ") + max(0, -" + all + ".gold) + max(0, -" + all + ".bulk)");
    }
    d.m.measure("somebody", "time_average", "desk.number");
    const ResultSet r = solved(d.m.document(), {.replications = 2});
    for (const char* word : {"number", "waiting", "lost", "gave_up", "blocked"}) QCOMPARE(estimate(r, word), 0.0);
    QVERIFY(estimate(r, "somebody") > 0.1);
  }
  // Who stands before a full station is of the class that he is here, whatever he becomes on the way.
  void who_is_blocked_is_whom_he_was() {
    for (const char* rule : {"block", "block_before"}) {
      DrawnNetwork d;
      for (const char* of : {"gold", "bulk"}) d.node("job_class", of);
      const bool before = std::string(rule) == "block_before";
      const ElementId in = d.node("source", "in", {{"interarrival", exponential(2)}, {"class", "gold"}}),
                      first = d.node("station", "first", {{"service", exponential(0.5)}}),
                      second = d.node("station", "second",
                                      {{"service", exponential(1)}, {"capacity", "1"}, {"when_full", rule}}),
                      out = d.node("sink", "out");
      d.flow(in, first), d.flow(second, out);
      d.flow(first, second, before ? Value::object() : Value{{"becomes", "bulk"}});
      for (const char* word : {"number", "blocked"})
        for (const char* of : {"", ".gold", ".bulk"})
          d.m.measure(word + std::string(*of == '\0' ? "" : of + 1), "time_average", std::string("first.") + word + of);
      const ResultSet r = solved(d.m.document(), {.replications = 3});
      QVERIFY(estimate(r, "blocked") > 0.05);
      for (const char* word : {"number", "blocked"}) {
        near(estimate(r, std::string(word) + "gold"), estimate(r, word), word);
        QCOMPARE(estimate(r, std::string(word) + "bulk"), 0.0);
      }
    }
  }

  // Jackson: of gold 2 of 5 come back each time, so each of them is there 5/3 times.
  void residence_is_the_response_of_all_visits() {
    CountsByClassDrawing d(0.5, Value::object());
    for (const auto& [to, p] : {std::pair{d.desk, "0.4"}, std::pair{d.out, "0.6"}})
      d.flow(d.desk, to, {{"class", "gold"}, {"probability", p}});
    for (const char* of : {"gold", "bulk"})
      d.m.measure(std::string("residence_time/desk/") + of, "steady_state_mean", "",
                  {{"of", "desk.residence_time"}, {"class", of}});
    d.mean_of("all", "desk.residence_time");
    const double visits = 1 / 0.6, load = 0.5 * (gold_rate * visits + bulk_rate), response = 0.5 / (1 - load);
    const double all = (gold_rate * visits + bulk_rate) * response / (gold_rate + bulk_rate);
    const ResultSet r = d.run();
    compare_inside(r, "residence_time/desk/gold", visits * response);
    compare_inside(r, "residence_time/desk/bulk", response), compare_inside(r, "all", all);
    const ResultSet exact = solved(d.m.document(), {.solver = "mva"});
    near(exact, "residence_time/desk/gold", visits * response), near(exact, "residence_time/desk/bulk", response);
    near(exact, "all", all);
    compare_saved_moment(d.m.document());
  }
  // Raw ones become done ones on their way, some of whom come back, and end as such: response times are of who
  // visits, residence and the passage of who ends, whom nobody calls by one name unasked. Tandem of M/M/1 (Jackson).
  void who_changes_class_is_told_as_whom_he_ends() {
    DrawnNetwork d;
    d.node("job_class", "raw"), d.node("job_class", "done");
    constexpr double rate = 0.5, desk_s = 0.4, check_s = 0.8;
    const ElementId in = d.node("source", "in", {{"interarrival", exponential(1 / rate)}, {"class", "raw"}}),
                    desk = d.node("station", "desk", {{"service", exponential(desk_s)}}),
                    check = d.node("station", "check", {{"service", exponential(check_s)}}),
                    out = d.node("sink", "out");
    d.flow(in, desk), d.flow(desk, check, {{"class", "raw"}, {"becomes", "done"}});
    // Of three done ones one comes by the desk once more.
    d.flow(check, desk, {{"probability", "1/3"}}), d.flow(check, out), d.flow(desk, check, {{"class", "done"}});
    for (const std::string at : {"desk", "check"}) {
      for (const std::string of : {"raw", "done"})
        d.m.measure("response_" + at + "_" + of, "steady_state_mean", "",
                    {{"of", at + ".response_time"}, {"class", of}});
      d.m.measure("residence_time/" + at + "/done", "steady_state_mean", "",
                  {{"of", at + ".residence_time"}, {"class", "done"}});
      d.mean_of("residence_" + at, at + ".residence_time");
    }
    d.m.measure("passage", "steady_state_mean", "", {{"of", "out.time_in_system"}, {"class", "done"}});
    // 3/2 visits of each; of those of the desk 1 as raw.
    const double load_desk = rate * 1.5 * desk_s, load_check = rate * 1.5 * check_s;
    const double at_desk = desk_s / (1 - load_desk), at_check = check_s / (1 - load_check);
    const auto wanted = [&](const std::function<void(const std::string&, double)>& is) {
      is("response_desk_raw", at_desk), is("response_desk_done", at_desk), is("response_check_done", at_check);
      is("residence_time/desk/done", 1.5 * at_desk), is("residence_time/check/done", 1.5 * at_check);
      is("residence_desk", 1.5 * at_desk), is("residence_check", 1.5 * at_check);
      is("passage", 1.5 * (at_desk + at_check));
    };
    const ResultSet r = solved(d.m.document(), {.replications = 60, .confidence = 0.999});
    wanted([&](const std::string& id, double value) { compare_inside(r, id, value); });
    for (const char* solver : {"mva", "gg-approximation"}) {
      const ResultSet exact = solved(d.m.document(), {.solver = solver});
      wanted([&](const std::string& id, double value) { near(exact, id, value, 1e-7); });
      near(exact, "residence_time/desk/raw+done", 1.5 * at_desk, 1e-7);
      near(exact, "residence_time/check/raw+done", 1.5 * at_check, 1e-7);
      near(exact, "system_response_time/raw+done", 1.5 * (at_desk + at_check), 1e-7);
      near(exact, "response_time/desk/raw", at_desk, 1e-7);
      QVERIFY(exact.measure("residence_time/desk/raw") == nullptr);
    }
    d.mean("system_number/raw+done", "desk.number + check.number");
    Diagnostics found;
    build_model(d.m.document(), {}, "", found);
    QCOMPARE(codes(found), std::string("MEA001"));
    QCOMPARE(found[0].message,
             std::string("The name is \"system_number/raw+done\"; wanted letters, digits and _, in parts between /; "
                         "names with + are those of what solvers answer unasked."));
    QVERIFY(!found[0].hint.empty());
  }
  // Mean value analysis of one class, station by station, as Reiser and Lavenberg state it (J. ACM 27(2), 1980).
  void residence_goes_from_reference_to_reference() {
    constexpr double demand_s[] = {0.5, 0.3}, think_s = 2.0;
    double number[] = {0.0, 0.0}, response[] = {0.0, 0.0};
    for (int n = 1; n <= 4; ++n) {
      for (int k = 0; k < 2; ++k) response[k] = demand_s[k] * (1 + number[k]);
      const double throughput = n / (think_s + response[0] + response[1]);
      for (int k = 0; k < 2; ++k) number[k] = throughput * response[k];
    }
    DrawnNetwork d;
    d.node("job_class", "users", {{"population", "4"}});
    const ElementId think = d.node("delay", "think", {{"time", exponential(think_s)}}),
                    cpu = d.node("station", "cpu", {{"service", exponential(0.2)}}),
                    disk = d.node("station", "disk", {{"service", exponential(0.2)}});
    // 2.5 times at the processor, of which 1.5 go on to the disk and come back.
    d.flow(think, cpu), d.flow(cpu, think, {{"probability", "0.4"}}), d.flow(cpu, disk), d.flow(disk, cpu);
    for (const char* one : {"think", "cpu", "disk"})
      d.mean_of(std::string("residence_time/") + one + "/users", std::string(one) + ".residence_time");
    const ResultSet exact = solved(d.m.document(), {.solver = "mva"});
    const ResultSet r = solved(d.m.document(), {.replications = 60, .confidence = 0.999});
    const double wanted[] = {think_s, response[0], response[1]};
    for (int k = 0; k < 3; ++k) {
      const std::string id = std::string("residence_time/") + (k == 0 ? "think" : k == 1 ? "cpu" : "disk") + "/users";
      near(exact, id, wanted[k]), compare_inside(r, id, wanted[k]);
    }
  }
  // Two parts are at the delay for 0.1 s each, then their customer alone once more.
  void what_parts_stay_is_of_their_customer() {
    DrawnNetwork d("20 s");
    const ElementId in = d.node("source", "in", {{"interarrival", "schedule(times = [1 s, 2 s])"}}),
                    fork = d.node("fork", "split"), way = d.node("delay", "way", {{"time", "0.1 s"}}),
                    join = d.node("join", "meet"), again = d.node("transport", "again"), out = d.node("sink", "out");
    d.m.set(again, "distance", "1 m"), d.m.set(again, "speed", "4 m/s");
    d.flow(in, fork), d.flow(fork, way, {{"count", "2"}}), d.flow(way, join), d.flow(join, again), d.flow(again, out);
    for (const char* one : {"way", "again"})
      d.m.measure(one, "observed_mean", "", {{"of", std::string(one) + ".residence_time"}});
    const ResultSet r = solved(d.m.document(), {.replications = 1});
    near(r, "way", 0.2), near(r, "again", 0.25);
  }

  // A chart that is told of each who comes and goes knows whether anybody is there.
  void charts_hear_who_comes_and_who_goes() {
    for (const char* kind : {"station", "delay"}) {
      DrawnNetwork d("400 s");
      ChartBuilder clerk(d.m, "Clerk");
      const ElementId idle = clerk.state("Idle"), busy = clerk.state("Busy");
      clerk.initial(idle);
      clerk.transition(idle, busy, "came");
      clerk.transition(busy, idle, "gone", "desk.number == 0");
      d.m.component("clerk", "Clerk");
      const ElementId in = d.node("source", "in", {{"interarrival", exponential(2)}}),
                      desk = d.node(kind, "desk", {{"arrival_event", "came"}, {"departure_event", "gone"}}),
                      out = d.node("sink", "out");
      d.flow(in, desk), d.flow(desk, out);
      d.m.measure("came", "count", "", {{"event", "came"}}), d.m.measure("gone", "count", "", {{"event", "gone"}});
      d.m.measure("left", "final_value", "out.arrived"), d.m.measure("there", "final_value", "desk.number");
      d.m.measure("wrong", "time_average", "if(in(clerk.Busy) == (desk.number > 0), 0, 1)");
      const ResultSet r = solved(d.m.document(), {.replications = 20});
      QCOMPARE(estimate(r, "gone"), estimate(r, "left"));
      near(estimate(r, "came"), estimate(r, "left") + estimate(r, "there"), "came");
      QCOMPARE(estimate(r, "wrong"), 0.0);
      QVERIFY(estimate(r, "gone") > 150.0);
    }
  }
};

QTEST_APPLESS_MAIN(TestCountsByClass)
#include "tst_counts_by_class.moc"
