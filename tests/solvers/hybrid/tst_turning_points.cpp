#include <QtTest>
#include <cmath>
#include <numbers>
#include <random>

#include "solvers/hybrid/sign_search.h"
#include "solvers/hybrid/turning_points.h"
#include "tests/solvers/hybrid/program_arithmetic.h"

using namespace ergode;

namespace {

using Op = Program::Op;

constexpr std::uint32_t time_slot = 0, level = 1, fixed = 2;

Program of(Op op, const Program& a) { return Program::apply(op, {a}); }

bool moves(std::uint32_t slot) { return slot != fixed; }

}  // namespace

class TestTurningPoints : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void sums_of_moving_slots_are_affine_and_nothing_else();
  void turns_are_those_that_something_sharpens();
  void peaks_of_time_alone_are_found_however_early_they_are();
  void the_first_change_of_random_polynomials_is_found();
};

void TestTurningPoints::sums_of_moving_slots_are_affine_and_nothing_else() {
  const Program t = Program::load(time_slot), x = Program::load(level), k = Program::load(fixed), two(2.0);
  for (const Program& affine : {t, k, x - t, k * x + two * t, x / (k * k), of(Op::sine, k) * x, of(Op::negate, x)})
    QVERIFY(is_affine(affine, moves));
  for (const Program& other : {x * t, k / x, of(Op::absolute, x), of(Op::sine, t), Program::apply(Op::power, {x, two})})
    QVERIFY(!is_affine(other, moves));
}

void TestTurningPoints::turns_are_those_that_something_sharpens() {
  const Program t = Program::load(time_slot), k = Program::load(fixed), two(2.0);
  const Program u = (t - k) / two;
  for (const Program& peak : {of(Op::exponential, of(Op::negate, u * u)), k / (Program(1.0) + u * u),
                              of(Op::exponential, of(Op::negate, of(Op::absolute, u))),
                              of(Op::root, Program::apply(Op::power, {u, Program(4.0)}))}) {
    const auto turns = hidden_turns(peak, moves);
    QCOMPARE(turns.size(), 1U);
    QVERIFY(turns[0].code() == u.code());
  }
  // Flat tops need no step of their own; what stays does not turn.
  QVERIFY(hidden_turns(u * u, moves).empty());
  QVERIFY(hidden_turns(of(Op::exponential, k * k), moves).empty());
  QVERIFY(hidden_turns(of(Op::exponential, u), moves).empty());
  // cos(t) is zero where sin(t) turns.
  const auto turns = hidden_turns(of(Op::exponential, of(Op::sine, t)), moves);
  QCOMPARE(turns.size(), 1U);
  const double slots[] = {std::numbers::pi / 2.0, 0.0, 0.0};
  QVERIFY(std::abs(turns[0].evaluate(slots)) < 1e-12);
}

// t exp(-t/b) turns at b, whatever b is.
void TestTurningPoints::peaks_of_time_alone_are_found_however_early_they_are() {
  const Program t = Program::load(time_slot);
  for (const double at : {1e-5, 1.0, 20.0, 900.0}) {
    const Program peak = t * of(Op::exponential, of(Op::negate, t / Program(at)));
    const auto found = time_peaks(peak, time_slot, 1000.0, 4096);
    // On the finer of the two grids there, and on the other one as near as it has points.
    const auto nearest = [&](double a, double b) { return std::abs(a - at) < std::abs(b - at); };
    QVERIFY(!found.empty());
    QVERIFY(std::abs(*std::min_element(found.begin(), found.end(), nearest) / at - 1.0) < 0.005);
    for (const double time : found) QVERIFY(std::abs(time - at) < std::max(0.005 * at, 1000.0 / 4096.0));
  }
  QVERIFY(time_peaks(t * t, time_slot, 1000.0, 4096).empty());
}

// Against the sign on a grid, of polynomials with known zeros; bounds by monomials, which are wide.
void TestTurningPoints::the_first_change_of_random_polynomials_is_found() {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  constexpr double close = 1e-9;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> zeros(std::size_t{1} + static_cast<std::size_t>(trial % 4));
    for (double& zero : zeros) zero = uniform(random);
    // Two that lie as near as a millionth, as where a limit is only just reached.
    if (trial % 3 == 0) zeros.push_back(zeros.front() + 1e-6 * (0.1 + uniform(random)));
    const auto value = [&](double time) {
      double out = 1.0;
      for (const double zero : zeros) out *= time - zero;
      return out;
    };
    const auto bounds = [&](double from, double to) {
      Range out{1.0, 1.0};
      for (const double zero : zeros) {
        const double ends[] = {out.lower * (from - zero), out.lower * (to - zero), out.upper * (from - zero),
                               out.upper * (to - zero)};
        const auto [low, high] = std::minmax_element(std::begin(ends), std::end(ends));
        out = {*low, *high};
      }
      return out;
    };
    SignSearch search;
    search.bounds = bounds, search.value = value;
    const double from = -0.1;
    const auto found = search.first(from, 1.1, close);
    QVERIFY(found.has_value());
    const double first = *std::min_element(zeros.begin(), zeros.end());
    QVERIFY2(*found >= first && *found - first <= close + 1e-15,
             qPrintable(QString("trial %1: %2 after the zero").arg(trial).arg(*found - first)));
    QVERIFY(value(from) * value(*found) <= 0.0);
    // Before the first zero there is no change.
    QVERIFY(!search.first(from, first - 1e-7, close).has_value());
  }
}

QTEST_APPLESS_MAIN(TestTurningPoints)
#include "tst_turning_points.moc"
