#include <QtTest>
#include <cmath>
#include <functional>
#include <limits>

#include "solvers/hybrid/dormand_prince.h"
#include "solvers/hybrid/shared_functions.h"

using namespace ergode;

namespace {

using Values = std::vector<double>;

/// Equations written down in a test.
class Written : public OdeSystem {
 public:
  std::function<Values(double, const double*)> slope;
  std::vector<std::function<double(double, const double*)>> zeros;
  int evaluations = 0;

  bool derivatives(double t, const double* y, double* out) override {
    ++evaluations;
    const Values found = slope(t, y);
    std::copy(found.begin(), found.end(), out);
    return std::all_of(found.begin(), found.end(), [](double x) { return std::isfinite(x); });
  }
  void conditions(double t, const double* y, double* out) override {
    for (std::size_t i = 0; i < zeros.size(); ++i) out[i] = zeros[i](t, y);
  }
  double condition(std::size_t number, double t, const double* y) override { return zeros[number](t, y); }
};

void close_to(double value, double wanted, double most) {
  QVERIFY2(std::abs(value - wanted) <= most,
           qPrintable(QString("%1, wanted %2").arg(value, 0, 'g', 17).arg(wanted, 0, 'g', 17)));
}

}  // namespace

class TestDormandPrince : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void an_oscillation_keeps_its_phase_within_the_tolerance();
  void a_straight_line_is_one_step_and_its_zero_is_exact();
  void zeros_come_in_their_order_and_once_each();
  void what_starts_at_zero_is_found_when_it_comes_back();
  void a_stiff_equation_is_noticed_and_another_is_not();
  void where_the_equations_end_is_said();
  void an_integral_without_a_value_where_the_first_step_is_guessed_goes_on();
  void shared_functions_leave_every_value_as_it_was();
  void what_stays_is_taken_out_whole_and_leaves_every_value_as_it_was();
  void limits_are_the_same_conditions_however_they_are_told();
};

void TestDormandPrince::an_oscillation_keeps_its_phase_within_the_tolerance() {
  for (const double tolerance : {1e-6, 1e-9}) {
    Written system;
    system.slope = [](double, const double* y) { return Values{y[1], -y[0]}; };
    DormandPrince integrator(system, 2, 0, {.relative = tolerance, .absolute = tolerance});
    const double start[] = {0.0, 1.0};
    integrator.restart(0.0, start);
    Values between(2);
    double t = 0.0;
    while (t < 20.0) {
      const double before = t;
      t = integrator.step(20.0);
      QVERIFY(integrator.look(0.5 * (before + t), between.data()));
      close_to(between[0], std::sin(0.5 * (before + t)), 100.0 * tolerance);
    }
    QCOMPARE(t, 20.0);
    close_to(integrator.values()[0], std::sin(20.0), 100.0 * tolerance);
    close_to(integrator.values()[1], std::cos(20.0), 100.0 * tolerance);
  }
}

void TestDormandPrince::a_straight_line_is_one_step_and_its_zero_is_exact() {
  Written system;
  system.slope = [](double, const double*) { return Values{2.0}; };
  system.zeros = {[](double, const double* y) { return y[0] - 7.0; }};
  DormandPrince integrator(system, 1, 1, {});
  const double start[] = {1.0};
  integrator.restart(0.0, start);
  close_to(integrator.step(1e6), 3.0, 1e-7);  // a rounding of the length of the step
  QCOMPARE(integrator.found(), std::vector<int>{1});
  close_to(integrator.values()[0], 7.0, 1e-6);
  QVERIFY2(system.evaluations <= 8, qPrintable(QString::number(system.evaluations)));
  QCOMPARE(integrator.step(1e6), 1e6);
  QVERIFY(integrator.found().empty());
}

void TestDormandPrince::zeros_come_in_their_order_and_once_each() {
  Written system;
  system.slope = [](double, const double* y) { return Values{-y[0]}; };
  for (const double level : {0.25, 0.5, 0.125, 2.0})
    system.zeros.push_back([level](double, const double* y) { return y[0] - level; });
  DormandPrince integrator(system, 1, 4, {});
  const double start[] = {1.0};
  integrator.restart(0.0, start);
  std::vector<std::pair<std::size_t, double>> found;
  for (double t = 0.0; t < 10.0;) {
    t = integrator.step(10.0);
    for (std::size_t i = 0; i < integrator.found().size(); ++i)
      if (integrator.found()[i] != 0) found.emplace_back(i, t);
  }
  QCOMPARE(found.size(), std::size_t{3});
  const std::size_t order[] = {1, 0, 2};
  for (std::size_t i = 0; i < 3; ++i) {
    QCOMPARE(found[i].first, order[i]);
    close_to(found[i].second, static_cast<double>(i + 1) * std::log(2.0), 1e-7);
  }
}

void TestDormandPrince::what_starts_at_zero_is_found_when_it_comes_back() {
  Written system;
  system.slope = [](double t, const double*) { return Values{std::cos(t)}; };
  system.zeros = {[](double, const double* y) { return y[0]; }};
  DormandPrince integrator(system, 1, 1, {});
  const double start[] = {0.0};
  integrator.restart(0.0, start);
  double t = 0.0;
  while (t < 4.0 && integrator.found().empty()) t = integrator.step(4.0);
  close_to(t, std::acos(-1.0), 1e-7);
}

void TestDormandPrince::a_stiff_equation_is_noticed_and_another_is_not() {
  for (const double rate : {1.0, 1e6}) {
    Written system;
    system.slope = [rate](double t, const double* y) { return Values{-rate * (y[0] - std::cos(t))}; };
    DormandPrince integrator(system, 1, 0, {});
    const double start[] = {1.0};
    integrator.restart(0.0, start);
    double t = 0.0;
    for (int i = 0; i < 20000 && t < 10.0 && !integrator.stiff(); ++i) t = integrator.step(10.0);
    QCOMPARE(integrator.stiff(), rate > 1.0);
    QVERIFY(rate > 1.0 ? t < 0.1 : t == 10.0);
  }
}

void TestDormandPrince::where_the_equations_end_is_said() {
  const std::function<double(double)> slopes[] = {[](double y) { return y * y; },
                                                  [](double y) { return std::sqrt(2 - y); }};
  for (const auto& slope : slopes) {
    Written system;
    system.slope = [&slope](double, const double* y) { return Values{slope(y[0])}; };
    DormandPrince integrator(system, 1, 0, {});
    const double start[] = {1.0};
    integrator.restart(0.0, start);
    bool said = false;
    try {
      for (int i = 0; i < 100000 && integrator.step(1e9) < 1e9; ++i) {
      }
    } catch (const OdeFailure&) {
      said = true;
    }
    QVERIFY(said);
  }
}

// A long look ahead finds that the integral's slope is infinite there; the steps that are made stay before it.
void TestDormandPrince::an_integral_without_a_value_where_the_first_step_is_guessed_goes_on() {
  struct Hazard : Written {
    std::size_t states(std::size_t) const override { return 1; }
    bool state_derivatives(double t, const double* y, double* out) override {
      out[0] = slope(t, y)[0];
      return true;
    }
  };
  for (const double beyond : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Hazard system;
    system.slope = [&](double t, const double* y) {
      return Values{1e-6 * y[0], t < 5000.0 ? -1e-7 / (1.0 - t / 5000.0) : beyond};
    };
    DormandPrince integrator(system, 2, 0, {});
    const double start[] = {1000.0, 1.0};
    integrator.restart(0.0, start);
    while (integrator.step(1000.0) < 1000.0) {
    }
    close_to(integrator.values()[0], 1000.0 * std::exp(1e-3), 1e-4);
    close_to(integrator.values()[1], 1.0 + 5e-4 * std::log(0.8), 1e-9);
  }
}

void TestDormandPrince::shared_functions_leave_every_value_as_it_was() {
  using Op = Program::Op;
  const auto formula = [](double k) {
    const Program x = Program::apply(Op::multiply, {Program::load(0), Program(0.3)});
    const Program inner = Program::apply(Op::exponential, {x});
    const Program outer = Program::apply(Op::logarithm, {Program::apply(Op::add, {inner, Program::load(1)})});
    return Program::apply(Op::multiply, {Program(k), Program::apply(Op::add, {outer, inner})});
  };
  std::vector<Program> drawn = {formula(1.0), formula(2.0), Program::load(1), Program(4.0)}, programs = drawn;
  std::vector<Program*> all;
  for (Program& program : programs) all.push_back(&program);
  const std::vector<Program> shared = share_functions(all, 2);
  QCOMPARE(shared.size(), std::size_t{2});  // exp once, log of it once
  for (const double x : {-1.0, 0.0, 2.5}) {
    double slots[4] = {x, 1.25, 0.0, 0.0};
    for (std::size_t s = 0; s < shared.size(); ++s) slots[2 + s] = shared[s].evaluate(slots);
    for (std::size_t p = 0; p < programs.size(); ++p) QCOMPARE(programs[p].evaluate(slots), drawn[p].evaluate(slots));
  }
  static_cast<void>(share_functions({&drawn[2], &drawn[3]}, 2));
  QCOMPARE(drawn[2].slots().size(), std::size_t{1});
  QCOMPARE(drawn[2].slots().front(), 1U);
}

void TestDormandPrince::what_stays_is_taken_out_whole_and_leaves_every_value_as_it_was() {
  using Op = Program::Op;
  const Program a = Program::load(0), b = Program::load(1), y = Program::load(2);  // y moves
  const Program sum = Program::apply(Op::add, {a, b}), twice = Program::apply(Op::multiply, {sum, Program(2.0)});
  const Program drawn[] = {Program::apply(Op::multiply, {twice, y}), Program::apply(Op::subtract, {sum, y}), twice, a};
  std::vector<Program> programs(std::begin(drawn), std::end(drawn));
  std::vector<Program*> all;
  for (Program& program : programs) all.push_back(&program);
  const std::vector<Program> still = take_out_still(all, 3, [](std::uint32_t slot) { return slot != 2; });
  QCOMPARE(still.size(), std::size_t{2});  // the sum, which one program uses by itself, and twice the sum
  double slots[5] = {0.1, 0.7, 3.0, 0.0, 0.0};
  for (std::size_t s = 0; s < still.size(); ++s) {
    QVERIFY(std::find(still[s].slots().begin(), still[s].slots().end(), 2U) == still[s].slots().end());
    slots[3 + s] = still[s].evaluate(slots);
  }
  QCOMPARE(programs[0].code().size(), std::size_t{3});
  for (std::size_t p = 0; p < programs.size(); ++p) QCOMPARE(programs[p].evaluate(slots), drawn[p].evaluate(slots));
}

void TestDormandPrince::limits_are_the_same_conditions_however_they_are_told() {
  // The zeros of a swing, looked for by the system's own functions and as distances from limits: the same bits.
  struct Told : Written {
    void looked_at(std::vector<OdeCondition>& conditions) override {
      conditions = {{.number = 0, .value = 0, .sign = 1.0, .limit = 0.5},
                    {.number = 1, .value = 1, .sign = -1.0, .limit = 0.25}};
    }
  };
  const auto times = [](Written& system) {
    system.slope = [](double, const double* y) { return Values{y[1], -y[0]}; };
    system.zeros = {[](double, const double* y) { return y[0] - 0.5; },
                    [](double, const double* y) { return 0.25 - y[1]; }};
    DormandPrince integrator(system, 2, 2, {});
    const double start[] = {0.0, 1.0};
    integrator.restart(0.0, start);
    std::vector<std::pair<double, std::vector<int>>> out;
    for (double t = 0.0; t < 20.0;) {
      t = integrator.step(20.0);
      if (!integrator.found().empty()) out.emplace_back(t, integrator.found());
    }
    return out;
  };
  Written general;
  Told told;
  const auto wanted = times(general), got = times(told);
  QCOMPARE(wanted.size(), std::size_t{13});  // sin t = 1/2 and cos t = 1/4, seven and six times up to 20
  QVERIFY(got == wanted);
}

QTEST_APPLESS_MAIN(TestDormandPrince)
#include "tst_dormand_prince.moc"
