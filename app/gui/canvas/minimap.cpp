#include "app/gui/canvas/minimap.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/look/look.h"

namespace ergode {

Minimap::Minimap(CanvasView& canvas) : QWidget(&canvas), canvas_(canvas) {
  setObjectName(QStringLiteral("view.minimap"));
  setAccessibleName(QObject::tr("Overview of the diagram"));
  setFixedSize(148, 98);
  QObject::connect(&canvas, &CanvasView::zoom_changed, this, [this] { place(); });
  QObject::connect(canvas.horizontalScrollBar(), &QScrollBar::valueChanged, this, [this] { place(); });
  QObject::connect(canvas.verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { place(); });
}

void Minimap::place() {
  move(canvas_.viewport()->width() - width() - 10, canvas_.viewport()->height() - height() - 10);
  const QRectF seen = canvas_.mapToScene(canvas_.viewport()->rect()).boundingRect();
  const QRectF content = canvas_.scene_items().content();
  setVisible(!content.isEmpty() && !seen.contains(content) && canvas_.viewport()->width() > 420);
  update();
}

QTransform Minimap::to_map() const {
  const QRectF content = canvas_.scene_items().content().adjusted(-40, -40, 40, 40);
  const double scale = std::min(width() / content.width(), height() / content.height());
  QTransform out;
  out.translate(width() / 2.0, height() / 2.0);
  out.scale(scale, scale);
  out.translate(-content.center().x(), -content.center().y());
  return out;
}

void Minimap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(look().line);
  painter.setBrush(look().panel);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(rect().adjusted(1, 1, -1, -1));
  const QTransform map = to_map();
  const Workspace& workspace = canvas_.workspace();
  for (const Element* node : workspace.document().nodes(workspace.diagram())) {
    painter.setPen(QPen(look().node_border, 0.8));
    painter.setBrush(workspace.selected(node->id) ? look().selection : look().node_fill);
    painter.drawRect(map.mapRect(canvas_.scene_items().bounds(node->id)));
  }
  QColor seen = look().selection;
  seen.setAlpha(35);
  painter.setBrush(seen);
  painter.setPen(QPen(look().selection, 1));
  painter.drawRect(map.mapRect(canvas_.mapToScene(canvas_.viewport()->rect()).boundingRect()));
}

void Minimap::go(const QPoint& at) { canvas_.centerOn(to_map().inverted().map(QPointF(at))); }
void Minimap::mousePressEvent(QMouseEvent* event) { go(event->position().toPoint()); }
void Minimap::mouseMoveEvent(QMouseEvent* event) { go(event->position().toPoint()); }

}  // namespace ergode
