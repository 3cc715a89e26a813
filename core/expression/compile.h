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

/// An expression with names resolved, types and units checked, constants folded. Values are SI: a unit in the text is
/// multiplied in.
struct Compiled {
  ValueType type;
  Program program;     ///< constant 0 when the type is choice
  std::string choice;  ///< value when the type is choice
};

/// A complaint about a place in a text, the first that was found; the caller adds element and property
/// (to_diagnostic()).
struct ExpressionError {
  /// EXP001 syntax, EXP002 unknown name, EXP003 wrong type, EXP004 units, EXP005 argument, EXP006 too large, EXP007 a
  /// unit that is also a name, EXP008 a file that may not be read, UNI001 no unit (EXP009, a unit that may be meant as
  /// a name, is said by the checks of app/session)
  std::string code;
  std::string message;
  int column = 1;                        ///< 1-based, in bytes
  std::string hint;                      ///< what to write instead; may be empty
  std::optional<Dimension> wanted = {};  ///< EXP004: the dimension that the place wants, where it wants one
};

/// A result or the first complaint: std::get_if<ExpressionError>() tells.
template <class T>
using Checked = std::variant<T, ExpressionError>;

/// Compiles a tree. Works where no value is known yet: what is not constant becomes reads of slots. `if` and `? :` with
/// a constant condition keep the chosen branch only, the other is checked all the same. Numbers of whole value are
/// integers; a quotient is a real.
///
/// A program that needs more than Program::deepest_stack places is EXP006, as is a quantity that is infinite in SI; a
/// constant that is not a number is EXP005. O(nodes * depth) time and instructions; a table of n points costs O(n)
/// instructions and O(log n) stack. Throws nothing of its own.
Checked<Compiled> compile(const Syntax& syntax, Scope& scope);
/// Parses and compiles a text; syntax errors come out as ExpressionError.
Checked<Compiled> compile(std::string_view text, Scope& scope);

/// Compiles and insists on a type: a real of this dimension (an integer will do for a dimensionless one), a boolean, an
/// integer (a constant real of whole value will do). EXP003 for another kind of value, EXP004 for another dimension.
Checked<Program> compile_as(std::string_view text, ValueType wanted, Scope& scope);
Checked<Program> compile_as(const Syntax& syntax, ValueType wanted, Scope& scope);

/// A list `[a, b, c]` of constants of one dimension, in SI; nested lists are read row by row (a matrix), a single value
/// is a list of one. EXP005 where one changes during a run.
Checked<std::vector<double>> compile_list(const Syntax& syntax, Dimension dimension, Scope& scope);
Checked<std::vector<double>> compile_list(std::string_view text, Dimension dimension, Scope& scope);

/// A duration or any quantity with spread: `lognormal(median = 1.5 h, ef = 8)`, or a plain expression (deterministic
/// given the slots it reads). In SI.
using RandomQuantity = std::variant<Distribution, Program>;

/// Compiles a distribution with named arguments, which must be constants in the dimensions of their form
/// (distribution_forms()); what is no call of a family is a plain expression. EXP005 with make_distribution()'s
/// sentence where an argument is out of range.
/// @param dimension  what the quantity must be, e.g. a time.
/// @param files      what empirical("file.csv", column = "x") may name; EXP008 when it names something else. Notes what
///     is read.
Checked<RandomQuantity> compile_random(const Syntax& syntax, Dimension dimension, Scope& scope, const DataFiles& files);

/// Whether a word is the family of a distribution ("weibull"), of whatever form. O(forms).
bool is_distribution(std::string_view word);

/// The error as a problem of a document, of severity error.
Diagnostic to_diagnostic(const ExpressionError& error, ElementId element, std::string property);

}  // namespace ergode
