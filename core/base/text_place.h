#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergode {

/// A place in a text, both counted from 1; columns in characters. Where something stands in JSON: line 0 and the number
/// of the list's entry.
struct TextPlace {
  int line = 1, column = 1;
};

/// Places in one UTF-8 text, which must outlive it. Lines end in LF, CRLF or CR. Made in O(length); at() costs a walk
/// over at most 1,024 bytes, so that a complaint about every part of a text stays linear in its length.
class TextPlaces {
 public:
  /// Also for a text that is no UTF-8: every byte that does not go on with a character counts as a column.
  explicit TextPlaces(std::string_view utf8);
  /// @param offset  in bytes; beyond the end it is the end.
  TextPlace at(std::size_t offset) const;

 private:
  static constexpr std::size_t stride = 1024;
  std::string_view text_;
  std::vector<TextPlace> marks_;  ///< of every stride-th byte
};

/// One place alone: O(offset).
TextPlace place_of(std::string_view utf8, std::size_t offset);

/// Offset of the first byte that is no well-formed UTF-8 (Unicode 15, table 3-7: no overlong forms, surrogates or
/// characters beyond U+10FFFF); nothing when the whole text is. O(length).
std::optional<std::size_t> invalid_utf8(std::string_view text);

/// A value as messages quote it: at most `most` characters and then "...", control characters as \n, \t, \x1B and bytes
/// that are no UTF-8 as \xFF, so that any text can be shown and none fills the screen.
std::string quotable(std::string_view value, std::size_t most = 40);

/// What is said of an expression, with the expression before it as messages quote it: "a + b": message.
std::string said_of(std::string_view expression, const std::string& message);

}  // namespace ergode
