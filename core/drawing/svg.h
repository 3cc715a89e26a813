#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/drawing/picture.h"

namespace ergode {

/// What a file carries besides the picture. UTF-8, escaped where it is written.
struct SvgOptions {
  std::string title;  ///< Read out by assistive tools; empty: none.
  std::string description;
  /// Provenance: key and value, written into the file's metadata in this order.
  std::vector<std::pair<std::string, std::string>> provenance;
  bool transparent = false;  ///< No background.
  bool standalone = true;    ///< A file of its own (XML declaration); false: to be put inside an HTML page.
};

/// The picture as SVG 1.1. Text stays text in the font family "DejaVu Sans"; nothing reaches outside the view box;
/// coordinates are rounded to 0.01 pixel. The same input gives the same bytes. What XML forbids in texts is left out
/// (escape_xml()). O(primitives).
std::string to_svg(const Picture& picture, const Theme& theme, const SvgOptions& options = {});

/// A coordinate: at most two decimals, no exponent, no trailing zeros, never "-0".
std::string svg_number(double value);

}  // namespace ergode
