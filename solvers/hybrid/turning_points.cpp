#include "solvers/hybrid/turning_points.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ergode {
namespace {

using Op = Program::Op;
using Moves = std::function<bool(std::uint32_t)>;

bool moving(const Program& program, const Moves& moves) {
  return std::any_of(program.slots().begin(), program.slots().end(), moves);
}

bool same(const Program& a, const Program& b) { return !a.is_constant() && !b.is_constant() && a.code() == b.code(); }

bool even_power(const Program& exponent) {
  return exponent.is_constant() && exponent.value() > 0.0 && std::fmod(exponent.value(), 2.0) == 0.0;
}

// Whether it makes a narrow peak of a flat one.
bool sharpens(Op op) {
  switch (op) {
    case Op::divide:
    case Op::power:
    case Op::minimum:
    case Op::maximum:
    case Op::exponential:
    case Op::logarithm:
    case Op::root:
    case Op::sine:
    case Op::cosine:
    case Op::tangent:
      return true;
    default:
      return false;
  }
}

// Where the operation, and not its operand, turns.
std::optional<Program> turn_of(Op op, const std::vector<Program>& of) {
  switch (op) {
    case Op::absolute:
      return of[0];
    case Op::multiply:
      return same(of[0], of[1]) ? std::optional(of[0]) : std::nullopt;
    case Op::power:
      return even_power(of[1]) ? std::optional(of[0]) : std::nullopt;
    case Op::sine:
      return Program::apply(Op::cosine, of);
    case Op::cosine:
      return Program::apply(Op::sine, of);
    default:
      return std::nullopt;
  }
}

/// Hands every operation with its operands to a visitor, which makes something of what it made of the operands.
template <class Made, class Leaf, class Visit>
Made walk(const Program& program, const Leaf& leaf, const Visit& visit) {
  if (program.is_constant()) return leaf(program);
  std::vector<Made> stack;
  for (const Program::Instruction now : program.code()) {
    if (now.op == Op::constant) {
      stack.push_back(leaf(Program(now.value)));
    } else if (now.op == Op::load) {
      stack.push_back(leaf(Program::load(now.slot)));
    } else {
      const auto first = stack.end() - Program::operands_of(now.op);
      Made made = visit(now.op, std::vector<Made>(first, stack.end()));
      stack.erase(first, stack.end());
      stack.push_back(std::move(made));
    }
  }
  return std::move(stack.back());
}

}  // namespace

bool is_affine(const Program& program, const Moves& moves) {
  // 0: stays, 1: affine, 2: something else
  return walk<int>(
             program, [&](const Program& leaf) { return moving(leaf, moves) ? 1 : 0; },
             [](Op op, const std::vector<int>& of) {
               const int most = *std::max_element(of.begin(), of.end());
               if (most == 0 || op == Op::add || op == Op::subtract || op == Op::negate) return most;
               if (op == Op::multiply && std::min(of[0], of[1]) == 0) return most;
               if (op == Op::divide && of[1] == 0) return most;
               if (op == Op::select && of[0] == 0) return most;
               return 2;
             }) < 2;
}

std::vector<Program> hidden_turns(const Program& program, const Moves& moves) {
  struct Part {
    Program whole;
    std::vector<Program> turns;  ///< inside, not sharpened yet
  };
  std::vector<Program> out;
  walk<Part>(
      program,
      [](const Program& leaf) {
        return Part{leaf, {}};
      },
      [&](Op op, const std::vector<Part>& of) {
        std::vector<Program> operands;
        Part made;
        for (std::size_t i = 0; i < of.size(); ++i) {
          operands.push_back(of[i].whole);
          const bool sharper = sharpens(op) && !(op == Op::divide && i == 0);
          std::vector<Program>& into = sharper ? out : made.turns;
          into.insert(into.end(), of[i].turns.begin(), of[i].turns.end());
        }
        std::optional<Program> turn = turn_of(op, operands);
        if (turn && moving(*turn, moves)) made.turns.push_back(std::move(*turn));
        made.whole = Program::apply(op, operands);
        return made;
      });
  return out;
}

namespace {

/// A part of a program, and what it is a function of.
struct Part {
  Program whole;
  bool of_time = true;  ///< of time and constants alone
  bool local = false;   ///< may have a peak somewhere that is flat elsewhere
};

// Where a function of time goes from rising to falling or back. What is smaller than a billionth of the greatest value
// is rounding.
template <class Value, class Time>
void find_turns(const Value& value, const Time& time, std::size_t points, std::vector<double>& out) {
  std::vector<double> values(points);
  double greatest = 0.0;
  for (std::size_t i = 0; i < points; ++i) {
    values[i] = value(time(i));
    if (std::isfinite(values[i])) greatest = std::max(greatest, std::abs(values[i]));
  }
  const double least = 1e-9 * greatest;
  int direction = 0;
  std::size_t extreme = 0;
  for (std::size_t i = 1; i < points; ++i) {
    const double change = values[i] - values[extreme];
    if (direction == 0) {
      if (std::abs(change) > least) direction = change > 0.0 ? 1 : -1, extreme = i;
    } else if (direction * change >= 0.0) {
      extreme = i;
    } else if (-direction * change > least) {
      out.push_back(time(extreme));
      direction = -direction, extreme = i;
    }
  }
}

}  // namespace

std::vector<double> time_peaks(const Program& program, std::uint32_t time, double horizon_s, std::size_t points) {
  std::vector<Program> parts;
  const auto take = [&](const Part& part) {
    if (part.of_time && part.local) parts.push_back(part.whole);
  };
  const auto is_time = [&](std::uint32_t slot) { return slot == time; };
  take(walk<Part>(
      program,
      [&](const Program& leaf) {
        return Part{leaf, leaf.is_constant() || is_time(leaf.slots().front())};
      },
      [&](Op op, const std::vector<Part>& of) {
        std::vector<Program> operands;
        Part made;
        for (const Part& one : of) {
          operands.push_back(one.whole);
          made.of_time = made.of_time && one.of_time;
          made.local = made.local || one.local;
        }
        const bool sharp = op == Op::exponential || op == Op::logarithm || op == Op::root || op == Op::power ||
                           (op == Op::divide && !operands.back().is_constant());
        made.whole = Program::apply(op, operands);
        made.local = made.local || (sharp && !made.whole.is_constant());
        if (!made.of_time)
          for (const Part& one : of) take(one);
        return made;
      }));
  std::vector<double> out;
  for (const Program& part : parts) {
    if (!hidden_turns(part, is_time).empty()) continue;
    std::vector<double> slots(std::size_t{time} + 1);
    const auto value = [&](double time_s) {
      slots[time] = time_s;
      return part.evaluate(slots.data());
    };
    const double n = static_cast<double>(points);
    find_turns(
        value, [&](std::size_t i) { return horizon_s * (static_cast<double>(i) + 0.5) / n; }, points, out);
    constexpr double decades = 9.0;
    find_turns(
        value,
        [&](std::size_t i) { return horizon_s * std::pow(10.0, decades * ((static_cast<double>(i) + 0.5) / n - 1.0)); },
        points, out);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace ergode
