#include "core/expression/program.h"

#include <algorithm>
#include <array>
#include <cmath>

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

inline double apply_unary(Op op, double a) {
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
  if (constant) return Program(out.run(nullptr));
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
  if (depth_ <= deepest_stack) {
    std::array<double, deepest_stack> stack;
    return run(slots, stack.data());
  }
  std::vector<double> stack(static_cast<std::size_t>(depth_));
  return run(slots, stack.data());
}

double Program::run(const double* slots, double* stack) const {
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
        else stack[top - 1] = apply_unary(now.op, stack[top - 1]);
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
    if (!difference.is_constant()) out.push_back({std::move(difference), jump});
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
