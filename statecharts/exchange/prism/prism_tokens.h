#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "statecharts/exchange/prism/prism_syntax.h"

namespace ergode {

/// A piece of a program. Words are names and keywords alike; a text is a name in quotes, without them.
struct PrismToken {
  enum class Kind { word, number, text, symbol, end } kind = Kind::end;
  std::string text;
  PrismPlace place;
};

/// Leaves the parser; parse_prism() and parse_prism_expression() catch it.
struct PrismFailure {
  Diagnostic problem;
};
/// @throws PrismFailure  always, with prism_problem(code, place, message, hint)
[[noreturn]] void prism_fail(PrismPlace place, std::string message, std::string hint = {}, const char* code = "PRI001");

/// Splits a program into tokens; the last is `end`. Lines end in LF, CRLF or CR; a byte order mark is skipped, as are
/// comments from `//` to the end of the line. `0..3` are three tokens. Names have letters of ASCII only. O(length).
/// @param text  UTF-8, which is not checked
/// @throws PrismFailure  with the place: a stray character, a name in quotes that does not end, a number that no
///                       integer (of 32 bits, as in PRISM) or double can hold.
std::vector<PrismToken> prism_tokens(std::string_view text);

}  // namespace ergode
