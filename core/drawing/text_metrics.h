#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ergode {

/// DejaVu Sans (or DejaVu Sans Mono) at a size in pixels of the picture.
/// Sizes are pixels of the picture at 100 %; there is no italic face.
struct Font {
  double size = 12.0;
  bool bold = false;
  bool mono = false;
  double ascent() const { return 0.76 * size; }  ///< Baseline to the top of capitals and digits, with a little air.
  double line_height() const { return 1.35 * size; }  ///< Baseline to baseline.
  friend bool operator==(const Font&, const Font&) = default;
};

/// Width of a line of text [pixels of the font size], from a built-in table of advance widths: the same with and
/// without a screen, on any machine. No kerning; characters that the table lacks are as wide as a capital letter, bytes
/// that are no UTF-8 one each. O(length).
double text_width(std::string_view utf8, const Font& font);
/// The text, or its beginning with an ellipsis when it is wider than `width`: cut between characters, the ellipsis
/// alone where nothing else fits.
std::string elided(std::string_view utf8, const Font& font, double width);
/// Breaks at spaces so that lines stay within `width` where words allow; newlines break always. At least one line,
/// which may be empty. A word that is wider stays whole.
std::vector<std::string> wrapped(std::string_view utf8, const Font& font, double width);
/// Decodes the code point at `at` (U+FFFD for a broken sequence); @returns the index after it. Precondition: at < size.
std::size_t next_code_point(std::string_view utf8, std::size_t at, std::uint32_t& code);

}  // namespace ergode
