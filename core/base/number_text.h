#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ergode {

/// The shortest decimal text that reads back as the same double; "nan", "inf", "-inf" for the rest. Never localised.
std::string number_text(double value);

/// Reads the whole of `text` as a finite decimal number (leading and trailing blanks allowed), whatever the locale.
/// @returns nothing for anything else: empty text, trailing characters, a comma for a point, nan, infinity.
std::optional<double> parse_number(std::string_view text);

}  // namespace ergode
