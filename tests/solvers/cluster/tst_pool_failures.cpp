// Pools whose hosts fail: closed forms of one job on n hosts, every element in combination beside a plain loop over the
// same draws, charts and common causes, and what is wrong is told. Intervals are at 99.9 %.
#include <QtTest>
#include <cmath>
#include <map>
#include <random>

#include "core/des/lowering.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "solvers/cluster/model/host_failures.h"
#include "tests/solvers/cluster/drawn_hosts.h"
#include "tests/solvers/cluster/plain_pool.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::string seconds_text(double x) { return number_text(x, 17) + " s"; }

/// Measures of all that the plain loop knows.
void ask_all(DrawnPool& drawn) {
  drawn.mean_of("response", "pool.response_time"), drawn.mean_of("wait", "pool.wait");
  drawn.mean_of("lost_of_job", "pool.job_lost_work");
  drawn.m.measure("restarts_of_job", "observed_mean", "", {{"of", "pool.job_restarts"}});
  drawn.m.measure("up", "time_average", "pool.up"), drawn.m.measure("busy", "time_average", "pool.busy");
  drawn.m.measure("left", "final_value", "users.submitted - users.jobs - pool.rejected");
  for (const char* count : {"killed", "restarts"}) drawn.m.measure(count, "final_value", std::string("pool.") + count);
  drawn.m.measure("failures", "final_value", "pool.host_failures");
  drawn.m.measure("lost", "final_value", "pool.lost_work", {{"unit", "s"}});
  drawn.m.measure("used", "final_value", "pool.used_time", {{"unit", "s"}});
  drawn.m.measure("useful", "final_value", "pool.useful_work", {{"unit", "s"}});
}

/// The table of jobs adds up to what the plain loop says: jobs that left, waits of those who started, work that was
/// lost, hosts' time until the end of the run at 3600 USD/h, states.
void compare_table(const ResultSet& r, const PlainPoolMeans& wanted, double end_s, int trial) {
  const auto jobs = std::find_if(r.tables.begin(), r.tables.end(), [](const auto& one) { return one.name == "jobs"; });
  QVERIFY(jobs != r.tables.end());
  const auto column = [&](const char* name) {
    for (std::size_t i = 0; i < jobs->columns.size(); ++i)
      if (jobs->columns[i].label == name) return i;
    return jobs->columns.size();
  };
  const auto number = [&](const std::vector<ResultTable::Cell>& row, const char* name) {
    return std::get<double>(row[column(name)]);
  };
  double left = 0, response = 0, started = 0, wait = 0, killed = 0, restarts = 0, lost = 0, cost = 0;
  for (const auto& row : jobs->rows) {
    const std::string state = cell_text(row[column("state")]);
    const double done_s = number(row, "completion_s"), jct_s = number(row, "jct_s"), start_s = number(row, "start_s");
    QCOMPARE(std::isfinite(done_s), state == "completed" || state == "killed");
    QVERIFY(state != "rejected" || std::isnan(start_s));
    if (std::isfinite(done_s)) ++left, response += jct_s;
    if (std::isfinite(start_s)) ++started, wait += number(row, "wait_s");
    killed += state == "killed", restarts += number(row, "restarts");
    lost += number(row, "hosts") * number(row, "lost_work_s"), cost += number(row, "cost_usd");
  }
  const std::map<std::string, std::pair<double, double>> all = {{"left", {left, wanted.left}},
                                                                {"response", {response / left, wanted.response}},
                                                                {"wait", {wait / started, wanted.wait}},
                                                                {"killed", {killed, wanted.killed}},
                                                                {"restarts", {restarts, wanted.restarts}},
                                                                {"lost", {lost, wanted.lost}},
                                                                {"cost", {cost, wanted.busy * end_s}}};
  for (const auto& [id, values] : all)
    QVERIFY2(std::fabs(values.first - values.second) <= 1e-7 * (1 + std::fabs(values.second)),
             qPrintable(QString("trial %1, table, %2: %3, wanted %4")
                            .arg(trial)
                            .arg(id.c_str())
                            .arg(values.first, 0, 'g', 12)
                            .arg(values.second, 0, 'g', 12)));
}

}  // namespace

class TestPoolFailures : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(rental_lowering);
    register_lowering(batch_lowering);
  }

  // Alternating renewal: up for 90 of 100 s, whatever the laws.
  void availability_is_the_share_of_time_up() {
    DrawnPool drawn("50000 s", {{"hosts", "10"},
                                {"policy", "fifo"},
                                {"failure", "weibull(scale = 101.55 s, shape = 2)"},
                                {"repair", "lognormal(mean = 10 s, sd = 5 s)"}});
    drawn.stream("users", {{"rate", "0.01 /s"}, {"size", "1 s"}});
    drawn.m.measure("up", "steady_state_mean", "pool.up / 10");
    drawn.m.measure("failures", "final_value", "pool.host_failures");
    const ResultSet r = drawn.run(10);
    const double mean = 101.55 * std::tgamma(1.5);
    compare_inside(r, "up", mean / (mean + 10));
    QVERIFY(std::fabs(estimate(r, "failures") / (10 * 50000 / (mean + 10)) - 1) < 0.01);
  }

  // One job at a time on 4 of many hosts, one of which fails at 4 lambda: (e^(4 lambda (c + C)) - 1) / (4 lambda)
  // e^(4 lambda R) for each stretch (Daly, 2006); there is always another host.
  void a_job_on_n_hosts_takes_what_the_renewal_formula_says() {
    DrawnPool drawn("2000000 s", {{"hosts", "40"},
                                  {"policy", "fifo"},
                                  {"failure", "exponential(mean = 400 s)"},
                                  {"repair", "exponential(mean = 20 s)"},
                                  {"checkpoint_period", "30 s"},
                                  {"checkpoint_cost", "2 s"},
                                  {"restart", "5 s"}});
    drawn.stream("users", {{"interarrival", "1000 s"}, {"size", "100 s"}, {"hosts", "4"}});
    ask_all(drawn);
    const double rate = 4.0 / 400.0;
    const auto stretch = [&](double length) { return std::exp(rate * 5) * std::expm1(rate * length) / rate; };
    // Work begins at once: until the first failure there is no restart to come through.
    const double again = std::expm1(rate * 5) / rate;  // from a failure to work again
    const auto mean = [&](double s) { return std::expm1(rate * s) * (1 / rate + again); };
    const double wanted = 3 * mean(32) + mean(10);
    QVERIFY(std::fabs(mean(32) - stretch(32)) < 1e-9);
    const ResultSet r = drawn.run(10);
    compare_inside(r, "response", wanted);
    // Failures at 4 lambda all the time that it is there.
    compare_inside(r, "restarts_of_job", rate * wanted);
  }

  void an_attempt_is_what_its_steps_are() {
    std::mt19937 dice(3);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int trial = 0; trial < 5000; ++trial) {
      HostFailures rules;
      if (uniform(dice) < 0.8) rules.checkpoint_period_s = 0.1 + 2 * uniform(dice);
      rules.checkpoint_cost_s = uniform(dice) < 0.5 ? 0 : 0.3 * uniform(dice);
      rules.restart_s = uniform(dice) < 0.5 ? 0 : uniform(dice);
      const bool again = uniform(dice) < 0.5;
      // Some are whole numbers of periods.
      double work = 5 * uniform(dice);
      if (uniform(dice) < 0.3 && rules.checkpoints()) work = rules.checkpoint_period_s * std::ceil(3 * uniform(dice));
      const JobAttempt attempt = rules.attempt(work, again);
      const double at = 6 * uniform(dice);
      double t = again ? rules.restart_s : 0, done = 0, saved = 0;
      while (t < at && work - done > 1e-12) {
        const double whole = std::min(rules.checkpoint_period_s, work - done), step = std::min(whole, at - t);
        done += step, t += step;
        if (step < whole || work - done <= 1e-12) break;
        t += rules.checkpoint_cost_s;
        if (t <= at) saved = done;
      }
      QVERIFY2(std::fabs(attempt.done_s(at) - done) < 1e-9 && std::fabs(attempt.saved_s(at) - saved) < 1e-9,
               qPrintable(
                   QString("work %1, period %2, cost %3, restart %4, after %5: done %6, wanted %7; saved %8, wanted %9")
                       .arg(work)
                       .arg(rules.checkpoint_period_s)
                       .arg(rules.checkpoint_cost_s)
                       .arg(again ? rules.restart_s : 0)
                       .arg(at)
                       .arg(attempt.done_s(at))
                       .arg(done)
                       .arg(attempt.saved_s(at))
                       .arg(saved)));
      QVERIFY(attempt.done_s(attempt.time_s()) > work - 1e-9);
    }
  }

  void every_element_does_what_a_plain_loop_does() {
    std::mt19937 dice(11);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto between = [&](double low, double high) { return low + (high - low) * uniform(dice); };
    const char* const policies[] = {"fifo", "sjf", "easy", "conservative", "slurm"};
    double restarts = 0, killed = 0, lost = 0;
    for (int trial = 0; trial < 500; ++trial) {
      PlainPool plain;
      plain.policy = policies[trial % 5];
      const bool minutes = plain.policy == std::string("slurm");
      // Some minutes to an hour, where minutes matter.
      const double unit = minutes ? 200 : 1;
      plain.hosts = 1 + static_cast<int>(uniform(dice) * 9), plain.widest = 1 + static_cast<int>(uniform(dice) * 5);
      plain.size = between(0.5, 3);
      plain.rate = between(0.2, 0.9) * plain.hosts / (plain.size * (plain.widest + 1) / 2.0);
      plain.limit = plain.policy == std::string("fifo") && uniform(dice) < 0.5 ? 0 : between(3, 30);
      if (uniform(dice) < 0.85) plain.failure = between(5, 60), plain.repair = between(0.2, 6);
      if (uniform(dice) < 0.6) plain.period = between(0.2, 1.5);
      plain.cost = uniform(dice) < 0.5 ? 0 : between(0, 0.1), plain.restart = uniform(dice) < 0.5 ? 0 : between(0, 0.3);
      plain.front = uniform(dice) < 0.5;
      for (double* time :
           {&plain.size, &plain.limit, &plain.failure, &plain.repair, &plain.period, &plain.cost, &plain.restart})
        *time *= unit;
      plain.rate /= unit;
      Value v = {{"hosts", std::to_string(plain.hosts)},
                 {"policy", plain.policy},
                 {"checkpoint_cost", seconds_text(plain.cost)},
                 {"restart", seconds_text(plain.restart)},
                 {"requeue", plain.front ? "front" : "end"}};
      if (plain.failure > 0) {
        v["failure"] = "exponential(mean = " + seconds_text(plain.failure) + ")";
        v["repair"] = "exponential(mean = " + seconds_text(plain.repair) + ")";
      }
      if (std::isfinite(plain.period)) v["checkpoint_period"] = seconds_text(plain.period);
      if (minutes) {
        plain.size_weight = between(0, 200), plain.age_weight = between(0, 10000), plain.age = between(1e4, 1e6);
        plain.interval = 1 + static_cast<int>(uniform(dice) * 10),
        plain.slots = 1 + static_cast<int>(uniform(dice) * 60);
        plain.slot = between(30, 900);
        if (uniform(dice) < 0.3) plain.tested = 1 + static_cast<std::size_t>(uniform(dice) * 5);
        v["size_weight"] = number_text(plain.size_weight, 17), v["age_weight"] = number_text(plain.age_weight, 17);
        v["max_age"] = seconds_text(plain.age), v["plan_slot"] = seconds_text(plain.slot);
        v["plan_window"] = seconds_text(plain.slot * (plain.slots - 0.5));
        v["plan_interval"] = std::to_string(plain.interval) + " min", v["plan_jobs"] = std::to_string(plain.tested);
      }
      // The plain loop asks of every promise whether it fits, at each moment.
      const bool slow = plain.policy == std::string("conservative");
      const double end = slow ? 100 : 400 * unit;
      if (slow) plain.rate *= 0.7;
      v["price"] = "3600 USD/h";
      DrawnPool drawn(seconds_text(end), v);
      Value jobs = {{"rate", number_text(plain.rate, 17) + " /s"},
                    {"size", "exponential(mean = " + seconds_text(plain.size) + ")"},
                    {"hosts", "uniform(low = 0, high = " + std::to_string(plain.widest) + ")"}};
      if (plain.limit > 0) jobs["limit"] = "exponential(mean = " + seconds_text(plain.limit) + ")";
      plain.stream = drawn.stream("users", jobs), plain.pool = drawn.hosts;
      ask_all(drawn);
      const ResultSet r = drawn.run(1);
      const PlainPoolMeans wanted = PlainPoolLoop(plain, 1, end).run();
      if (wanted.left == 0) continue;
      const std::map<std::string, double> all = {{"response", wanted.response},
                                                 {"wait", wanted.wait},
                                                 {"lost_of_job", wanted.lost_of_job},
                                                 {"restarts_of_job", wanted.restarts_of_job},
                                                 {"up", wanted.up},
                                                 {"busy", wanted.busy},
                                                 {"left", wanted.left},
                                                 {"killed", wanted.killed},
                                                 {"failures", wanted.failures},
                                                 {"restarts", wanted.restarts},
                                                 {"lost", wanted.lost},
                                                 {"used", wanted.used},
                                                 {"useful", wanted.useful}};
      for (const auto& [id, value] : all)
        QVERIFY2(std::fabs(estimate(r, id) - value) <= 1e-7 * (1 + std::fabs(value)),
                 qPrintable(QString("trial %1, %2: %3, wanted %4\n%5\n%6")
                                .arg(trial)
                                .arg(id.c_str())
                                .arg(estimate(r, id), 0, 'g', 12)
                                .arg(value, 0, 'g', 12)
                                .arg(v.dump().c_str(), jobs.dump().c_str())));
      compare_table(r, wanted, end, trial);
      if (QTest::currentTestFailed()) return;
      restarts += wanted.restarts, killed += wanted.killed, lost += wanted.lost;
    }
    QVERIFY(restarts > 5000 && killed > 1000 && lost > 1000);
  }

  // All jobs alike: nobody can pass, and all three do what fifo does, host by host.
  void alike_jobs_are_scheduled_alike() {
    std::vector<double> seen[3];
    const char* const policies[] = {"fifo", "easy", "conservative"};
    for (int policy = 0; policy < 3; ++policy)
      for (const char* requeue : {"front", "end"}) {
        DrawnPool drawn("3000 s", {{"hosts", "6"},
                                   {"policy", policies[policy]},
                                   {"failure", "exponential(mean = 20 s)"},
                                   {"repair", "exponential(mean = 4 s)"},
                                   {"checkpoint_period", "0.5 s"},
                                   {"requeue", requeue}});
        drawn.stream("users", {{"rate", "1.1 /s"}, {"size", "2 s"}, {"hosts", "2"}, {"limit", "2 s"}});
        ask_all(drawn);
        const ResultSet r = drawn.run(1);
        for (const char* id : {"response", "wait", "restarts", "lost", "left"}) seen[policy].push_back(estimate(r, id));
        QVERIFY(estimate(r, "restarts") > 200);
      }
    QVERIFY(seen[0] == seen[1]);
    QVERIFY(seen[0] == seen[2]);
  }

  // Jobs of many widths under conservative: whoever wants more than is up waits for repairs, everybody comes at last.
  void conservative_promises_anew() {
    DrawnPool drawn("20000 s", {{"hosts", "8"},
                                {"policy", "conservative"},
                                {"failure", "exponential(mean = 100 s)"},
                                {"repair", "exponential(mean = 10 s)"},
                                {"checkpoint_period", "1 s"}});
    drawn.stream("users", {{"rate", "0.3 /s"},
                           {"size", "exponential(mean = 3 s)"},
                           {"hosts", "uniform(low = 0, high = 8)"},
                           {"limit", "20 s"}});
    ask_all(drawn);
    drawn.m.measure("waiting", "time_average", "pool.waiting");
    const ResultSet r = drawn.run(4);
    QVERIFY(estimate(r, "left") > 0.99 * 0.3 * 20000 - 300 && estimate(r, "waiting") < 20);
    compare_inside(r, "up", 8 / 1.1);
  }

  // Charts, one for each host, as good as the pool's own laws; and a shock that takes them all.
  void hosts_follow_charts_and_common_causes() {
    DrawnPool drawn("100000 s", {{"hosts", "6"}, {"policy", "fifo"}, {"up_while", "in(node[host].Up)"}});
    drawn.draw_nodes(6, "after(exponential(mean = 80 s))", "after(exponential(mean = 20 s))");
    drawn.stream("users", {{"interarrival", "200 s"}, {"size", "10 s"}});
    ask_all(drawn);
    QVERIFY2(drawn.found().empty(), listed(drawn.found()).c_str());
    const ResultSet r = drawn.run(10);
    compare_inside(r, "up", 6 * 0.8);
    // A job on one of six begins again; hardly ever all are down (0.2^6, for 20 / 6 s): what it waits is below 0.001 s.
    QVERIFY(std::fabs(estimate(r, "response") - std::expm1(10.0 / 80) * 80) < 0.06);

    // All at once every 50 s for 10 s: a job of 30 s on all hosts, that came at 40 s, is saved every 6 s and is there
    // for 10, 40 of the seconds: at 50 s it has done 10 and saved 6, waits until 60, and has 24 s to go.
    DrawnPool all(
        "150 s", {{"hosts", "6"}, {"policy", "fifo"}, {"up_while", "in(node[host].Up)"}, {"checkpoint_period", "6 s"}});
    all.draw_nodes(6, "after(50 s)", "after(10 s)");
    all.stream("users", {{"interarrival", "40 s"}, {"size", "30 s"}, {"hosts", "6"}});
    ask_all(all);
    const ResultSet one = all.run(1);
    // At 84 s it is done; the next one, come at 80 s, works from 84 to 110 s (24 s saved), from 120 to 126 s; the third
    // from 126 to 150 s.
    QCOMPARE(estimate(one, "left"), 2.0);
    QVERIFY(std::fabs(estimate(one, "response") - ((84.0 - 40) + (126 - 80)) / 2) < 1e-9);
    QCOMPARE(estimate(one, "restarts"), 2.0);
    QCOMPARE(estimate(one, "failures"), 12.0);
    QVERIFY(std::fabs(estimate(one, "lost") - 6 * (4 + 2)) < 1e-6);
    QVERIFY(std::fabs(estimate(one, "up") - 6 * 130.0 / 150) < 1e-9);
  }

  // Binomial failure rate model over 12 hosts: a job on two of them is stopped at 2 lambda + mu (1 - (1 - rho)^2), once
  // for each shock however many it strikes, and there are always others: (e^(L x) - 1) / L.
  void a_shock_that_strikes_several_hosts_stops_a_job_once() {
    DrawnPool drawn("200000 s", {{"hosts", "12"}, {"policy", "easy"}, {"up_while", "in(node[host].Up)"}});
    ChartBuilder chart(drawn.m, "Node");
    const ElementId up = chart.state("Up"), down = chart.state("Down");
    chart.initial(up), chart.transition(up, down, "rate(0.0025 /s)"), chart.transition(up, down, "ccf(power)");
    chart.transition(down, up, "after(5 s)");
    const ElementId nodes = drawn.m.component("node", "Node", "12");
    drawn.m.group("Power", "power", {{"model", "bfr"}, {"mu", "0.01 /s"}, {"rho", "0.3"}}, {nodes});
    drawn.stream("users", {{"interarrival", "150 s"}, {"size", "20 s"}, {"hosts", "2"}, {"limit", "20 s"}});
    ask_all(drawn);
    for (const Diagnostic& one : drawn.found()) QVERIFY2(one.severity != Severity::error, one.message.c_str());
    const ResultSet r = drawn.run(20);
    const double rate = 2 * 0.0025 + 0.01 * (1 - 0.49), wanted = std::expm1(rate * 20) / rate;
    compare_inside(r, "response", wanted), compare_inside(r, "restarts_of_job", rate * wanted);
    compare_inside(r, "up", 12 / (1 + (0.0025 + 0.003) * 5));
  }

  void a_saved_moment_of_failing_hosts_goes_on() {
    for (const char* policy : {"fifo", "sjf", "easy", "conservative"}) {
      DrawnPool drawn("1000 s", {{"hosts", "5"},
                                 {"policy", policy},
                                 {"failure", "exponential(mean = 20 s)"},
                                 {"repair", "exponential(mean = 3 s)"},
                                 {"checkpoint_period", "0.5 s"},
                                 {"checkpoint_cost", "0.05 s"},
                                 {"restart", "0.1 s"}});
      drawn.stream("users", {{"rate", "1 /s"},
                             {"size", "exponential(mean = 1.5 s)"},
                             {"hosts", "uniform(low = 0, high = 3)"},
                             {"limit", "exponential(mean = 8 s)"}});
      compare_saved_moment(drawn.m.document());
    }
  }

  // 8 hosts that fail every 100 s: without checkpoints a job of 60 s takes (e^4.8 - 1) / 0.08 s = 1506 s.
  void restarts_that_pile_up_are_told() {
    for (const bool saves : {false, true}) {
      DrawnPool drawn("1000 s", {{"hosts", "40"},
                                 {"policy", "fifo"},
                                 {"failure", "exponential(mean = 100 s)"},
                                 {"checkpoint_period", saves ? "5 s" : ""}});
      drawn.stream("users", {{"interarrival", "100 s"}, {"size", "60 s"}, {"hosts", "8"}});
      drawn.m.measure("present", "time_average", "pool.jobs");
      const Diagnostics found = drawn.found();
      QCOMPARE(codes(found), std::string(saves ? "" : "BAT014"));
      if (!saves)
        QVERIFY2(found[0].message.find(number_text(std::expm1(4.8) / 0.08 / 3600, 4) + " h") != std::string::npos,
                 found[0].message.c_str());
    }
  }

  void what_is_wrong_with_failures_is_told_data() {
    QTest::addColumn<QString>("pool");
    QTest::addColumn<QString>("codes");
    const auto add = [](const char* name, const char* pool, const char* codes) {
      QTest::newRow(name) << QString(pool) << QString(codes);
    };
    add("sound", R"j({"failure": "90 h", "up_while": "in(node[host].Up)"})j", "");
    add("law", R"j({"failure": "-1 h"})j", "BAT002");
    add("repair", R"j({"failure": "1 h", "repair": "0 h"})j", "BAT002");
    add("unit", R"j({"failure": "1 USD"})j", "EXP004");
    add("checkpoint", R"j({"checkpoint_period": "0 s"})j", "BAT002");
    add("cost", R"j({"checkpoint_cost": "-1 s"})j", "BAT002");
    add("restart", R"j({"restart": "-1 s"})j", "BAT002");
    add("requeue", R"j({"requeue": "middle"})j", "DOC002");
    add("beyond the array", R"j({"up_while": "in(node[host].Up)", "hosts": "5"})j", "EXP002");
    add("no such state", R"j({"up_while": "in(node[host].Asleep)"})j", "EXP002");
    add("never changes", R"j({"up_while": "host < 3"})j", "BAT013");
    add("no condition", R"j({"up_while": "host"})j", "EXP003");
    add("minutes", R"j({"policy": "slurm", "failure": "90 h"})j", "");
    add("minutes and checkpoints", R"j({"policy": "slurm", "checkpoint_period": "1 h"})j", "");
  }
  void what_is_wrong_with_failures_is_told() {
    QFETCH(QString, pool);
    QFETCH(QString, codes);
    Value v = Value::parse(pool.toStdString());
    if (!v.contains("hosts")) v["hosts"] = "4";
    if (!v.contains("policy")) v["policy"] = "fifo";
    DrawnPool drawn("1000 s", v);
    drawn.draw_nodes(4, "after(50 s)", "after(10 s)");
    drawn.file("jobs.swf", "1 0 0 5 1 -1 -1 1 60 -1 -1 -1 -1 -1 -1 -1 -1 -1\n");
    drawn.stream("users", {{"trace", "jobs.swf"}});
    drawn.m.measure("present", "time_average", "pool.jobs");
    const Diagnostics found = drawn.found();
    QVERIFY2(ergode::test::codes(found) == codes.toStdString(), listed(found).c_str());
  }
};

QTEST_GUILESS_MAIN(TestPoolFailures)
#include "tst_pool_failures.moc"
