#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ergode {

/// DejaVu Sans (or DejaVu Sans Mono) at a size in pixels of the picture.
struct Font {
  double size = 12.0;
  bool bold = false;
  bool mono = false;
  double ascent() const { return 0.76 * size; }  ///< Baseline to the top of capitals and digits, with a little air.
  double line_height() const { return 1.35 * size; }  ///< Baseline to baseline.
  friend bool operator==(const Font&, const Font&) = default;
};

/// Width of a line of text, from a built-in table of advance widths: the same with and without a screen, on any
/// machine.
double text_width(std::string_view utf8, const Font& font);
/// The text, or its beginning with an ellipsis when it is wider than `width`.
std::string elided(std::string_view utf8, const Font& font, double width);
/// Breaks at spaces so that lines stay within `width` where words allow; newlines break always. At least one line.
std::vector<std::string> wrapped(std::string_view utf8, const Font& font, double width);
/// Decodes the code point at `at` (U+FFFD for a broken sequence); @returns the index after it. Precondition: at < size.
std::size_t next_code_point(std::string_view utf8, std::size_t at, std::uint32_t& code);

}  // namespace ergode
