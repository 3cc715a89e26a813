#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/drawing/text_metrics.h"

namespace ergode {

/// The parts of a TrueType font that a PDF file needs. Reads a font that is known to be sound (one of those built in);
/// offsets out of the data read as 0. OpenType specification 1.9, Microsoft, 2021: cmap, glyf, head, hhea, hmtx, loca.
class TrueTypeFont {
 public:
  /// @param data  the whole file; must outlive the font.
  explicit TrueTypeFont(std::string_view data);

  /// Number of the glyph of a code point; 0 (an empty box) when the font lacks it.
  /// O(segments of the font's map): keep what was found where a text is long.
  std::uint16_t glyph(std::uint32_t code) const;
  /// In thousandths of the font size, as PDF counts.
  double advance(std::uint16_t glyph) const;
  /// Of the whole font [thousandths of its size], baseline to top and (negative) to bottom.
  double ascent() const { return scaled(i16(table("hhea") + 4)); }
  double descent() const { return scaled(i16(table("hhea") + 6)); }
  std::vector<double> bounding_box() const;  ///< x and y least, x and y greatest

  /// A font file of these glyphs only, numbered in their order; the first must be 0. Parts of composite glyphs are
  /// appended. Time O(size of the glyphs).
  std::string subset(std::vector<std::uint16_t> glyphs) const;

 private:
  std::size_t table(const char* tag) const;
  std::size_t table_size(const char* tag) const;
  std::uint8_t u8(std::size_t at) const { return at < data_.size() ? static_cast<std::uint8_t>(data_[at]) : 0; }
  std::uint16_t u16(std::size_t at) const { return static_cast<std::uint16_t>(u8(at) << 8 | u8(at + 1)); }
  std::int16_t i16(std::size_t at) const { return static_cast<std::int16_t>(u16(at)); }
  std::uint32_t u32(std::size_t at) const { return std::uint32_t{u16(at)} << 16 | u16(at + 2); }
  double scaled(int units) const { return 1000.0 * units / units_per_em_; }
  std::pair<std::size_t, std::size_t> outline(std::uint16_t glyph) const;  ///< begin and size within `glyf`
  std::string_view data_;
  double units_per_em_ = 1000.0;
  std::uint16_t long_metrics_ = 0;
};

/// The font file, built into the program, of DejaVu Sans or DejaVu Sans Mono, regular or bold.
/// Lives as long as the program.
std::string_view built_in_font(const Font& font);

}  // namespace ergode
