// Functions of the expression language: what each takes, and the code it becomes.
#include <cmath>

#include "core/base/text.h"
#include "core/expression/expression_compiler.h"
#include "core/expression/failure.h"

namespace ergode {
namespace {

using Op = Program::Op;
using Base = ValueType::Base;

ValueType joint_type(const std::vector<Compiled>& of) {
  for (const Compiled& one : of)
    if (one.type.base != of.front().type.base) return ValueType::real(of.front().type.dimension);
  return of.front().type;
}

constexpr std::size_t most_points = 500;

Program line(const Program& at, const std::vector<double>& x, const std::vector<Compiled>& y, std::size_t i) {
  if (i == 0) return y.front().program;
  const auto apply = [](Op op, const Program& a, const Program& b) { return Program::apply(op, {a, b}); };
  // What is no number is below no point and ends here: the last value whatever the place, but none without a place.
  if (i == x.size()) return apply(Op::maximum, apply(Op::minimum, at, y.back().program), y.back().program);
  const Program &below = y[i - 1].program, &above = y[i].program;
  const Program share = apply(Op::divide, apply(Op::subtract, at, Program(x[i - 1])), Program(x[i] - x[i - 1]));
  const Program value = apply(Op::add, below, apply(Op::multiply, share, apply(Op::subtract, above, below)));
  // Never beyond its ends, by rounding or where bounds on the value are asked for.
  return apply(Op::maximum, apply(Op::minimum, value, apply(Op::maximum, below, above)),
               apply(Op::minimum, below, above));
}

// Between points first and last - 1, found by halving; beyond both ends the value at the end.
Program piece(const Program& at, const std::vector<double>& x, const std::vector<Compiled>& y, std::size_t first,
              std::size_t last) {
  // Pieces are 0: below the first point, i: from point i - 1 to i, n: beyond the last.
  // A tree of comparisons: a few places on the stack for each halving, where a chain would need some for each point.
  const auto choose = [&](auto&& self, std::size_t from, std::size_t to) -> Program {
    if (from == to) return line(at, x, y, from);
    const std::size_t middle = from + (to - from) / 2;
    return Program::apply(Op::select, {Program::apply(Op::less, {at, Program(x[middle])}), self(self, from, middle),
                                       self(self, middle + 1, to)});
  };
  return choose(choose, first, last);
}

}  // namespace

Compiled ExpressionCompiler::states(const Syntax& s, const std::string& function) {
  if (s.children.size() != 1 || s.children.front().kind != Syntax::Kind::path)
    fail("EXP005", function + " takes one state or set of states, as in " + function + "(EDG[*].Failed).", s.begin);
  const Syntax& what = s.children.front();
  const auto found = resolve(what);
  if (const auto* why = std::get_if<std::string>(&found)) unknown(what, *why);
  if (std::holds_alternative<Symbol>(found)) fail("EXP003", "A variable stands here; wanted a state.", what.begin);
  const StateSet set = std::get<StateSet>(found);
  const Program count = Program::load(set.slot);
  const Program size(static_cast<double>(set.size));
  if (function == "count") return {ValueType::integer(), count, {}};
  if (function == "any") return {ValueType::boolean(), Program::apply(Op::greater, {count, Program(0.0)}), {}};
  if (function == "all") return {ValueType::boolean(), Program::apply(Op::equal, {count, size}), {}};
  if (set.size != 1)
    fail("EXP003", "in() takes one state, here are " + std::to_string(set.size) + ".", what.begin,
         "Use count, any or all.");
  return {ValueType::boolean(), count, {}};
}

Compiled ExpressionCompiler::conditional(const Syntax& s, std::size_t first) {
  const Program condition = as(s.children[first], ValueType::boolean());
  const Compiled then = compile(s.children[first + 1]), otherwise = compile(s.children[first + 2]);
  const bool numbers = then.type.number() && otherwise.type.number() && then.type.dimension == otherwise.type.dimension;
  if (!numbers && then.type.base != otherwise.type.base)
    fail("EXP003", "One branch is " + then.type.text() + ", the other " + otherwise.type.text() + "; wanted the same.",
         s.children[first + 2].begin);
  if (then.type.base == Base::choice) {
    if (!condition.is_constant()) fail("EXP005", "A choice cannot change during a run.", s.begin);
    return condition.value() != 0.0 ? then : otherwise;
  }
  const ValueType type = then.type.base == otherwise.type.base ? then.type : ValueType::real(then.type.dimension);
  // A constant condition drops the other branch, so that a model can switch a part off by a parameter.
  if (condition.is_constant()) return {type, condition.value() != 0.0 ? then.program : otherwise.program, {}};
  return {type, Program::apply(Op::select, {condition, then.program, otherwise.program}), {}};
}

void ExpressionCompiler::arity(const Syntax& s, std::size_t count) {
  if (s.children.size() != count)
    fail("EXP005",
         s.word + " has " + std::to_string(s.children.size()) + " arguments; wanted " + std::to_string(count) + ".",
         s.begin);
  for (const std::string& name : s.names)
    if (!name.empty()) fail("EXP005", s.word + " takes no named arguments, here is \"" + name + "\".", s.begin);
}

// The arguments from `first` on: numbers of one dimension.
std::vector<Compiled> ExpressionCompiler::alike(const Syntax& s, std::size_t first, std::size_t stride) {
  std::vector<Compiled> out;
  for (std::size_t i = first; i < s.children.size(); i += stride) {
    out.push_back(compile(s.children[i]));
    const ValueType &type = out.back().type, &wanted = out.front().type;
    if (!type.number()) fail("EXP003", "Here is " + type.text() + "; wanted a number.", s.children[i].begin);
    if (!(type.dimension == wanted.dimension))
      fail("EXP004", s.word + " joins " + wanted.text() + " and " + type.text() + "; wanted the same dimension.",
           s.children[i].begin, unit_hint(wanted.dimension), wanted.dimension);
  }
  return out;
}

// By comparisons rather than min and max: whoever integrates follows comparisons.
Compiled ExpressionCompiler::clamp(const Syntax& s) {
  arity(s, 3);
  const std::vector<Compiled> of = alike(s, 0);
  const Program &x = of[0].program, &low = of[1].program, &high = of[2].program;
  if (low.is_constant() && high.is_constant() && low.value() > high.value())
    fail("EXP005", "The lower end of clamp is above the upper one.", s.children[1].begin);
  const Program above = Program::apply(Op::select, {Program::apply(Op::greater, {x, high}), high, x});
  const Program value = Program::apply(Op::select, {Program::apply(Op::less, {x, low}), low, above});
  // Changes no value, but bounds on it are then as narrow as they can be.
  const Program bounded = Program::apply(Op::maximum, {Program::apply(Op::minimum, {value, high}), low});
  return {joint_type(of), bounded, {}};
}

Compiled ExpressionCompiler::table(const Syntax& s) {
  for (const std::string& name : s.names)
    if (!name.empty()) fail("EXP005", "table takes no named arguments, here is \"" + name + "\".", s.begin);
  if (s.children.size() < 5 || s.children.size() % 2 == 0)
    fail("EXP005", "table wants a value and two or more points, as in table(now, 0 h: 1, 8 h: 2.5).", s.begin);
  if (s.children.size() / 2 > most_points)
    fail("EXP006", "The table has more than " + std::to_string(most_points) + " points.", s.begin);
  const Compiled at = compile(s.children[0]);
  if (!at.type.number()) fail("EXP003", "Here is " + at.type.text() + "; wanted a number.", s.children[0].begin);
  std::vector<double> x;
  for (std::size_t i = 1; i < s.children.size(); i += 2) {
    x.push_back(constant(s.children[i], ValueType::real(at.type.dimension)));
    if (x.size() > 1 && !(x.back() > x[x.size() - 2]))
      fail("EXP005", "The points of a table ascend; this one does not.", s.children[i].begin);
  }
  const std::vector<Compiled> y = alike(s, 2, 2);
  return {ValueType::real(y.front().type.dimension), piece(at.program, x, y, 0, x.size()), {}};
}

Compiled ExpressionCompiler::call(const Syntax& s) {
  const std::string& f = s.word;
  if (f == "in" || f == "count" || f == "any" || f == "all") return states(s, f);
  if (f == "if") {
    arity(s, 3);
    return conditional(s, 0);
  }
  // Any number of arguments, pair by pair from the left: the stack does not grow with them.
  if (f == "min" || f == "max") {
    if (s.children.size() < 2) fail("EXP005", f + " wants two or more arguments.", s.begin);
    Compiled out = compile(s.children[0]);
    if (!out.type.number()) fail("EXP003", "Here is " + out.type.text() + "; wanted a number.", s.children[0].begin);
    for (std::size_t i = 1; i < s.children.size(); ++i) {
      const Compiled next = compile(s.children[i]);
      if (!next.type.number())
        fail("EXP003", "Here is " + next.type.text() + "; wanted a number.", s.children[i].begin);
      if (!(next.type.dimension == out.type.dimension))
        fail("EXP004", f + " joins " + out.type.text() + " and " + next.type.text() + "; wanted the same dimension.",
             s.children[i].begin, unit_hint(out.type.dimension), out.type.dimension);
      if (next.type.base != out.type.base) out.type = ValueType::real(out.type.dimension);
      out.program = Program::apply(f == "min" ? Op::minimum : Op::maximum, {std::move(out.program), next.program});
    }
    return out;
  }
  if (f == "abs") {
    arity(s, 1);
    Compiled out = compile(s.children[0]);
    if (!out.type.number()) fail("EXP003", "Here is " + out.type.text() + "; wanted a number.", s.children[0].begin);
    out.program = Program::apply(Op::absolute, {std::move(out.program)});
    return out;
  }
  if (f == "mod") {
    arity(s, 2);
    const std::vector<Compiled> of = alike(s, 0);
    return {joint_type(of), Program::apply(Op::remainder, {of[0].program, of[1].program}), {}};
  }
  if (f == "pow") {
    arity(s, 2);
    const Program a = as(s.children[0], ValueType::real()), b = as(s.children[1], ValueType::real());
    return {ValueType::real(), Program::apply(Op::power, {a, b}), {}};
  }
  if (f == "clamp") return clamp(s);
  if (f == "table") return table(s);
  static const std::pair<const char*, Op> plain[] = {
      {"sin", Op::sine},  {"cos", Op::cosine},  {"tan", Op::tangent},  {"exp", Op::exponential}, {"log", Op::logarithm},
      {"sqrt", Op::root}, {"floor", Op::floor}, {"ceil", Op::ceiling}, {"round", Op::round}};
  for (const auto& [name, op] : plain) {
    if (f != name) continue;
    arity(s, 1);
    const bool whole = op == Op::floor || op == Op::ceiling || op == Op::round;
    return {whole ? ValueType::integer() : ValueType::real(),
            Program::apply(op, {as(s.children[0], ValueType::real())}),
            {}};
  }
  if (is_distribution(f))
    fail("EXP003", f + "(...) is a distribution; it stands in after(...), here a value is wanted.", s.begin);
  static const std::vector<std::string> known = {"in",   "count", "any", "all", "if",  "min",   "max",
                                                 "abs",  "mod",   "pow", "exp", "log", "sqrt",  "floor",
                                                 "ceil", "round", "sin", "cos", "tan", "clamp", "table"};
  const std::string near = nearest_word(f, known);
  fail("EXP002", "There is no function \"" + f + "\".", s.begin,
       near.empty() ? std::string() : "Did you mean " + near + "?");
}

}  // namespace ergode
