#include <QtTest>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "core/expression/machine_code.h"
#include "core/expression/program.h"
#include "expression_check.h"

using namespace ergode;

namespace {

using Op = Program::Op;

constexpr std::uint32_t machine_slots = 6;

void make(std::vector<Program>& programs) {
  std::vector<Program*> all;
  for (Program& program : programs) all.push_back(&program);
  make_machine_code(all);
}

#if defined(ERGODE_XBYAK)
constexpr bool built_in = true;
#else
constexpr bool built_in = false;
#endif

bool made_here() {
  std::vector<Program> one = {Program::apply(Op::add, {Program::load(0), Program::load(1)})};
  make(one);
  return one[0].entry() != nullptr;
}

// Which of its bit patterns "not a number" has is nobody's business.
bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

QString shown(const Program& program) {
  QString out;
  for (const Program::Instruction& now : program.code())
    out += now.op == Op::constant ? QString("%1 ").arg(now.value, 0, 'g', 17)
           : now.op == Op::load   ? QString("[%1] ").arg(now.slot)
                                  : QString("op%1 ").arg(static_cast<int>(now.op));
  return out;
}

/// Programs of every shape, over values of every kind.
class MachineGrower {
 public:
  explicit MachineGrower(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  double value() {
    using Limits = std::numeric_limits<double>;
    static const double special[] = {0.0,
                                     -0.0,
                                     1.0,
                                     -1.0,
                                     0.5,
                                     -2.5,
                                     Limits::infinity(),
                                     -Limits::infinity(),
                                     Limits::quiet_NaN(),
                                     Limits::denorm_min(),
                                     -Limits::denorm_min(),
                                     Limits::min() / 3.0,
                                     Limits::max(),
                                     -Limits::max(),
                                     Limits::epsilon(),
                                     9007199254740993.0,
                                     -4503599627370497.5,
                                     1e300,
                                     1e-300,
                                     1.5707963267948966};
    switch (below(5)) {
      case 0:
        return special[below(std::size(special))];
      case 1:
        return static_cast<double>(below(7)) - 3.0;
      case 2:
        return std::bit_cast<double>(random_());
      default:
        return std::uniform_real_distribution<>(-4, 4)(random_);
    }
  }
  Program leaf() {
    return below(3) == 0 ? Program(value()) : Program::load(static_cast<std::uint32_t>(below(machine_slots)));
  }
  Program grow(int levels) {
    if (levels == 0) return leaf();
    const auto sub = [&] { return grow(below(4) == 0 ? 0 : levels - 1); };
    const Op op = static_cast<Op>(static_cast<std::size_t>(Op::add) +
                                  below(static_cast<std::size_t>(Op::tangent) - static_cast<std::size_t>(Op::add) + 1));
    std::vector<Program> operands;
    for (int i = 0; i < Program::operands_of(op); ++i) operands.push_back(sub());
    return Program::apply(op, operands);
  }
  /// Many values wait on the stack while the last are worked out: more than there are registers.
  Program deep() {
    Program out = grow(2);
    for (std::size_t n = 10 + below(50); n > 0; --n) {
      static const Op ops[] = {Op::add,   Op::less,      Op::conjunction, Op::minimum,
                               Op::power, Op::not_equal, Op::remainder,   Op::maximum};
      Program left = grow(below(3) == 0 ? 2 : 1);
      if (below(4) == 0) out = Program::apply(Op::select, {std::move(left), leaf(), std::move(out)});
      else out = Program::apply(ops[below(std::size(ops))], {std::move(left), std::move(out)});
      if (out.depth() > Program::deepest_stack - 3) break;
    }
    return out;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace

class TestMachineCode : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_million_random_programs_have_the_bits_of_the_interpreter();
  void tables_have_the_bits_of_the_interpreter();
  void equal_programs_share_code_which_outlives_them();
  void moved_and_renamed_programs_read_other_slots();
  void switched_off_there_is_none();
  void what_is_beyond_the_limit_is_interpreted();
};

void TestMachineCode::a_million_random_programs_have_the_bits_of_the_interpreter() {
  if (!built_in) QSKIP("built without Xbyak, or for another processor");
  QVERIFY2(made_here(), "machine code is built in, and none was made");
  MachineGrower grower(11);
  std::size_t compared = 0;
  for (int batch = 0; batch < 500; ++batch) {
    std::vector<Program> interpreted;
    for (int i = 0; i < 2000; ++i)
      interpreted.push_back(i % 100 == 0 ? grower.deep() : grower.grow(1 + static_cast<int>(grower.below(4))));
    std::vector<Program> made = interpreted;
    make(made);
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!interpreted[i].interpreted()) continue;
      QVERIFY2(made[i].entry() != nullptr, qPrintable(shown(made[i])));
      for (int k = 0; k < 3; ++k) {
        double slots[machine_slots];
        for (double& slot : slots) slot = grower.value();
        const double got = made[i].evaluate(slots), wanted = interpreted[i].evaluate(slots);
        ++compared;
        if (same_bits(got, wanted)) continue;
        QString at;
        for (const double slot : slots) at += QString(" %1").arg(slot, 0, 'g', 17);
        QFAIL(qPrintable(QString("%1: %2, wanted %3 at%4")
                             .arg(shown(made[i]))
                             .arg(got, 0, 'g', 17)
                             .arg(wanted, 0, 'g', 17)
                             .arg(at)));
      }
    }
  }
  QVERIFY2(compared > 2000000, qPrintable(QString::number(compared)));  // constants and one-slot forms are left out
}

void TestMachineCode::tables_have_the_bits_of_the_interpreter() {
  if (!built_in) QSKIP("built without Xbyak, or for another processor");
  QVERIFY2(made_here(), "machine code is built in, and none was made");
  TestScope scope;
  scope.slot("x", 0, ValueType::real());
  scope.slot("y", 1, ValueType::real());
  std::string text = "table(mod(x, 24), 0: y";
  for (int i = 1; i <= 40; ++i) text += ", " + std::to_string(i) + ": " + std::to_string(i * i % 17) + " - y";
  const Program interpreted = std::get<Program>(compile_as(text + ") + clamp(x, -2, y)", ValueType::real(), scope));
  std::vector<Program> made = {interpreted};
  make(made);
  QVERIFY(made[0].entry() != nullptr);
  MachineGrower grower(5);
  for (int i = 0; i < 20000; ++i) {
    const double slots[] = {i % 2 == 0 ? grower.value() : static_cast<double>(i % 2400) / 100.0, grower.value()};
    const double got = made[0].evaluate(slots), wanted = interpreted.evaluate(slots);
    QVERIFY2(same_bits(got, wanted), qPrintable(QString("%1, wanted %2").arg(got).arg(wanted)));
  }
}

void TestMachineCode::equal_programs_share_code_which_outlives_them() {
  if (!built_in) QSKIP("built without Xbyak, or for another processor");
  QVERIFY2(made_here(), "machine code is built in, and none was made");
  const auto sum = [](double k) { return Program::apply(Op::add, {Program::load(0), Program(k)}); };
  Program kept;
  {
    std::vector<Program> programs = {sum(1.0), sum(2.0), sum(1.0), sum(-0.0), sum(0.0)};
    make(programs);
    QVERIFY(programs[0].entry() == programs[2].entry());
    QVERIFY(programs[0].entry() != programs[1].entry() && programs[3].entry() != programs[4].entry());
    kept = programs[2];
  }
  const double slots[] = {41.0};
  QCOMPARE(kept.evaluate(slots), 42.0);
  QCOMPARE(Program::apply(Op::multiply, {kept, Program(2.0)}).evaluate(slots), 84.0);
}

// With machine code and without, before it is made and after.
void TestMachineCode::moved_and_renamed_programs_read_other_slots() {
  const Program a = Program::load(1), b = Program::load(4);
  const std::vector<Program> patterns = {a, Program::apply(Op::less, {a, Program(3.0)}),
                                         Program::apply(Op::add, {Program::apply(Op::multiply, {a, b}), Program(2.0)})};
  const auto value = [](std::size_t pattern, double x, double y) {
    return pattern == 0 ? x : pattern == 1 ? (x < 3.0 ? 1.0 : 0.0) : x * y + 2.0;
  };
  std::vector<double> slots;
  for (int i = 0; i < 20; ++i) slots.push_back(0.37 * i);
  for (const bool early : {true, false}) {
    for (std::size_t p = 0; p < patterns.size(); ++p) {
      std::vector<Program> all = {patterns[p]};
      if (early) make(all);
      all.push_back(all[0].moved_by(10));
      all.push_back(all[1].moved_by(static_cast<std::uint32_t>(-4)));
      all.push_back(all[1].renamed([](std::uint32_t slot) { return 17 - slot; }));
      if (!early) make(all);
      QCOMPARE(all[0].evaluate(slots.data()), value(p, slots[1], slots[4]));
      QCOMPARE(all[1].evaluate(slots.data()), value(p, slots[11], slots[14]));
      QCOMPARE(all[2].evaluate(slots.data()), value(p, slots[7], slots[10]));
      QCOMPARE(all[3].evaluate(slots.data()), value(p, slots[6], slots[3]));
      QCOMPARE(all[1].slots().front(), 11U);
      QCOMPARE(all[3].slots().front(), p == 2 ? 3U : 6U);
      for (const Program& one : all) {
        std::vector<std::uint32_t> read;
        for (const Program::Instruction& now : one.code())
          if (now.op == Op::load) read.push_back(now.slot);
        std::sort(read.begin(), read.end());
        QCOMPARE(std::vector(one.slots().begin(), one.slots().end()), read);
      }
      if (p == 2 && made_here()) QVERIFY(all[1].entry() == all[0].entry() && all[0].entry() != nullptr);
    }
  }
}

void TestMachineCode::switched_off_there_is_none() {
  use_machine_code(false);
  std::vector<Program> programs = {Program::apply(Op::exponential, {Program::load(0)})};
  make(programs);
  use_machine_code(true);
  QVERIFY(programs[0].entry() == nullptr);
  const double slots[] = {0.0};
  QCOMPARE(programs[0].evaluate(slots), 1.0);
}

void TestMachineCode::what_is_beyond_the_limit_is_interpreted() {
  std::vector<Program> programs;
  for (int i = 0; i < 450000; ++i)
    programs.push_back(Program::apply(
        Op::add, {Program::apply(Op::multiply, {Program::load(0), Program(static_cast<double>(i))}), Program(1.0)}));
  make(programs);
  QVERIFY(programs.back().entry() == nullptr);
  if (made_here()) QVERIFY(programs[300000].entry() != nullptr);
  const double slots[] = {2.0};
  for (std::size_t i = 0; i < programs.size(); i += 999)
    QCOMPARE(programs[i].evaluate(slots), 2.0 * static_cast<double>(i) + 1.0);
}

QTEST_APPLESS_MAIN(TestMachineCode)
#include "tst_machine_code.moc"
