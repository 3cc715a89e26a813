// Expressions that are linear in slots. Oracle: such an expression is the same of means as the mean of it over draws.
#include <QtTest>
#include <cmath>
#include <random>

#include "core/expression/linear_form.h"

using namespace ergode;

namespace {

using Op = Program::Op;

constexpr std::uint32_t linear_slots = 4;

/// Slots times constants, added, subtracted, negated and divided; now and then nothing but constants.
Program linear_program(std::mt19937& random, int depth) {
  const auto number = [&] { return std::uniform_real_distribution<double>(-3.0, 3.0)(random); };
  switch (std::uniform_int_distribution<int>(0, depth == 0 ? 1 : 5)(random)) {
    case 0:
      return Program(number());
    case 1:
      return Program::load(std::uniform_int_distribution<std::uint32_t>(1, linear_slots)(random));
    case 2:
      return Program::apply(Op::add, {linear_program(random, depth - 1), linear_program(random, depth - 1)});
    case 3:
      return Program::apply(Op::subtract, {linear_program(random, depth - 1), linear_program(random, depth - 1)});
    case 4:
      return Program::apply(Op::multiply, {Program(number()), linear_program(random, depth - 1)});
    default:
      return Program::apply(Op::divide, {linear_program(random, depth - 1), Program(0.5 + std::fabs(number()))});
  }
}

}  // namespace

class TestLinearForm : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_constant_is_linear() {
    for (const double value : {0.0, 1.0, -2.5, 1e300}) {
      const auto form = linear_form(Program(value));
      QVERIFY(form.has_value());
      QCOMPARE(form->constant, value);
      QVERIFY(form->of.empty());
      const auto mean = linear_mean(Program(value), [](std::uint32_t) { return std::string("never asked"); });
      QVERIFY(std::holds_alternative<LinearMean>(mean));
      QCOMPARE(std::get<LinearMean>(mean).value, value);
      QCOMPARE(std::get<LinearMean>(mean).magnitude, std::fabs(value));
    }
  }

  void the_mean_is_that_of_the_means() {
    std::mt19937 random(7);
    int constants = 0;
    for (int tried = 0; tried < 2000; ++tried) {
      const Program program = linear_program(random, 4);
      constants += program.is_constant() ? 1 : 0;
      constexpr int draws = 20;
      std::vector<double> means(linear_slots + 1, 0.0);
      double mean = 0.0;
      for (int draw = 0; draw < draws; ++draw) {
        std::vector<double> slots(linear_slots + 1, 0.0);
        for (std::uint32_t s = 1; s <= linear_slots; ++s)
          slots[s] = std::uniform_real_distribution<double>(-5.0, 5.0)(random), means[s] += slots[s] / draws;
        mean += program.evaluate(slots.data()) / draws;
      }
      const auto found = linear_mean(program, [&](std::uint32_t slot) { return means[slot]; });
      QVERIFY(std::holds_alternative<LinearMean>(found));
      const LinearMean& linear = std::get<LinearMean>(found);
      QVERIFY(std::fabs(linear.value - mean) <= 1e-11 * (1.0 + linear.magnitude));
    }
    QVERIFY(constants > 100);
  }

  void what_is_not_linear_is_none() {
    const Program x = Program::load(1), y = Program::load(2);
    for (const Program& program :
         {Program::apply(Op::multiply, {x, y}), Program::apply(Op::divide, {x, y}), Program::apply(Op::less, {x, y}),
          Program::apply(Op::absolute, {x}), Program::apply(Op::select, {x, y, Program(1.0)})})
      QVERIFY(!linear_form(program).has_value());
  }
};

QTEST_APPLESS_MAIN(TestLinearForm)
#include "tst_linear_form.moc"
