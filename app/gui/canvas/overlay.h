#pragma once
#include <QPainter>

namespace ergode {

class CanvasView;

/// Dots every 20 px; none when they would be closer than 8 px on the screen.
void paint_grid(QPainter& painter, const QRectF& area, double zoom);
/// Outline and handles of the selection; members of a selected common-cause group are outlined too.
void paint_selection(QPainter& painter, CanvasView& canvas);

}  // namespace ergode
