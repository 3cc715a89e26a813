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

struct EcmaToken {
  enum class Kind { number, text, word, symbol, end } kind = Kind::end;
  std::string text;
};

/// The tokens of an expression, the last one of kind `end`. Texts come without their quotes, numbers as we write them.
/// @throws EcmaFailure  brackets or quotes that do not match, a number that is not decimal.
std::vector<EcmaToken> ecma_tokens(std::string_view text);

}  // namespace ergode
