#include "app/gui/tools/drags.h"

#include <algorithm>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/canvas/guides.h"
#include "app/gui/canvas/shape_painter.h"
#include "app/gui/edit/gestures.h"
#include "app/gui/look/look.h"
#include "app/session/catalogue.h"

namespace ergode {
namespace {

QPen thin_pen(const QColor& colour, double width = 1.0, Qt::PenStyle style = Qt::SolidLine) {
  QPen pen(colour, width, style);
  pen.setCosmetic(true);
  return pen;
}

bool snaps(const CanvasEvent& event) { return !event.modifiers.testFlag(Qt::ControlModifier); }

}  // namespace

MoveDrag::MoveDrag(CanvasView& canvas, QPointF start) : Drag(canvas), start_(start) {
  const Document& document = canvas.workspace().document();
  ids_ = outermost(document, canvas.workspace().selection());
  for (const ElementId id : ids_) box_ = box_.united(canvas.scene_items().bounds(id));
  for (const Element* node : document.nodes(canvas.workspace().diagram())) {
    const bool moves =
        std::any_of(ids_.begin(), ids_.end(), [&](ElementId id) { return inside(document, node->id, id); });
    if (moves) moving_.push_back(node->id);
    else if (node->layout.bounds) neighbours_.push_back(to_qt(*node->layout.bounds));
  }
}

void MoveDrag::update(const CanvasEvent& event) {
  const QPointF free = event.at - start_;
  delta_ = free;
  guides_.clear();
  if (snaps(event)) {
    const Snap snap = snap_box(box_.translated(free), neighbours_, 5 / canvas_.zoom());
    delta_ += snap.delta;
    guides_ = snap.guides;
  }
  const Workspace& workspace = canvas_.workspace();
  const Document& document = workspace.document();
  const ElementId into = container_at(document, catalogue(), workspace.diagram(), from_qt(event.at), ids_);
  const NotationSpec* notation = workspace.notation();
  refusal_.clear();
  parent_.reset();
  target_box_ = QRectF();
  const bool leaves =
      std::any_of(ids_.begin(), ids_.end(), [&](ElementId id) { return document.find(id)->parent != into; });
  if (!leaves || notation == nullptr) return;
  for (const ElementId id : ids_) {
    const std::string why = notation->refuse_parent(document, document.find(id)->kind, document.find(into));
    if (!why.empty()) refusal_ = QString::fromStdString(why);
  }
  target_box_ = into ? canvas_.scene_items().bounds(into) : QRectF();
  if (refusal_.isEmpty()) parent_ = into;
}

void MoveDrag::move(const CanvasEvent& event) {
  moved_ = moved_ || (event.at - start_).manhattanLength() * canvas_.zoom() > 4;
  if (!moved_) return;
  update(event);
  Edit edit(canvas_.workspace().document(), "");
  settle_places(edit, ids_);
  edit.move(ids_, delta_.x(), delta_.y());
  canvas_.preview_moved(edit.document(), moving_);
  if (!refusal_.isEmpty()) canvas_.workspace().say(refusal_);
}

void MoveDrag::drop(const CanvasEvent& event) {
  if (!moved_) return;
  update(event);
  if (!refusal_.isEmpty()) {
    canvas_.workspace().say(QStringLiteral("Not moved: ") + refusal_);
    return;
  }
  canvas_.workspace().push(move_nodes(canvas_.workspace().document(), ids_, delta_.x(), delta_.y(), parent_));
}

void MoveDrag::paint(QPainter& painter) const {
  painter.setBrush(Qt::NoBrush);
  painter.setPen(thin_pen(look().selection, 1.0, Qt::DashLine));
  for (const QLineF& guide : guides_) painter.drawLine(guide);
  if (target_box_.isNull()) return;
  const QColor colour = refusal_.isEmpty() ? look().active_border : look().error;
  QColor glow = colour;
  glow.setAlpha(30);
  painter.setBrush(glow);
  painter.setPen(thin_pen(colour, 2.5));
  painter.drawRoundedRect(target_box_, 8, 8);
}

RubberDrag::RubberDrag(CanvasView& canvas, QPointF start, bool adds)
    : Drag(canvas), area_(start, start), start_(start) {
  if (adds) before_ = canvas.workspace().selection();
  else canvas.workspace().select({});
}

void RubberDrag::move(const CanvasEvent& event) {
  area_ = QRectF(start_, event.at).normalized();
  std::vector<ElementId> ids = before_;
  for (const ElementId id : canvas_.scene_items().within(area_))
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  canvas_.workspace().select(std::move(ids));
  canvas_.viewport()->update();
}

void RubberDrag::drop(const CanvasEvent&) {}

void RubberDrag::paint(QPainter& painter) const {
  QColor fill = look().selection;
  fill.setAlpha(28);
  painter.setPen(thin_pen(look().selection));
  painter.setBrush(fill);
  painter.drawRect(area_);
}

ResizeDrag::ResizeDrag(CanvasView& canvas, ElementId id, int corner, QPointF grip)
    : Drag(canvas), id_(id), corner_(corner), grip_(grip) {
  const Element* element = canvas.workspace().find(id);
  // Without a layout it stands where it is drawn.
  if (element != nullptr) old_ = element->layout.bounds.value_or(from_qt(canvas.scene_items().bounds(id)));
}

Rect ResizeDrag::wanted(const CanvasEvent& event) const {
  const QPointF free = event.at - grip_;
  const QPointF at = snaps(event) ? snap_to_grid(free) : free;
  double left = old_.x, top = old_.y, right = old_.right(), bottom = old_.bottom();
  constexpr double least = 20;
  if (corner_ == 0 || corner_ == 3) left = std::min(at.x(), right - least);
  else right = std::max(at.x(), left + least);
  if (corner_ == 0 || corner_ == 1) top = std::min(at.y(), bottom - least);
  else bottom = std::max(at.y(), top + least);
  return {left, top, right - left, bottom - top};
}

void ResizeDrag::move(const CanvasEvent& event) {
  Edit edit(canvas_.workspace().document(), "");
  settle_places(edit, {id_});
  const Element* element = edit.document().find(id_);
  if (element == nullptr) return;
  Layout layout = element->layout;
  layout.bounds = wanted(event);
  edit.set_layout(id_, layout);
  canvas_.preview(edit.document());
}

void ResizeDrag::drop(const CanvasEvent& event) {
  canvas_.workspace().push(resize_node(canvas_.workspace().document(), id_, wanted(event)));
}

}  // namespace ergode
