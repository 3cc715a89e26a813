// GPUs by contract: closed forms of interrupted jobs, of what is reserved and of budgets in money, and every element in
// combination beside a plain loop over the same draws. Intervals are at 99.9 %.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "core/des/lowering.h"
#include "solvers/cluster/budget/interrupted_widths.h"
#include "solvers/cluster/budget/interruptions.h"
#include "solvers/cluster/budget/money_budget.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "tests/solvers/cluster/drawn_rental.h"
#include "tests/solvers/cluster/plain_contracts.h"
#include "tests/solvers/queueing/saved_moment.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::string hours_text(double x) { return number_text(x, 17) + " h"; }
std::string rate_text(double x) { return number_text(x, 17) + " /h"; }

/// A rental on which every job has the most GPUs that its type can use.
DrawnRental drawn_contract(const std::string& horizon, const std::string& contract, Value more) {
  more["contract"] = contract, more["policy"] = "equal_width", more["budget"] = "1e6";
  DrawnRental out(horizon, std::move(more));
  out.mean_of("time", "cloud.response_time"), out.mean_of("gpu_time", "cloud.gpu_time");
  out.mean_of("lost", "cloud.job_lost_work");
  out.m.measure("interrupted", "observed_mean", "", {{"of", "cloud.job_interruptions"}});
  out.m.measure("cost", "observed_mean", "", {{"of", "cloud.cost"}, {"unit", "USD"}});
  out.mean("gpus", "cloud.gpus");
  out.m.measure("spend", "time_average", "cloud.spend", {{"unit", "USD/h"}});
  return out;
}

Value of_width(double gpus, double exponent) {
  return {{"speedup", "power"}, {"exponent", number_text(exponent, 17)}, {"most_gpus", number_text(gpus, 17)}};
}

/// From a taking to work again: waits, then must start up and restart without another (rate at which it is called
/// back).
double time_to_work(double rate, double wait, double again) {
  return wait + std::expm1(rate * again) * (1 / rate + wait);
}

/// Sum of (k - reserved)+ over the Poisson numbers of two sorts of jobs.
double excess_by_hand(double wide, double many, double wide_2, double many_2, double reserved) {
  double out = 0;
  for (int a = 0; a < 120; ++a)
    for (int b = 0; b < 120; ++b)
      out += std::max(0.0, a * wide + b * wide_2 - reserved) *
             std::exp(a * std::log(many) - many - std::lgamma(a + 1.0) + b * std::log(many_2) - many_2 -
                      std::lgamma(b + 1.0));
  return out;
}

}  // namespace

class TestRentalContracts : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(rental_lowering); }

  // (e^(lambda (c + C)) - 1) (1 / lambda + R) for each stretch of work c with its checkpoint C (Young, 1974; Daly,
  // 2006): 8 h of work on 4 GPUs at twice the speed, called back at 4 x 0.05 /h.
  void spot_jobs_take_what_the_renewal_formula_says() {
    const double rate = 0.2, again = 0.02 + 0.1, wait = 0.3, d = time_to_work(rate, wait, again);
    const auto stretch = [&](double length) { return std::expm1(rate * length) * (1 / rate + d); };
    const auto seen_from_start = [&](double start) { return -std::expm1(-rate * start) * (1 / rate + d); };
    const double wanted = seen_from_start(0.02) + 5 * stretch(0.75) + stretch(0.5);
    DrawnRental drawn = drawn_contract("20000 h", "spot",
                                       {{"interruption_rate", "0.05 /h"},
                                        {"spot_start_up", "0.02 h"},
                                        {"restart", "0.1 h"},
                                        {"spot_wait", "exponential(mean = 0.3 h)"},
                                        {"checkpoint_period", "0.7 h"},
                                        {"checkpoint_cost", "0.05 h"},
                                        {"spot_price", "2 USD/h"}});
    drawn.stream("jobs", "0.5 /h", "8 h", of_width(4, 0.5));
    const ResultSet r = drawn.run(10);
    compare_inside(r, "time", wanted);
    // Whoever holds GPUs for h is called back rate h times on average, and waits once for each.
    const double held = wanted / (1 + rate * wait);
    compare_inside(r, "gpu_time", 4 * held), compare_inside(r, "interrupted", rate * held);
    compare_inside(r, "cost", 2 * 4 * held), compare_inside(r, "spend", 0.5 * 2 * 4 * held);
    const InterruptedMeans means = interrupted_means(4, {.rate = rate,
                                                         .start_up = 0.02,
                                                         .restart = 0.1,
                                                         .wait = 0.3,
                                                         .checkpoint_period = 0.7,
                                                         .checkpoint_cost = 0.05});
    QVERIFY(std::fabs(means.time - wanted) < 1e-12 && std::fabs(means.held - held) < 1e-12);
  }

  // A notice that a checkpoint fills: nothing is lost, and each of a Poisson number of calls costs the notice and what
  // it takes to work again.
  void a_notice_saves_what_was_done() {
    const double rate = 0.15, notice = 0.1, wait = 0.25, again = 0.2;
    const double d = wait + std::expm1(rate * again) * (1 / rate + notice + wait);
    DrawnRental drawn = drawn_contract("20000 h", "spot",
                                       {{"interruption_rate", "0.15 /h"},
                                        {"interruption_per", "job"},
                                        {"restart", "0.2 h"},
                                        {"spot_wait", "0.25 h"},
                                        {"notice", "0.1 h"},
                                        {"checkpoint_cost", "0.1 h"}});
    drawn.stream("jobs", "0.5 /h", "6 h", of_width(4, 0.5));
    const ResultSet r = drawn.run(10);
    compare_inside(r, "time", 3 + 3 * rate * (notice + d));
    QCOMPARE(estimate(r, "lost"), 0.0);
    const InterruptedMeans means = interrupted_means(
        3, {.rate = rate, .restart = again, .wait = wait, .checkpoint_cost = notice, .notice = notice});
    QVERIFY(std::fabs(means.time - (3 + 3 * rate * (notice + d))) < 1e-12);
  }

  // M/G/infinity: numbers present are Poisson, so that what is paid beyond the reserved GPUs is a sum by hand.
  void reserved_gpus_are_used_first() {
    DrawnRental drawn = drawn_contract("20000 h", "reserved",
                                       {{"reserved", "18"}, {"reserved_price", "1 USD/h"}, {"price", "3 USD/h"}});
    // 4 GPUs for an hour, 9 for three.
    drawn.stream("small", "2 /h", "uniform(low = 0 h, high = 4 h)", of_width(4, 0.5));
    drawn.stream("large", "0.5 /h", "lognormal(mean = 9 h, sd = 12 h)", of_width(9, 0.5));
    drawn.mean("beyond", "cloud.on_demand"), drawn.mean("reserved", "cloud.reserved");
    const ResultSet r = drawn.run(20);
    const double beyond = excess_by_hand(4, 2, 9, 1.5, 18);
    compare_inside(r, "beyond", beyond), compare_inside(r, "reserved", 4 * 2 + 9 * 1.5 - beyond);
    compare_inside(r, "spend", 18 + 3 * beyond);
    const std::vector<HeldGpus> held = {{4, 2}, {9, 1.5}};
    QVERIFY(std::fabs(mean_excess(held, 18) - beyond) < 1e-12);
    // No whole number: spread over a grid.
    QVERIFY(std::fabs(mean_excess(std::vector<HeldGpus>{{2.3, 2}, {5.1, 1.5}}, 9.7) -
                      excess_by_hand(2.3, 2, 5.1, 1.5, 9.7)) < 1e-4);
    // Very many jobs: the normal law.
    QVERIFY(std::fabs(mean_excess(std::vector<HeldGpus>{{1, 599}}, 600) -
                      mean_excess(std::vector<HeldGpus>{{1, 601}}, 602)) < 0.02);
  }

  // Spot jobs keep what they got: who finds all reserved GPUs in use overflows (Erlang, 1917).
  void who_finds_no_reserved_gpu_is_on_spot() {
    DrawnRental drawn = drawn_contract("20000 h", "reserved_spot", {{"reserved", "6"}, {"spot_price", "1 USD/h"}});
    drawn.stream("jobs", "5 /h", "1 h", of_width(1, 0.5));
    drawn.mean("spot", "cloud.spot");
    double blocked = 1;
    for (int n = 1; n <= 6; ++n) blocked = 5 * blocked / (n + 5 * blocked);
    const ResultSet r = drawn.run(20);
    compare_inside(r, "spot", 5 * blocked), compare_inside(r, "spend", 5 * blocked);
  }

  // Deterministic time to a call: a job that needs longer than that without checkpoints is never done, and with them as
  // often as it takes.
  void laws_of_interruptions_hold() {
    DrawnRental drawn = drawn_contract("3000 h", "spot",
                                       {{"interruption_after", "2 h"},
                                        {"interruption_per", "job"},
                                        {"spot_wait", "0.5 h"},
                                        {"checkpoint_period", "0.75 h"}});
    drawn.stream("jobs", "0.5 /h", "4 h", of_width(1, 0.5));
    const ResultSet r = drawn.run(1);
    // 1.5 of 2 hours are saved each time: 2 h and the wait, twice, then one hour.
    compare_near(r, "time", 2.5 + 2.5 + 1, 1e-9), compare_near(r, "lost", 1, 1e-9),
        compare_near(r, "interrupted", 2, 1e-9);
  }

  // The market is tight half of the time: twice the rate on average, because jobs are short beside its changes.
  void a_rate_of_interruptions_may_follow_a_chart() {
    DrawnRental drawn = drawn_contract("4000 h", "spot", {{"interruption_rate", "if(in(market.Tight), 4 /h, 0 /h)"}});
    drawn.stream("jobs", "20 /h", "0.01 h", of_width(1, 0.5));
    ChartBuilder chart(drawn.m, "Market");
    const ElementId easy = chart.state("Easy"), tight = chart.state("Tight");
    chart.initial(easy), chart.transition(easy, tight, "after(5 h)"), chart.transition(tight, easy, "after(5 h)");
    drawn.m.component("market", "Market");
    drawn.m.measure("interruptions", "final_value", "cloud.interruptions");
    QCOMPARE(drawn.problems(), std::string());
    const ResultSet r = drawn.run(20);
    // Begins anew at each: held is (e^(4 x) - 1) / 4 in tight times, and 4 calls an hour of it.
    const double tight_held = std::expm1(4 * 0.01) / 4;
    compare_near(r, "interruptions", 20 * 2000 * 4 * tight_held, 0.01);
  }

  // Random settings with all of it at once: contracts, widths, start-ups, calls by rate and by law, by GPU and by job,
  // notice, waits, failures, checkpoints, restarts.
  void every_element_does_what_a_plain_loop_does() {
    std::mt19937 dice(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto between = [&](double low, double high) { return low + (high - low) * uniform(dice); };
    const auto maybe = [&](double p, double value) { return uniform(dice) < p ? value : 0.0; };
    double interruptions = 0, failures = 0, reserved = 0, lost = 0;
    for (int trial = 0; trial < 400; ++trial) {
      PlainRental plain;
      const int contract = static_cast<int>(uniform(dice) * 4);
      plain.spot = contract == 1 || contract == 3, plain.reserves = contract >= 2;
      const char* const words[] = {"on_demand", "spot", "reserved", "reserved_spot"};
      const std::string price = plain.spot ? "spot_price" : "price", start = plain.spot ? "spot_start_up" : "start_up";
      plain.price = between(0.5, 3), plain.start_up = maybe(0.5, between(0, 0.3));
      Value v = {{price, number_text(plain.price, 17) + " USD/h"}, {start, hours_text(plain.start_up)}};
      if (plain.reserves) {
        plain.reserved = std::floor(between(0, 20)), plain.reserved_price = between(0.1, 1);
        plain.reserved_start_up = maybe(0.5, between(0, 0.2));
        v["reserved"] = number_text(plain.reserved, 17), v["reserved_start_up"] = hours_text(plain.reserved_start_up);
        v["reserved_price"] = number_text(plain.reserved_price, 17) + " USD/h";
      }
      if (uniform(dice) < 0.6) plain.period = between(0.2, 1), v["checkpoint_period"] = hours_text(plain.period);
      plain.cost = maybe(0.6, between(0, 0.1)), plain.restart = maybe(0.5, between(0, 0.2));
      plain.failures = maybe(0.4, between(0.01, 0.1));
      v["checkpoint_cost"] = hours_text(plain.cost), v["restart"] = hours_text(plain.restart);
      v["failure_rate"] = rate_text(plain.failures);
      if (plain.spot) {
        plain.per_gpu = uniform(dice) < 0.5, v["interruption_per"] = plain.per_gpu ? "gpu" : "job";
        if (uniform(dice) < 0.6) plain.rate = between(0, 0.4), v["interruption_rate"] = rate_text(plain.rate);
        else {
          plain.after = between(1, 6), plain.per_gpu = true, v["interruption_per"] = "gpu";
          v["interruption_after"] = "weibull(scale = " + hours_text(plain.after) + ", shape = 2)";
        }
        plain.notice = maybe(0.6, between(0.01, 0.15)), v["notice"] = hours_text(plain.notice);
        plain.wait = maybe(0.7, between(0.05, 0.5));
        v["spot_wait"] = plain.wait > 0 ? "exponential(mean = " + hours_text(plain.wait) + ")" : "0 h";
      }
      DrawnRental drawn = drawn_contract("200 h", words[contract], v);
      for (int s = 0, many = 1 + static_cast<int>(uniform(dice) * 2); s < many; ++s) {
        PlainRental::Stream stream;
        stream.rate = between(0.3, 1.5), stream.size = between(0.3, 3), stream.width = std::floor(between(1, 6));
        stream.start_up = maybe(0.4, between(0, 0.2)), stream.speed = std::sqrt(stream.width);
        Value more = of_width(stream.width, 0.5);
        more["start_up"] = hours_text(stream.start_up);
        stream.element = drawn.stream("s" + std::to_string(s), rate_text(stream.rate),
                                      "exponential(mean = " + hours_text(stream.size) + ")", more);
        plain.streams.push_back(stream);
      }
      drawn.m.measure("all_lost", "final_value", "cloud.lost_work", {{"unit", "h"}});
      drawn.m.measure("taken", "final_value", "cloud.interruptions");
      drawn.m.measure("failed", "final_value", "cloud.failures");
      // Checkpoints that nobody needs are not written.
      if (std::isinf(plain.period) && !(plain.spot && plain.notice > 0)) plain.cost = 0;
      const ResultSet r = drawn.run(1);
      const PlainSpend wanted = PlainLoop(plain, 1, 200).run();
      const std::map<std::string, double> all = {{"time", wanted.response},       {"cost", wanted.cost},
                                                 {"gpus", wanted.gpus},           {"spend", wanted.spend},
                                                 {"lost", wanted.lost_of_done},   {"all_lost", wanted.lost},
                                                 {"taken", wanted.interruptions}, {"failed", wanted.failures}};
      for (const auto& [id, value] : all)
        QVERIFY2(std::fabs(estimate(r, id) - value) <= 1e-7 * (1 + std::fabs(value)),
                 qPrintable(QString("trial %1 (%2), %3: %4, wanted %5\n%6")
                                .arg(trial)
                                .arg(words[contract], id.c_str())
                                .arg(estimate(r, id), 0, 'g', 12)
                                .arg(value, 0, 'g', 12)
                                .arg(v.dump().c_str())));
      interruptions += wanted.interruptions, failures += wanted.failures, lost += wanted.lost;
      reserved += plain.reserves ? 1 : 0;
    }
    QVERIFY(interruptions > 10000 && failures > 2000 && lost > 1000 && reserved > 100);
  }

  // Money buys what the run then spends: on demand, on spot GPUs that are called back, and with reserved ones.
  void a_budget_in_money_is_spent() {
    for (const char* contract : {"on_demand", "spot", "reserved"}) {
      DrawnRental drawn("40000 h", {{"contract", contract},
                                    {"money", "20 USD/h"},
                                    {"price", "2 USD/h"},
                                    {"start_up", "0.05 h"},
                                    {"spot_price", "0.8 USD/h"},
                                    {"spot_start_up", "0.05 h"},
                                    {"reserved", "8"},
                                    {"reserved_price", "1.2 USD/h"},
                                    {"reserved_start_up", "0.05 h"},
                                    {"interruption_rate", "0.02 /h"},
                                    {"spot_wait", "0.2 h"},
                                    {"checkpoint_period", "0.5 h"},
                                    {"checkpoint_cost", "0.01 h"},
                                    {"restart", "0.05 h"},
                                    {"whole_gpus", "true"}});
      drawn.stream("small", "2 /h", "exponential(mean = 1 h)", {{"speedup", "amdahl"}, {"parallel", "0.9"}});
      drawn.stream("large", "0.5 /h", "exponential(mean = 8 h)", {{"speedup", "power"}, {"exponent", "0.7"}});
      drawn.m.measure("spend", "steady_state_mean", "cloud.spend", {{"unit", "USD/h"}});
      const ResultSet r = drawn.run(8);
      compare_inside(r, "spend", 20);
    }
  }

  // No pair of widths that costs no more is faster, and none can be by more than what the multiplier says of it (weak
  // duality): min over widths of jobs + nu (cost - budget).
  void interrupted_widths_are_the_best() {
    const std::vector<double> rates = {2, 0.5}, sizes = {1, 8}, exponents = {0.8, 0.5};
    const auto means = [&](std::size_t type, double gpus) {
      return interrupted_means(sizes[type] / std::pow(gpus, exponents[type]), {.rate = 0.03 * gpus,
                                                                               .start_up = 0.05,
                                                                               .restart = 0.1,
                                                                               .wait = 0.3,
                                                                               .checkpoint_period = 0.5,
                                                                               .checkpoint_cost = 0.02});
    };
    std::vector<std::vector<WidthCorner>> corners;
    const Speedup any = std::get<Speedup>(Speedup::of(Speedup::Family::power, 0.5));
    const std::vector<double> tried = widths_to_try(any, true);
    for (std::size_t t : {0U, 1U})
      corners.push_back(worthwhile_widths(rates[t], tried, [&](double gpus) { return means(t, gpus); }));
    const auto cost = [&](std::size_t t, double gpus) { return rates[t] * gpus * means(t, gpus).held; };
    const auto jobs = [&](std::size_t t, double gpus) { return rates[t] * means(t, gpus).time; };
    for (double budget : {7.5, 10.0, 14.0, 19.0, 1000.0}) {
      const WidthPlan plan = std::get<WidthPlan>(interrupted_widths(corners, budget));
      double plan_cost = 0, plan_jobs = 0;
      for (std::size_t t : {0U, 1U})
        for (const auto& [gpus, share] :
             {std::pair(plan.widths[t].gpus, 1 - plan.widths[t].share), {plan.widths[t].other, plan.widths[t].share}})
          plan_cost += share * cost(t, gpus), plan_jobs += share * jobs(t, gpus);
      QVERIFY(plan_cost <= budget * (1 + 1e-9));
      double dual = -plan.multiplier * budget;
      for (std::size_t t : {0U, 1U}) {
        double least = INFINITY;
        for (const double k : tried)
          if (k < 200) least = std::min(least, jobs(t, k) + plan.multiplier * cost(t, k));
        dual += least;
      }
      QVERIFY2(std::fabs(plan_jobs - dual) < 1e-9 * plan_jobs,
               qPrintable(QString("%1: %2, bound %3").arg(budget).arg(plan_jobs, 0, 'g', 12).arg(dual, 0, 'g', 12)));
    }
    QVERIFY(std::holds_alternative<std::string>(interrupted_widths(corners, 3)));
  }

  void the_table_of_spend_adds_up() {
    DrawnRental drawn = drawn_contract(
        "100 h", "reserved_spot",
        {{"reserved", "3"}, {"reserved_price", "1 USD/h"}, {"spot_price", "2 USD/h"}, {"interruption_rate", "0.1 /h"}});
    drawn.stream("jobs", "1 /h", "exponential(mean = 2 h)", of_width(2, 0.5));
    const auto table_of = [](const ResultSet& r) {
      for (const ResultTable& one : r.tables)
        if (one.name == "spend") return one;
      throw std::runtime_error("no table");
    };
    const auto number = [](const ResultTable::Cell& cell) { return std::get<double>(cell); };
    const ResultSet r = drawn.run(1);
    const ResultTable table = table_of(r);
    double cost = 0;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const auto& row = table.rows[i];
      if (i > 0) cost += number(table.rows[i - 1][4]) * (number(row[0]) - number(table.rows[i - 1][0]));
      QVERIFY(std::fabs(number(row[5]) - cost) < 1e-6 * (1 + cost));
      QVERIFY(std::fabs(number(row[4]) - (3 * 1 + 2 * number(row[2]))) < 1e-9);
      QVERIFY(number(row[3]) <= 3 && number(row[1]) == 0);
      QVERIFY(std::fabs(number(row[6]) - 1e6 * 2 * number(row[0])) <= 1e-6 * number(row[6]));
    }
    QCOMPARE(number(table.rows.back()[0]), 100.0);
    compare_near(r, "spend", cost / 100, 1e-9);
    // Who only pays by the hour and counts GPUs has none.
    DrawnRental plain = drawn_contract("300 h", "on_demand", {{"price", "2 USD/h"}});
    plain.stream("jobs", "1 /h", "exponential(mean = 2 h)", of_width(2, 0.5));
    for (const ResultTable& one : plain.run(1).tables) QVERIFY(one.name != "spend");
    // Of a long history some moments, and all costs.
    DrawnRental longer = drawn_contract("20000 h", "reserved", {{"price", "2 USD/h"}});
    longer.stream("jobs", "1 /h", "exponential(mean = 2 h)", of_width(2, 0.5));
    const ResultSet far = longer.run(1);
    const ResultTable thin = table_of(far);
    QVERIFY(thin.rows.size() > 200 && thin.rows.size() <= 502);
    const auto& end = thin.rows.back();
    QCOMPARE(number(end[0]), 20000.0);
    compare_near(far, "spend", number(end[5]) / 20000, 1e-9);
  }

  // Oracles: rows are GPU time at their price and come to what was spent over time; means of GPUs by tariff.
  void the_bill_adds_up_data() {
    QTest::addColumn<QString>("contract");
    QTest::addColumn<int>("rows");
    QTest::newRow("on demand") << "on_demand" << 2;
    QTest::newRow("spot") << "spot" << 2;
    QTest::newRow("reserved, then on demand") << "reserved" << 4;
    QTest::newRow("reserved, then spot") << "reserved_spot" << 4;
  }
  void the_bill_adds_up() {
    QFETCH(QString, contract);
    QFETCH(int, rows);
    const std::string kind = contract.toStdString();
    Value more = {{"price", "5 USD/h"}};
    if (kind.starts_with("reserved")) more["reserved"] = "3", more["reserved_price"] = "1 USD/h";
    if (kind.ends_with("spot")) more["spot_price"] = "2 USD/h", more["interruption_rate"] = "0.1 /h";
    more["contract"] = kind, more["policy"] = "equal_width", more["money"] = "1e6 USD/h";
    DrawnRental drawn("1000 h", more);
    drawn.m.measure("spend", "time_average", "cloud.spend", {{"unit", "USD/h"}});
    drawn.stream("jobs", "1 /h", "exponential(mean = 2 h)", of_width(2, 0.5));
    for (const char* tariff : {"on_demand", "spot", "reserved"}) drawn.mean(tariff, std::string("cloud.") + tariff);
    const ResultSet r = drawn.run(1);
    const auto bill =
        std::find_if(r.tables.begin(), r.tables.end(), [](const auto& one) { return one.name == "bill"; });
    QVERIFY(bill != r.tables.end());
    QCOMPARE(bill->rows.size(), static_cast<std::size_t>(rows));
    double cost = 0.0, hours = 0.0;
    for (std::size_t i = 0; i + 1 < bill->rows.size(); ++i) {
      const std::string item = std::get<std::string>(bill->rows[i][0]);
      const auto number = [&](std::size_t c) { return std::get<double>(bill->rows[i][c]); };
      const double price = item.starts_with("reserved") ? 1.0 : item == "spot" ? 2.0 : 5.0;
      const double gpus = item == "reserved, in use"       ? estimate(r, "reserved")
                          : item == "reserved, not in use" ? 3.0 - estimate(r, "reserved")
                          : item == "spot"                 ? estimate(r, "spot")
                                                           : estimate(r, "on_demand");
      QVERIFY2(std::fabs(number(1) - 1000 * gpus) < 1e-6 && gpus > 0.0, item.c_str());
      QVERIFY2(std::fabs(number(2) - price) < 1e-12 && std::fabs(number(3) - number(1) * price) < 1e-6, item.c_str());
      hours += number(1), cost += number(3);
    }
    QVERIFY(std::fabs(std::get<double>(bill->rows.back()[1]) - hours) < 1e-6);
    QVERIFY(std::fabs(std::get<double>(bill->rows.back()[3]) - cost) < 1e-9 * cost);
    compare_near(r, "spend", cost / 1000, 1e-9);
  }

  // Oracles: means of those who are done, and on demand a fixed width: GPU time is the width times the time there, and
  // costs its price.
  void the_table_of_jobs_is_what_is_observed() {
    for (const char* const contract : {"on_demand", "spot", "reserved", "reserved_spot"}) {
      const std::string kind = contract;
      Value terms = {{"price", "3 USD/h"}};
      if (kind.ends_with("spot")) terms = {{"spot_price", "2 USD/h"}, {"interruption_rate", "0.1 /h"}};
      if (kind.starts_with("reserved")) terms["reserved"] = "3", terms["reserved_price"] = "1 USD/h";
      DrawnRental drawn = drawn_contract("400 h", contract, terms);
      drawn.stream("jobs", "1 /h", "exponential(mean = 2 h)", of_width(2, 0.5));
      drawn.m.measure("came", "final_value", "jobs.submitted");
      drawn.m.measure("paid", "time_average", "cloud.spend", {{"unit", "USD/h"}});
      const ResultSet r = drawn.run(1);
      const ResultTable *jobs = nullptr, *bill = nullptr;
      for (const ResultTable& one : r.tables) {
        if (one.name == "jobs") jobs = &one;
        if (one.name == "bill") bill = &one;
      }
      QVERIFY(jobs != nullptr);
      const auto at = [&](std::size_t row, const std::string& label) {
        for (std::size_t c = 0; c < jobs->columns.size(); ++c)
          if (jobs->columns[c].label == label) return jobs->rows[row][c];
        throw std::runtime_error("no column " + label);
      };
      const auto number = [&](std::size_t row, const char* label) { return std::get<double>(at(row, label)); };
      QCOMPARE(static_cast<double>(jobs->rows.size()), estimate(r, "came"));
      double done = 0.0, jct_s = 0.0, cost = 0.0, taken = 0.0, before_s = 0.0, held = 0.0;
      for (std::size_t i = 0; i < jobs->rows.size(); ++i) {
        QVERIFY(number(i, "arrival_s") >= before_s);
        before_s = number(i, "arrival_s");
        QCOMPARE(std::get<std::string>(at(i, "job")), std::to_string(i));
        held += number(i, "cost_usd");
        const std::string state = std::get<std::string>(at(i, "state"));
        if (state != "completed") {
          QVERIFY(state == "running" || (state == "waiting" && kind.ends_with("spot")));
          QVERIFY(std::isnan(number(i, "completion_s")) && std::isnan(number(i, "jct_s")));
          continue;
        }
        ++done, jct_s += number(i, "jct_s"), cost += number(i, "cost_usd"), taken += number(i, "interruptions");
        const double wide = number(i, "completion_s") - number(i, "arrival_s");
        QVERIFY(std::fabs(number(i, "jct_s") - wide) < 1e-6);
        if (kind != "on_demand") continue;
        const double hold = number(i, "gpu_time_s");
        QVERIFY(std::fabs(hold - 2.0 * wide) < 1e-6 * (1.0 + wide));
        QVERIFY(std::fabs(number(i, "cost_usd") - 3.0 * hold / 3600.0) < 1e-9 * (1.0 + hold));
      }
      QVERIFY(done > 300.0 && done <= static_cast<double>(jobs->rows.size()));
      // What jobs held until the run ended, done or not, and what was reserved for nobody is all that is paid.
      const double idle = kind.starts_with("reserved") ? std::get<double>(bill->rows[1][3]) : 0.0;
      compare_near(r, "paid", (held + idle) / 400.0, 1e-9);
      compare_near(r, "time", jct_s / done / 3600.0, 1e-9), compare_near(r, "cost", cost / done, 1e-9);
      compare_near(r, "interrupted", taken / done, 1e-9);
      QCOMPARE(taken > 0.0, kind.ends_with("spot"));
    }
  }

  // By hand: one GPU is reserved at 1 USD/h, those on demand are 4 USD/h. Two are 5 USD/h together, three are 9.
  void what_is_paid_for_gpus_in_use_is_divided_among_them() {
    DrawnRental drawn =
        drawn_contract("5.25 h", "reserved", {{"price", "4 USD/h"}, {"reserved", "1"}, {"reserved_price", "1 USD/h"}});
    // Two GPUs from 3 h to 5.5 h, which the end cuts; one from 2 h to 3 h and from 4 h to 5 h.
    drawn.stream("wide", "", "4 h", {{"interarrival", "3 h"}, {"speedup", "table"}, {"table", "[[1, 1], [2, 1.6]]"}});
    drawn.stream("narrow", "", "1 h", {{"interarrival", "2 h"}, {"most_gpus", "1"}});
    const ResultSet r = drawn.run(1);
    std::vector<std::vector<double>> told;
    for (const ResultTable& one : r.tables)
      for (const auto& row : one.rows)
        if (one.name == "jobs") told.push_back({std::get<double>(row[2]) / hour, std::get<double>(row[10])});
    const std::vector<std::vector<double>> wanted = {{2, 1}, {3, 5 + 2 * 3 + 0.25 * 5}, {4, 3}};
    QCOMPARE(told.size(), wanted.size());
    for (std::size_t i = 0; i < told.size(); ++i)
      QVERIFY2(std::fabs(told[i][0] - wanted[i][0]) < 1e-9 && std::fabs(told[i][1] - wanted[i][1]) < 1e-9,
               qPrintable(QString("job %1: %2 USD").arg(i).arg(told[i][1])));
    compare_near(r, "cost", (1 + 3) / 2.0, 1e-12);
    compare_near(r, "spend", (1 + 12.25 + 3 + 2) / 5.25, 1e-12);
  }

  // Oracle: a cluster that jobs share is paid whole, what jobs held and what they left idle together.
  void what_a_shared_cluster_leaves_idle_stands_in_the_bill_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"equi", "hesrpt", "greedy"}) QTest::newRow(policy) << policy;
  }
  void what_a_shared_cluster_leaves_idle_stands_in_the_bill() {
    QFETCH(QString, policy);
    DrawnRental drawn("400 h", {{"policy", policy.toStdString()}, {"budget", "6"}, {"price", "2 USD/h"}});
    drawn.stream("jobs", "0.5 /h", "exponential(mean = 2 h)", of_width(4, 0.5));
    drawn.mean("gpus_of_jobs", "jobs.gpus");
    const ResultSet r = drawn.run(1);
    const auto named = [&](const char* name) -> const ResultTable& {
      for (const ResultTable& one : r.tables)
        if (one.name == name) return one;
      throw std::runtime_error("no table");
    };
    const ResultTable &bill = named("bill"), &jobs = named("jobs"), &spend = named("spend");
    const auto of_bill = [&](std::size_t row, std::size_t column) { return std::get<double>(bill.rows[row][column]); };
    QCOMPARE(bill.rows.size(), std::size_t{3});
    QCOMPARE(std::get<std::string>(bill.rows[0][0]), std::string("on demand, in use"));
    QCOMPARE(std::get<std::string>(bill.rows[1][0]), std::string("on demand, not in use"));
    const double in_use = estimate(r, "gpus_of_jobs");
    QVERIFY(in_use > 1.0 && in_use < 5.5);
    const auto alike = [](double a, double b) { return std::fabs(a - b) < 1e-9 * std::fabs(b); };
    QVERIFY(alike(of_bill(0, 1), 400.0 * in_use) && alike(of_bill(1, 1), 400.0 * (6.0 - in_use)));
    QVERIFY(alike(of_bill(0, 3) + of_bill(1, 3), of_bill(2, 3)) && alike(of_bill(2, 3), 400.0 * 6.0 * 2.0));
    double paid = 0.0;
    for (const auto& row : jobs.rows) paid += std::get<double>(row[10]);
    QVERIFY(alike(paid, of_bill(0, 3)));
    // A cluster costs the same all the time: the begin, and the end.
    QCOMPARE(spend.rows.size(), std::size_t{2});
  }

  // Oracle: what is counted of the rental, and of who is done observed. Long missions of short jobs: hardly anybody is
  // there at the end.
  void interruptions_are_the_providers_and_failures_those_of_gpus() {
    for (const bool spot : {false, true}) {
      Value terms = {{"failure_rate", "0.05 /h"}, {"checkpoint_period", "1 h"}};
      if (spot) terms["spot_price"] = "2 USD/h", terms["interruption_rate"] = "0.1 /h";
      DrawnRental drawn = drawn_contract("400 h", spot ? "spot" : "on_demand", terms);
      drawn.stream("jobs", "1 /h", "exponential(mean = 2 h)", of_width(2, 0.5));
      drawn.m.measure("failed", "final_value", "cloud.failures"), drawn.m.measure("left", "final_value", "cloud.jobs");
      const ResultSet r = drawn.run(1);
      const auto jobs =
          std::find_if(r.tables.begin(), r.tables.end(), [](const ResultTable& one) { return one.name == "jobs"; });
      QVERIFY(jobs != r.tables.end());
      const auto column = [&](const char* label) {
        const auto found =
            std::find_if(jobs->columns.begin(), jobs->columns.end(), [&](const auto& c) { return c.label == label; });
        if (found == jobs->columns.end()) throw std::runtime_error(std::string("no column ") + label);
        return static_cast<std::size_t>(found - jobs->columns.begin());
      };
      const std::size_t taken_at = column("interruptions"), failed_at = column("failures"), state_at = column("state");
      double taken = 0.0, failed = 0.0, done = 0.0;
      for (const auto& row : jobs->rows) {
        // Who is there yet may have failed a few times, too.
        failed += std::get<double>(row[failed_at]);
        if (std::get<std::string>(row[state_at]) != "completed") continue;
        ++done, taken += std::get<double>(row[taken_at]);
      }
      QVERIFY(failed > 20.0);
      QCOMPARE(failed, estimate(r, "failed"));
      QCOMPARE(static_cast<double>(jobs->rows.size()) - done, estimate(r, "left"));
      compare_near(r, "interrupted", taken / done, 1e-9);
      QCOMPARE(taken > 0.0, spot);
    }
  }

  // Oracle: jobs that came, less the rows that the table has.
  void a_table_of_jobs_that_is_cut_off_is_told() {
    for (const bool many : {false, true}) {
      DrawnRental drawn = drawn_contract(many ? "110000 h" : "1000 h", "on_demand", Value::object());
      drawn.stream("jobs", "1 /h", "exponential(mean = 1 h)", of_width(1, 0.5));
      drawn.m.measure("came", "final_value", "jobs.submitted");
      const ResultSet r = drawn.run(1);
      std::vector<std::string> seen;
      for (const Diagnostic& one : r.diagnostics)
        if (one.code == "RUN046") seen.push_back(one.message);
      QCOMPARE(seen.size(), many ? std::size_t{1} : std::size_t{0});
      if (!many) continue;
      const auto left_out = static_cast<long>(estimate(r, "came")) - 100'000;
      QVERIFY2(seen[0].find("; " + std::to_string(left_out) + " further ones are left out") != std::string::npos,
               seen[0].c_str());
    }
  }

  void a_saved_moment_of_contracts_goes_on() {
    for (const char* contract : {"spot", "reserved", "reserved_spot"}) {
      DrawnRental drawn = drawn_contract("1 h", contract,
                                         {{"interruption_rate", "60 /h"},
                                          {"reserved", "4"},
                                          {"notice", "1 s"},
                                          {"spot_wait", "exponential(mean = 2 s)"},
                                          {"failure_rate", "20 /h"},
                                          {"restart", "1 s"},
                                          {"checkpoint_period", "2 s"},
                                          {"checkpoint_cost", "0.5 s"}});
      drawn.stream("first", "0.4 /s", "exponential(mean = 3 s)", of_width(3, 0.5));
      drawn.stream("second", "0.4 /s", "exponential(mean = 4 s)", of_width(2, 0.5));
      compare_saved_moment(drawn.m.document());
    }
  }

  void what_is_wrong_with_a_contract_is_told_data() {
    QTest::addColumn<QString>("rental");
    QTest::addColumn<QString>("codes");
    const auto add = [](const char* name, const char* rental, const char* codes) {
      QTest::newRow(name) << QString(rental) << QString(codes);
    };
    add("sound", R"({"contract": "spot", "interruption_rate": "0.1 /h", "spot_price": "1 USD/h", "money": "90 USD/h"})",
        "");
    add("restarts", R"({"contract": "spot", "interruption_rate": "2 /h"})", "RNT011");
    add("restarts by failures", R"({"failure_rate": "2 /h"})", "RNT011");
    add("restarts that save", R"({"failure_rate": "2 /h", "checkpoint_period": "3 min"})", "");
    add("contract", R"({"contract": "lease"})", "DOC002");
    add("shared", R"({"contract": "spot", "policy": "equi"})", "RNT010");
    add("rate", R"({"contract": "spot", "interruption_rate": "-1 /h"})", "RNT002");
    add("law", R"({"contract": "spot", "interruption_after": "-1 h"})", "RNT002");
    add("law unit", R"({"contract": "spot", "interruption_after": "2 USD"})", "EXP004");
    add("wait", R"j({"contract": "spot", "spot_wait": "uniform(low = -1 h, high = 1 h)"})j", "RNT002");
    add("notice", R"({"contract": "spot", "notice": "-1 s"})", "RNT002");
    add("per", R"({"contract": "spot", "interruption_per": "rack"})", "DOC002");
    add("reserved", R"({"contract": "reserved", "reserved": "-3"})", "RNT002");
    add("price", R"({"contract": "reserved", "reserved_price": "-3 USD/h"})", "RNT002");
    add("start-up", R"({"start_up": "-3 h"})", "RNT002");
    add("unused", R"({"contract": "on_demand", "spot_price": "-3 USD/h"})", "");
    add("money", R"({"money": "-3 USD/h", "price": "1 USD/h"})", "RNT002");
    add("money for nothing", R"({"money": "3 USD/h"})", "RNT002");
    add("little money", R"({"money": "3 USD/h", "price": "10 USD/h"})", "RNT005");
    add("never done",
        R"({"money": "3 USD/h", "contract": "spot", "spot_price": "1 USD/h", "interruption_rate": "1e4 /h"})",
        "RNT005");
  }
  void what_is_wrong_with_a_contract_is_told() {
    QFETCH(QString, rental);
    QFETCH(QString, codes);
    DrawnRental drawn("10 h", Value::parse(rental.toStdString()));
    drawn.stream("jobs", "1 /h", "exponential(mean = 1 h)", of_width(8, 0.5));
    drawn.mean("gpus", "cloud.gpus");
    QVERIFY2(drawn.problems() == codes.toStdString(), drawn.problems().c_str());
  }

  // A checkpoint of 0.02 h, GPUs that fail at 8 x 2 /h: sqrt(2 x 0.02 / 16) = 0.05 h. Every half hour is far too
  // seldom.
  void a_better_period_is_named_where_restarts_pile_up() {
    DrawnRental drawn("10 h", {{"policy", "equal_width"},
                               {"budget", "1e6"},
                               {"failure_rate", "2 /h"},
                               {"checkpoint_period", "0.5 h"},
                               {"checkpoint_cost", "0.02 h"}});
    drawn.stream("jobs", "1 /h", "exponential(mean = 3 h)", of_width(8, 0.5));
    drawn.mean("gpus", "cloud.gpus");
    Diagnostics found;
    build_model(drawn.m.document(), {}, "", found);
    QCOMPARE(codes(found), std::string("RNT011"));
    QVERIFY2(found[0].hint.find("after about 0.05 h of work") != std::string::npos, found[0].hint.c_str());
  }

  void contracts_are_not_in_the_closed_form() {
    for (const char* contract : {"on_demand", "spot", "reserved"}) {
      DrawnRental drawn = drawn_contract("10 h", contract, {});
      drawn.stream("jobs", "1 /h", "1 h", of_width(8, 0.5));
      const auto refused = find_solver("rental-budget")->fits(drawn.m.document(), {});
      QCOMPARE(codes(refused), std::string(std::string(contract) == "on_demand" ? "" : "SOL001"));
    }
  }
};

QTEST_GUILESS_MAIN(TestRentalContracts)
#include "tst_rental_contracts.moc"
