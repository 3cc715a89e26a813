#pragma once
#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode {

/// Coordinates lie between minus this and this, sizes above zero and up to this [pixel]: ten thousand screens.
inline constexpr double layout_limit = 1e6;

/// Finite and within the limits; a rectangle has a width and height above 0 besides.
bool drawable(const Point& point);
bool drawable(const Rect& bounds);

/// DOC007 for every element whose place cannot be drawn, with the value seen; the first twenty, and how many more.
Diagnostics check_layout(const Document& document);

/// The layout without what cannot be drawn: that is placed as if it had never been.
/// A wrong corner takes all corners of its edge with it.
Layout drawable_part(Layout layout);

}  // namespace ergode
