#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "statecharts/exchange/prism/prism_syntax.h"

namespace ergode {

/// A program of the PRISM language as a model, and what its questions are in our language.
///
/// Each module becomes a component with a chart of one state, "Run", its variables, and a transition of a rate for each
/// step that it has the first part in; what the step sets in other modules goes to them as an event, at the same
/// instant. Global variables are those of a component "Globals". Where a variable leaves its bounds the rate of a
/// transition of its own turns negative, which ends a run instead of giving a number. Constants become parameters,
/// labels measures `probability_at`, rewards measures `time_average`; the mission time is a parameter of one unit.
class PrismImport {
 public:
  /// Never throws: what is wrong is in `diagnostics`.
  /// @param text  UTF-8, see parse_prism().
  /// @param name  of the model.
  /// @param unit  of time, which PRISM leaves open: a unit of time of ours, "h", "s".
  PrismImport(std::string_view text, const std::string& name, const std::string& unit = "h");

  std::optional<Document> document;  ///< Absent when the program is refused.
  /// PRI codes, with line and column, see parse_prism(); then PRI003 more than 20,000 steps, or more than 8 values that
  /// one event would carry; PRI006 (info) a constant without a value, to be given before a run.
  Diagnostics diagnostics;

  /// An expression over variables, constants, formulas and labels in quotes, as measures of the model read it. A
  /// diagnostic when it is none, see parse_prism_expression(); any type is taken. Precondition, here and for reward():
  /// `document` is there.
  std::variant<std::string, Diagnostic> condition(std::string_view text) const;
  /// A reward structure as gain per unit of time; nothing when there is none of that name. The empty name stands for
  /// the first structure of the program, whatever it is called. What transitions give is their rate times the reward,
  /// which has the same expectation over any time.
  /// @param transitions  with what transitions give; false: states alone
  /// @returns an expression of our language whose value is a number per unit of time of the program, without a unit
  std::optional<std::string> reward(const std::string& name, bool transitions = true) const;

 private:
  PrismProgram program_;
};

}  // namespace ergode
