#pragma once
#include <span>

namespace ergode {

class Program;

/// Makes machine code for programs, so that Program::evaluate() calls it instead of interpreting. Call it once for all
/// programs of a model, before threads share them; copies made afterwards share the code, which lives as long as they.
///
/// The results are those of the interpreter bit for bit, except for which of its many bit patterns "not a number" has:
/// the same IEEE operations on doubles in the same order, never contracted, the same functions of the C library.
///
/// Where it cannot be, the interpreter stays, and nobody is told: another processor than x86-64 or a build without
/// Xbyak, a system that lets nobody execute what was written, use_machine_code(false), and what is beyond two
/// million instructions per call. Memory is written first and executable afterwards, never both.
///
/// Cost: at most 0.3 us an instruction (450,000 programs of five, made and translated in 0.54 s); equal programs share
/// their code, constants and the one-slot forms of Program need none.
void make_machine_code(std::span<Program* const> programs);

/// Whether make_machine_code() makes any; true at start where it can. For the whole process; for tests and for looking
/// into a suspicion (`ergode run --interpret`).
/// Programs that have machine code keep it.
void use_machine_code(bool wanted);
bool machine_code_wanted();

}  // namespace ergode
