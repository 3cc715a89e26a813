// What the READMEs of the examples with contracts and with hosts that fail say: budgets that are spent, who is best,
// and closed forms. Intervals are at 99.9 %.
#include <QtTest>
#include <cmath>

#include "core/des/lowering.h"
#include "solvers/cluster/budget/interruptions.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

ResultSet run_contract_example(const char* folder, Overrides overrides, const char* scenario = "",
                               const char* solver = "simulation") {
  RunRequest request;
  request.solver = solver, request.overrides = std::move(overrides), request.scenario = scenario;
  request.confidence = 0.999;
  return solved(example(folder), request);
}

double mean_under(const char* contract, const char* scenario = "", Overrides more = {}) {
  more["contract"] = contract;
  return estimate(run_contract_example("26_spot_or_on_demand", more, scenario), "mean_response_time");
}

/// A job of 48 h on 16 of 20 hosts, as the README adds it up.
double rack_closed_form(double beta, double period) {
  const double common = beta / 1000, rate = 16 * (1 - beta) / 1000 + common;
  double repairs = 0;
  for (int i = 5; i <= 20; ++i) repairs += 8.0 / i;
  const double w = common / rate * repairs, d = w + std::expm1(rate * 0.25) * (1 / rate + w);
  const double whole = std::ceil(48 / period - 1e-9) - 1;
  const auto stretch = [&](double s) { return std::expm1(rate * s) * (1 / rate + d); };
  return whole * stretch(period + 0.1) + stretch(48 - whole * period);
}

}  // namespace

class TestContractExamples : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(rental_lowering);
    register_lowering(batch_lowering);
  }

  void each_contract_spends_the_budget() {
    for (const char* contract : {"on_demand", "spot", "reserved"})
      compare_inside(run_contract_example("26_spot_or_on_demand", {{"contract", contract}}, "calm_market"), "spend",
                     60);
    // More spot GPUs would be called back more often than they are worth.
    const double spot = estimate(run_contract_example("26_spot_or_on_demand", {{"contract", "spot"}}), "spend");
    const double rich =
        estimate(run_contract_example("26_spot_or_on_demand", {{"contract", "spot"}, {"money", "80 USD/h"}}), "spend");
    QVERIFY(spot > 53 && spot < 57);
    QCOMPARE(rich, spot);
    // Its plan takes jobs on reserved GPUs for interrupted ones.
    const double mixed =
        estimate(run_contract_example("26_spot_or_on_demand", {{"contract", "reserved_spot"}}), "spend");
    QVERIFY(std::fabs(mixed - 60) < 0.05 * 60);
  }

  void on_demand_is_what_the_solver_says() {
    const ResultSet exact = run_contract_example("26_spot_or_on_demand", {}, "", "rental-budget"),
                    seen = run_contract_example("26_spot_or_on_demand", {});
    QVERIFY(std::fabs(estimate(exact, "spend") - 60) < 1e-6);
    for (const char* id : {"mean_response_time", "response_small", "response_medium", "response_large", "gpus"})
      compare_inside(seen, id, estimate(exact, id));
  }

  void who_is_best_depends_on_notice_market_and_money() {
    QVERIFY(mean_under("reserved") < mean_under("on_demand") && mean_under("on_demand") < mean_under("spot"));
    QVERIFY(mean_under("reserved_spot", "long_notice") < mean_under("spot", "long_notice"));
    QVERIFY(mean_under("spot", "long_notice") < mean_under("on_demand", "long_notice"));
    QVERIFY(mean_under("spot", "calm_market") < mean_under("reserved_spot", "calm_market"));
    const Overrides rich = {{"money", "80 USD/h"}};
    QVERIFY(mean_under("on_demand", "", rich) < mean_under("spot", "", rich));
  }

  void jobs_on_the_rack_take_what_the_closed_form_says() {
    for (const char* beta : {"0", "0.1", "0.25", "0.5"}) {
      const ResultSet r = run_contract_example("27_rack_common_cause", {{"beta", beta}});
      const double wanted = rack_closed_form(std::stod(beta), 3.5);
      // Without interval: that spares may be down too is left out, some thousandths of a job.
      QVERIFY2(std::fabs(estimate(r, "response_time") / wanted - 1) < 0.003, beta);
      QVERIFY(std::fabs(estimate(r, "availability") - 1000.0 / 1008) < 0.001);
    }
    for (const char* period : {"1 h", "8 h"}) {
      const ResultSet r = run_contract_example("27_rack_common_cause", {{"checkpoint_period", period}}, "independent");
      compare_inside(r, "response_time", rack_closed_form(0, std::stod(period)));
    }
  }

  void youngs_period_is_the_best_of_those_tried() {
    const auto at = [](const char* period) {
      return estimate(run_contract_example("27_rack_common_cause", {{"checkpoint_period", period}}, "independent"),
                      "response_time");
    };
    QVERIFY(std::fabs(young_period(0.1, 16.0 / 1000) - 3.5355) < 1e-4);
    const double best = at("3.5 h");
    for (const char* other : {"0.5 h", "1 h", "2 h", "8 h", "16 h"}) QVERIFY2(at(other) > best, other);
  }

  // The same total rate: fewer restarts, and longer ones.
  void failures_together_are_fewer_and_worse() {
    const ResultSet alone = run_contract_example("27_rack_common_cause", {{"beta", "0"}}),
                    together = run_contract_example("27_rack_common_cause", {{"beta", "0.5"}});
    QVERIFY(estimate(together, "restarts") < 0.6 * estimate(alone, "restarts"));
    QVERIFY(estimate(together, "response_99") > estimate(alone, "response_99") + 3);
  }
};

QTEST_GUILESS_MAIN(TestContractExamples)
#include "tst_contract_examples.moc"
