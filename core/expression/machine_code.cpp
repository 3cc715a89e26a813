#include "core/expression/machine_code.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/expression/program.h"

#if defined(ERGODE_XBYAK)
#include "core/expression/translator.h"
#endif

namespace ergode {
namespace {

std::atomic<bool> wanted_here{true};

}  // namespace

void use_machine_code(bool wanted) { wanted_here = wanted; }
bool machine_code_wanted() { return wanted_here; }

#if !defined(ERGODE_XBYAK)

void make_machine_code(std::span<Program* const>) {}

#else

namespace {

using Instruction = Program::Instruction;

constexpr std::size_t most_instructions = 2000000;             // per call
constexpr std::size_t bytes_together = std::size_t{4} << 20U;  // reserved at a time; a tenth is needed

bool same_code(const Program& a, const Program& b) {
  return std::equal(a.shared_code().begin(), a.shared_code().end(), b.shared_code().begin(), b.shared_code().end(),
                    [](const Instruction& x, const Instruction& y) {
                      return x.op == y.op && x.slot == y.slot &&
                             std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
                    });
}
std::uint64_t hash_of(const Program& program) {
  std::uint64_t out = 0;
  for (const Instruction& now : program.shared_code()) {
    const std::uint64_t what =
        std::bit_cast<std::uint64_t>(now.value) ^ std::uint64_t{now.slot} << 8U ^ static_cast<std::uint64_t>(now.op);
    out = (out ^ what) * 0xff51afd7ed558ccdULL;
    out ^= out >> 32U;
  }
  return out;
}

// Programs that share pages.
void translate(std::span<Program* const> programs) {
  std::size_t bytes = Pool::doubles;
  for (const Program* program : programs) bytes += most_bytes_of(*program);
  const auto pages = std::make_shared<Pages>(bytes);
  if (pages->begin() == nullptr) return;
  Pool pool(pages->begin());
  for (const Program* program : programs)
    for (const Instruction& now : program->shared_code())
      if (now.op == Program::Op::constant) pool.add(now.value);
  std::vector<Program::Entry> entries;
  try {
    Translator translator(pages->begin() + pool.end(), bytes - pool.end(), pool);
    for (const Program* program : programs) entries.push_back(translator.translate(*program));
    if (!pages->seal(pool.end() + translator.used())) return;
  } catch (const Xbyak::Error&) {
    return;
  }
  for (std::size_t i = 0; i < programs.size(); ++i) programs[i]->run_as(entries[i], pages);
}

}  // namespace

void make_machine_code(std::span<Program* const> programs) {
  if (!wanted_here) return;
  std::unordered_multimap<std::uint64_t, Program*> known;
  std::unordered_map<const Instruction*, Program*> shared;  // by the instructions that copies and moved ones share
  std::vector<std::pair<Program*, Program*> > like;         // a program and the one whose code it shares
  std::vector<Program*> together;
  std::size_t bytes = 0, instructions = 0;
  const auto finish = [&] {
    translate(together);
    together.clear(), bytes = 0;
  };
  for (Program* const program : programs) {
    if (!program->interpreted()) continue;
    const auto [copied, first] = shared.emplace(program->shared_code().data(), program);
    if (!first) {
      like.emplace_back(program, copied->second);
      continue;
    }
    const std::uint64_t hash = hash_of(*program);
    const auto [from, to] = known.equal_range(hash);
    const auto found = std::find_if(from, to, [&](const auto& entry) { return same_code(*entry.second, *program); });
    if (found != to) {
      like.emplace_back(program, found->second);
      continue;
    }
    if (instructions + program->shared_code().size() > most_instructions) continue;
    instructions += program->shared_code().size();
    known.emplace(hash, program);
    if (bytes + most_bytes_of(*program) > bytes_together) finish();
    bytes += most_bytes_of(*program);
    together.push_back(program);
  }
  if (!together.empty()) finish();
  for (const auto& [program, other] : like)
    if (other->entry() != nullptr) program->run_as(other->entry(), other->pages());
}

#endif

}  // namespace ergode
