#pragma once
#include <string>
#include <utility>
#include <vector>

namespace ergode {

/// One number that a run can give of an element: how a model asks for it, and as what a model may have asked for it.
/// What is written at elements of a diagram, and what the command that measures everything adds.
///
///     {.key = "utilisation", .label = "Utilisation", .symbol = "ρ", .measure = {{"type", "time_average"},
///      {"expression", "desk.busy / 2"}}, .share = true, .answers = {{.expression = "desk.busy", .factor = 0.5}}}
struct ElementFigure {
  std::string key;     ///< "utilisation": the same figure has the same key at every element.
  std::string label;   ///< "Utilisation"; for people
  std::string symbol;  ///< Before the number where room is scarce: "ρ".
  std::string unit{};  ///< Of the number where a measure has none of its own; empty: dimensionless.
  /// The measure that asks for it: texts of its properties, with its name; empty: it is not among the usual ones.
  std::vector<std::pair<std::string, std::string>> measure{};
  bool share = false;  ///< Between 0 and 1: it colours the element. The first one that is does.
  /// What gives it: a mean of an expression, a mean or a rate of a stream, or the sum of the answers that a solver
  /// gives unasked, whose names begin with `results` and a slash; that times `factor` is the figure. Blanks in
  /// expressions mean nothing.
  struct Answer {
    std::string expression{}, stream{}, results{};
    std::string scale{};  ///< The factor that the measure itself has (its property `scale`); empty: none.
    bool rate = false;    ///< Of a stream: how many per time, not their mean.
    double factor = 1.0;
    std::string of_class{};  ///< Of a stream: of these alone (the measure's property `class`); empty: of all.
  };
  std::vector<Answer> answers{};
};

}  // namespace ergode
