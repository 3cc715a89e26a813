#pragma once
#include <QLineF>
#include <QRectF>
#include <vector>

namespace ergode {

/// Pixels at 100 %.
inline constexpr double grid_step = 10;

/// Where a dragged box comes to rest: the nearest edge or centre of a neighbour within `reach`, else the grid. Each
/// axis on its own. `guides` are the lines to draw: the reason for each snap to a neighbour.
struct Snap {
  QPointF delta;  ///< To be added to the free movement.
  std::vector<QLineF> guides;
};
/// @param reach  [scene pixel]
Snap snap_box(const QRectF& box, const std::vector<QRectF>& neighbours, double reach);
QPointF snap_to_grid(QPointF point);
/// Where the line from the centre of a box to a point leaves the box.
QPointF border_point(const QRectF& box, QPointF towards);

}  // namespace ergode
