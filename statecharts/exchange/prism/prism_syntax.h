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

struct PrismPlace {
  int line = 1, column = 1;
};

/// An expression of the PRISM language. Trees are at most `deepest_prism` levels high, so walks may recurse.
struct PrismExpression {
  enum class Kind { number, truth, name, label, unary, binary, call, conditional };
  Kind kind = Kind::number;
  std::string word;    ///< number: as written; name, label; operator: ! - & | => <=> = != < ...; function
  bool whole = false;  ///< number: without fraction or exponent
  std::vector<PrismExpression> of;
  PrismPlace place;
  int height = 0;
};
constexpr int deepest_prism = 400;

enum class PrismType { integer, real, boolean };

struct PrismConstant {
  std::string name;
  PrismType type = PrismType::integer;
  std::optional<PrismExpression> value;  ///< none: given from outside
  PrismPlace place;
};
struct PrismVariable {
  std::string name;
  PrismType type = PrismType::integer;
  std::optional<PrismExpression> low, high;  ///< of integers
  std::optional<PrismExpression> initial;
  PrismPlace place;
  std::size_t module = 0;  ///< whose it is; the number of modules: global
};
struct PrismUpdate {
  std::string variable;
  PrismExpression value;
  PrismPlace place;
};
struct PrismAlternative {
  PrismExpression rate;
  std::vector<PrismUpdate> updates;
};
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
struct PrismReward {
  std::string name;  ///< empty: the only one without
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
  struct Part {
    std::size_t module, command, alternative;
  };
  std::vector<Part> parts;  ///< by module
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

  const PrismVariable* variable(const std::string& name) const;
  const PrismConstant* constant(const std::string& name) const;
  /// Must be called when variables and modules are complete, for variable().
  void number_variables();

 private:
  std::map<std::string, std::pair<std::size_t, std::size_t>> places_;  ///< variable -> module, number in it
};

/// Reads a program. Problems (PRI codes) name line and column; with errors the result must not be used. Refused, with a
/// diagnostic: other types of model, clocks, observables, `init ... endinit` with several initial states, hidden and
/// renamed actions of `system`. Constants that define each other in a circle, empty ranges and initial values outside
/// them are found here, as far as constants have values. Never recurses without bound; texts beyond 4 MB are refused.
PrismProgram parse_prism(std::string_view text, Diagnostics& problems);

/// Reads one expression, in which labels may stand in quotes, and writes out the program's formulas and labels.
std::variant<PrismExpression, Diagnostic> parse_prism_expression(const PrismProgram& program, std::string_view text);

/// Steps of the whole program. `problems` gets PRI003 when there are more than 20,000 ways.
std::vector<PrismStep> prism_steps(const PrismProgram& program, Diagnostics& problems);
/// The labels that every program has: "init" holds in the initial state, "deadlock" where nothing can happen. Nothing
/// for other words.
std::optional<PrismExpression> prism_built_in_label(const PrismProgram& program, const std::string& word,
                                                    PrismPlace place);
/// Writes them out where they stand.
void write_out_labels(const PrismProgram& program, PrismExpression& e);

/// Works out constants and checks what follows from them: circles, ranges, initial values; finds the one state of
/// `init`. The program's names and types must be sound.
void check_prism_values(PrismProgram& program, Diagnostics& problems);

/// Checks names and types; `problems` gets what is wrong.
void check_prism(const PrismProgram& program, Diagnostics& problems);
/// The expression's type; a problem and nothing when it has none.
std::optional<PrismType> prism_type(const PrismProgram& program, const PrismExpression& e, Diagnostics& problems);

Diagnostic prism_problem(const char* code, PrismPlace place, std::string message, std::string hint = {});

}  // namespace ergode
