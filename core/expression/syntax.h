#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ergode {

/// The tree of an expression as written: no names resolved, no types. Places are byte offsets into the text, so a
/// renaming can replace exactly the words that name a thing and leave the rest as the user wrote it.
///
///     expression := or [? expression : expression]           or  := and { or|"||" and }
///     and  := not { and|"&&" not }                           not := [not|!] compare
///     compare := sum [ < <= > >= == = != sum ]               sum := term { +|- term }
///     term := unary { *|/ unary }      unary := [-] power    power := postfix [ ^ unary ]
///     postfix := primary [unit]        primary := number | true | false | "text" | path | call | ( ) | [list]
///     path := word [ "[" expression | * | expression .. expression "]" ] { . word }
///     call := word ( [name =] expression, ... )  | table ( expression, expression : expression, ... )
///
/// A unit may follow a number or any primary: `8 h`, `1.1e-3 /h`, `3 W/m^2`, `(a + b) h`. After a number or a unit,
/// `/word` is a unit when the word is a unit symbol; whether the word also names something is found when the names are
/// known, and refused then (EXP007): `1 /(d)` divides by d, `1 d^-1` is once a day. Where it names nothing, `1/d` with
/// nothing between is once a day and remarked upon (EXP009), because so a name is divided by; `1 /d` and `3 /h` are
/// not.
///
///     2 * lambda     binary "*" of number 2 and path lambda
///     8 h            number 8 with unit "h"
///     (a + b) h      binary "+" with unit "h"
///     EDG[2].Failed  path of two segments, index one, a child: number 2
///     min(a, 3)      call "min" of path a and number 3, names {"", ""}
///     a ? b : c      conditional of three children
struct Syntax {
  enum class Kind { number, boolean, text, path, call, list, unary, binary, conditional };
  enum class Index { none, one, range, all };  ///< of a path: EDG, EDG[2], EDG[1..3], EDG[*]

  Kind kind = Kind::number;
  int begin = 0, end = 0;  ///< byte offsets of the whole
  int height = 0;          ///< levels below; bounded, so that walks may recurse
  double number = 0;       ///< number: value as written (not yet in SI); boolean: 0 or 1
  std::string unit;        ///< unit that follows; applies to any kind
  int unit_begin = 0;      ///< place of the unit
  std::string word;        ///< call: function; unary and binary: operator; text: its contents
  int word_begin = 0;      ///< call: place of the function's name
  struct Segment {
    std::string word;
    int begin = 0;
  };
  std::vector<Segment> segments;   ///< path: EDG . Running . FirstHour
  Index index = Index::none;       ///< path: of the first segment; bounds are children
  std::vector<Syntax> children;    ///< operands, arguments, list entries, index bounds
  std::vector<std::string> names;  ///< call: name of each argument, "" when positional

  /// A single name, without dot, index and unit.
  bool is_word() const { return kind == Kind::path && segments.size() == 1 && index == Index::none && unit.empty(); }
};

/// Where and why a text could not be read: EXP001, or UNI001 where a unit was expected.
struct SyntaxError {
  std::string message;  ///< a sentence: what is seen and what was wanted
  int column = 1;       ///< 1-based, in bytes
  std::string code = "EXP001";
};

/// Reads an expression; the first error ends it. Names are not looked up, units are what is_unit_word() knows. At most
/// 100 levels of brackets and 500 operators in a row, so that walks over the tree may recurse. O(text); thread-safe.
std::variant<Syntax, SyntaxError> parse_expression(std::string_view text);

/// One action: `target := value`, or a call (raise, send, record) in `value`.
/// `value` is a call where there is no target, and any expression where there is one.
struct ActionSyntax {
  std::optional<Syntax> target;  ///< a path; absent for calls
  Syntax value;
};

/// Reads a list of actions separated by `;`. An empty text is an empty list; a `;` at the end is allowed. Limits and
/// cost as of parse_expression().
std::variant<std::vector<ActionSyntax>, SyntaxError> parse_actions(std::string_view text);

/// Reads `name = expression, name = expression`; `:=` for `=` and `;` for `,` will do. Names are not checked, neither
/// against each other.
struct ArgumentSyntax {
  std::string name;
  int begin = 0;  ///< byte offset of the name in the text
  Syntax value;
};
std::variant<std::vector<ArgumentSyntax>, SyntaxError> parse_arguments(std::string_view text);

/// Calls `visit` for the node and everything below it, parents first, children in the order of the text. O(nodes).
void walk(const Syntax& syntax, const std::function<void(const Syntax&)>& visit);

}  // namespace ergode
