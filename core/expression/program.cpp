#include "core/expression/program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergode {
namespace {

using Op = Program::Op;

inline double binary(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return std::pow(a, b);
    case Op::less:
      return a < b ? 1.0 : 0.0;
    case Op::less_equal:
      return a <= b ? 1.0 : 0.0;
    case Op::greater:
      return a > b ? 1.0 : 0.0;
    case Op::greater_equal:
      return a >= b ? 1.0 : 0.0;
    case Op::equal:
      return a == b ? 1.0 : 0.0;
    case Op::not_equal:
      return a != b ? 1.0 : 0.0;
    case Op::conjunction:
      return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
    case Op::disjunction:
      return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
    // No number stays none on either side.
    case Op::minimum:
      return std::isnan(b) ? b : std::min(a, b);
    case Op::maximum:
      return std::isnan(b) ? b : std::max(a, b);
    case Op::remainder:
      return std::fmod(a, b);
    default:
      return 0.0;
  }
}

inline double unary(Op op, double a) {
  switch (op) {
    case Op::negate:
      return -a;
    case Op::negation:
      return a == 0.0 ? 1.0 : 0.0;
    case Op::absolute:
      return std::abs(a);
    case Op::exponential:
      return std::exp(a);
    case Op::logarithm:
      return std::log(a);
    case Op::root:
      return std::sqrt(a);
    case Op::floor:
      return std::floor(a);
    case Op::ceiling:
      return std::ceil(a);
    case Op::round:
      return std::round(a);
    case Op::sine:
      return std::sin(a);
    case Op::cosine:
      return std::cos(a);
    case Op::tangent:
      return std::tan(a);
    default:
      return 0.0;
  }
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
      if (a.lower < 0.0) return anything;
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

}  // namespace

int Program::operands_of(Op op) {
  switch (op) {
    case Op::constant:
    case Op::load:
      return 0;
    case Op::negate:
    case Op::negation:
    case Op::absolute:
    case Op::exponential:
    case Op::logarithm:
    case Op::root:
    case Op::floor:
    case Op::ceiling:
    case Op::round:
    case Op::sine:
    case Op::cosine:
    case Op::tangent:
      return 1;
    case Op::select:
      return 3;
    default:
      return 2;
  }
}

Program Program::load(std::uint32_t slot) {
  Program out;
  out.body_ = std::make_shared<const Body>(Body{{{Op::load, slot, 0.0}}, {slot}});
  out.slot_ = slot;
  out.form_ = Form::slot;
  return out;
}

Program Program::apply(Op op, const std::vector<Program>& operands) {
  const bool constant = std::all_of(operands.begin(), operands.end(), [](const Program& p) { return p.is_constant(); });
  Program out;
  Body body;
  int used = 0;
  for (const Program& operand : operands) {
    if (operand.is_constant()) body.code.push_back({Op::constant, 0, operand.value_});
    else body.code.insert(body.code.end(), operand.code().begin(), operand.code().end());
    out.depth_ = std::max(out.depth_, used + operand.depth_);
    ++used;
    // Both lists ascend: joined like this they still do, and each slot stands there once.
    std::vector<std::uint32_t> joined;
    std::set_union(body.slots.begin(), body.slots.end(), operand.slots().begin(), operand.slots().end(),
                   std::back_inserter(joined));
    body.slots = std::move(joined);
  }
  body.code.push_back({op, 0, 0.0});
  if (!body.slots.empty()) out.slot_ = body.slots.front();
  out.body_ = std::make_shared<const Body>(std::move(body));
  // Folded by the interpreter itself, so that a constant has the bits that evaluation would give.
  if (constant && out.depth_ <= deepest_stack) return Program(out.run(nullptr));
  out.form_ = Form::general;
  if (operands.size() == 2 && operands[0].form_ == Form::slot && operands[1].is_constant()) {
    out.value_ = operands[1].value_;
    if (op == Op::equal) out.form_ = Form::slot_equal;
    else if (op == Op::less) out.form_ = Form::slot_less;
    else if (op == Op::greater_equal) out.form_ = Form::slot_greater_equal;
    else if (op == Op::greater) out.form_ = Form::slot_greater;
  }
  return out;
}

Program Program::renamed(const std::function<std::uint32_t(std::uint32_t)>& to) const {
  if (is_constant()) return *this;
  Body body{{code().begin(), code().end()}, {}};
  for (Instruction& now : body.code) {
    if (now.op != Op::load) continue;
    now.slot = to(now.slot);
    body.slots.push_back(now.slot);
  }
  std::sort(body.slots.begin(), body.slots.end());
  body.slots.erase(std::unique(body.slots.begin(), body.slots.end()), body.slots.end());
  Program out = *this;
  // The machine code reads the old slots.
  out.entry_ = nullptr, out.pages_ = nullptr;
  out.moved_ = 0, out.slot_ = body.slots.empty() ? 0 : body.slots.front();
  out.body_ = std::make_shared<const Body>(std::move(body));
  return out;
}

double Program::run(const double* slots) const {
  std::array<double, deepest_stack> stack;
  std::size_t top = 0;
  // A folded program has no slots at all. By may be a move to the left, hence signed.
  if (slots != nullptr) slots += static_cast<std::int32_t>(moved_);
  for (const Instruction& now : body_->code) {
    switch (now.op) {
      case Op::constant:
        stack[top++] = now.value;
        break;
      case Op::load:
        stack[top++] = slots[now.slot];
        break;
      case Op::select:
        top -= 2;
        stack[top - 1] = stack[top - 1] != 0.0 ? stack[top] : stack[top + 1];
        break;
      default:
        if (operands_of(now.op) == 2) --top, stack[top - 1] = binary(now.op, stack[top - 1], stack[top]);
        else stack[top - 1] = unary(now.op, stack[top - 1]);
    }
  }
  return stack[0];
}

bool Program::becomes(const Program& other, std::span<const std::uint32_t> image) const {
  const auto mine = code(), theirs = other.code();
  if (mine.size() != theirs.size()) return false;
  if (mine.empty()) return value_ == other.value_;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const Instruction a = mine[i], b = theirs[i];
    if (a.op != b.op || (a.op == Op::constant && a.value != b.value)) return false;
    if (a.op == Op::load && image[a.slot] != b.slot) return false;
  }
  return true;
}

Range Program::range(std::span<const Range> slots) const {
  if (is_constant()) return {value_, value_};
  std::vector<Range> stack;
  for (const Instruction now : code()) {
    const auto pop = [&stack] {
      const Range out = stack.back();
      stack.pop_back();
      return out;
    };
    switch (now.op) {
      case Op::constant:
        stack.push_back({now.value, now.value});
        break;
      case Op::load:
        stack.push_back(now.slot < slots.size() ? slots[now.slot] : anything);
        break;
      case Op::select: {
        const Range otherwise = pop(), then = pop(), condition = pop();
        // A condition that is certain leaves the other branch out of the bounds: so a part that a parameter switches
        // off is known to be off.
        stack.push_back(surely(condition) ? then
                        : never(condition)
                            ? otherwise
                            : Range{std::min(then.lower, otherwise.lower), std::max(then.upper, otherwise.upper)});
        break;
      }
      default:
        if (operands_of(now.op) == 2) {
          const Range b = pop(), a = pop();
          stack.push_back(binary(now.op, a, b));
        } else {
          stack.push_back(unary(now.op, pop()));
        }
    }
  }
  return stack.back();
}

// Puts the program together again from its instructions; `visit` may replace what a comparison gives.
template <class Visit>
Program Program::rebuilt(Visit visit) const {
  if (is_constant()) return *this;
  std::vector<Program> stack;
  for (const Instruction now : code()) {
    if (now.op == Op::constant) {
      stack.push_back(Program(now.value));
    } else if (now.op == Op::load) {
      stack.push_back(load(now.slot));
    } else {
      const auto first = stack.end() - operands_of(now.op);
      const std::vector<Program> operands(first, stack.end());
      stack.erase(first, stack.end());
      Program made = apply(now.op, operands);
      const bool jumps = (now.op >= Op::less && now.op <= Op::not_equal) || now.op == Op::floor ||
                         now.op == Op::ceiling || now.op == Op::round || now.op == Op::remainder;
      stack.push_back(jumps && !made.is_constant() ? visit(now.op, std::move(made), operands) : std::move(made));
    }
  }
  return stack.back();
}

namespace {

// mod(a, b) is a - b n with this whole number n. From the quotient, so that it agrees with what is followed.
Program whole_quotient(const Program& quotient) {
  return Program::apply(Op::select, {Program::apply(Op::less, {quotient, Program(0.0)}),
                                     Program::apply(Op::ceiling, {quotient}), Program::apply(Op::floor, {quotient})});
}
Program remainder_of(const std::vector<Program>& operands, const Program& whole) {
  return Program::apply(Op::subtract, {operands[0], Program::apply(Op::multiply, {operands[1], whole})});
}

}  // namespace

std::vector<Program::Switch> Program::switching(std::uint32_t first, std::vector<Program>& frozen) const {
  std::vector<Switch> out;
  const std::size_t before = frozen.size();
  const auto add = [&](Program difference, bool jump) {
    if (!difference.is_constant() && difference.depth() <= deepest_stack) out.push_back({std::move(difference), jump});
  };
  const auto freeze = [&](Program value) {
    frozen.push_back(std::move(value));
    return load(first + static_cast<std::uint32_t>(frozen.size() - before - 1));
  };
  rebuilt([&](Op op, Program made, const std::vector<Program>& operands) {
    if (op >= Op::less && op <= Op::not_equal) {
      add(apply(Op::subtract, operands), false);
      return made;
    }
    const Program x = op == Op::remainder ? apply(Op::divide, operands)
                      : op == Op::round   ? apply(Op::add, {operands[0], Program(0.5)})
                                          : operands[0];
    const Program below = freeze(apply(Op::floor, {x}));
    add(apply(Op::subtract, {x, below}), true);
    add(apply(Op::subtract, {x, apply(Op::add, {below, Program(1.0)})}), true);
    return op == Op::remainder ? remainder_of(operands, freeze(whole_quotient(x))) : freeze(std::move(made));
  });
  return out;
}

Program Program::without_switches(std::uint32_t first, std::vector<Program>& conditions) const {
  const std::size_t before = conditions.size();
  return rebuilt([&](Op op, Program made, const std::vector<Program>& operands) {
    const Program frozen = load(first + static_cast<std::uint32_t>(conditions.size() - before));
    conditions.push_back(op == Op::remainder ? whole_quotient(apply(Op::divide, operands)) : std::move(made));
    return op == Op::remainder ? remainder_of(operands, frozen) : frozen;
  });
}

}  // namespace ergode
