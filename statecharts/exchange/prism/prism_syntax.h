#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"

namespace ergode {

/// A place in the program's text. Lines and columns count from 1, columns in characters; of written-out formulas it is
/// the place in the formula.
struct PrismPlace {
  int line = 1, column = 1;
};

/// An expression of the PRISM language. Trees are at most `deepest_prism` levels high, so walks may recurse.
struct PrismExpression {
  enum class Kind { number, truth, name, label, unary, binary, call, conditional };
  Kind kind = Kind::number;
  std::string word;                 ///< number: as written; name, label; operator: ! - & | => <=> = != < ...; function
  bool whole = false;               ///< number: without fraction or exponent
  std::vector<PrismExpression> of;  ///< operands or arguments, from the left; conditional: condition, yes, no
  PrismPlace place;
  int height = 0;  ///< longest way down to a leaf, in edges
  /// Itself and all below it. O(nodes).
  std::size_t nodes() const {
    std::size_t out = 1;
    for (const PrismExpression& child : of) out += child.nodes();
    return out;
  }
};
constexpr int deepest_prism = 400;

/// `real` is `double` in the language; its whole numbers have 32 bits.
enum class PrismType { integer, real, boolean };

/// `const`. The value reads constants only, in any order.
struct PrismConstant {
  std::string name;
  PrismType type = PrismType::integer;
  std::optional<PrismExpression> value;  ///< none: given from outside
  PrismPlace place;
};
/// A variable of a module, or a global one: an integer with bounds, or a boolean without.
struct PrismVariable {
  std::string name;
  PrismType type = PrismType::integer;
  std::optional<PrismExpression> low, high;  ///< of integers
  std::optional<PrismExpression> initial;    ///< none: `low`, or false
  PrismPlace place;
  std::size_t module = 0;  ///< whose it is; the number of modules: global
};
/// `(x' = value)`. All updates of an alternative read the values before it.
struct PrismUpdate {
  std::string variable;
  PrismExpression value;
  PrismPlace place;
};
/// `rate : (x' = ...) & (y' = ...)`: happens with this rate while the guard holds.
struct PrismAlternative {
  PrismExpression rate;  ///< per unit of time; where commands go together rates are multiplied
  std::vector<PrismUpdate> updates;
};
/// `[action] guard -> rate : updates + rate : updates;`.
struct PrismCommand {
  std::string action;  ///< empty: none
  PrismExpression guard;
  std::vector<PrismAlternative> alternatives;
  PrismPlace place;
};
struct PrismModule {
  std::string name;
  std::vector<PrismVariable> variables;
  std::vector<PrismCommand> commands;
  PrismPlace place;
};
/// `rewards "name" ... endrewards`. Items whose guards hold at once add up.
struct PrismReward {
  std::string name;  ///< empty: the only one without
  /// `guard : value;` per unit of time in a state, or `[action] guard : value;` each time it is taken.
  struct Item {
    bool transition = false;
    std::string action;  ///< of transitions; empty: those without action
    PrismExpression guard, value;
  };
  std::vector<Item> items;
};

/// How modules are put together: `system ... endsystem`. Without it all modules stand side by side (`full`).
struct PrismSystem {
  enum class Kind {
    module,
    full,         ///< P || Q || ...: an action that both sides have is taken by both at once
    interleaved,  ///< P ||| Q ||| ...: nobody waits for anybody
    parallel      ///< P |[a, b]| Q: the actions named are taken by both at once
  };
  Kind kind = Kind::module;
  std::size_t module = 0;
  std::vector<std::string> actions;  ///< of `parallel`
  std::vector<PrismSystem> of;
};

/// One way in which commands of several modules go together, or one alternative of a command alone.
struct PrismStep {
  /// Indices into modules, commands of the module, alternatives of the command.
  struct Part {
    std::size_t module, command, alternative;
  };
  std::vector<Part> parts;  ///< by module, at most one of each; its rate is the product of theirs
  std::string action;
};

/// A program of the PRISM language (Kwiatkowska, Norman, Parker: "PRISM 4.0: Verification of Probabilistic Real-Time
/// Systems", CAV 2011; the language's manual at prismmodelchecker.org), of type ctmc, with formulas and renamed modules
/// written out.
struct PrismProgram {
  std::string time_unit = "h";  ///< that rates are written with; the language leaves it open
  std::vector<PrismConstant> constants;
  std::vector<PrismModule> modules;
  std::vector<PrismVariable> globals;
  std::map<std::string, PrismExpression> formulas, labels;
  std::vector<PrismReward> rewards;
  std::optional<PrismSystem> system;
  std::optional<PrismExpression> init;  ///< of `init ... endinit`; its one state is written into the variables
  PrismPlace init_place;

  /// Null: none of that name. Valid until modules or globals change. O(log variables); O(constants) for constant().
  const PrismVariable* variable(const std::string& name) const;
  const PrismConstant* constant(const std::string& name) const;
  /// Must be called once when variables and modules are complete, for variable(), which finds nothing before.
  void number_variables();

 private:
  std::map<std::string, std::pair<std::size_t, std::size_t>> places_;  ///< variable -> module, number in it
};

/// Reads a program. Problems name line and column, "line:column" in `pointer`: PRI001 syntax, PRI002 what is not read,
/// PRI003 too large, PRI004 names, PRI005 types, PRI007 values; the first one of syntax ends the reading, all of names
/// and types are reported. With errors the result must not be used. Refused, with a diagnostic: other types of model,
/// clocks, observables, `init ... endinit` with several initial states, hidden and renamed actions of `system`.
/// Constants that define each other in a circle, empty ranges and initial values outside them are found here, as far as
/// constants have values. Never recurses without bound; texts beyond 4 MB are refused, as are renamed modules of more
/// than 100,000 commands in all. Time O(length log length), and up to 2e7 operations for `init ... endinit`. Never
/// throws.
/// @param text      UTF-8, with or without byte-order mark.
/// @param problems  gets more entries; those that are there must not be errors.
PrismProgram parse_prism(std::string_view text, Diagnostics& problems);

/// Reads one expression, in which labels may stand in quotes, and writes out the program's formulas and labels, "init"
/// and "deadlock" too. A diagnostic when it is no expression, or its names or types are wrong.
/// @param program  read without errors.
std::variant<PrismExpression, Diagnostic> parse_prism_expression(const PrismProgram& program, std::string_view text);

/// Steps of the whole program: of commands without an action alone, of those with one as `system` puts modules
/// together. `problems` gets PRI003 when there are more than 20,000 ways. Whether guards can hold together is not
/// asked.
/// @returns the steps; their order depends on the program alone
std::vector<PrismStep> prism_steps(const PrismProgram& program, Diagnostics& problems);
/// The labels that every program has: "init" holds in the initial state, "deadlock" where nothing can happen. Nothing
/// for other words. "deadlock" is the negation of all guards with their rates above zero.
/// @throws PrismFailure  PRI003 when "deadlock" has too many steps or a tree that is too high.
std::optional<PrismExpression> prism_built_in_label(const PrismProgram& program, const std::string& word,
                                                    PrismPlace place);
/// Writes them out where they stand in `e`, to any depth. Throws as prism_built_in_label().
void write_out_labels(const PrismProgram& program, PrismExpression& e);

/// Works out constants and checks what follows from them: circles, ranges, initial values; finds the one state of
/// `init`, writes it into the variables' `initial` and resets PrismProgram::init. What depends on constants without a
/// value is not checked. PRI002 what `init` leaves open, PRI004 circles, PRI007 values out of range.
/// @param program  for which check_prism() found no error.
void check_prism_values(PrismProgram& program, Diagnostics& problems);

/// Checks names (PRI004) and types (PRI005); `problems` gets all that is wrong. number_variables() must have been
/// called.
void check_prism(const PrismProgram& program, Diagnostics& problems);
/// The expression's type; a problem and nothing when it has none. Builds a table of all names for each call:
/// O(variables + constants + nodes).
std::optional<PrismType> prism_type(const PrismProgram& program, const PrismExpression& e, Diagnostics& problems);

/// An error with its place in `pointer`, `column` and behind the message.
Diagnostic prism_problem(const char* code, PrismPlace place, std::string message, std::string hint = {});

}  // namespace ergode
