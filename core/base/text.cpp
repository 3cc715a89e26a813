#include "core/base/text.h"

#include <algorithm>
#include <charconv>

#include "core/base/utf8.h"

namespace ergode {

std::string number_text(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string number_text(double value, int digits) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
  return {buffer, end};
}

std::optional<double> parse_number(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string cpp_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (byte >= 0x20 && byte != 0x7f && c != '?') out += c;  // "??" once began trigraphs
    else {
      // Three octal digits end by themselves; a hexadecimal escape would swallow what follows.
      out += '\\';
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + (byte >> shift & 7));
    }
  }
  return out + "\"";
}

std::string in_line_comment(std::string_view text) {
  std::string out = visible(text);
  if (out.ends_with('\\')) out += '.';
  return out;
}

namespace {

std::string with_escapes(std::string_view text, bool keeps_lines) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  const auto hex = [&](const char* before, std::uint32_t value, int width) {
    out += before;
    for (int shift = 4 * (width - 1); shift >= 0; shift -= 4)
      out += digits[(value >> static_cast<unsigned>(shift)) & 15U];
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto [point, length] = utf8_character(text, i);
    if (length == 0) {
      hex("\\x", static_cast<unsigned char>(text[i]), 2);
      ++i;
      continue;
    }
    const bool control = point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0xfeff || point == 0x61c ||
                         (point >= 0x200e && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
                         (point >= 0x2066 && point <= 0x2069);
    if (keeps_lines && (point == '\n' || point == '\t' || point == '\r')) out += text[i];
    else if (point == '\n') out += "\\n";
    else if (point == '\t') out += "\\t";
    else if (control) hex("\\u", point, 4);
    else out += text.substr(i, length);
    i += length;
  }
  return out;
}

}  // namespace

std::string visible(std::string_view text) { return with_escapes(text, false); }

std::string visible_lines(std::string_view text) { return with_escapes(text, true); }

const char* number_excess(std::string_view written) {
  // Beyond the range of doubles the order of magnitude says it: where the first digit stands, and the exponent.
  const auto e = written.find_first_of("eE");
  const bool down = e != std::string_view::npos && e + 1 < written.size() && written[e + 1] == '-';
  const std::string_view digits = written.substr(0, e);
  const bool whole = digits.find_first_of("123456789") < std::min(digits.find('.'), digits.size());
  return down || (e == std::string_view::npos && !whole) ? "small" : "large";
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (text.empty() || !letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (true) {
    const auto at = text.find(separator);
    out.emplace_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

namespace {

// Optimal string alignment: a swap of neighbours ("rnu") counts as one slip, like any other.
std::size_t slips(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& words) {
  std::string best;
  std::size_t best_slips = std::max<std::size_t>(1, word.size() / 3) + 1;
  // The difference in length is a lower bound on the slips: most words need no table.
  const auto too_far = [&](const std::string& other) {
    return std::max(word.size(), other.size()) - std::min(word.size(), other.size()) >= best_slips;
  };
  for (const std::string& other : words)
    if (too_far(other)) continue;
    else if (const std::size_t distance = slips(word, other); distance < best_slips)
      best_slips = distance, best = other;
  return best;
}

}  // namespace ergode
