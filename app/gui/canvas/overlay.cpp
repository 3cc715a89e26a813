#include "app/gui/canvas/overlay.h"

#include <QLineF>
#include <cmath>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/canvas/shape_painter.h"
#include "app/gui/look/look.h"

namespace ergode {
namespace {

QPen cosmetic(const QColor& colour, double width, Qt::PenStyle style = Qt::SolidLine) {
  QPen pen(colour, width, style);
  pen.setCosmetic(true);
  return pen;
}

void paint_handle(QPainter& painter, QPointF at, double zoom) {
  const double r = 3.5 / zoom;
  painter.drawRect(QRectF(at.x() - r, at.y() - r, 2 * r, 2 * r));
}

}  // namespace

void paint_grid(QPainter& painter, const QRectF& area, double zoom) {
  painter.fillRect(area, look().canvas);
  double step = 20;
  while (step * zoom < 12) step *= 5;
  if (step > 500) return;
  painter.setPen(cosmetic(look().grid, 1.5));
  QPolygonF dots;
  for (double x = std::floor(area.left() / step) * step; x < area.right(); x += step)
    for (double y = std::floor(area.top() / step) * step; y < area.bottom(); y += step) dots << QPointF(x, y);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.drawPoints(dots);
  painter.setRenderHint(QPainter::Antialiasing, true);
}

std::array<QPointF, 4> resize_handles(const CanvasView& canvas, ElementId node) {
  const QRectF box = canvas.scene_items().bounds(node);
  std::array<QPointF, 4> out{box.topLeft(), box.topRight(), box.bottomRight(), box.bottomLeft()};
  const ElementItem* item = canvas.scene_items().item(node);
  const QRectF badge = item != nullptr ? item->badge() : QRectF();
  if (badge.isEmpty()) return out;
  // A badge that stands clear of the corner, as on a hexagon, leaves the handle where it belongs.
  const double radius = badge.width() / 2, handle = 4.5 / canvas.zoom(), aside = radius * 0.7 + handle;
  const auto covers = [&](const QPointF& at) { return QLineF(badge.center(), at).length() < radius + handle; };
  if (covers(out[0])) out[0] += QPointF(-aside, -aside);
  if (covers(out[1])) out[1] += QPointF(aside, -aside);
  return out;
}

void paint_selection(QPainter& painter, CanvasView& canvas) {
  const Workspace& workspace = canvas.workspace();
  const bool single = workspace.selection().size() == 1;
  for (const ElementId id : workspace.selection()) {
    const Element* element = workspace.find(id);
    const ElementItem* item = canvas.scene_items().item(id);
    if (element == nullptr || item == nullptr) continue;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(cosmetic(look().selection, 2.2));
    if (element->is_node()) {
      for (const Element* edge : workspace.document().incident(id)) {
        const KindSpec* binding = workspace.kind_of(*edge);
        const ElementId member = edge->source == id ? edge->target : edge->source;
        if (binding == nullptr || !binding->binds || canvas.scene_items().item(member) == nullptr) continue;
        painter.setPen(cosmetic(look().selection, 1.4, Qt::DashLine));
        painter.drawRoundedRect(canvas.scene_items().bounds(member).adjusted(-4, -4, 4, 4), 10, 10);
      }
      painter.setPen(cosmetic(look().selection, 1.4));
      painter.setBrush(look().canvas);
      if (single)
        for (const QPointF& corner : resize_handles(canvas, id)) paint_handle(painter, corner, canvas.zoom());
      continue;
    }
    if (!single || item->path().empty()) continue;
    painter.setPen(cosmetic(look().selection, 1.4));
    painter.setBrush(look().canvas);
    for (const Point& p : element->layout.way_points) paint_handle(painter, to_qt(p), canvas.zoom());
    const double r = 4 / canvas.zoom();
    painter.drawEllipse(to_qt(item->path().front()), r, r);
    painter.drawEllipse(to_qt(item->path().back()), r, r);
  }
}

}  // namespace ergode
