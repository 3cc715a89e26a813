#pragma once
#include <QPainter>

#include "core/drawing/picture.h"

namespace ergode {

QColor to_colour(const Color& colour);
inline QPointF to_qt(Point p) { return {p.x, p.y}; }
inline QRectF to_qt(const Rect& r) { return {r.x, r.y, r.width, r.height}; }
inline Point from_qt(QPointF p) { return {p.x(), p.y()}; }
inline Rect from_qt(const QRectF& r) { return {r.x(), r.y(), r.width(), r.height()}; }

/// Level of detail of the canvas: `outline` below 20 % (filled boxes and hair lines), `shapes` below 40 % (no text),
/// else everything. Exports never use it.
enum class Detail { outline, shapes, full };
Detail detail_at(qreal scale);

/// Draws one shape exactly as the exported SVG does: same coordinates, fonts and dashes.
void paint_shape(QPainter& painter, const Primitive& shape, const Theme& theme, Detail detail);

/// The palette of the drawing that goes with the present look of the windows.
const Theme& drawing_theme();

}  // namespace ergode
