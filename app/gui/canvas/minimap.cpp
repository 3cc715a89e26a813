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
  const QRect port = canvas_.viewport()->rect();
  const QRectF content = canvas_.scene_items().content();
  const QRectF drawn = canvas_.mapFromScene(content).boundingRect();
  const bool fits = drawn.width() <= port.width() && drawn.height() <= port.height();
  const QRectF seen = drawn.intersected(port);
  const bool out_of_sight = seen.width() * seen.height() < 0.3 * drawn.width() * drawn.height();
  if (content.isEmpty() || (fits && !out_of_sight) || port.width() <= 420) return hide();
  QRect selected;
  for (const ElementId id : canvas_.workspace().selection())
    selected = selected.united(canvas_.mapFromScene(canvas_.scene_items().bounds(id)).boundingRect());
  // The legend of the numbers belongs to no element.
  const QRectF nobodys = canvas_.scene_items().bounds({});
  const QRect legend = nobodys.isEmpty() ? QRect() : canvas_.mapFromScene(nobodys).boundingRect();
  const int left = 10, top = 10, right = port.width() - width() - 10, bottom = port.height() - height() - 10;
  // Where nothing is drawn, if there is such a corner; else where nothing is that is being worked on.
  for (const bool empty : {true, false})
    for (const QPoint corner : {QPoint(right, bottom), QPoint(left, bottom), QPoint(right, top), QPoint(left, top)}) {
      const QRect place = QRect(corner, size()).adjusted(-8, -8, 8, 8);
      if (empty ? !canvas_.items(place).isEmpty() : place.intersects(selected) || place.intersects(legend)) continue;
      move(corner);
      show();
      return update();
    }
  hide();  // What is being worked on fills the window: nothing to look over.
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
