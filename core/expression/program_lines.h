#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/expression/program.h"

namespace ergode {

/// Programs that are evaluated together, again and again, each with a place for its value: right-hand sides of
/// differential equations. As machine code they are pieces of one function, which jump from one to the next by a list
/// of addresses; so which of them are run costs nothing to change, and none of them the price of a call.
///
/// The results are those of Program::evaluate(), bit for bit (see machine_code.h), in the order of the lines.
///
/// Not for two threads at once while choose() runs; run() may be called by many. Copies share the machine code.
///
///     ProgramLines lines({{.program = &flow, .place = 0}, {.program = &rate, .place = 1, .into = Into::negated}});
///     lines.choose(std::vector<std::uint32_t>{0, 1});
///     out[0] = 0.0;                              // sums add to what is there
///     if (!lines.run(slots, out)) refuse();      // the rate was negative or no number
class ProgramLines {
 public:
  struct Line {
    enum class Into : std::uint8_t {
      slot,    ///< slot `place` becomes the value, for the lines after it
      set,     ///< out[place] becomes the value
      sum,     ///< the value is added to what stands in out[place]
      negated  ///< out[place] becomes -value, which must be >= 0
    };
    const Program* program = nullptr;  ///< must outlive the lines and stay as it is
    std::uint32_t place = 0;           ///< index into slots or out
    Into into = Into::sum;
  };

  ProgramLines() = default;
  /// All lines there may be; none of them is chosen. Machine code is made where make_machine_code() would, of all lines
  /// or, beyond two million instructions together, of none. Cost: at most 0.3 us an instruction.
  explicit ProgramLines(std::vector<Line> lines);

  /// From now on these lines are run, in this order; numbers are places in the list given when it was made, and a line
  /// may come several times. O(lines), no allocation beyond the first time.
  void choose(std::span<const std::uint32_t> lines);
  /// O(instructions of the chosen lines), no allocation.
  /// @param slots  what the programs read, and what lines of Into::slot change
  /// @param out    by `place` of the other lines; sums add to what stands there, so set or clear it first
  /// @returns false: the value of a negated line was not >= 0; the lines after it were not run.
  bool run(double* slots, double* out) const {
    return run_ != nullptr ? run_(slots, out, next_.data()) != 0 : interpret(slots, out);
  }

 private:
  void translate();
  bool interpret(double* slots, double* out) const;

  std::vector<Line> lines_;
  std::vector<std::uint32_t> chosen_;
  int (*run_)(double*, double*, const void* const*) = nullptr;  ///< null: interpreted
  std::vector<const void*> pieces_, next_;                      ///< by line, and where the last goes on; as chosen
  std::shared_ptr<const void> pages_;
};

}  // namespace ergode
