#include <QtTest>
#include <cmath>
#include <random>

#include "core/expression/compile.h"
#include "expression_check.h"

using namespace ergode;

namespace {

constexpr int slot_count = 5;

/// An expression with its own evaluator, which shares nothing with the compiler: the oracle of this file. Values are
/// doubles as the language defines them; a boolean is 0 or 1.
struct Tree {
  enum class Type { number, time, boolean };
  Type type = Type::number;
  std::string op;  ///< "literal", "slot", or the operator or function
  double value = 0;
  int slot = 0;
  std::vector<Tree> parts;

  double evaluate(const std::vector<double>& slots) const {
    std::vector<double> p;
    for (const Tree& part : parts) p.push_back(part.evaluate(slots));
    if (op == "literal") return value;
    if (op == "slot") return slots[static_cast<std::size_t>(slot)];
    if (op == "h") return p[0] * 3600.0;
    if (op == "neg") return -p[0];
    if (op == "not") return p[0] != 0 ? 0.0 : 1.0;
    if (op == "+") return p[0] + p[1];
    if (op == "-") return p[0] - p[1];
    if (op == "*") return p[0] * p[1];
    if (op == "/") return p[0] / p[1];
    if (op == "^" || op == "pow") return std::pow(p[0], p[1]);
    if (op == "<") return p[0] < p[1];
    if (op == "<=") return p[0] <= p[1];
    if (op == ">") return p[0] > p[1];
    if (op == ">=") return p[0] >= p[1];
    if (op == "==") return p[0] == p[1];
    if (op == "!=") return p[0] != p[1];
    if (op == "and") return p[0] != 0 && p[1] != 0;
    if (op == "or") return p[0] != 0 || p[1] != 0;
    if (op == "?") return p[0] != 0 ? p[1] : p[2];
    // What is no number stays none, on either side.
    if (op == "min") return std::isnan(p[1]) || p[1] < p[0] ? p[1] : p[0];
    if (op == "max") return std::isnan(p[1]) || p[0] < p[1] ? p[1] : p[0];
    if (op == "abs") return std::fabs(p[0]);
    if (op == "exp") return std::exp(p[0]);
    if (op == "log") return std::log(p[0]);
    if (op == "sqrt") return std::sqrt(p[0]);
    if (op == "floor") return std::floor(p[0]);
    if (op == "ceil") return std::ceil(p[0]);
    if (op == "round") return std::round(p[0]);
    if (op == "mod") return std::fmod(p[0], p[1]);
    if (op == "sin") return std::sin(p[0]);
    if (op == "cos") return std::cos(p[0]);
    if (op == "tan") return std::tan(p[0]);
    if (op == "clamp") {
      if (std::isnan(p[0]) || std::isnan(p[1]) || std::isnan(p[2])) return std::nan("");
      const double under = p[2] < p[0] ? p[2] : p[0];
      return under < p[1] ? p[1] : under;
    }
    if (op == "table") {
      static constexpr double at[] = {-1, 0.5, 3};
      if (std::isnan(p[0])) return p[0];
      if (p[0] < at[0]) return p[1];
      for (std::size_t i = 1; i < 3; ++i) {
        if (!(p[0] < at[i])) continue;
        const double y = p[i] + (p[0] - at[i - 1]) / (at[i] - at[i - 1]) * (p[i + 1] - p[i]);
        const double low = p[i + 1] < p[i] ? p[i + 1] : p[i], high = p[i] < p[i + 1] ? p[i + 1] : p[i];
        const double under = high < y ? high : y;
        return under < low ? low : under;
      }
      return p[3];
    }
    throw std::logic_error(op);
  }

  int strength() const {
    static const std::map<std::string, int> of = {{"?", 0}, {"or", 1}, {"and", 2}, {"not", 3}, {"<", 4}, {"<=", 4},
                                                  {">", 4}, {">=", 4}, {"==", 4},  {"!=", 4},  {"+", 5}, {"-", 5},
                                                  {"*", 6}, {"/", 6},  {"neg", 7}, {"^", 8}};
    const auto found = of.find(op);
    return found == of.end() ? 9 : found->second;
  }
  /// With no more brackets than the grammar needs, so that precedence is tested too.
  std::string text() const {
    const auto in = [](const Tree& part, int least) {
      return part.strength() < least ? "(" + part.text() + ")" : part.text();
    };
    if (op == "literal") {
      if (type == Type::boolean) return value != 0 ? "true" : "false";
      return QByteArray::number(value, 'g', 17).toStdString();
    }
    static const char* const names[slot_count] = {"a", "b", "t1", "p1", "c"};
    if (op == "slot") return names[slot];
    if (op == "h") return "(" + parts[0].text() + ") h";
    if (op == "neg") return "-" + in(parts[0], 7);
    if (op == "not") return "not " + in(parts[0], 3);
    if (op == "?") return in(parts[0], 1) + " ? " + in(parts[1], 0) + " : " + in(parts[2], 0);
    const int own = strength();
    if (own == 9) {
      std::string out = op + "(";
      static const char* const points[] = {"", "-1: ", "0.5: ", "3: "};
      for (std::size_t i = 0; i < parts.size(); ++i)
        out += (i == 0 ? "" : ", ") + std::string(op == "table" ? points[i] : "") + parts[i].text();
      return out + ")";
    }
    // Left operands may be as weak as the operator itself, except of ^ and of comparisons, which do not chain.
    const int left = op == "^" ? 9 : own == 4 ? 5 : own, right = op == "^" ? 7 : own + 1;
    // `/ t1` is per tonne as well, and so refused; `/ (t1)` can only be a name.
    const bool unit = op == "/" && parts[1].op != "literal";
    return in(parts[0], left) + " " + op + " " + in(parts[1], unit ? 10 : right);
  }
};

class Grower {
 public:
  explicit Grower(unsigned seed) : random_(seed) {}
  Tree grow(Tree::Type type, int levels) {
    if (levels == 0) return leaf(type);
    const auto sub = [&](Tree::Type t) { return grow(t, below(4) == 0 ? 0 : levels - 1); };
    const auto make = [&](std::string op, std::vector<Tree> parts) {
      return Tree{.type = type, .op = std::move(op), .parts = std::move(parts)};
    };
    using T = Tree::Type;
    if (below(8) == 0) {
      Tree condition = sub(T::boolean), then = sub(type), otherwise = sub(type);
      return make("?", {condition, then, otherwise});
    }
    if (type == T::boolean) {
      switch (below(4)) {
        case 0:
          return make("not", {sub(T::boolean)});
        case 1:
          return make(below(2) ? "and" : "or", {sub(T::boolean), sub(T::boolean)});
        default: {
          static const char* const ops[] = {"<", "<=", ">", ">=", "==", "!="};
          const T of = below(2) ? T::number : T::time;
          return make(ops[below(6)], {sub(of), sub(of)});
        }
      }
    }
    if (type == T::time) {
      switch (below(6)) {
        case 0:
          return make("h", {sub(T::number)});
        case 1:
          return make("neg", {sub(T::time)});
        case 2:
          return make("*", {sub(T::number), sub(T::time)});
        case 3:
          return make(below(2) ? "min" : "max", {sub(T::time), sub(T::time)});
        case 4:
          return make("abs", {sub(T::time)});
        default:
          return make(below(2) ? "+" : "-", {sub(T::time), sub(T::time)});
      }
    }
    switch (below(8)) {
      case 0:
        return make("neg", {sub(T::number)});
      case 1:
        return make("/", {sub(T::time), sub(T::time)});
      case 2:
        return make(below(2) ? "^" : "pow", {sub(T::number), sub(T::number)});
      case 3:
        return make(below(2) ? "min" : "max", {sub(T::number), sub(T::number)});
      case 4: {
        static const char* const ops[] = {"abs", "exp", "log", "sqrt", "floor", "ceil", "round", "sin", "cos", "tan"};
        return make(ops[below(10)], {sub(T::number)});
      }
      case 5:
        switch (below(3)) {
          case 0:
            return make("clamp", {sub(T::number), sub(T::number), sub(T::number)});
          case 1:
            return make("table", {sub(T::number), sub(T::number), sub(T::number), sub(T::number)});
          default:
            return make("mod", {sub(T::number), sub(T::number)});
        }
      default: {
        static const char* const ops[] = {"+", "-", "*", "/"};
        return make(ops[below(4)], {sub(T::number), sub(T::number)});
      }
    }
  }
  double number() {
    // Some whole, some awkward, some zero: equality and rounding must be met too.
    switch (below(4)) {
      case 0:
        return static_cast<double>(below(5));
      case 1:
        return static_cast<double>(below(11)) - 5.0;
      default:
        return std::uniform_real_distribution<>(-4, 4)(random_);
    }
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

 private:
  Tree leaf(Tree::Type type) {
    Tree out{.type = type};
    if (below(5) < 3) {
      out.op = "slot";
      out.slot = type == Tree::Type::number ? static_cast<int>(below(2))
                 : type == Tree::Type::time ? 2
                                            : 3 + static_cast<int>(below(2));
      return out;
    }
    out.op = "literal";
    out.value = type == Tree::Type::boolean ? static_cast<double>(below(2)) : std::abs(number());
    if (type != Tree::Type::time) return out;
    Tree number = out;
    number.type = Tree::Type::number;
    return {.type = type, .op = "h", .parts = {number}};
  }
  std::mt19937 random_;
};

ValueType type_of(Tree::Type type) {
  return type == Tree::Type::boolean ? ValueType::boolean()
                                     : ValueType::real(type == Tree::Type::time ? Dimension::of_time() : Dimension{});
}

void declare(TestScope& scope, const std::vector<double>* constants) {
  static const std::pair<const char*, Tree::Type> names[slot_count] = {{"a", Tree::Type::number},
                                                                       {"b", Tree::Type::number},
                                                                       {"t1", Tree::Type::time},
                                                                       {"p1", Tree::Type::boolean},
                                                                       {"c", Tree::Type::boolean}};
  for (std::uint32_t i = 0; i < slot_count; ++i) {
    if (constants != nullptr) scope.constant(names[i].first, (*constants)[i], type_of(names[i].second));
    else scope.slot(names[i].first, i, type_of(names[i].second));
  }
}

std::vector<double> random_slots(Grower& grower) {
  return {grower.number(), grower.number(), grower.number(), static_cast<double>(grower.below(2)),
          static_cast<double>(grower.below(2))};
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

class TestProgram : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void random_expressions_have_the_value_of_the_independent_evaluator();
  void folding_constants_gives_the_value_of_evaluation();
  void ranges_hold_every_value_of_random_programs();
  void ranges_prove_what_can_be_proven();
  void what_is_made_of_deep_programs_can_be_evaluated();
  void slots_are_listed_once_in_order();
};

void TestProgram::random_expressions_have_the_value_of_the_independent_evaluator() {
  TestScope scope;
  declare(scope, nullptr);
  Grower grower(1);
  int compiled_count = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto type = static_cast<Tree::Type>(grower.below(3));
    const Tree tree = grower.grow(type, 1 + static_cast<int>(grower.below(5)));
    const std::string text = tree.text();
    const auto compiled = compile_as(text, type_of(type), scope);
    if (const auto* error = std::get_if<ExpressionError>(&compiled)) {
      // 0/0 and overflow among constants are refused, and a time to a power is no expression of this grower: nothing
      // else may fail.
      if (error->code != "EXP005" && error->code != "EXP006")
        QFAIL(qPrintable(shown_error(*error) + "\n" + QString::fromStdString(text)));
      continue;
    }
    ++compiled_count;
    const Program& program = std::get<Program>(compiled);
    for (int k = 0; k < 5; ++k) {
      const std::vector<double> slots = random_slots(grower);
      const double got = program.evaluate(slots.data()), wanted = tree.evaluate(slots);
      if (!same(got, wanted))
        QFAIL(qPrintable(QString("%1: %2, wanted %3")
                             .arg(QString::fromStdString(text))
                             .arg(got, 0, 'g', 17)
                             .arg(wanted, 0, 'g', 17)));
    }
  }
  QVERIFY2(compiled_count > 3500, qPrintable(QString::number(compiled_count)));
}

void TestProgram::folding_constants_gives_the_value_of_evaluation() {
  TestScope moving;
  declare(moving, nullptr);
  Grower grower(2);
  int folded = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto type = static_cast<Tree::Type>(grower.below(3));
    const std::string text = grower.grow(type, 4).text();
    const std::vector<double> slots = random_slots(grower);
    TestScope fixed;
    declare(fixed, &slots);
    const auto a = compile_as(text, type_of(type), moving), b = compile_as(text, type_of(type), fixed);
    if (std::holds_alternative<ExpressionError>(a) || std::holds_alternative<ExpressionError>(b)) continue;
    QVERIFY2(std::get<Program>(b).is_constant(), text.c_str());
    QVERIFY2(same(std::get<Program>(a).evaluate(slots.data()), std::get<Program>(b).value()), text.c_str());
    ++folded;
  }
  QVERIFY2(folded > 1000, qPrintable(QString::number(folded)));
}

void TestProgram::ranges_hold_every_value_of_random_programs() {
  TestScope scope;
  declare(scope, nullptr);
  Grower grower(3);
  int narrow = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto type = static_cast<Tree::Type>(grower.below(3));
    const std::string text = grower.grow(type, 1 + static_cast<int>(grower.below(4))).text();
    const auto compiled = compile_as(text, type_of(type), scope);
    if (std::holds_alternative<ExpressionError>(compiled)) continue;
    const Program& program = std::get<Program>(compiled);
    std::vector<Range> ranges;
    for (int s = 0; s < slot_count; ++s) {
      const double x = s < 3 ? grower.number() : static_cast<double>(grower.below(2)),
                   y = s < 3 ? grower.number() : static_cast<double>(grower.below(2));
      ranges.push_back({std::min(x, y), std::max(x, y)});
    }
    const Range range = program.range(ranges);
    if (std::isfinite(range.lower) && std::isfinite(range.upper)) ++narrow;
    for (int k = 0; k < 30; ++k) {
      std::vector<double> slots;
      for (int s = 0; s < slot_count; ++s) {
        const Range& r = ranges[static_cast<std::size_t>(s)];
        const auto pick = grower.below(3);
        const double inner =
            s < 3 ? r.lower + (r.upper - r.lower) * static_cast<double>(grower.below(1001)) / 1000.0 : r.lower;
        slots.push_back(pick == 0 ? r.lower : pick == 1 ? r.upper : std::clamp(inner, r.lower, r.upper));
      }
      const double value = program.evaluate(slots.data());
      // pow, exp and log are not monotone to the last bit.
      const double slack = 1e-12 * (1.0 + std::abs(value));
      if (value < range.lower - slack || value > range.upper + slack)
        QFAIL(qPrintable(QString("%1: %2 outside [%3, %4]")
                             .arg(QString::fromStdString(text))
                             .arg(value, 0, 'g', 17)
                             .arg(range.lower, 0, 'g', 17)
                             .arg(range.upper, 0, 'g', 17)));
    }
  }
  QVERIFY2(narrow > 1000, qPrintable(QString::number(narrow)));  // "anything" alone would pass
}

void TestProgram::ranges_prove_what_can_be_proven() {
  TestScope scope;
  scope.slot("n", 0, ValueType::integer());
  scope.slot("m", 1, ValueType::integer());
  const auto range = [&](const char* text, Range n, Range m) {
    const auto compiled = compile(text, scope);
    const std::vector<Range> slots = {n, m};
    return std::get<Compiled>(compiled).program.range(slots);
  };
  const auto never = [&](const char* text, Range n, Range m) {
    const Range r = range(text, n, m);
    return r.lower == 0 && r.upper == 0;
  };
  const auto always = [&](const char* text, Range n, Range m) {
    const Range r = range(text, n, m);
    return r.lower == 1 && r.upper == 1;
  };
  QVERIFY(never("n < 0", {0, 4}, {0, 0}));
  QVERIFY(always("n >= 0 and m <= 4", {0, 4}, {0, 4}));
  QVERIFY(never("n > 2 and m > 2 or n == 5", {0, 2}, {0, 9}));
  QVERIFY(always("n != 7", {0, 4}, {0, 0}));
  QVERIFY(!always("n < 4", {0, 4}, {0, 0}) && !never("n < 4", {0, 4}, {0, 0}));
  QCOMPARE(range("n > 9 ? 100 : n * m - 1", {0, 4}, {2, 3}).upper, 11.0);
  QCOMPARE(range("abs(n - 3)", {0, 4}, {0, 0}).lower, 0.0);
  QCOMPARE(range("abs(n - 3)", {0, 4}, {0, 0}).upper, 3.0);
  QCOMPARE(range("sin(n)", {1, 2}, {0, 0}).upper, 1.0);
  QCOMPARE(range("sin(n)", {1, 2}, {0, 0}).lower, std::sin(1.0));
  QCOMPARE(range("cos(n)", {1, 7}, {0, 0}).lower, -1.0);
  QCOMPARE(range("cos(n)", {1, 7}, {0, 0}).upper, 1.0);
  QCOMPARE(range("tan(n)", {-1, 1}, {0, 0}).upper, std::tan(1.0));
  QVERIFY(std::isinf(range("tan(n)", {1, 2}, {0, 0}).upper));
  QVERIFY(never("sin(n) > 1", {0, 100}, {0, 0}));
  QVERIFY(always("mod(n, 5) <= 5 and mod(n, 5) >= 0", {0, 99}, {0, 0}));
  QCOMPARE(range("clamp(n, 2, 3)", {-9, 99}, {0, 0}).upper, 3.0);
  QCOMPARE(range("clamp(n, 2, 3)", {-9, 99}, {0, 0}).lower, 2.0);
  QVERIFY(never("table(n, 0: 1, 5: 3, 9: 2) > 3", {-9, 99}, {0, 0}));
  QCOMPARE(range("table(n, 0: 1, 5: 3, 9: 2)", {6, 99}, {0, 0}).lower, 2.0);
  // No number is below nothing; where there may be one nothing is proven.
  const Range free = {-INFINITY, INFINITY};
  for (const char* text : {"sin(log(n)) < 2", "min(sqrt(n), 3) < 4", "clamp(n / m, 0, 1) <= 1", "cos(n ^ 0.5) < 2",
                           "mod(n, m) < 100 or n > 5", "sin(n / m) < 2", "clamp(exp(n / m) - exp(n / m), 0, 1) < 2"})
    QVERIFY2(!always(text, {-1, 1}, {-1, 1}) && !never((std::string("not (") + text + ")").c_str(), {-1, 1}, {-1, 1}),
             text);
  QVERIFY(!always("clamp(n, 0, 1) < 2", free, {0, 0}) && never("clamp(n, 0, 1) > 2", free, {0, 0}));
  QVERIFY(always("sin(log(n)) < 2", {0.5, 1}, {0, 0}) && never("min(sqrt(n), 3) > 4", {-1, 1}, {0, 0}));
  QVERIFY(always("sqrt(n) != -1", {0, 4}, {0, 0}) && never("min(sqrt(n), 3) == 4", {-1, 1}, {0, 0}));
}

// Oracle: sums and remainders worked out here. An expression as deep as the compiler takes it, and much deeper ones.
void TestProgram::what_is_made_of_deep_programs_can_be_evaluated() {
  for (const int deep : {2, Program::deepest_stack - 1, Program::deepest_stack, 300}) {
    Program sum = Program::load(0);
    for (int i = 1; i < deep; ++i) sum = Program::apply(Program::Op::add, {Program::load(0), sum});
    QCOMPARE(sum.depth(), deep);
    const Program mod = Program::apply(Program::Op::remainder, {sum, Program(7.0)});
    for (const double x : {0.5, 1.25, 3.75}) {
      std::vector<double> slots = {x};
      const double whole = x * deep;  // exact: quarters
      QCOMPARE(mod.evaluate(slots.data()), std::fmod(whole, 7.0));
      std::vector<Program> conditions;
      const Program smooth = mod.without_switches(1, conditions);
      for (const Program& one : conditions) slots.push_back(one.evaluate(slots.data()));
      QCOMPARE(slots.at(1), std::floor(whole / 7.0));
      QVERIFY(std::abs(smooth.evaluate(slots.data()) - std::fmod(whole, 7.0)) < 1e-12 * whole);
      std::vector<Program> frozen;
      const auto switches = mod.switching(1, frozen);
      QCOMPARE(switches.size(), std::size_t{2});
      slots.resize(1);
      for (const Program& one : frozen) slots.push_back(one.evaluate(slots.data()));
      const double above = switches[0].difference.evaluate(slots.data()),
                   below = switches[1].difference.evaluate(slots.data());
      QVERIFY(std::abs(above - (whole / 7.0 - std::floor(whole / 7.0))) < 1e-12 * whole);
      QVERIFY(std::abs(above - below - 1.0) < 1e-12 * whole);
    }
  }
}

void TestProgram::slots_are_listed_once_in_order() {
  TestScope scope;
  scope.slot("x", 7), scope.slot("y", 2), scope.constant("k", 3);
  const auto compiled = compile("x + k * y - x / (y + k)", scope);
  const auto read = std::get<Compiled>(compiled).program.slots();
  QCOMPARE(std::vector(read.begin(), read.end()), (std::vector<std::uint32_t>{2, 7}));
  QVERIFY(std::get<Compiled>(compile("k + 1", scope)).program.slots().empty());
}

QTEST_APPLESS_MAIN(TestProgram)
#include "tst_program.moc"
