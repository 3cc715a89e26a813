// GPU clusters whose hosts fail: closed forms, every scheduler beside a plain program over the same draws, charts and
// common causes, and what is wrong is told. Intervals are at 99.9 %.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "core/des/lowering.h"
#include "core/random/random_stream.h"
#include "plain_gang.h"
#include "solvers/cluster/lowering/gang_lowering.h"
#include "tests/solvers/cluster/drawn_hosts.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::string text_of_seconds(double x) { return number_text(x, 17) + " s"; }

/// When hosts fail and come back until a time: exponential laws, drawn from the cluster's own stream.
std::vector<PlainGang::Rules::Change> drawn_changes(ElementId cluster, int hosts, double failure, double repair,
                                                    double until) {
  RandomStream draws(stream_key(1, cluster.text() + ".host_failures"), 0);
  std::vector<double> next;
  std::vector<bool> up(static_cast<std::size_t>(hosts), true);
  for (int h = 0; h < hosts; ++h) next.push_back(failure * draws.exponential());
  std::vector<PlainGang::Rules::Change> out;
  for (;;) {
    const auto h = static_cast<std::size_t>(std::min_element(next.begin(), next.end()) - next.begin());
    const double at = next[h];
    if (at > until) return out;
    up[h] = !up[h];
    out.push_back({at, static_cast<int>(h), up[h]});
    next[h] = at + (up[h] ? failure : repair) * draws.exponential();
  }
}

}  // namespace

class TestGangFailures : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(gang_lowering); }

  // Alternating renewal: up for 90 of 100 s, whatever the laws. Idle GPUs of hosts that are down draw nothing.
  void availability_is_the_share_of_time_up() {
    DrawnCluster drawn("50000 s", {{"gpus", "38"},
                                   {"gpus_per_host", "4"},
                                   {"idle_power", "1 W"},
                                   {"failure", "weibull(scale = 101.55 s, shape = 2)"},
                                   {"repair", "lognormal(mean = 10 s, sd = 5 s)"}});
    drawn.stream("users", {{"rate", "0.01 /s"}, {"size", "1 s"}});
    drawn.m.measure("up", "steady_state_mean", "grid.up / 10");
    drawn.m.measure("power", "steady_state_mean", "(grid.power + 0 W) / 1 W + grid.gpus");
    drawn.m.measure("failures", "final_value", "grid.host_failures");
    const ResultSet r = drawn.run(10);
    const double mean = 101.55 * std::tgamma(1.5), share = mean / (mean + 10);
    compare_inside(r, "up", share), compare_inside(r, "power", 38 * share);
    QVERIFY(std::fabs(estimate(r, "failures") / (10 * 50000 / (mean + 10)) - 1) < 0.01);
  }

  // One job at a time on 4 of many hosts: (e^(4 lambda (c + C)) - 1) / (4 lambda) e^(4 lambda R) for each stretch
  // (Daly, 2006), but for the restart of the first attempt; there is always another host.
  void a_job_on_n_hosts_takes_what_the_renewal_formula_says() {
    DrawnCluster drawn("2000000 s", {{"gpus", "160"},
                                     {"gpus_per_host", "4"},
                                     {"consolidated", "true"},
                                     {"policy", "fifo"},
                                     {"failure", "exponential(mean = 400 s)"},
                                     {"repair", "exponential(mean = 20 s)"},
                                     {"checkpoint_period", "30 s"},
                                     {"checkpoint_cost", "2 s"},
                                     {"restart", "5 s"}});
    drawn.stream(
        "users",
        {{"interarrival", "1000 s"}, {"size", "400 s"}, {"gpus", "16"}, {"speedup", "power"}, {"exponent", "0.5"}});
    drawn.mean_of("response", "grid.response_time"), drawn.mean_of("restarts", "grid.job_restarts", "");
    const double rate = 4.0 / 400.0, again = std::expm1(rate * 5) / rate;
    const auto mean = [&](double s) { return std::expm1(rate * s) * (1 / rate + again); };
    const double wanted = 3 * mean(32) + mean(10);
    const ResultSet r = drawn.run(10);
    compare_inside(r, "response", wanted), compare_inside(r, "restarts", rate * wanted);
  }

  void every_scheduler_does_what_the_plain_program_does() {
    std::mt19937 dice(5);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto between = [&](double low, double high) { return low + (high - low) * uniform(dice); };
    const char* const policies[] = {"fifo", "backfill", "sjf", "srtf", "las", "drf"};
    const PlainGang::Policy plain_policies[] = {PlainGang::fifo, PlainGang::backfill, PlainGang::sjf,
                                                PlainGang::srtf, PlainGang::las,      PlainGang::drf};
    double failures = 0, lost = 0, stops = 0, done = 0;
    for (int trial = 0; trial < 150; ++trial) {
      const double horizon = 4000;
      PlainGang::Rules rules;
      rules.policy = plain_policies[trial % 6];
      rules.per_host = 1 + static_cast<int>(uniform(dice) * 4);
      rules.gpus = 3 + static_cast<int>(uniform(dice) * 12), rules.together = uniform(dice) < 0.5;
      rules.restart = uniform(dice) < 0.5 ? 0 : between(0, 3), rules.thresholds = {40, 100};
      if (uniform(dice) < 0.7) rules.period = between(2, 15);
      rules.cost = uniform(dice) < 0.5 ? 0 : between(0, 1), rules.front = uniform(dice) < 0.5;
      rules.promote = uniform(dice) < 0.3 ? between(0.5, 4) : 1e300, rules.until = horizon;
      const double failure = between(100, 1000), repair = between(3, 100);
      Value v = {{"gpus", std::to_string(rules.gpus)},
                 {"gpus_per_host", std::to_string(rules.per_host)},
                 {"consolidated", rules.together ? "true" : "false"},
                 {"policy", policies[trial % 6]},
                 {"thresholds", "[40, 100]"},
                 {"restart", text_of_seconds(rules.restart)},
                 {"checkpoint_cost", text_of_seconds(rules.cost)},
                 {"requeue", rules.front ? "front" : "end"},
                 {"price", "3600 USD/h"},
                 {"failure", "exponential(mean = " + text_of_seconds(failure) + ")"},
                 {"repair", "exponential(mean = " + text_of_seconds(repair) + ")"}};
      if (rules.period < 1e299) v["checkpoint_period"] = text_of_seconds(rules.period);
      if (rules.promote < 1e299 && rules.policy == PlainGang::las) v["promote_after"] = number_text(rules.promote, 17);
      DrawnCluster drawn(text_of_seconds(horizon), v);
      const std::string rate = number_text(between(0.2, 0.5) * rules.gpus / 80, 17) + " /s";
      for (const char* name : {"short", "long"})
        drawn.stream(name, {{"rate", rate},
                            {"size", name[0] == 's' ? "exponential(mean = 20 s)" : "exponential(mean = 60 s)"},
                            {"gpus", "uniform(low = 0, high = 5)"}});
      drawn.mean_of("lost_of_job", "grid.job_lost_work");
      drawn.m.measure("restarts", "final_value", "grid.restarts");
      drawn.m.measure("lost", "final_value", "grid.lost_work", {{"unit", "s"}});
      const ResultSet r = drawn.run(1);
      const auto jobs =
          std::find_if(r.tables.begin(), r.tables.end(), [](const auto& one) { return one.name == "jobs"; });
      QVERIFY(jobs != r.tables.end());
      const auto arrival = column_of(*jobs, "arrival_s"), work = column_of(*jobs, "work_s"),
                 gpus = column_of(*jobs, "gpus"), start = column_of(*jobs, "start_s"),
                 end = column_of(*jobs, "completion_s"), restarts = column_of(*jobs, "restarts"),
                 lost_s = column_of(*jobs, "lost_work_s"), held = column_of(*jobs, "gpu_time_s"),
                 stopped = column_of(*jobs, "preemptions");
      std::vector<PlainGang::Job> plain;
      for (std::size_t i = 0; i < arrival.size(); ++i)
        plain.push_back({arrival[i], work[i], static_cast<int>(gpus[i]), 0.0, 0.0,
                         std::get<std::string>(jobs->rows[i][1]) == "short" ? 0 : 1});
      const int hosts = (rules.gpus + rules.per_host - 1) / rules.per_host;
      rules.changes = drawn_changes(drawn.hosts, hosts, failure, repair, horizon);
      const auto wanted = PlainGang(plain, rules).run();
      double all_restarts = 0, all_lost = 0;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::string where = policies[trial % 6] + std::string(", trial ") + std::to_string(trial) + ", job " +
                                  std::to_string(i) + ": " + number_text(end[i], 12) + ", wanted " +
                                  number_text(wanted[i].end, 12) + "\n" + v.dump();
        all_restarts += wanted[i].failures, all_lost += wanted[i].lost * gpus[i];
        QVERIFY2(std::isnan(end[i]) == (wanted[i].end < 0) && std::isnan(start[i]) == (wanted[i].start < 0),
                 where.c_str());
        QVERIFY2(std::isnan(start[i]) || std::fabs(start[i] - wanted[i].start) < 1e-6, where.c_str());
        if (std::isnan(end[i])) continue;
        ++done, stops += wanted[i].stops;
        QVERIFY2(std::fabs(end[i] - wanted[i].end) < 1e-6, where.c_str());
        QVERIFY2(restarts[i] == wanted[i].failures && std::fabs(lost_s[i] - wanted[i].lost) < 1e-6, where.c_str());
        QVERIFY2(stopped[i] == wanted[i].stops && std::fabs(held[i] - wanted[i].gpu_time) < 1e-6, where.c_str());
      }
      QCOMPARE(estimate(r, "restarts"), all_restarts);
      QVERIFY(std::fabs(estimate(r, "lost") - all_lost) < 1e-6 * (1 + all_lost));
      failures += all_restarts, lost += all_lost;
    }
    QVERIFY(failures > 2000 && lost > 7000 && stops > 300 && done > 12000);
  }

  // All at once every 50 s for 10 s, by charts: the reckoning of a pool of the same hosts.
  void hosts_follow_charts() {
    DrawnCluster all("150 s", {{"gpus", "12"},
                               {"gpus_per_host", "2"},
                               {"policy", "fifo"},
                               {"up_while", "in(node[host].Up)"},
                               {"checkpoint_period", "6 s"}});
    all.draw_nodes(6, "after(50 s)", "after(10 s)");
    all.stream("users", {{"interarrival", "40 s"},
                         {"size", "30 s * sqrt(12)"},
                         {"gpus", "12"},
                         {"speedup", "power"},
                         {"exponent", "0.5"}});
    all.mean_of("response", "grid.response_time");
    all.m.measure("left", "final_value", "grid.done"), all.m.measure("restarts", "final_value", "grid.restarts");
    all.m.measure("failures", "final_value", "grid.host_failures"), all.m.measure("up", "time_average", "grid.up");
    all.m.measure("lost", "final_value", "grid.lost_work", {{"unit", "s"}});
    QVERIFY2(all.found().empty(), listed(all.found()).c_str());
    const ResultSet r = all.run(1);
    QCOMPARE(estimate(r, "left"), 2.0);
    QVERIFY(std::fabs(estimate(r, "response") - ((84.0 - 40) + (126 - 80)) / 2) < 1e-9);
    QCOMPARE(estimate(r, "restarts"), 2.0);
    QCOMPARE(estimate(r, "failures"), 12.0);
    QVERIFY(std::fabs(estimate(r, "lost") - 12 * (4 + 2)) < 1e-6);
    QVERIFY(std::fabs(estimate(r, "up") - 6 * 130.0 / 150) < 1e-9);
  }

  // Binomial failure rate over 12 hosts: a job on two is stopped at 2 lambda + mu (1 - (1 - rho)^2), once for each
  // shock.
  void a_shock_that_strikes_several_hosts_stops_a_job_once() {
    DrawnCluster drawn("200000 s", {{"gpus", "48"},
                                    {"gpus_per_host", "4"},
                                    {"consolidated", "true"},
                                    {"policy", "backfill"},
                                    {"up_while", "in(node[host].Up)"}});
    ChartBuilder chart(drawn.m, "Node");
    const ElementId up = chart.state("Up"), down = chart.state("Down");
    chart.initial(up), chart.transition(up, down, "rate(0.0025 /s)"), chart.transition(up, down, "ccf(power)");
    chart.transition(down, up, "after(5 s)");
    const ElementId nodes = drawn.m.component("node", "Node", "12");
    drawn.m.group("Power", "power", {{"model", "bfr"}, {"mu", "0.01 /s"}, {"rho", "0.3"}}, {nodes});
    drawn.stream("users", {{"interarrival", "150 s"},
                           {"size", "20 s * sqrt(8)"},
                           {"gpus", "8"},
                           {"speedup", "power"},
                           {"exponent", "0.5"}});
    drawn.mean_of("response", "grid.response_time"), drawn.mean_of("restarts", "grid.job_restarts", "");
    const ResultSet r = drawn.run(20);
    const double rate = 2 * 0.0025 + 0.01 * (1 - 0.49), wanted = std::expm1(rate * 20) / rate;
    compare_inside(r, "response", wanted), compare_inside(r, "restarts", rate * wanted);
  }

  void a_saved_moment_of_failing_hosts_goes_on() {
    for (const char* policy : {"fifo", "backfill", "sjf", "srtf", "las", "drf"}) {
      DrawnCluster drawn("1000 s", {{"gpus", "9"},
                                    {"gpus_per_host", "2"},
                                    {"policy", policy},
                                    {"thresholds", "[2, 5]"},
                                    {"failure", "exponential(mean = 40 s)"},
                                    {"repair", "exponential(mean = 3 s)"},
                                    {"checkpoint_period", "0.5 s"},
                                    {"checkpoint_cost", "0.05 s"},
                                    {"restart", "0.1 s"}});
      drawn.stream("users",
                   {{"rate", "1.2 /s"}, {"size", "exponential(mean = 3 s)"}, {"gpus", "uniform(low = 0, high = 4)"}});
      compare_saved_moment(drawn.m.document());
    }
  }

  void what_is_wrong_with_failures_is_told_data() {
    QTest::addColumn<QString>("cluster");
    QTest::addColumn<QString>("codes");
    const auto add = [](const char* name, const char* cluster, const char* codes) {
      QTest::newRow(name) << QString(cluster) << QString(codes);
    };
    add("sound", R"j({"failure": "90 h", "up_while": "in(node[host].Up)"})j", "");
    add("law", R"j({"failure": "-1 h"})j", "GNG002");
    add("repair", R"j({"failure": "1 h", "repair": "0 h"})j", "GNG002");
    add("checkpoint", R"j({"checkpoint_period": "0 s"})j", "GNG002");
    add("cost", R"j({"checkpoint_cost": "-1 s"})j", "GNG002");
    add("restart", R"j({"restart": "-1 s"})j", "GNG002");
    add("requeue", R"j({"requeue": "middle"})j", "DOC002");
    add("beyond the array", R"j({"up_while": "in(node[host].Up)", "gpus": "10"})j", "EXP002");
    add("never changes", R"j({"up_while": "host < 3"})j", "GNG013");
    add("equi", R"j({"policy": "equi", "failure": "90 h"})j", "GNG012");
    add("equi and checkpoints", R"j({"policy": "equi", "checkpoint_period": "1 h"})j", "GNG012");
    add("piling up", R"j({"failure": "exponential(mean = 1 s)"})j", "GNG014");
  }
  void what_is_wrong_with_failures_is_told() {
    QFETCH(QString, cluster);
    QFETCH(QString, codes);
    Value v = Value::parse(cluster.toStdString());
    if (!v.contains("gpus")) v["gpus"] = "8";
    v["gpus_per_host"] = "2";
    DrawnCluster drawn("1000 s", v);
    drawn.draw_nodes(4, "after(50 s)", "after(10 s)");
    drawn.stream("users", {{"interarrival", "100 s"}, {"size", "60 s"}});
    drawn.m.measure("present", "time_average", "grid.jobs");
    const Diagnostics found = drawn.found();
    QVERIFY2(ergode::test::codes(found) == codes.toStdString(), listed(found).c_str());
  }
};

QTEST_GUILESS_MAIN(TestGangFailures)
#include "tst_gang_failures.moc"
