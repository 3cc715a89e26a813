// Interval arithmetic: bounds on what a program gives, and whether it may be no number.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "core/expression/program.h"

namespace ergode {
namespace {

using Op = Program::Op;

// The value itself, as evaluation has it.
double unary(Op op, double a) {
  const Program made = Program::apply(op, {Program(a)});
  return made.value();
}

constexpr double pi = 3.14159265358979323846;

constexpr Range anything{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
constexpr Range truth{0.0, 1.0};
constexpr Range yes{1.0, 1.0}, no{0.0, 0.0};

Range hull(std::initializer_list<double> values) {
  Range out{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double v : values) {
    if (std::isnan(v)) return anything;
    out.lower = std::min(out.lower, v), out.upper = std::max(out.upper, v);
  }
  return out;
}

bool surely(Range a) { return a.lower > 0.0 || a.upper < 0.0; }
bool never(Range a) { return a.lower == 0.0 && a.upper == 0.0; }

Range negated(Range a) { return surely(a) ? no : never(a) ? yes : truth; }

// To a whole power: even ones turn at zero, odd ones rise, and negative ones have a pole there.
Range whole_power(Range a, double exponent) {
  if (exponent != std::floor(exponent) || std::isinf(exponent)) return anything;
  const bool through_zero = a.upper >= 0.0;
  if (exponent < 0.0 && through_zero) return anything;
  Range out = hull({std::pow(a.lower, exponent), std::pow(a.upper, exponent)});
  if (through_zero && std::fmod(exponent, 2.0) == 0.0) out.lower = std::min(out.lower, std::pow(0.0, exponent));
  return out;
}

Range binary(Op op, Range a, Range b) {
  switch (op) {
    case Op::add:
      return {a.lower + b.lower, a.upper + b.upper};
    case Op::subtract:
      return {a.lower - b.upper, a.upper - b.lower};
    case Op::multiply:
      return hull({a.lower * b.lower, a.lower * b.upper, a.upper * b.lower, a.upper * b.upper});
    case Op::divide:
      if (b.lower <= 0.0 && b.upper >= 0.0) return anything;
      return hull({a.lower / b.lower, a.lower / b.upper, a.upper / b.lower, a.upper / b.upper});
    case Op::power:
      if (a.certain() && b.certain()) return hull({std::pow(a.lower, b.lower)});
      if (a.lower < 0.0) return b.certain() ? whole_power(a, b.lower) : anything;
      return hull({std::pow(a.lower, b.lower), std::pow(a.lower, b.upper), std::pow(a.upper, b.lower),
                   std::pow(a.upper, b.upper)});
    case Op::less:
      return a.upper < b.lower ? yes : a.lower >= b.upper ? no : truth;
    case Op::less_equal:
      return a.upper <= b.lower ? yes : a.lower > b.upper ? no : truth;
    case Op::greater:
      return binary(Op::less, b, a);
    case Op::greater_equal:
      return binary(Op::less_equal, b, a);
    case Op::equal:
      if (a.certain() && b.certain() && a.lower == b.lower) return yes;
      return a.upper < b.lower || b.upper < a.lower ? no : truth;
    case Op::not_equal:
      return negated(binary(Op::equal, a, b));
    case Op::conjunction:
      return never(a) || never(b) ? no : surely(a) && surely(b) ? yes : truth;
    case Op::disjunction:
      return surely(a) || surely(b) ? yes : never(a) && never(b) ? no : truth;
    case Op::minimum:
      return {std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
    case Op::maximum:
      return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
    case Op::remainder: {
      if (a.certain() && b.certain()) return hull({std::fmod(a.lower, b.lower)});
      // It has the sign of the dividend and is smaller than the divisor, and no greater than the dividend.
      if (b.lower <= 0.0 && b.upper >= 0.0) return anything;
      if (!std::isfinite(a.lower) && !std::isfinite(a.upper) && !std::isfinite(b.upper - b.lower)) return anything;
      const double size = std::max(std::abs(b.lower), std::abs(b.upper));
      return {std::max(std::min(a.lower, 0.0), -size), std::min(std::max(a.upper, 0.0), size)};
    }
    default:
      return anything;
  }
}

// Where a multiple of the period lies inside, plus this phase; rounding widens by a hair. Wide ranges hold everything.
bool meets(Range a, double phase, double period) {
  const double hair = 1e-9;
  const double first = std::ceil((a.lower - phase) / period - hair);
  return !(first > (a.upper - phase) / period + hair);
}

Range wave(Op op, Range a) {
  constexpr double largest = 1e6;  // beyond it a hair is no bound on what rounding does to the phase
  if (!(std::abs(a.lower) < largest && std::abs(a.upper) < largest))
    return op == Op::tangent ? anything : Range{-1.0, 1.0};
  if (op == Op::tangent) {
    if (meets(a, pi / 2.0, pi)) return anything;
    return hull({std::tan(a.lower), std::tan(a.upper)});
  }
  const double crest = op == Op::sine ? pi / 2.0 : 0.0;
  Range out = hull({unary(op, a.lower), unary(op, a.upper)});
  if (meets(a, crest, 2.0 * pi)) out.upper = 1.0;
  if (meets(a, crest + pi, 2.0 * pi)) out.lower = -1.0;
  return out;
}

Range unary(Op op, Range a) {
  switch (op) {
    case Op::negate:
      return {-a.upper, -a.lower};
    case Op::negation:
      return negated(a);
    case Op::absolute:
      if (a.lower <= 0.0 && a.upper >= 0.0) return {0.0, std::max(-a.lower, a.upper)};
      return hull({std::abs(a.lower), std::abs(a.upper)});
    case Op::sine:
    case Op::cosine:
    case Op::tangent:
      return a.certain() ? hull({unary(op, a.lower)}) : wave(op, a);
    default:
      return hull({unary(op, a.lower), unary(op, a.upper)});  // the rest is monotone; NaN widens to anything
  }
}

/// Bounds that hold where the value is a number, and whether it may be none.
struct Bounds : Range {
  bool none = false;
};

bool holds_zero(Range a) { return a.lower <= 0.0 && a.upper >= 0.0; }
bool infinite(Range a) { return std::isinf(a.lower) || std::isinf(a.upper); }

/// Whether numbers within these bounds may give none.
bool makes_none(Op op, Range a, Range b) {
  switch (op) {
    case Op::add:
      return (a.upper == HUGE_VAL && b.lower == -HUGE_VAL) || (a.lower == -HUGE_VAL && b.upper == HUGE_VAL);
    case Op::subtract:
      return (a.upper == HUGE_VAL && b.upper == HUGE_VAL) || (a.lower == -HUGE_VAL && b.lower == -HUGE_VAL);
    case Op::multiply:
      return (holds_zero(a) && infinite(b)) || (holds_zero(b) && infinite(a));
    case Op::divide:
      return (holds_zero(a) && holds_zero(b)) || (infinite(a) && infinite(b));
    case Op::power:
      return a.lower < 0.0 && !(b.certain() && b.lower == std::floor(b.lower));
    case Op::remainder:
      return holds_zero(b) || infinite(a);
    default:
      return false;
  }
}
bool makes_none(Op op, Range a) {
  switch (op) {
    case Op::logarithm:
    case Op::root:
      return a.lower < 0.0;
    case Op::sine:
    case Op::cosine:
    case Op::tangent:
      return infinite(a);
    default:
      return false;
  }
}

/// No number is true: it is not 0.
Range as_truth(const Bounds& a) { return a.none && never(a) ? truth : a; }

Bounds binary(Op op, const Bounds& a, const Bounds& b) {
  const bool none = a.none || b.none;
  if (op == Op::conjunction || op == Op::disjunction) return {binary(op, as_truth(a), as_truth(b))};
  Range out = binary(op, static_cast<Range>(a), static_cast<Range>(b));
  if (op >= Op::less && op <= Op::not_equal) {
    // No number is different from all and nothing else.
    const Range beside = op == Op::not_equal ? yes : no;
    if (none && !(out.certain() && out.lower == beside.lower)) out = truth;
    return {out};
  }
  if (std::isnan(out.lower) || std::isnan(out.upper)) out = anything;
  return {out, none || makes_none(op, a, b)};
}
Bounds unary(Op op, const Bounds& a) {
  if (op == Op::negation) return {negated(as_truth(a))};
  return {unary(op, static_cast<Range>(a)), a.none || makes_none(op, a)};
}

}  // namespace

Range Program::range(std::span<const Range> slots) const {
  if (is_constant()) return {value_, value_};
  std::vector<Bounds> stack;
  for (const Instruction now : code()) {
    const auto pop = [&stack] {
      const Bounds out = stack.back();
      stack.pop_back();
      return out;
    };
    switch (now.op) {
      case Op::constant:
        if (std::isnan(now.value)) stack.push_back({anything, true});
        else stack.push_back({{now.value, now.value}});
        break;
      case Op::load: {
        const Range held = now.slot < slots.size() ? slots[now.slot] : anything;
        // What may hold anything may hold what is no number: a variable that was set so.
        stack.push_back({held, std::isinf(held.lower) && std::isinf(held.upper)});
        break;
      }
      case Op::select: {
        const Bounds otherwise = pop(), then = pop(), condition = pop();
        // A condition that is certain leaves the other branch out of the bounds: so a part that a parameter switches
        // off is known to be off.
        if (surely(condition)) stack.push_back(then);
        else if (never(as_truth(condition))) stack.push_back(otherwise);
        else
          stack.push_back({{std::min(then.lower, otherwise.lower), std::max(then.upper, otherwise.upper)},
                           then.none || otherwise.none});
        break;
      }
      default:
        if (operands_of(now.op) == 2) {
          const Bounds b = pop(), a = pop();
          stack.push_back(binary(now.op, a, b));
        } else {
          stack.push_back(unary(now.op, pop()));
        }
    }
  }
  return stack.back();
}

}  // namespace ergode
