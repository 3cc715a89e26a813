#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "statecharts/exchange/ecma_expression.h"

namespace ergode {

/// Thrown where an expression cannot be read; caught by translate_ecma.
struct EcmaFailure {
  EcmaError error;
};
/// ECMAScript could evaluate it, we cannot.
[[noreturn]] inline void unsupported(const std::string& what) { throw EcmaFailure{{false, what}}; }
/// ECMAScript itself cannot.
[[noreturn]] inline void broken(const std::string& what) { throw EcmaFailure{{true, what}}; }

/// A piece of an expression. Words are names and keywords alike; symbols are one to three characters, `===`.
struct EcmaToken {
  enum class Kind { number, text, word, symbol, end } kind = Kind::end;
  std::string text;
};

/// The tokens of an expression, the last one of kind `end`. Texts come without their quotes, numbers as we write them.
/// `$` and every byte from 0x80 on count as letters. Time O(length).
/// A character that begins nothing else is a symbol by itself: the parser refuses it.
/// @throws EcmaFailure  brackets or quotes that do not match; a number that is not decimal or too large for a double.
std::vector<EcmaToken> ecma_tokens(std::string_view text);

}  // namespace ergode
