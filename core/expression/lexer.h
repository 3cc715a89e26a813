#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/expression/syntax.h"

namespace ergode {

/// A piece of the text. Letters are those of ASCII, `_`, `%` and every byte beyond ASCII, so that names may be Greek.
///
///     8 h            number 8, word "h", end
///     EDG[1..3]      word "EDG", symbol "[", number 1, symbol "..", number 3, symbol "]", end
///     x := "a b"     word "x", symbol ":=", text "a b", end
struct Token {
  enum class Kind { number, word, text, symbol, end };
  Kind kind = Kind::end;
  std::string text;        ///< symbol and word as written; text without quotes
  double number = 0;       ///< of a number: finite, as written
  int begin = 0, end = 0;  ///< byte offsets in the text
};

/// Splits a text into tokens; the last is `end`. EXP001 for a character without meaning, a number too great or too
/// small for a double, a quoted text that does not end. `1..3` is a range, not two numbers. O(text).
std::variant<std::vector<Token>, SyntaxError> tokens_of(std::string_view text);

}  // namespace ergode
