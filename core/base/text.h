#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergode {

/// Shortest text that reads back as the same double, in any locale, never with a decimal comma: "2", "0.1", "1e+30".
/// Infinity is "inf", no number "nan".
std::string number_text(double value);
/// `digits` significant digits, in any locale, %g style: 0.00123457. Zeros at the end are dropped.
std::string number_text(double value, int digits);
/// Reads a whole text as a number, in any locale, blanks around it and a sign before it allowed; nothing when anything
/// else is in it, or when it is beyond the range of doubles. "inf" and "nan" are numbers here: who wants a finite one
/// asks.
std::optional<double> parse_number(std::string_view text);
/// Why a text that is written like a number is none: "small" when all there is of it is lost below the smallest double,
/// else "large". `1e-400` is not too large.
const char* number_excess(std::string_view written);

/// Without spaces, tabs and line ends at both ends; a view of the same text.
std::string_view trim(std::string_view text);
/// A string literal of C++, with its quotes: whatever is in `text` stays in it.
std::string cpp_literal(std::string_view text);
/// For the rest of a `//` line of C++ or a `#` line of a shell: one line, which no backslash at its end continues.
std::string in_line_comment(std::string_view text);
/// For a terminal or a line of its own: control characters, line ends, marks that turn the direction of writing and
/// bytes that are no UTF-8 become visible escapes (\n, \u001b, \xff), so that no name can move the cursor, hide text or
/// pretend to be another line.
/// UTF-8 letters stay as they are; other bytes are escaped one by one.
std::string visible(std::string_view text);
/// The same for a page, where line ends and tabs do no harm: they stay as they are.
std::string visible_lines(std::string_view text);
/// ASCII letters, digits and _, not beginning with a digit; not empty.
bool is_identifier(std::string_view text);
/// The parts between separators, trimmed; one more than there are separators, so at least one.
std::vector<std::string> split(std::string_view text, char separator);
/// The nearest of `words` when it is near enough to be meant; else empty. For "did you mean". Slips (letters added,
/// left out, exchanged, two neighbours swapped) of up to a third of the word, one in short ones; of equally near ones
/// the first. Optimal string alignment: Damerau, A technique for computer detection and correction of spelling errors,
/// Comm. ACM 7(3), 1964. O(words * length squared).
std::string nearest_word(std::string_view word, const std::vector<std::string>& words);

}  // namespace ergode
