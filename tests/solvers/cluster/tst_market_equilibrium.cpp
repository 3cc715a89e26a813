// Markets of rounds. Oracles: closed forms, and what an equilibrium is (everybody buys the best for its money, all is
// sold), which proves it whatever found it.
#include <QtTest>
#include <cmath>
#include <random>

#include "solvers/cluster/rounds/market_equilibrium.h"
#include "solvers/cluster/rounds/plan_market.h"

using namespace ergode;

namespace {

double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

class TestMarketEquilibrium : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// V6: two jobs, two rounds, one GPU; job A does not care whether it gives up the first round for the second.
  void market() {
    const auto made = market_equilibrium({{1.0, 1.0}, {1.0, 1.0}, {{1.0, 2.0}, {1.0, 1.0}}});
    QVERIFY(made);
    QVERIFY2(std::fabs(made->utility[0] - 2.0) < 1e-6, qPrintable(QString::number(made->utility[0], 'g', 12)));
    QVERIFY2(std::fabs(made->utility[1] - 1.0) < 1e-6, qPrintable(QString::number(made->utility[1], 'g', 12)));
    QVERIFY(std::fabs(made->utility[0] * made->utility[1] - 2.0) < 1e-6);
    QVERIFY(std::fabs(made->share[0][1] - 1.0) < 1e-6 && std::fabs(made->share[1][0] - 1.0) < 1e-6);
    QVERIFY(made->utility[0] >= 1.5 && made->utility[1] >= 1.0 - 1e-6);  // half of both rounds
  }

  void closed_forms() {
    // Who wants the same shares by budget; who wants different rounds has them.
    const auto alike = market_equilibrium({{1.0, 3.0}, {4.0, 8.0}, {{1.0, 1.0}, {2.0, 2.0}}});
    QVERIFY(alike && std::fabs(alike->utility[0] - 3.0) < 1e-6 && std::fabs(alike->utility[1] - 18.0) < 1e-6);
    const auto apart = market_equilibrium({{1.0, 2.0}, {5.0, 7.0, 1.0}, {{3.0, 0.0, 0.0}, {0.0, 2.0, 0.0}}});
    QVERIFY(apart && std::fabs(apart->utility[0] - 15.0) < 1e-6 && std::fabs(apart->utility[1] - 14.0) < 1e-6);
    QVERIFY(std::fabs(apart->price[0] - 0.2) < 1e-9 && std::fabs(apart->price[1] - 2.0 / 7.0) < 1e-9);
    QCOMPARE(apart->price[2], 0.0);
  }

  void every_market_is_in_equilibrium() {
    std::mt19937 random(7);
    for (int trial = 0; trial < 400; ++trial) {
      const std::size_t jobs = 1 + random() % 8, rounds = 1 + random() % 12;
      RoundMarket market;
      const bool ties = trial % 2 == 0;  // small whole utilities: many do not care
      std::uniform_real_distribution<double> any(0.1, 10.0);
      for (std::size_t t = 0; t < rounds; ++t) market.capacities.push_back(ties ? 1.0 : any(random));
      for (std::size_t i = 0; i < jobs; ++i) {
        market.budgets.push_back(ties ? 1.0 : any(random));
        auto& row = market.utility.emplace_back();
        for (std::size_t t = 0; t < rounds; ++t)
          row.push_back(random() % 5 == 0 ? 0.0 : ties ? static_cast<double>(1 + random() % 3) : any(random));
        row[random() % rounds] = 1.0;
      }
      const auto made = market_equilibrium(market);
      QVERIFY2(made, qPrintable(QString::number(trial)));
      for (std::size_t t = 0; t < rounds; ++t) {
        double sold = 0.0;
        for (std::size_t i = 0; i < jobs; ++i) sold += made->share[i][t];
        QVERIFY(made->price[t] >= 0.0);
        QVERIFY(made->price[t] == 0.0 ? sold == 0.0 : std::fabs(sold - market.capacities[t]) < 1e-8);
      }
      for (std::size_t i = 0; i < jobs; ++i) {
        QVERIFY(std::fabs(dot_of(made->share[i], made->price) - market.budgets[i]) < 1e-6);
        double best = 0.0, equal = 0.0, money = 0.0;  // what its money buys at most; what its part of all is worth
        for (const double budget : market.budgets) money += budget;
        for (std::size_t t = 0; t < rounds; ++t) {
          if (market.utility[i][t] > 0.0) best = std::max(best, market.utility[i][t] / made->price[t]);
          equal += market.utility[i][t] * market.capacities[t] * market.budgets[i] / money;
        }
        best *= market.budgets[i];
        QVERIFY2(
            std::fabs(made->utility[i] - best) < 1e-6 * best,
            qPrintable(QString("%1: %2 of %3").arg(trial).arg(made->utility[i], 0, 'g', 12).arg(best, 0, 'g', 12)));
        QVERIFY(made->utility[i] >= equal * (1.0 - 1e-6));
      }
    }
  }

  /// By hand: epochs of 50, 100 and 25 s, the first of which is done, in rounds of 60 s.
  void epochs_ahead_by_hand() {
    const double epoch_s[] = {50.0, 100.0, 25.0};
    const auto ahead = epochs_ahead(epoch_s, 1, 60.0, 4);
    const double wanted[] = {0.6, 0.4 + 20.0 / 25.0, 5.0 / 25.0, 0.0};
    QCOMPARE(ahead.size(), std::size_t{4});
    for (std::size_t t = 0; t < 4; ++t)
      QVERIFY2(std::fabs(ahead[t] - wanted[t]) < 1e-12, qPrintable(QString::number(t)));
    QCOMPARE(epochs_ahead(epoch_s, 3, 60.0, 2), (std::vector<double>{0.0, 0.0}));
  }

  /// V6 as a plan, and a job that is done beside it; then two jobs of two GPUs each, of which three are there in the
  /// first round, and both are used up to the second, which only one of them wants.
  void a_plan_stands_beside_its_market() {
    const MarketJob jobs[] = {{.number = 7, .epochs = {1.0, 2.0}, .planned = 2.0},
                              {.number = 8, .epochs = {0.0, 0.0}},
                              {.number = 9, .weight = 3.0, .epochs = {1.0, 1.0}, .planned = 1.0}};
    const auto made = plan_market(jobs, 1, 40);
    QVERIFY(made && made->round == 40 && made->jobs.size() == 2);
    const auto near = [](double a, double b) { return std::fabs(a - b) < 1e-6; };
    QVERIFY(made->jobs[0].number == 7 && near(made->jobs[0].bought, 2.0) && near(made->jobs[0].equal, 1.5));
    QVERIFY(made->jobs[1].number == 9 && near(made->jobs[1].bought, 1.0) && near(made->jobs[1].equal, 1.0));
    QVERIFY(made->jobs[0].planned == 2.0 && made->jobs[1].planned == 1.0 && made->jobs[1].weight == 3.0);
    QVERIFY(near(made->price[0], 1.0) && near(made->price[1], 1.0));
    const MarketJob wide[] = {{.number = 0, .gpus = 2, .epochs = {2.0, 0.0, 0.0}},
                              {.number = 1, .gpus = 2, .epochs = {2.0, 2.0, 0.0}}};
    const auto few = plan_market(wide, 3, 0);
    // The second round has two GPUs for who can use two; prices are alike for whoever wants both rounds: 2 / 5.
    QVERIFY(few && near(few->price[0], 0.4) && near(few->price[1], 0.4) && few->price[2] == 0.0);
    QVERIFY(near(few->jobs[0].bought, 2.5) && near(few->jobs[1].bought, 2.5) && near(few->jobs[0].equal, 1.5));
    QVERIFY(!plan_market(std::span(jobs).subspan(1, 1), 1, 0));
  }

  void what_is_no_market_is_refused() {
    QVERIFY(!market_equilibrium({}));
    QVERIFY(!market_equilibrium({{1.0}, {1.0}, {{0.0}}}));
    QVERIFY(!market_equilibrium({{0.0}, {1.0}, {{1.0}}}));
    QVERIFY(!market_equilibrium({{1.0}, {1.0, 1.0}, {{1.0}}}));
    QVERIFY(!market_equilibrium({{1.0}, {-1.0}, {{1.0}}}));
    QVERIFY(!market_equilibrium({{1.0}, {1.0}, {{NAN}}}));
  }
};

QTEST_APPLESS_MAIN(TestMarketEquilibrium)
#include "tst_market_equilibrium.moc"
