#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/data_files.h"
#include "core/base/diagnostic.h"
#include "core/expression/program.h"
#include "core/expression/scope.h"
#include "core/expression/syntax.h"
#include "core/random/distribution.h"

namespace ergode {

/// An expression with names resolved, types and units checked, constants folded.
struct Compiled {
  ValueType type;
  Program program;
  std::string choice;  ///< value when the type is choice
};

/// A complaint about a place in a text; the caller adds element and property.
struct ExpressionError {
  /// EXP001 syntax, EXP002 unknown name, EXP003 wrong type, EXP004 units, EXP005 argument, EXP006 too large, EXP007 a
  /// unit that is also a name, EXP008 a file that may not be read (EXP009, a unit that may be meant as a name, is said
  /// by the checks of app/session)
  std::string code;
  std::string message;
  int column = 1;
  std::string hint;
  std::optional<Dimension> wanted = {};  ///< EXP004: the dimension that the place wants, where it wants one
};

template <class T>
using Checked = std::variant<T, ExpressionError>;

/// Compiles a tree.
Checked<Compiled> compile(const Syntax& syntax, Scope& scope);
/// Parses and compiles a text.
Checked<Compiled> compile(std::string_view text, Scope& scope);

/// Compiles and insists on a type: a real of this dimension (an integer will do for a dimensionless one), a boolean,
/// ...
Checked<Program> compile_as(std::string_view text, ValueType wanted, Scope& scope);
Checked<Program> compile_as(const Syntax& syntax, ValueType wanted, Scope& scope);

/// A list `[a, b, c]` of constants of one dimension, in SI.
Checked<std::vector<double>> compile_list(const Syntax& syntax, Dimension dimension, Scope& scope);
Checked<std::vector<double>> compile_list(std::string_view text, Dimension dimension, Scope& scope);

/// A duration or any quantity with spread: `lognormal(median = 1.5 h, ef = 8)`, or a plain expression (deterministic).
using RandomQuantity = std::variant<Distribution, Program>;

/// @param dimension  what the quantity must be, e.g. a time.
/// @param files      what empirical("file.csv", column = "x") may name; EXP008 when it names something else. Notes what
///                   is read.
Checked<RandomQuantity> compile_random(const Syntax& syntax, Dimension dimension, Scope& scope, const DataFiles& files);

/// Whether a word is the family of a distribution.
bool is_distribution(std::string_view word);

Diagnostic to_diagnostic(const ExpressionError& error, ElementId element, std::string property);

}  // namespace ergode
