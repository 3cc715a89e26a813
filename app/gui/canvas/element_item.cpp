#include "app/gui/canvas/element_item.h"

#include "app/gui/canvas/shape_painter.h"

namespace ergode {
namespace {

bool same(const Primitive& a, const Primitive& b) {
  return a.kind == b.kind && a.stroke == b.stroke && a.fill == b.fill && a.line_width == b.line_width &&
         a.dash == b.dash && a.fill_opacity == b.fill_opacity && a.box == b.box && a.radius == b.radius &&
         a.points == b.points && a.text == b.text && a.font == b.font && a.anchor == b.anchor && a.upwards == b.upwards;
}

}  // namespace

ElementItem::ElementItem(ElementId id) : id_(id) { setAcceptedMouseButtons(Qt::NoButton); }

void ElementItem::show(std::vector<Primitive> shapes) {
  if (std::equal(shapes.begin(), shapes.end(), shapes_.begin(), shapes_.end(), same)) return;
  prepareGeometryChange();
  shapes_ = std::move(shapes);
  bounds_ = text_box_ = badge_ = QRectF();
  path_.clear();
  for (const Primitive& shape : shapes_) {
    const QRectF extent = to_qt(shape.extent()).adjusted(-3, -3, 3, 3);
    bounds_ = bounds_.united(extent);
    if (shape.kind == Primitive::Kind::ellipse && (shape.fill == Role::error || shape.fill == Role::warning))
      badge_ = to_qt(shape.box);
    if (shape.kind == Primitive::Kind::text) text_box_ = text_box_.united(extent);
    if (shape.kind == Primitive::Kind::polyline && path_.empty()) path_ = shape.points;
  }
  update();
}

void ElementItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const Detail detail = detail_at(painter->worldTransform().m11());
  for (const Primitive& shape : shapes_) paint_shape(*painter, shape, drawing_theme(), detail);
}

}  // namespace ergode
