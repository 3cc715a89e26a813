#include "solvers/hybrid/sign_search.h"

#include <algorithm>
#include <cmath>

namespace ergode {

std::optional<double> SignSearch::first(double from, double to, double close) {
  const double begin = value(from);
  if (begin == 0.0 || std::isnan(begin)) return std::nullopt;
  const auto changed = [&](double time) {
    const double now = value(time);
    return now == 0.0 || (begin < 0.0 ? now > 0.0 : now < 0.0);
  };
  std::optional<double> found;
  // All before same_until was looked into. A bracket is searched for an earlier change down to a thousandth of it.
  double same_until = from, fine = close;
  if (changed(to)) found = to;
  left_.assign(1, {from, to});
  for (int asked = 0; !left_.empty() && asked < most; ++asked) {
    const Piece piece = left_.back();
    left_.pop_back();
    same_until = piece.from;
    const Range range = bounds(piece.from, piece.to);
    if (range.lower > 0.0 || range.upper < 0.0) continue;
    if (piece.to - piece.from <= fine) {
      if (found && *found <= piece.to) break;
      if (piece.to - piece.from <= close) continue;
    }
    const double middle = 0.5 * (piece.from + piece.to);
    if (!(piece.from < middle && middle < piece.to)) continue;
    if (changed(middle)) {
      if (!found || *found == to) fine = std::max(close, 1e-3 * (middle - piece.from));
      found = middle;
      left_.clear();
    } else {
      left_.push_back({middle, piece.to});
    }
    left_.push_back({piece.from, middle});
  }
  if (!found) return std::nullopt;
  // What is left when the bounds were too wide, or asked for too often.
  while (*found - same_until > close) {
    const double middle = 0.5 * (same_until + *found);
    if (!(same_until < middle && middle < *found)) break;
    if (changed(middle)) found = middle;
    else same_until = middle;
  }
  return found;
}

}  // namespace ergode
