#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/expression/syntax.h"

namespace ergode {

struct Token {
  enum class Kind { number, word, text, symbol, end };
  Kind kind = Kind::end;
  std::string text;  ///< symbol and word as written; text without quotes
  double number = 0;
  int begin = 0, end = 0;
};

/// Splits a text into tokens; the last is `end`.
std::variant<std::vector<Token>, SyntaxError> tokens_of(std::string_view text);

}  // namespace ergode
