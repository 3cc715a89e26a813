#include "core/expression/program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ergode {
namespace {

using Op = Program::Op;

int operands_of(Op op) {
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
      return 1;
    case Op::select:
      return 3;
    default:
      return 2;
  }
}

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
    case Op::minimum:
      return std::min(a, b);
    case Op::maximum:
      return std::max(a, b);
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
    default:
      return 0.0;
  }
}

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
    case Op::remainder:
      return a.certain() && b.certain() ? hull({std::fmod(a.lower, b.lower)}) : anything;
    default:
      return anything;
  }
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
    default:
      return hull({unary(op, a.lower), unary(op, a.upper)});  // the rest is monotone; NaN widens to anything
  }
}

}  // namespace

Program Program::load(std::uint32_t slot) {
  Program out;
  out.code_ = {{Op::load, slot, 0.0}};
  out.slots_ = {slot};
  out.form_ = Form::slot;
  return out;
}

Program Program::apply(Op op, const std::vector<Program>& operands) {
  const bool constant = std::all_of(operands.begin(), operands.end(), [](const Program& p) { return p.is_constant(); });
  Program out;
  int used = 0;
  for (const Program& operand : operands) {
    if (operand.is_constant()) out.code_.push_back({Op::constant, 0, operand.value_});
    else out.code_.insert(out.code_.end(), operand.code_.begin(), operand.code_.end());
    out.depth_ = std::max(out.depth_, used + operand.depth_);
    ++used;
    std::vector<std::uint32_t> joined;
    std::set_union(out.slots_.begin(), out.slots_.end(), operand.slots_.begin(), operand.slots_.end(),
                   std::back_inserter(joined));
    out.slots_ = std::move(joined);
  }
  out.code_.push_back({op, 0, 0.0});
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

double Program::run(const double* slots) const {
  std::array<double, deepest_stack> stack;
  std::size_t top = 0;
  for (const Instruction& now : code_) {
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
  if (code_.size() != other.code_.size()) return false;
  if (code_.empty()) return value_ == other.value_;
  for (std::size_t i = 0; i < code_.size(); ++i) {
    const Instruction &a = code_[i], &b = other.code_[i];
    if (a.op != b.op || (a.op == Op::constant && a.value != b.value)) return false;
    if (a.op == Op::load && image[a.slot] != b.slot) return false;
  }
  return true;
}

Range Program::range(std::span<const Range> slots) const {
  if (code_.empty()) return {value_, value_};
  std::vector<Range> stack;
  for (const Instruction& now : code_) {
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
  if (code_.empty()) return *this;
  std::vector<Program> stack;
  for (const Instruction& now : code_) {
    if (now.op == Op::constant) {
      stack.push_back(Program(now.value));
    } else if (now.op == Op::load) {
      stack.push_back(load(now.slot));
    } else {
      const auto first = stack.end() - operands_of(now.op);
      const std::vector<Program> operands(first, stack.end());
      stack.erase(first, stack.end());
      Program made = apply(now.op, operands);
      const bool compares = now.op >= Op::less && now.op <= Op::not_equal;
      stack.push_back(compares && !made.is_constant() ? visit(std::move(made), operands) : std::move(made));
    }
  }
  return stack.back();
}

std::vector<Program> Program::switching() const {
  std::vector<Program> out;
  rebuilt([&](Program made, const std::vector<Program>& operands) {
    if (Program difference = apply(Op::subtract, operands); !difference.is_constant())
      out.push_back(std::move(difference));
    return made;
  });
  return out;
}

Program Program::without_switches(std::uint32_t first, std::vector<Program>& conditions) const {
  const std::size_t before = conditions.size();
  return rebuilt([&](Program made, const std::vector<Program>&) {
    conditions.push_back(std::move(made));
    return load(first + static_cast<std::uint32_t>(conditions.size() - before - 1));
  });
}

}  // namespace ergode
