// Equations that hold by turns against the programs themselves, evaluated one by one: more sets of them than are kept.
#include <QtTest>
#include <random>

#include "solvers/hybrid/flow_equations.h"
#include "tests/solvers/hybrid/program_arithmetic.h"

using namespace ergode;

namespace {

using Op = Program::Op;

constexpr std::uint32_t slots = 6;  // 0 to 2 move, 3 to 5 change at events alone
constexpr std::size_t flow_count = 6, hazard_count = 3;

/// Some of the first numbers, ascending.
std::vector<std::uint32_t> some(std::size_t count, std::mt19937& random) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t n = 0; n < count; ++n)
    if (random() % 2 == 0) out.push_back(n);
  return out;
}

}  // namespace

class TestFlowEquations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void sets_that_come_back_have_the_rates_of_their_programs();
};

void TestFlowEquations::sets_that_come_back_have_the_rates_of_their_programs() {
  const auto slot = [](std::uint32_t s) { return Program::load(s); };
  // An exponential that several share, of what moves; one of what stays; and equations that read neither.
  const Program shared = Program::apply(Op::exponential, {slot(0)}), still = Program::apply(Op::exponential, {slot(3)});
  const std::vector<FlowEquations::Equation> flows = {{shared * slot(4), 0},  {still, 0},
                                                      {slot(1) + slot(5), 0}, {slot(4) * slot(5), 1},
                                                      {still * slot(2), 1},   {shared * slot(2), 1}};
  const std::vector<FlowEquations::Equation> hazards = {
      {shared * slot(4), 2}, {still * slot(5), 3}, {shared * still, 4}};
  const std::size_t all = 5;
  FlowEquations equations(flows, hazards, {1, 1, 1, 0, 0, 0}, all);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(0.1, 1.5);
  // Few sets at a time, so that they come back, and other ones after a while, so that the oldest make room.
  std::vector<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> sets;
  for (int event = 0; event < 3000; ++event) {
    if (event % 300 == 0) {
      sets.clear();
      for (int s = 0; s < 25; ++s) {
        auto f = some(flow_count, random), h = some(hazard_count, random);
        sets.emplace_back(std::move(f), std::move(h));
      }
    }
    const auto& set = sets[random() % (event % 2 == 0 ? 4 : sets.size())];
    std::vector<double> at(equations.slots());
    for (std::uint32_t s = 0; s < slots; ++s) at[s] = number(random);
    equations.choose(set.first, set.second, at.data());
    std::vector<double> rate(all), of_flows(all);
    equations.still_rates(rate.data()), equations.still_rates(of_flows.data());
    for (std::uint32_t s = 0; s < 3; ++s) at[s] = number(random);
    QVERIFY(equations.rates(at.data(), rate.data()) && equations.flow_rates(at.data(), of_flows.data()));
    std::vector<double> wanted(all);
    for (const std::uint32_t f : set.first) wanted[flows[f].place] += flows[f].program.evaluate(at.data());
    for (const std::uint32_t h : set.second) wanted[hazards[h].place] = -hazards[h].program.evaluate(at.data());
    for (std::size_t p = 0; p < all; ++p)
      QVERIFY2(std::abs(rate[p] - wanted[p]) <= 1e-14 * std::abs(wanted[p]),
               qPrintable(QStringLiteral("event %1, place %2: %3, wanted %4")
                              .arg(event)
                              .arg(p)
                              .arg(rate[p], 0, 'g', 17)
                              .arg(wanted[p], 0, 'g', 17)));
    for (std::size_t p = 0; p < 2; ++p) QCOMPARE(of_flows[p], rate[p]);
  }
}

QTEST_GUILESS_MAIN(TestFlowEquations)
#include "tst_flow_equations.moc"
