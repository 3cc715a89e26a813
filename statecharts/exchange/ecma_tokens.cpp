#include "statecharts/exchange/ecma_tokens.h"

#include <charconv>
#include <cmath>

#include "core/base/text.h"

namespace ergode {
namespace {

bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}
bool digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::vector<EcmaToken> ecma_tokens(std::string_view text) {
  std::vector<EcmaToken> out;
  std::string brackets;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at;
    } else if (digit(c) || (c == '.' && at + 1 < text.size() && digit(text[at + 1]))) {
      double value = 0;
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
      if (error != std::errc() || !std::isfinite(value)) unsupported("a number that is too large");
      if (end < text.data() + text.size() && letter(*end)) unsupported("a number that is not decimal");
      out.push_back({EcmaToken::Kind::number, number_text(value)});
      at = static_cast<std::size_t>(end - text.data());
    } else if (letter(c)) {
      const std::size_t begin = at;
      while (at < text.size() && (letter(text[at]) || digit(text[at]))) ++at;
      out.push_back({EcmaToken::Kind::word, std::string(text.substr(begin, at - begin))});
    } else if (c == '"' || c == '\'') {
      std::string value;
      for (++at; at < text.size() && text[at] != c; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        value += text[at];
      }
      if (at >= text.size()) broken("a text that does not end");
      ++at;
      out.push_back({EcmaToken::Kind::text, value});
    } else {
      static constexpr std::string_view longer[] = {"===", "!==", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "=>"};
      std::string symbol(1, c);
      for (const std::string_view s : longer)
        if (text.substr(at, s.size()) == s) {
          symbol = std::string(s);
          break;
        }
      if (c == '(' || c == '[' || c == '{') brackets += c;
      if (c == ')' || c == ']' || c == '}') {
        const char opened = c == ')' ? '(' : c == ']' ? '[' : '{';
        if (brackets.empty() || brackets.back() != opened) broken("brackets that do not match");
        brackets.pop_back();
      }
      at += symbol.size();
      out.push_back({EcmaToken::Kind::symbol, std::move(symbol)});
    }
  }
  if (!brackets.empty()) broken("a bracket that is not closed");
  out.emplace_back();
  return out;
}

}  // namespace ergode
