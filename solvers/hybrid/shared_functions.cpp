#include "solvers/hybrid/shared_functions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>

namespace ergode {
namespace {

using Op = Program::Op;

constexpr std::uint32_t nothing = ~std::uint32_t{0};

/// What programs are made of, each part once however often it stands in them; a part comes after its own parts.
class Parts {
 public:
  struct Part {
    Op op;
    std::uint32_t slot = 0;
    double value = 0.0;
    std::array<std::uint32_t, 3> of{};
    std::uint32_t users = 0;  ///< different parts that it is a part of, and programs that it is
  };

  /// @returns the part that is the program.
  std::uint32_t add(const Program& program) {
    std::vector<std::uint32_t> stack;
    for (const Program::Instruction& now : program.code()) {
      Part made{.op = now.op, .slot = now.slot, .value = now.value, .of = {nothing, nothing, nothing}};
      const auto operands = static_cast<std::size_t>(Program::operands_of(now.op));
      std::copy(stack.end() - static_cast<std::ptrdiff_t>(operands), stack.end(), made.of.begin());
      stack.resize(stack.size() - operands);
      stack.push_back(number(made));
    }
    ++all_[stack.back()].users;
    return stack.back();
  }
  std::size_t size() const { return all_.size(); }
  const Part& operator[](std::size_t number) const { return all_[number]; }

  /// The part as a program, in which those that have a slot are read from it.
  Program program(std::uint32_t number, const std::vector<std::uint32_t>& slot_of, bool whole = false) const {
    const Part& part = all_[number];
    if (!whole && slot_of[number] != nothing) return Program::load(slot_of[number]);
    if (part.op == Op::constant) return Program(part.value);
    if (part.op == Op::load) return Program::load(part.slot);
    std::vector<Program> operands;
    for (int i = 0; i < Program::operands_of(part.op); ++i)
      operands.push_back(program(part.of[static_cast<std::size_t>(i)], slot_of));
    return Program::apply(part.op, operands);
  }

 private:
  std::uint32_t number(const Part& part) {
    const auto key = std::make_tuple(part.op, part.slot, std::bit_cast<std::uint64_t>(part.value), part.of);
    const auto [known, fresh] = known_.emplace(key, static_cast<std::uint32_t>(all_.size()));
    if (!fresh) return known->second;
    all_.push_back(part);
    for (std::size_t i = 0; i < part.of.size() && part.of[i] != nothing; ++i) ++all_[part.of[i]].users;
    return known->second;
  }

  std::vector<Part> all_;
  std::map<std::tuple<Op, std::uint32_t, std::uint64_t, std::array<std::uint32_t, 3>>, std::uint32_t> known_;
};

bool is_leaf(Op op) { return op == Op::constant || op == Op::load; }
int cost_of(Op op) {
  switch (op) {
    case Op::power:
    case Op::exponential:
    case Op::logarithm:
    case Op::remainder:
    case Op::sine:
    case Op::cosine:
    case Op::tangent:
      return 20;
    default:
      return is_leaf(op) ? 0 : 1;
  }
}

// Gives every part that is to be taken out its slot, and puts the programs together again.
template <class Wanted>
std::vector<Program> take_out(const std::vector<Program*>& programs, std::uint32_t first, const Wanted& wanted) {
  Parts parts;
  std::vector<std::uint32_t> roots;
  for (const Program* program : programs) roots.push_back(program->is_constant() ? nothing : parts.add(*program));
  std::vector<std::uint32_t> slot_of(parts.size(), nothing);
  std::vector<Program> out;
  wanted(parts, [&](std::uint32_t part) {
    out.push_back(parts.program(part, slot_of, true));
    slot_of[part] = first + static_cast<std::uint32_t>(out.size()) - 1;
  });
  if (out.empty()) return out;
  for (std::size_t i = 0; i < programs.size(); ++i)
    if (roots[i] != nothing) *programs[i] = parts.program(roots[i], slot_of);
  return out;
}

}  // namespace

std::vector<Program> share_functions(const std::vector<Program*>& programs, std::uint32_t first) {
  constexpr int worth_a_slot = 3;
  return take_out(programs, first, [](const Parts& parts, const auto& take) {
    std::vector<int> cost(parts.size());  // of what is not taken out
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
      cost[p] = cost_of(parts[p].op);
      for (const std::uint32_t of : parts[p].of)
        if (of != nothing) cost[p] = std::min(cost[p] + cost[of], 1000);
      // What has a slot costs a load from here on, so a larger part is judged by what is left of it.
      if (parts[p].users < 2 || cost[p] < worth_a_slot) continue;
      take(p);
      cost[p] = 0;
    }
  });
}

std::vector<Program> take_out_still(const std::vector<Program*>& programs, std::uint32_t first,
                                    const std::function<bool(std::uint32_t)>& still) {
  return take_out(programs, first, [&](const Parts& parts, const auto& take) {
    std::vector<std::uint8_t> stays(parts.size(), 0);
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
      stays[p] = parts[p].op == Op::load ? still(parts[p].slot) : 1;
      for (const std::uint32_t of : parts[p].of)
        if (of != nothing && stays[of] == 0) stays[p] = 0;
    }
    // Of parts within each other the whole; as a part of something that moves, or as a program.
    std::vector<std::uint32_t> users_inside(parts.size(), 0);
    for (std::uint32_t p = 0; p < parts.size(); ++p)
      for (const std::uint32_t of : parts[p].of)
        if (of != nothing && stays[p] != 0) ++users_inside[of];
    for (std::uint32_t p = 0; p < parts.size(); ++p)
      if (stays[p] != 0 && !is_leaf(parts[p].op) && parts[p].users > users_inside[p]) take(p);
  });
}

}  // namespace ergode
