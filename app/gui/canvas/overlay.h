#pragma once
#include <QPainter>
#include <array>

#include "core/base/element_id.h"

namespace ergode {

class CanvasView;

/// Dots every 20 px; none when they would be closer than 8 px on the screen.
void paint_grid(QPainter& painter, const QRectF& area, double zoom);
/// Where a node is grabbed to resize it: its corners, clockwise from the top left. The top right one steps aside for
/// a badge that would cover it.
std::array<QPointF, 4> resize_handles(const CanvasView& canvas, ElementId node);
/// Outline and handles of the selection; members of a selected common-cause group are outlined too.
void paint_selection(QPainter& painter, CanvasView& canvas);

}  // namespace ergode
