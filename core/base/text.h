#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ergode {

/// Shortest text that reads back as the same double, always with a decimal point, in any locale.
std::string number_text(double value);
/// `digits` significant digits, in any locale, %g style: 0.00123457.
std::string number_text(double value, int digits);
/// Reads a whole text as a number, in any locale; nothing when anything else is in it.
std::optional<double> parse_number(std::string_view text);
/// Why a text that is written like a number is none: "small" when all there is of it is lost below the smallest double,
/// else "large". `1e-400` is not too large.
const char* number_excess(std::string_view written);

std::string_view trim(std::string_view text);
/// Letters, digits and _, not beginning with a digit.
bool is_identifier(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
/// The nearest of `words` when it is near enough to be meant; else empty. For "did you mean".
std::string nearest_word(std::string_view word, const std::vector<std::string>& words);

}  // namespace ergode
