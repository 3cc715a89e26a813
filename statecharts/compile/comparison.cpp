#include "statecharts/compile/comparison.h"

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/special_values.h"

namespace ergode {

std::optional<Comparison> Comparison::of(const Program& program) {
  using Op = Program::Op;
  const auto code = program.code();
  if (code.size() != 3) return std::nullopt;
  const bool turned = code[0].op == Op::constant && code[1].op == Op::load;
  if (!turned && !(code[0].op == Op::load && code[1].op == Op::constant)) return std::nullopt;
  Comparison out;
  out.slot = code[turned ? 1 : 0].slot;
  out.at = code[turned ? 0 : 1].value;
  if (!std::isfinite(out.at)) return std::nullopt;
  const double above = std::nextafter(out.at, std::numeric_limits<double>::infinity());
  Op op = code[2].op;
  if (turned)
    op = op == Op::less            ? Op::greater
         : op == Op::less_equal    ? Op::greater_equal
         : op == Op::greater       ? Op::less
         : op == Op::greater_equal ? Op::less_equal
                                   : op;
  switch (op) {
    case Op::greater_equal:
      return out;
    case Op::greater:
      out.at = above;
      return out;
    case Op::less:
      out.kind = Kind::falling;
      return out;
    case Op::less_equal:
      out.kind = Kind::falling, out.at = above;
      return out;
    case Op::equal:
      out.kind = Kind::equal;
      return out;
    default:
      return std::nullopt;
  }
}

Range Comparison::holds_within() const {
  switch (kind) {
    case Kind::rising:
      return {at, infinity};
    case Kind::equal:
      return {at, at};
    case Kind::falling:
      break;
  }
  // Below at: up to the double before it. `at` is finite or, above the greatest double, infinite.
  return {-infinity, std::nextafter(at, -infinity)};
}

}  // namespace ergode
