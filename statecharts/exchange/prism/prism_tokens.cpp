#include "statecharts/exchange/prism/prism_tokens.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/utf8.h"

namespace ergode {
namespace {

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool decimal(char c) { return c >= '0' && c <= '9'; }

void check_number(const PrismToken& token) {
  if (token.text.find_first_of(".eE") == std::string::npos) {
    std::int32_t whole = 0;
    const char* const end = token.text.data() + token.text.size();
    if (std::from_chars(token.text.data(), end, whole).ec != std::errc())
      prism_fail(token.place, "The whole number " + quotable(token.text) + " is too large; wanted at most 2147483647.",
                 "With a fraction, as in 3e9, it is a real number.");
  } else if (!parse_number(token.text)) {
    prism_fail(token.place, "The number " + quotable(token.text) + " is too " + number_excess(token.text) + ".");
  }
}

}  // namespace

Diagnostic prism_problem(const char* code, PrismPlace place, std::string message, std::string hint) {
  return {.code = code,
          .pointer = std::to_string(place.line) + ":" + std::to_string(place.column),
          .message = std::move(message) + " (line " + std::to_string(place.line) + ", column " +
                     std::to_string(place.column) + ")",
          .hint = std::move(hint),
          .column = place.column};
}

void prism_fail(PrismPlace place, std::string message, std::string hint, const char* code) {
  throw PrismFailure{prism_problem(code, place, std::move(message), std::move(hint))};
}

std::vector<PrismToken> prism_tokens(std::string_view text) {
  std::vector<PrismToken> out;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  PrismPlace here;
  std::size_t at = 0;
  const auto step = [&] {
    const char c = text[at++];
    if (c == '\n' || (c == '\r' && !(at < text.size() && text[at] == '\n'))) ++here.line, here.column = 1;
    else if (c != '\r' && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++here.column;
  };
  while (at < text.size()) {
    const char c = text[at];
    const PrismPlace place = here;
    const std::size_t begin = at;
    const auto take = [&](PrismToken::Kind kind) {
      out.push_back({kind, std::string(text.substr(begin, at - begin)), place});
    };
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      step();
    } else if (text.substr(at, 2) == "//") {
      while (at < text.size() && text[at] != '\n' && text[at] != '\r') step();
    } else if (begins_word(c)) {
      while (at < text.size() && (begins_word(text[at]) || decimal(text[at]))) step();
      take(PrismToken::Kind::word);
    } else if (decimal(c) || (c == '.' && at + 1 < text.size() && decimal(text[at + 1]))) {
      while (at < text.size() && decimal(text[at])) step();
      // `0..3` is a range, not a number that ends with a dot.
      if (at < text.size() && text[at] == '.' && text.substr(at, 2) != "..") {
        step();
        while (at < text.size() && decimal(text[at])) step();
      }
      if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t ahead = at + 1;
        if (ahead < text.size() && (text[ahead] == '+' || text[ahead] == '-')) ++ahead;
        if (ahead < text.size() && decimal(text[ahead])) {
          while (at < ahead) step();
          while (at < text.size() && decimal(text[at])) step();
        }
      }
      take(PrismToken::Kind::number);
      check_number(out.back());
    } else if (c == '"') {
      step();
      while (at < text.size() && text[at] != '"' && text[at] != '\n' && text[at] != '\r') step();
      if (at >= text.size() || text[at] != '"') prism_fail(place, "The name in quotes does not end on its line.");
      step();
      out.push_back({PrismToken::Kind::text, std::string(text.substr(begin + 1, at - begin - 2)), place});
    } else {
      static constexpr std::string_view symbols[] = {"<=>", "->", "=>", "<=", ">=", "!=", ".."};
      std::size_t length = 1;
      for (const std::string_view s : symbols)
        if (text.substr(at, s.size()) == s) {
          length = s.size();
          break;
        }
      static constexpr std::string_view single = "()[]{}:;,+-*/=<>!&|?'.";
      if (length == 1 && single.find(c) == std::string_view::npos)
        prism_fail(place, "An unexpected character: " +
                              quotable(text.substr(at, std::max<std::size_t>(utf8_character(text, at).bytes, 1))) +
                              ".");
      while (length-- > 0) step();
      take(PrismToken::Kind::symbol);
    }
  }
  out.push_back({PrismToken::Kind::end, "the end of the text", here});
  return out;
}

}  // namespace ergode
