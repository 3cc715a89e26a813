#include "core/expression/lexer.h"

#include <charconv>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {
namespace {

bool letter(char c) {
  // Bytes of UTF-8 letters (λ, µ) count as letters: users write Greek names.
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}
bool digit(char c) { return c >= '0' && c <= '9'; }

// The number at the beginning of a text and nothing after it, so that a long sum costs no more than its length. "1..3"
// is a range, not the number "1." followed by ".3".
std::string_view number_at(std::string_view text) {
  std::size_t at = 0;
  const auto is = [&](std::size_t place, const auto& what) { return place < text.size() && what(text[place]); };
  const auto dot = [](char c) { return c == '.'; };
  while (is(at, digit)) ++at;
  if (is(at, dot) && !is(at + 1, dot)) ++at;
  while (is(at, digit)) ++at;
  if (is(at, [](char c) { return c == 'e' || c == 'E'; })) {
    const std::size_t exponent = at + 1 + (is(at + 1, [](char c) { return c == '+' || c == '-'; }) ? 1 : 0);
    if (is(exponent, digit)) at = exponent;
    while (is(at, digit)) ++at;
  }
  return text.substr(0, at);
}

}  // namespace

std::variant<std::vector<Token>, SyntaxError> tokens_of(std::string_view text) {
  std::vector<Token> out;
  std::size_t at = 0;
  const auto place = [](std::size_t offset) { return static_cast<int>(offset); };
  while (at < text.size()) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at;
      continue;
    }
    Token token;
    token.begin = place(at);
    if (digit(c) || (c == '.' && at + 1 < text.size() && digit(text[at + 1]))) {
      const std::string_view rest = number_at(text.substr(at));
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), token.number);
      const auto length = static_cast<std::size_t>(end - rest.data());
      if (error != std::errc() || !std::isfinite(token.number)) {
        const std::string_view written = rest.substr(0, length);
        return SyntaxError{"The number " + quotable(written) + " is too " + number_excess(written) + ".", place(at) + 1,
                           "EXP001"};
      }
      token.kind = Token::Kind::number;
      at += length;
    } else if (letter(c)) {
      const std::size_t begin = at;
      if (c == '%') ++at;
      else
        while (at < text.size() && (letter(text[at]) || digit(text[at])) && text[at] != '%') ++at;
      token.kind = Token::Kind::word;
      token.text = std::string(text.substr(begin, at - begin));
    } else if (c == '"' || c == '\'') {
      const auto close = text.find(c, at + 1);
      if (close == std::string_view::npos) return SyntaxError{"The quoted text does not end.", place(at) + 1, "EXP001"};
      token.kind = Token::Kind::text;
      token.text = std::string(text.substr(at + 1, close - at - 1));
      at = close + 1;
    } else {
      static constexpr std::string_view pairs[] = {"<=", ">=", "==", "!=", "&&", "||", ":=", ".."};
      token.kind = Token::Kind::symbol;
      token.text = std::string(1, c);
      for (const std::string_view pair : pairs)
        if (text.substr(at, 2) == pair) token.text = std::string(pair);
      if (std::string_view("+-*/^()[],.<>=!?:;&|").find(c) == std::string_view::npos || token.text == "&" ||
          token.text == "|")
        return SyntaxError{"The character " + quotable(std::string_view(&c, 1)) + " has no meaning here.",
                           place(at) + 1, "EXP001"};
      at += token.text.size();
    }
    token.end = place(at);
    out.push_back(std::move(token));
  }
  Token end;
  end.begin = end.end = place(text.size());
  out.push_back(end);
  return out;
}

}  // namespace ergode
