#pragma once
#include <vector>

#include "core/base/presence.h"
#include "core/drawing/picture.h"

namespace ergode {

/// How somebody who is shown looks besides what he is: as he is, held back, or before the door.
enum class DotStyle : std::uint8_t { plain, held, hollow };

/// One customer or token: a small sign that colour and shape tell apart, so that either is enough.
/// @param series  place of what he is told apart by (DiagramGeometry::series()): colour and shape come again after six
///     each; negative: a black circle.
void draw_dot(Picture& out, ElementId element, Point centre, double radius, int series,
              DotStyle style = DotStyle::plain);

/// How many are at a node: neither its servers nor who stands before it.
std::uint64_t number_there(const std::vector<Present>& present);

}  // namespace ergode
