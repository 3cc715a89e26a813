#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ergode {

/// An ECMAScript expression carried over to our expression language. Numbers and texts are reals (a text is the number
/// that stands for it), truth values are conditions.
struct EcmaValue {
  enum class Type { number, boolean, text, undefined, array, object };
  Type type = Type::number;
  std::string text;                    ///< in our language; empty for arrays and objects
  int strength = 9;                    ///< how tightly `text` binds: 1 `?:` ... 5 comparison ... 9 primary
  std::optional<std::string> literal;  ///< the value when it is a text known before the run
  std::vector<double> elements;        ///< of an array of numbers
  std::string bound;                   ///< condition that it is not undefined; empty: it never is
  std::string object;                  ///< of what may be an object as well: condition that it is
  std::string fails;                   ///< condition that evaluating it is an error; empty: it never is, "true": always
  std::vector<std::string> ruled_out_if_true;   ///< of such conditions, those that cannot hold where it is true
  std::vector<std::string> ruled_out_if_false;  ///< the same where it is false
  bool undeclared = false;                      ///< a name that was never declared: `typeof` may meet it
  bool null = false;                            ///< of what is undefined here: `null`, which counts as zero
  bool nan = false;                             ///< of what is undefined here: arithmetic with it, which is no number
  bool event_name = false;                      ///< it is _event.name
  bool maybe_boolean = false;                   ///< a number that may be a truth value as well
  bool maybe_text = false;                      ///< a number that may be a text as well
  bool type_of = false;                         ///< `typeof` was asked of it

  /// With brackets where an operand of this strength needs them.
  std::string operand(int least) const { return strength < least ? "(" + text + ")" : text; }
};

/// Why an expression was not carried over.
struct EcmaError {
  bool certain = false;  ///< ECMAScript itself cannot evaluate it: at run time it raises error.execution
  std::string message;
};

/// Resolves what an expression names. Its answers are texts in our language, which end up in EcmaValue::text; it may
/// keep record of what was asked, so translating is not free of effects.
class EcmaScope {
 public:
  virtual ~EcmaScope() = default;
  /// `x`, `_event.data.x`, `_event["data"]`, split at the dots; nothing when it is not declared.
  /// Asked for every name that an expression reads, in the order of the text; may be asked for the same one again.
  virtual std::optional<EcmaValue> name(const std::vector<std::string>& path) = 0;
  /// Condition that a state is active, from its SCXML id; nothing when there is no such state.
  virtual std::optional<std::string> in_state(const std::string& id) = 0;
  /// The number that stands for a text, from 1,000,001; 0 for the empty one.
  virtual std::string text_number(const std::string& text) = 0;
  /// Name of an event in our language.
  virtual std::string event_name(const std::string& name) = 0;
};

using EcmaResult = std::variant<EcmaValue, EcmaError>;

/// Translates the part of ECMAScript that charts use: numbers, truth values, texts as values to compare, arithmetic,
/// comparison, logic, `?:`, typeof, In(), Math functions, arrays of numbers. Pure but for the scope. Never throws of
/// its own: what cannot be carried over (objects, methods, texts put together or ordered at run time, other calls,
/// brackets nested deeper than 60, operators deeper than 240) is an EcmaError with `certain` false. Time and length of
/// the result O(length^2) at worst: the condition of an error repeats the operands before it. ECMA-262, ECMAScript
/// Language Specification, 5.1 edition, 2011: clause 11 for operators, 9 for conversions.
EcmaResult translate_ecma(std::string_view text, EcmaScope& scope);

/// Whether a variable may be called so, or assigned to: a name, no word of ECMAScript, no system variable of SCXML.
bool is_ecma_location(std::string_view name);

/// Conditions of errors, as in EcmaValue::fails: empty: never, "true": always, else a condition in our language.
/// Either of two, of which the second is evaluated only where the first does not hold.
std::string either(const std::string& a, const std::string& b);
/// Condition `b` of an error in a place that is reached only where `a` holds, a condition as ecma_condition() writes it
/// ("true" or "false" where it is known, never empty).
std::string and_then(const std::string& a, const std::string& b);
/// The error of looking into what is undefined, unless this condition holds: `not (bound)`.
std::string unless(const std::string& bound);
/// As the condition ECMAScript makes of it: 0, NaN, "", undefined and false are false (ECMA-262, 9.2). "true" or
/// "false" where it is known before the run. What evaluating it may raise is in EcmaValue::fails and not in the
/// condition.
std::string ecma_condition(const EcmaValue& value);
/// As a real: a truth value becomes 1 or 0, a text its number. Precondition: no array and no object, which have no
/// text.
std::string ecma_number(const EcmaValue& value);

}  // namespace ergode
