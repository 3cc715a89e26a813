#include "app/gui/canvas/directions.h"

#include <cmath>

#include "app/gui/canvas/canvas_view.h"

namespace ergode {

QPointF direction_of(int key) {
  if (key == Qt::Key_Left) return {-1, 0};
  if (key == Qt::Key_Right) return {1, 0};
  if (key == Qt::Key_Up) return {0, -1};
  if (key == Qt::Key_Down) return {0, 1};
  return {};
}

ElementId nearest_in_direction(const CanvasView& canvas, QPointF start, QPointF direction,
                               const std::vector<ElementId>& candidates) {
  ElementId best;
  double least = 1e300;
  for (const ElementId id : candidates) {
    const QPointF d = canvas.scene_items().bounds(id).center() - start;
    const double ahead = QPointF::dotProduct(d, direction);
    const double aside = std::abs(d.x() * direction.y() - d.y() * direction.x());
    if (ahead < 1 || aside > 1.75 * ahead) continue;
    const double cost = ahead + 2 * aside;
    if (cost >= least) continue;
    least = cost;
    best = id;
  }
  return best;
}

}  // namespace ergode
