#include "core/expression/linear_form.h"

#include <cmath>
#include <map>

namespace ergode {
namespace {

/// What is worked out on the stack, by slot.
struct Affine {
  double constant = 0.0;
  std::map<std::uint32_t, double> of;

  bool is_constant() const { return of.empty(); }
  void add(const Affine& other, double factor) {
    constant += factor * other.constant;
    for (const auto& [slot, value] : other.of)
      if ((of[slot] += factor * value) == 0.0) of.erase(slot);
  }
  void scale(double factor) {
    constant *= factor;
    for (auto& [slot, value] : of) value *= factor;
    std::erase_if(of, [](const auto& one) { return one.second == 0.0; });
  }
};

/// Operands of constants are folded where a program is made, so no other operation is linear in anything.
std::optional<Affine> applied(Program::Op op, Affine a, const Affine& b) {
  switch (op) {
    case Program::Op::add:
      a.add(b, 1.0);
      return a;
    case Program::Op::subtract:
      a.add(b, -1.0);
      return a;
    case Program::Op::multiply: {
      if (!a.is_constant() && !b.is_constant()) return std::nullopt;
      Affine out = a.is_constant() ? b : a;
      out.scale(a.is_constant() ? a.constant : b.constant);
      return out;
    }
    case Program::Op::divide:
      if (!b.is_constant() || b.constant == 0.0) return std::nullopt;
      a.constant /= b.constant;
      for (auto& [slot, value] : a.of) value /= b.constant;
      return a;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<LinearForm> linear_form(const Program& program) {
  if (program.is_constant()) return LinearForm{program.value(), {}};  // it has no code
  std::vector<Affine> stack;
  for (const Program::Instruction one : program.code()) {
    if (one.op == Program::Op::constant) {
      stack.push_back({one.value, {}});
    } else if (one.op == Program::Op::load) {
      stack.push_back({0.0, {{one.slot, 1.0}}});
    } else if (one.op == Program::Op::negate) {
      stack.back().scale(-1.0);
    } else if (Program::operands_of(one.op) == 2) {
      const Affine b = std::move(stack.back());
      stack.pop_back();
      auto both = applied(one.op, std::move(stack.back()), b);
      if (!both) return std::nullopt;
      stack.back() = std::move(*both);
    } else {
      return std::nullopt;
    }
  }
  LinearForm out;
  out.constant = stack.back().constant;
  out.of.assign(stack.back().of.begin(), stack.back().of.end());
  return out;
}

std::variant<LinearMean, std::string> linear_mean(
    const Program& program, const std::function<std::variant<double, std::string>(std::uint32_t slot)>& mean_of_slot) {
  const auto form = linear_form(program);
  if (!form) return "it is not linear in what it reads, so that its mean does not follow from means";
  LinearMean out{form->constant, std::fabs(form->constant)};
  for (const auto& [slot, factor] : form->of) {
    const auto mean = mean_of_slot(slot);
    if (const auto* why = std::get_if<std::string>(&mean)) return *why;
    const double term = factor * std::get<double>(mean);
    out.value += term, out.magnitude += std::fabs(term);
  }
  return out;
}

}  // namespace ergode
