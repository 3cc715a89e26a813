#include <algorithm>
#include <cmath>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/canvas/guides.h"
#include "app/gui/canvas/shape_painter.h"
#include "app/gui/edit/gestures.h"
#include "app/gui/look/look.h"
#include "app/gui/tools/drags.h"

namespace ergode {
ConnectDrag::ConnectDrag(CanvasView& canvas, ElementId source, QPointF start)
    : Drag(canvas), fixed_(source), from_(canvas.scene_items().bounds(source).center()), to_(start) {}

ConnectDrag::ConnectDrag(CanvasView& canvas, ElementId edge, bool pulls_source)
    : Drag(canvas), edge_(edge), pulls_source_(pulls_source) {
  const Element* element = canvas.workspace().find(edge);
  if (element != nullptr) fixed_ = pulls_source ? element->target : element->source;
  from_ = to_ = canvas.scene_items().bounds(fixed_).center();
}

void ConnectDrag::look(const CanvasEvent& event) {
  const Workspace& workspace = canvas_.workspace();
  to_ = event.at;
  over_ = canvas_.scene_items().node_at(event.at);
  refusal_.clear();
  const NotationSpec* notation = workspace.notation();
  if (!over_ || notation == nullptr) return;
  const Element* fixed = workspace.find(fixed_);
  const Element* other = workspace.find(over_);
  if (fixed == nullptr || other == nullptr) return;
  std::string why;
  const std::string kind = pulls_source_ ? notation->edge_kind(workspace.document(), *other, *fixed, why)
                                         : notation->edge_kind(workspace.document(), *fixed, *other, why);
  if (kind.empty()) refusal_ = QString::fromStdString(why);
}

void ConnectDrag::move(const CanvasEvent& event) {
  look(event);
  if (!refusal_.isEmpty()) canvas_.workspace().say(refusal_);
  canvas_.viewport()->update();
}

void ConnectDrag::drop(const CanvasEvent& event) {
  look(event);
  Workspace& workspace = canvas_.workspace();
  const NotationSpec* notation = workspace.notation();
  if (!over_ || notation == nullptr) return;
  // A press and release on one node is a click, not a loop.
  if (!edge_ && over_ == fixed_ && canvas_.press_distance(event) < 6) return;
  std::string why;
  std::optional<Command> command;
  ElementId made = edge_;
  if (edge_) {
    command = reconnect(workspace.document(), *notation, edge_, pulls_source_ ? over_ : fixed_,
                        pulls_source_ ? fixed_ : over_, why);
  } else {
    command = connect(workspace.document(), *notation, fixed_, over_, made, why);
  }
  if (!command) return workspace.say(QStringLiteral("Not connected: ") + QString::fromStdString(why));
  const bool fresh = !edge_;
  CanvasView& canvas = canvas_;
  workspace.push(std::move(*command));
  workspace.select({made});
  // What is typed next is what the edge is for.
  if (fresh) canvas.edit_label(made, true);
}

void ConnectDrag::paint(QPainter& painter) const {
  const QColor colour = refusal_.isEmpty() ? ergode::look().selection : ergode::look().error;
  QPen pen(colour, 1.6, over_ ? Qt::SolidLine : Qt::DashLine);
  pen.setCosmetic(true);
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  const QRectF over = over_ ? canvas_.scene_items().bounds(over_) : QRectF();
  if (over_) painter.drawRoundedRect(over.adjusted(-3, -3, 3, 3), 9, 9);
  const QPointF end = over_ && over_ != fixed_ ? border_point(over, from_) : to_;
  painter.drawLine(border_point(canvas_.scene_items().bounds(fixed_), end), end);
}

WayPointDrag::WayPointDrag(CanvasView& canvas, ElementId edge, QPointF start) : Drag(canvas), edge_(edge) {
  const Element* element = canvas.workspace().find(edge);
  const ElementItem* item = canvas.scene_items().item(edge);
  if (element == nullptr || item == nullptr) return;
  points_ = element->layout.way_points;
  const double reach = 8 / canvas.zoom();
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (std::hypot(points_[i].x - start.x(), points_[i].y - start.y()) > reach) continue;
    index_ = i;
    return;
  }
  // A new corner goes between the fixed ones whose segment was pulled.
  fresh_ = true;
  std::vector<Point> corners = points_;
  const auto& path = item->path();
  if (!path.empty()) {
    corners.insert(corners.begin(), path.front());
    corners.push_back(path.back());
  }
  double best = 1e300;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const double detour = std::hypot(corners[i - 1].x - start.x(), corners[i - 1].y - start.y()) +
                          std::hypot(corners[i].x - start.x(), corners[i].y - start.y()) -
                          std::hypot(corners[i].x - corners[i - 1].x, corners[i].y - corners[i - 1].y);
    if (detour >= best) continue;
    best = detour;
    index_ = i - 1;
  }
  points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(std::min(index_, points_.size())), from_qt(start));
}

std::vector<Point> WayPointDrag::wanted(const CanvasEvent& event) const {
  std::vector<Point> points = points_;
  const bool free = event.modifiers.testFlag(Qt::ControlModifier);
  if (index_ < points.size()) points[index_] = from_qt(free ? event.at : snap_to_grid(event.at));
  return points;
}

void WayPointDrag::move(const CanvasEvent& event) {
  moved_ = moved_ || canvas_.press_distance(event) > 4;
  if (!moved_) return;
  Edit edit(canvas_.workspace().document(), "");
  const Element* element = edit.document().find(edge_);
  if (element == nullptr) return;
  Layout layout = element->layout;
  layout.way_points = wanted(event);
  edit.set_layout(edge_, layout);
  canvas_.preview(edit.document());
}

void WayPointDrag::drop(const CanvasEvent& event) {
  if (moved_) canvas_.workspace().push(set_way_points(canvas_.workspace().document(), edge_, wanted(event)));
}

LabelDrag::LabelDrag(CanvasView& canvas, ElementId edge, QPointF start) : Drag(canvas), edge_(edge), start_(start) {
  const Element* element = canvas.workspace().find(edge);
  if (element != nullptr) old_ = element->layout.label_offset.value_or(Point{});
}

Point LabelDrag::wanted(const CanvasEvent& event) const {
  return {old_.x + std::round(event.at.x() - start_.x()), old_.y + std::round(event.at.y() - start_.y())};
}

void LabelDrag::move(const CanvasEvent& event) {
  moved_ = moved_ || canvas_.press_distance(event) > 4;
  if (!moved_) return;
  Edit edit(canvas_.workspace().document(), "");
  const Element* element = edit.document().find(edge_);
  if (element == nullptr) return;
  Layout layout = element->layout;
  layout.label_offset = wanted(event);
  edit.set_layout(edge_, layout);
  canvas_.preview(edit.document());
}

void LabelDrag::drop(const CanvasEvent& event) {
  if (moved_) canvas_.workspace().push(move_label(canvas_.workspace().document(), edge_, wanted(event)));
}

}  // namespace ergode
