#include "core/expression/program_lines.h"

#include <algorithm>

#include "core/expression/machine_code.h"

#if defined(ERGODE_XBYAK)
#include "core/expression/translator.h"
#endif

namespace ergode {

ProgramLines::ProgramLines(std::vector<Line> lines) : lines_(std::move(lines)) {
  translate();
  choose({});
}

void ProgramLines::choose(std::span<const std::uint32_t> lines) {
  chosen_.assign(lines.begin(), lines.end());
  if (run_ == nullptr) return;
  next_.clear();
  for (const std::uint32_t line : lines) next_.push_back(pieces_[line]);
  next_.push_back(pieces_.back());
}

bool ProgramLines::interpret(double* slots, double* out) const {
  for (const std::uint32_t number : chosen_) {
    const Line& line = lines_[number];
    const double value = line.program->evaluate(slots);
    switch (line.into) {
      case Line::Into::slot:
        slots[line.place] = value;
        break;
      case Line::Into::set:
        out[line.place] = value;
        break;
      case Line::Into::sum:
        out[line.place] += value;
        break;
      case Line::Into::negated:
        if (!(value >= 0.0)) return false;
        out[line.place] = -value;
        break;
    }
  }
  return true;
}

#if !defined(ERGODE_XBYAK)

void ProgramLines::translate() {}

#else

void ProgramLines::translate() {
  constexpr std::size_t most_instructions = 2000000;
  std::size_t instructions = 0, bytes = Pool::doubles + bytes_per_program;
  int depth = 1;
  for (const Line& line : lines_) {
    instructions += line.program->code().size();
    bytes += most_bytes_of(*line.program) + sizeof(double);
    depth = std::max(depth, line.program->depth());
  }
  if (!machine_code_wanted() || lines_.empty() || instructions > most_instructions || depth > Program::deepest_stack)
    return;
  const auto pages = std::make_shared<Pages>(bytes);
  if (pages->begin() == nullptr) return;
  Pool pool(pages->begin());
  for (const Line& line : lines_) {
    if (line.program->is_constant()) pool.add(line.program->value());
    for (const Program::Instruction& now : line.program->code())
      if (now.op == Program::Op::constant) pool.add(now.value);
  }
  try {
    Translator translator(pages->begin() + pool.end(), bytes - pool.end(), pool);
    const Translator::Run entry = translator.begin_lines(depth);
    for (const Line& line : lines_)
      pieces_.push_back(line.into == Line::Into::slot  ? translator.slot_line(*line.program, line.place)
                        : line.into == Line::Into::set ? translator.set_line(*line.program, line.place)
                        : line.into == Line::Into::sum ? translator.sum_line(*line.program, line.place)
                                                       : translator.negated_line(*line.program, line.place));
    pieces_.push_back(translator.end_lines());
    if (!pages->seal(pool.end() + translator.used())) return;
    run_ = entry, pages_ = pages;
  } catch (const Xbyak::Error&) {
    return;
  }
}

#endif

}  // namespace ergode
