#include "solvers/hybrid/shared_functions.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace ergode {
namespace {

using Op = Program::Op;
/// The instructions of a program; equal only where its results are.
using Key = std::vector<std::tuple<Op, std::uint32_t, std::uint64_t>>;

Key key_of(const Program& program) {
  Key out;
  for (const Program::Instruction& now : program.code())
    out.emplace_back(now.op, now.slot, std::bit_cast<std::uint64_t>(now.value));
  return out;
}

bool costly(Op op) {
  return op == Op::power || op == Op::exponential || op == Op::logarithm || op == Op::remainder || op == Op::sine ||
         op == Op::cosine || op == Op::tangent;
}

// Puts the program together again; `visit` may replace a costly function.
template <class Visit>
Program rebuilt(const Program& program, Visit visit) {
  std::vector<Program> stack;
  for (const Program::Instruction& now : program.code()) {
    if (now.op == Op::constant) {
      stack.push_back(Program(now.value));
    } else if (now.op == Op::load) {
      stack.push_back(Program::load(now.slot));
    } else {
      const auto at = stack.end() - Program::operands_of(now.op);
      Program made = Program::apply(now.op, std::vector<Program>(at, stack.end()));
      stack.erase(at, stack.end());
      stack.push_back(costly(now.op) && !made.is_constant() ? visit(std::move(made)) : std::move(made));
    }
  }
  return stack.back();
}

}  // namespace

std::vector<Program> share_functions(const std::vector<Program*>& programs, std::uint32_t first) {
  std::map<Key, int> seen;
  for (const Program* program : programs)
    if (!program->is_constant())
      rebuilt(*program, [&](Program made) {
        ++seen[key_of(made)];
        return made;
      });
  if (std::none_of(seen.begin(), seen.end(), [](const auto& entry) { return entry.second > 1; })) return {};
  std::vector<Program> shared;
  std::map<Key, std::uint32_t> slot_of;  // by what is taken out, with what was taken out of it before
  for (Program* const program : programs) {
    if (program->is_constant()) continue;
    *program = rebuilt(*program, [&](Program made) {
      const auto [found, fresh] = slot_of.emplace(key_of(made), first + static_cast<std::uint32_t>(shared.size()));
      if (fresh) shared.push_back(std::move(made));
      return Program::load(found->second);
    });
  }
  return shared;
}

}  // namespace ergode
