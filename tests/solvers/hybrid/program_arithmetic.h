#pragma once
#include "core/expression/program.h"

namespace ergode {

/// Programs as formulas are written; found by argument-dependent lookup.
inline Program operator+(const Program& a, const Program& b) { return Program::apply(Program::Op::add, {a, b}); }
inline Program operator-(const Program& a, const Program& b) { return Program::apply(Program::Op::subtract, {a, b}); }
inline Program operator*(const Program& a, const Program& b) { return Program::apply(Program::Op::multiply, {a, b}); }
inline Program operator/(const Program& a, const Program& b) { return Program::apply(Program::Op::divide, {a, b}); }

}  // namespace ergode
