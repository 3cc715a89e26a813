#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "core/expression/program.h"

namespace ergode {

/// The first change of sign of a continuous function within an interval at whose ends its sign may be the same: pieces
/// in which its bounds exclude zero are left out, others halved (branch and bound; Moore, Kearfott and Cloud,
/// Introduction to Interval Analysis, 2009, ch. 8). One object may search again and again; one thread.
struct SignSearch {
  std::function<Range(double from, double to)> bounds;  ///< of the function between two times
  std::function<double(double time)> value;             ///< of the function
  int most = 4000;  ///< bounds asked for in a search; then what was not looked into is taken to hold no change

  /// @param close  as near as this to the change [as time], > 0
  /// @returns a time at most `close` behind the first change, where the value has another sign than at `from` or is
  ///          zero; nothing: no change was found, or it is zero or no number at `from`.
  std::optional<double> first(double from, double to, double close);

 private:
  struct Piece {
    double from, to;
  };
  std::vector<Piece> left_;
};

}  // namespace ergode
