// Round schedulers whose hosts fail: every row beside a plain program over the same draws, hosts that never fail beside
// schedules that are played, closed forms, charts and common causes. Intervals are at 99.9 %.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "core/des/lowering.h"
#include "solvers/cluster/lowering/round_lowering.h"
#include "tests/solvers/cluster/drawn_rounds.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

class TestRoundFailures : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(round_lowering); }

  void every_row_is_that_of_the_plain_program() {
    std::mt19937 dice(11);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto between = [&](double low, double high) { return low + (high - low) * uniform(dice); };
    double done = 0, failures = 0, lost = 0, preemptions = 0, saved = 0;
    for (int trial = 0; trial < 300; ++trial) {
      PlainDrawnRounds plain;
      PlainDrawnRounds::Rules& rules = plain.rules;
      rules.policy = trial % 2 == 0 ? PlainDrawnRounds::equal_parts : PlainDrawnRounds::shortest_first;
      rules.per_host = 1 + static_cast<int>(uniform(dice) * 4), rules.until = 3000;
      rules.gpus = std::max(rules.per_host, 2 + static_cast<int>(uniform(dice) * 10));
      rules.tau = between(6, 30), rules.restore = uniform(dice) < 0.3 ? 0 : between(0, 3);
      rules.reset = uniform(dice) < 0.4 ? 0 : between(0, 120);
      if (uniform(dice) < 0.6) rules.period = between(1, 10), rules.cost = uniform(dice) < 0.3 ? 0 : between(0.01, 0.5);
      const double failure = between(100, 1500), repair = between(3, 100), mean = between(8, 60),
                   load = between(0.3, 0.9);
      Value v = {{"gpus", std::to_string(rules.gpus)},
                 {"gpus_per_host", std::to_string(rules.per_host)},
                 {"policy", trial % 2 == 0 ? "gandiva_fair" : "allox"},
                 {"round", text_in_seconds(rules.tau)},
                 {"restore", text_in_seconds(rules.restore)},
                 {"reset_interval", text_in_seconds(rules.reset)},
                 {"price", "3600 USD/h"},
                 {"failure", "exponential(mean = " + text_in_seconds(failure) + ")"},
                 {"repair", "exponential(mean = " + text_in_seconds(repair) + ")"}};
      if (rules.period < 1e299)
        v["checkpoint_period"] = text_in_seconds(rules.period), v["checkpoint_cost"] = text_in_seconds(rules.cost);
      DrawnRounds drawn(text_in_seconds(rules.until), v);
      const std::string gap = text_in_seconds(mean * 3 / load / rules.gpus);
      drawn.stream("even", {{"interarrival", gap},
                            {"size", "uniform(low = 1 s, high = " + text_in_seconds(2 * mean) + ")"},
                            {"gpus", "uniform(low = 0, high = 6)"},
                            {"speedup", "power"},
                            {"exponent", "0.7"}});
      drawn.stream("odd", {{"rate", "1 / (" + gap + ")"},
                           {"size", "exponential(mean = " + text_in_seconds(mean) + ")"},
                           {"gpus", "uniform(low = 0, high = 2)"},
                           {"parallel", "0"}});
      drawn.mean_of("lost_of_job", "grid.job_lost_work"), drawn.mean_of("restarts_of_job", "grid.job_restarts", "");
      drawn.m.measure("restarts", "final_value", "grid.restarts");
      drawn.m.measure("lost", "final_value", "grid.lost_work", {{"unit", "s"}});
      drawn.m.measure("failures", "final_value", "grid.host_failures"), drawn.m.measure("up", "final_value", "grid.up");
      const ResultSet r = drawn.run(1);
      const ResultTable& jobs = table_named(r, "jobs");
      const auto arrival = column_of(jobs, "arrival_s"), alone = column_of(jobs, "exclusive_runtime_s"),
                 gpus = column_of(jobs, "num_gpus"), start = column_of(jobs, "start_s"),
                 end = column_of(jobs, "completion_s"), rounds = column_of(jobs, "rounds"),
                 stops = column_of(jobs, "preemptions"), held = column_of(jobs, "gpu_time_s"),
                 restarts = column_of(jobs, "restarts"), lost_s = column_of(jobs, "lost_work_s");
      const auto model = words_of(jobs, "model");
      std::vector<std::size_t> row;
      for (std::size_t i = 0; i < arrival.size(); ++i) {
        if (gpus[i] > rules.gpus) continue;
        const double speed = 1e6 * (model[i] == "even" ? std::pow(gpus[i], 0.7) : 1.0);
        row.push_back(i);
        plain.jobs.push_back({arrival[i], std::round(alone[i] * speed), speed, static_cast<int>(gpus[i])});
      }
      rules.changes = drawn_host_changes(drawn.hosts, plain.hosts(), failure, repair, rules.until);
      const auto wanted = plain.run();
      double down = 0, up = plain.hosts();
      for (const auto& change : rules.changes) down += change.up ? 0 : 1, up += change.up ? 1 : -1;
      QCOMPARE(estimate(r, "failures"), down);
      QCOMPARE(estimate(r, "up"), up);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        const std::size_t i = row[k];
        const auto& one = wanted[k];
        const bool ended = one.end >= 0 && one.end <= rules.until, begun = one.start >= 0 && one.start <= rules.until;
        const std::string where = "trial " + std::to_string(trial) + ", job " + std::to_string(i) + ": " +
                                  number_text(start[i], 12) + " to " + number_text(end[i], 12) + ", wanted " +
                                  number_text(one.start, 12) + " to " + number_text(one.end, 12) + "\n" + v.dump();
        QVERIFY2(std::isnan(start[i]) != begun && std::isnan(end[i]) != ended, where.c_str());
        QVERIFY2(!begun || std::fabs(start[i] - one.start) < 1e-5, where.c_str());
        if (!ended) continue;
        ++done, preemptions += one.preemptions, failures += one.restarts, lost += one.lost;
        saved += rules.period < rules.tau ? one.restarts : 0;
        QVERIFY2(std::fabs(end[i] - one.end) < 1e-5, where.c_str());
        QVERIFY2(rounds[i] == one.rounds && stops[i] == one.preemptions, where.c_str());
        QVERIFY2(restarts[i] == one.restarts && std::fabs(lost_s[i] - one.lost) < 1e-5, where.c_str());
        QVERIFY2(one.end + rules.tau > rules.until || std::fabs(held[i] - one.held) < 1e-4, where.c_str());
      }
    }
    QVERIFY2(done > 10000 && failures > 1000 && lost > 3000 && preemptions > 2000 && saved > 400,
             qPrintable(QString("%1 %2 %3 %4 %5").arg(done).arg(failures).arg(lost).arg(preemptions).arg(saved)));
  }

  void hosts_that_never_fail_change_nothing_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"max_min", "mst", "gandiva_fair", "allox", "ossp", "themis", "shockwave"})
      QTest::newRow(policy) << policy;
  }
  // A trace that is played, and one that is run history by history.
  void hosts_that_never_fail_change_nothing() {
    QFETCH(QString, policy);
    const auto made = [&](bool fails) {
      Value v = {{"trace", "trace.tsv"}, {"throughputs", "throughputs.csv"}, {"gpus", "32"}, {"planning", "heuristic"},
                 {"price", "3 USD/h"},   {"policy", policy.toStdString()}};
      if (fails) v["failure"] = "1e9 h";
      DrawnRounds drawn("1e6 s", v);
      for (const char* name : {"trace.tsv", "throughputs.csv"}) drawn.file(name, text_of_rounds(name));
      for (const char* word : {"makespan", "mean_response_time"})
        drawn.m.measure(word, "final_value", std::string("grid.") + word, {{"unit", "s"}});
      for (const char* word : {"done", "worst_fairness", "unfair_fraction", "utilisation", "up", "submitted"})
        drawn.m.measure(word, "final_value", std::string("grid.") + word);
      drawn.mean_of("response", "grid.response_time"), drawn.mean_of("fairness", "grid.fairness", "");
      drawn.m.measure("in_use", "time_average", "grid.gpus");
      return drawn.run(2);
    };
    const ResultSet seen = made(true), wanted = made(false);
    for (const char* id : {"makespan", "mean_response_time", "done", "worst_fairness", "unfair_fraction", "utilisation",
                           "up", "submitted", "response", "fairness", "in_use"})
      QVERIFY2(std::fabs(estimate(seen, id) - estimate(wanted, id)) <= 1e-9 * estimate(wanted, id), id);
    QCOMPARE(estimate(seen, "done"), 120.0);
    for (const char* name : {"jobs", "rounds", "gantt", "schedule"}) {
      const ResultTable &here = table_named(seen, name), &there = table_named(wanted, name);
      QCOMPARE(here.rows.size(), there.rows.size());
      for (std::size_t i = 0; i < there.rows.size(); ++i)
        for (std::size_t c = 0; c < there.columns.size(); ++c) {
          const std::string where = std::string(name) + ", row " + std::to_string(i) + ", " + there.columns[c].label;
          if (const auto* word = std::get_if<std::string>(&there.rows[i][c])) {
            const auto* its = std::get_if<std::string>(&here.rows[i][c]);
            QVERIFY2(its != nullptr && *its == *word, where.c_str());
            continue;
          }
          const double a = std::get<double>(here.rows[i][c]), b = std::get<double>(there.rows[i][c]);
          QVERIFY2((std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= 1e-9 * std::fabs(b), where.c_str());
        }
    }
  }

  // One whose trace is played beside one that is run history by history: each is what it is alone.
  void schedulers_of_both_sorts_keep_out_of_each_others_way() {
    const auto made = [](bool live, bool played) {
      DrawnRounds drawn("30000 s", {{"gpus", "8"},
                                    {"price", "1 USD/h"},
                                    {"failure", "exponential(mean = 5000 s)"},
                                    {"repair", "exponential(mean = 100 s)"}});
      for (const char* name : {"trace.tsv", "throughputs.csv"}) drawn.file(name, text_of_rounds(name));
      drawn.stream("users", {{"rate", "0.01 /s"}, {"size", "exponential(mean = 300 s)"}});
      const Value log = {{"name", "log"},
                         {"trace", "trace.tsv"},
                         {"throughputs", "throughputs.csv"},
                         {"gpus", "32"},
                         {"price", "2 USD/h"}};
      if (played) drawn.m.node(drawn.diagram, {}, "round_scheduler", log);
      if (live) drawn.mean_of("users", "grid.response_time");
      if (played) drawn.mean_of("traced", "log.response_time");
      return drawn.run(3);
    };
    const ResultSet both = made(true, true), live = made(true, false);
    DrawnRounds alone(
        "30000 s", {{"trace", "trace.tsv"}, {"throughputs", "throughputs.csv"}, {"gpus", "32"}, {"price", "2 USD/h"}});
    for (const char* name : {"trace.tsv", "throughputs.csv"}) alone.file(name, text_of_rounds(name));
    alone.mean_of("traced", "grid.response_time");
    const ResultSet played = alone.run(3);
    QCOMPARE(estimate(both, "users"), estimate(live, "users"));
    QCOMPARE(estimate(both, "traced"), estimate(played, "traced"));
    for (const char* name : {"jobs", "rounds", "gantt", "schedule", "spend"}) {
      const std::string of = name;
      QCOMPARE(table_named(both, of + "_grid").rows.size(), table_named(live, of).rows.size());
      QCOMPARE(table_named(both, of + "_log").rows.size(), table_named(played, of).rows.size());
    }
    for (const char* column : {"completion_s", "cost_usd", "gpu_time_s"})
      for (const auto& [of, wanted] : {std::pair("jobs_grid", &live), {"jobs_log", &played}}) {
        const auto a = column_of(table_named(both, of), column), b = column_of(table_named(*wanted, "jobs"), column);
        for (std::size_t i = 0; i < b.size(); ++i) QVERIFY((std::isnan(a[i]) && std::isnan(b[i])) || a[i] == b[i]);
      }
  }

  // Alternating renewal: up for 90 of 100 s. Idle GPUs of hosts that are down draw nothing.
  void availability_is_the_share_of_time_up() {
    DrawnRounds drawn("50000 s", {{"gpus", "38"},
                                  {"gpus_per_host", "4"},
                                  {"idle_power", "1 W"},
                                  {"round", "10 s"},
                                  {"restore", "0 s"},
                                  {"failure", "weibull(scale = 101.55 s, shape = 2)"},
                                  {"repair", "lognormal(mean = 10 s, sd = 5 s)"}});
    drawn.stream("users", {{"rate", "0.01 /s"}, {"size", "1 s"}});
    drawn.m.measure("up", "time_average", "grid.up / 10");
    drawn.m.measure("power", "time_average", "(grid.power + 0 W) / 1 W + grid.gpus");
    const ResultSet r = drawn.run(10);
    const double mean = 101.55 * std::tgamma(1.5), share = mean / (mean + 10);
    QVERIFY(std::fabs(estimate(r, "up") - share) < 0.002);
    QVERIFY(std::fabs(estimate(r, "power") / (38 * share) - 1) < 0.004);
  }

  // One job at a time on one of many hosts: each round of time C takes (e^(lambda C) - 1) / lambda until it is through.
  void a_job_takes_what_the_renewal_formula_says() {
    DrawnRounds drawn("2000000 s", {{"gpus", "64"},
                                    {"gpus_per_host", "1"},
                                    {"round", "30 s"},
                                    {"restore", "6 s"},
                                    {"reset_interval", "0 s"},
                                    {"failure", "exponential(mean = 60 s)"},
                                    {"repair", "exponential(mean = 2 s)"}});
    drawn.stream("users", {{"interarrival", "2000 s"}, {"size", "30 s"}});
    drawn.mean_of("response", "grid.response_time"), drawn.mean_of("restarts", "grid.job_restarts", "");
    const ResultSet r = drawn.run(5);
    // The first round of a job that is not the first of all: 30 s, of which 24 s are work (a restore), so that 6 s are
    // left for another one, which is short and needs none. Failures begin the round again with nothing saved.
    const double rate = 1.0 / 60, stretch = std::expm1(rate * 30) / rate;
    // The second of 6 s; after a failure in it it is as short, and ends early enough to need no restore.
    const double wanted = stretch + std::expm1(rate * 6) / rate;
    compare_inside(r, "response", wanted), compare_inside(r, "restarts", rate * wanted);
  }

  // All at once every 50 s for 10 s, by charts: by hand.
  void hosts_follow_charts() {
    DrawnRounds all("150 s", {{"gpus", "12"},
                              {"gpus_per_host", "2"},
                              {"round", "20 s"},
                              {"restore", "0 s"},
                              {"reset_interval", "0 s"},
                              {"up_while", "in(node[host].Up)"},
                              {"checkpoint_period", "6 s"}});
    all.draw_nodes(6, "after(50 s)", "after(10 s)");
    all.stream("users", {{"interarrival", "40 s"}, {"size", "30 s"}, {"gpus", "12"}, {"parallel", "0"}});
    all.mean_of("response", "grid.response_time");
    all.m.measure("left", "final_value", "grid.done"), all.m.measure("restarts", "final_value", "grid.restarts");
    all.m.measure("failures", "final_value", "grid.host_failures"), all.m.measure("up", "time_average", "grid.up");
    all.m.measure("lost", "final_value", "grid.lost_work", {{"unit", "s"}});
    QVERIFY2(all.found().empty(), listed(all.found()).c_str());
    const ResultSet r = all.run(1);
    // From 40 to 50 s 10 s, of which 6 are saved, and from 60 to 84 the rest. The second one from 84 s on: a round of
    // 20 s, and 6 s of the next, whose checkpoint is written when its hosts go; 4 s are left from 120 s on. The third
    // one begins at 124 s and is not done by the end.
    QCOMPARE(estimate(r, "left"), 2.0);
    const double second = 120 + 30 - 20 - 6;
    QVERIFY2(std::fabs(estimate(r, "response") - ((84.0 - 40) + (second - 80)) / 2) < 1e-5,
             qPrintable(QString::number(estimate(r, "response"), 'g', 12)));
    QCOMPARE(estimate(r, "restarts"), 2.0);
    QCOMPARE(estimate(r, "failures"), 12.0);
    QVERIFY(std::fabs(estimate(r, "lost") - 12 * 4.0) < 1e-3);
    QVERIFY(std::fabs(estimate(r, "up") - 6 * 130.0 / 150) < 1e-9);
  }

  // Binomial failure rate over 12 hosts: a job on two is stopped at 2 lambda + mu (1 - (1 - rho)^2), once for each
  // shock. Its 20 s are one short round.
  void a_shock_that_strikes_several_hosts_stops_a_job_once() {
    DrawnRounds drawn("200000 s", {{"gpus", "48"},
                                   {"gpus_per_host", "4"},
                                   {"round", "60 s"},
                                   {"reset_interval", "0 s"},
                                   {"up_while", "in(node[host].Up)"}});
    ChartBuilder chart(drawn.m, "Node");
    const ElementId up = chart.state("Up"), down = chart.state("Down");
    chart.initial(up), chart.transition(up, down, "rate(0.0025 /s)"), chart.transition(up, down, "ccf(power)");
    chart.transition(down, up, "after(5 s)");
    const ElementId nodes = drawn.m.component("node", "Node", "12");
    drawn.m.group("Power", "power", {{"model", "bfr"}, {"mu", "0.01 /s"}, {"rho", "0.3"}}, {nodes});
    drawn.stream("users", {{"interarrival", "250 s"}, {"size", "20 s"}, {"gpus", "8"}, {"parallel", "0"}});
    drawn.mean_of("response", "grid.response_time"), drawn.mean_of("restarts", "grid.job_restarts", "");
    const ResultSet r = drawn.run(20);
    const double rate = 2 * 0.0025 + 0.01 * (1 - 0.49), wanted = std::expm1(rate * 20) / rate;
    compare_inside(r, "restarts", rate * wanted);
    // A shock may leave too few hosts for a moment.
    const double seen = estimate(r, "response");
    QVERIFY2(seen > wanted * 0.98 && seen < wanted * 1.05, qPrintable(QString("%1 %2").arg(seen).arg(wanted)));
  }

  // No round has more GPUs than are up when it begins, whoever plans; all are done in the end, at one and two threads.
  void policies_see_the_gpus_that_are_up() {
    for (const char* policy : {"max_min", "mst", "gandiva_fair", "allox", "ossp", "themis", "shockwave"}) {
      DrawnRounds drawn("2e6 s", {{"trace", "trace.tsv"},
                                  {"throughputs", "throughputs.csv"},
                                  {"gpus", "32"},
                                  {"gpus_per_host", "4"},
                                  {"planning", "heuristic"},
                                  {"policy", policy},
                                  {"failure", "exponential(mean = 10000 s)"},
                                  {"repair", "exponential(mean = 3000 s)"}});
      for (const char* name : {"trace.tsv", "throughputs.csv"}) drawn.file(name, text_of_rounds(name));
      drawn.m.measure("done", "final_value", "grid.done"), drawn.m.measure("restarts", "final_value", "grid.restarts");
      drawn.mean_of("response", "grid.response_time");
      const ResultSet r = drawn.run(4, 1), two = drawn.run(4, 2);
      QCOMPARE(estimate(r, "done"), 120.0);
      QVERIFY(estimate(r, "restarts") > 5);
      for (const char* id : {"done", "restarts", "response"}) QCOMPARE(estimate(r, id), estimate(two, id));
      const ResultTable& rounds = table_named(r, "rounds");
      const auto from = column_of(rounds, "start_s"), gpus = column_of(rounds, "gpus");
      const auto changes = drawn_host_changes(drawn.hosts, 8, 10000, 3000, 2e6);
      std::size_t next = 0, full = 0;
      double up = 32;
      for (std::size_t i = 0; i < from.size(); ++i) {
        for (; next < changes.size() && changes[next].at <= from[i]; ++next) up += changes[next].up ? 4 : -4;
        QVERIFY2(gpus[i] <= up, policy);
        full += gpus[i] >= up - 8 && up < 32 ? 1 : 0;
      }
      // The widest jobs may not fit beside others.
      QVERIFY2(full > 20, qPrintable(QString("%1 %2 of %3").arg(policy).arg(full).arg(from.size())));
    }
  }

  void a_saved_moment_goes_on() {
    for (const char* policy : {"max_min", "allox", "themis", "shockwave"}) {
      DrawnRounds drawn("1000 s", {{"gpus", "9"},
                                   {"gpus_per_host", "2"},
                                   {"policy", policy},
                                   {"planning", "heuristic"},
                                   {"round", "1 s"},
                                   {"restore", "0.1 s"},
                                   {"reset_interval", "2 s"},
                                   {"failure", "exponential(mean = 40 s)"},
                                   {"repair", "exponential(mean = 3 s)"},
                                   {"checkpoint_period", "0.3 s"},
                                   {"checkpoint_cost", "0.02 s"}});
      drawn.stream("users",
                   {{"rate", "1 /s"}, {"size", "exponential(mean = 3 s)"}, {"gpus", "uniform(low = 0, high = 4)"}});
      compare_saved_moment(drawn.m.document());
    }
  }

  void what_is_wrong_is_told_data() {
    QTest::addColumn<QString>("scheduler");
    QTest::addColumn<QString>("codes");
    const auto add = [](const char* name, const char* scheduler, const char* codes) {
      QTest::newRow(name) << QString(scheduler) << QString(codes);
    };
    add("sound", R"j({"failure": "90 h", "up_while": "in(node[host].Up)"})j", "");
    add("law", R"j({"failure": "-1 h"})j", "RND002");
    add("repair", R"j({"failure": "1 h", "repair": "0 h"})j", "RND002");
    add("checkpoint", R"j({"checkpoint_period": "0 s"})j", "RND002");
    add("cost", R"j({"checkpoint_cost": "-1 s"})j", "RND002");
    add("per host", R"j({"gpus_per_host": "0.5"})j", "RND002");
    add("beyond the array", R"j({"up_while": "in(node[host].Up)", "gpus": "40"})j", "EXP002");
    add("never changes", R"j({"up_while": "host < 3"})j", "RND017");
    add("often", R"j({"failure": "exponential(mean = 20 s)", "round": "100 s"})j", "RND019");
  }
  void what_is_wrong_is_told() {
    QFETCH(QString, scheduler);
    QFETCH(QString, codes);
    DrawnRounds drawn("1000 s", Value::parse(scheduler.toStdString()));
    drawn.draw_nodes(4, "after(50 s)", "after(10 s)");
    drawn.stream("users", {{"interarrival", "1 h"}, {"size", "600 s"}});
    drawn.m.measure("done", "final_value", "grid.done");
    const Diagnostics found = drawn.found();
    QVERIFY2(test::codes(found) == codes.toStdString(), listed(found).c_str());
  }
};

QTEST_APPLESS_MAIN(TestRoundFailures)
#include "tst_round_failures.moc"
