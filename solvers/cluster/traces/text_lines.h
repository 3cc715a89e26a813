#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace ergode {

/// Takes the first line off a text; lines end in LF, CRLF or CR, which is no part of them.
inline std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  if (text.starts_with("\r\n")) text.remove_prefix(2);
  else if (!text.empty()) text.remove_prefix(1);
  return line;
}

/// Without the byte order mark that it may begin with.
inline std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

/// What is wrong with a text that holds a NUL, as one of another encoding or of a disk that was full does: a name with
/// one would be another name than it looks. "line 3 holds a NUL byte, wanted text"; nothing: it holds none. O(length).
inline std::optional<std::string> nul_fault(std::string_view text) {
  const std::size_t at = text.find('\0');
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t line = 1;
  for (std::string_view before = text.substr(0, at); before.find_first_of("\r\n") != std::string_view::npos; ++line)
    next_line(before);
  return "line " + std::to_string(line) + " holds a NUL byte, wanted text";
}

}  // namespace ergode
