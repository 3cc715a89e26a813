#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/drawing/picture.h"

namespace ergode {

/// What a file carries besides the picture. UTF-8.
struct PdfOptions {
  std::string title;  ///< Shown as the window's title; empty: none.
  std::string subject;
  /// Provenance: key and value, written as keywords in this order.
  std::vector<std::pair<std::string, std::string>> provenance;
  bool transparent = false;  ///< No background.
};

/// The picture as a PDF 1.7 file of one page, 0.75 points to the pixel. Lines stay lines and text stays text: the
/// glyphs used of the built-in fonts are embedded with their code points, so that it looks the same everywhere and can
/// be selected, searched and read out. No date: the same input gives the same bytes. ISO 32000-1, 2008.
/// O(primitives, and the outlines of the glyphs used). Characters that the fonts lack are drawn as an empty box.
std::string to_pdf(const Picture& picture, const Theme& theme, const PdfOptions& options = {});

}  // namespace ergode
