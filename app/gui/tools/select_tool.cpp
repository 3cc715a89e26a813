#include "app/gui/tools/select_tool.h"

#include <array>
#include <cmath>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/canvas/overlay.h"
#include "app/gui/canvas/shape_painter.h"
#include "app/gui/look/look.h"
#include "app/gui/tools/drags.h"

namespace ergode {
namespace {

/// Places outside the border of a node from which an edge is pulled.
std::array<QPointF, 4> connect_handles(const QRectF& box, double zoom) {
  const double out = 11 / zoom;
  return {QPointF(box.right() + out, box.center().y()), QPointF(box.left() - out, box.center().y()),
          QPointF(box.center().x(), box.top() - out), QPointF(box.center().x(), box.bottom() + out)};
}

bool near(QPointF a, QPointF b, double reach) { return std::hypot(a.x() - b.x(), a.y() - b.y()) <= reach; }

bool starts_edges(const Workspace& workspace, const Element& node) {
  const NotationSpec* notation = workspace.notation();
  if (notation == nullptr) return false;
  std::string why;
  for (const Element* other : workspace.document().nodes(node.diagram))
    if (!notation->edge_kind(workspace.document(), node, *other, why).empty()) return true;
  return false;
}

}  // namespace

ElementId SelectTool::hovered() const {
  return canvas_.scene_items().item(hovered_) != nullptr && canvas_.workspace().find(hovered_) != nullptr ? hovered_
                                                                                                          : ElementId();
}

bool SelectTool::grab_handle(const CanvasEvent& event) {
  Workspace& workspace = canvas_.workspace();
  const double reach = 7 / canvas_.zoom();
  if (const ElementId node = hovered()) {
    for (const QPointF& handle : connect_handles(canvas_.scene_items().bounds(node), canvas_.zoom())) {
      if (!near(handle, event.at, reach)) continue;
      drag_ = std::make_unique<ConnectDrag>(canvas_, node, event.at);
      return true;
    }
  }
  if (workspace.selection().size() != 1) return false;
  const Element* only = workspace.find(workspace.selection().front());
  if (only == nullptr || only->diagram != workspace.diagram()) return false;
  if (only->is_node()) {
    const std::array corners = resize_handles(canvas_, only->id);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      if (!near(corners[i], event.at, reach)) continue;
      const QRectF box = canvas_.scene_items().bounds(only->id);
      const std::array own{box.topLeft(), box.topRight(), box.bottomRight(), box.bottomLeft()};
      drag_ = std::make_unique<ResizeDrag>(canvas_, only->id, static_cast<int>(i), corners[i] - own[i]);
      return true;
    }
    return false;
  }
  const ElementItem* item = canvas_.scene_items().item(only->id);
  if (item == nullptr || item->path().size() < 2) return false;
  for (const bool source : {true, false}) {
    if (!near(to_qt(source ? item->path().front() : item->path().back()), event.at, reach)) continue;
    drag_ = std::make_unique<ConnectDrag>(canvas_, only->id, source);
    return true;
  }
  if (canvas_.scene_items().edge_at(event.at, reach) == only->id &&
      canvas_.scene_items().edge_label_at(event.at) != only->id) {
    drag_ = std::make_unique<WayPointDrag>(canvas_, only->id, event.at);
    return true;
  }
  return false;
}

void SelectTool::press(const CanvasEvent& event) {
  toggle_off_ = {};
  if (grab_handle(event)) return;
  Workspace& workspace = canvas_.workspace();
  const bool adds = event.modifiers.testFlag(Qt::ShiftModifier);
  const ElementId hit = canvas_.element_at(event.at);
  if (!hit) {
    drag_ = std::make_unique<RubberDrag>(canvas_, event.at, adds);
    return;
  }
  std::vector<ElementId> ids = workspace.selection();
  if (!workspace.selected(hit)) {
    if (!adds) ids.clear();
    ids.push_back(hit);
    workspace.select(ids);
  } else if (adds) {
    toggle_off_ = hit;
  }
  if (workspace.find(hit)->is_node()) drag_ = std::make_unique<MoveDrag>(canvas_, event.at);
  else if (canvas_.scene_items().edge_label_at(event.at) == hit)
    drag_ = std::make_unique<LabelDrag>(canvas_, hit, event.at);
}

void SelectTool::release(const CanvasEvent& event) {
  Tool::release(event);
  if (!toggle_off_ || canvas_.press_distance(event) > 4) return;
  std::vector<ElementId> ids = canvas_.workspace().selection();
  std::erase(ids, toggle_off_);
  canvas_.workspace().select(ids);
}

void SelectTool::double_press(const CanvasEvent& event) {
  const ElementId hit = canvas_.element_at(event.at);
  const Element* element = canvas_.workspace().find(hit);
  if (element == nullptr) return canvas_.quick_add(event.at);
  const KindSpec* kind = canvas_.workspace().kind_of(*element);
  // Inside a composite the empty room is for new elements; its title is for its name.
  const QRectF box = canvas_.scene_items().bounds(hit);
  if (element->is_node() && kind != nullptr && kind->container && event.at.y() > box.top() + 40 && box.height() > 80)
    return canvas_.quick_add(event.at);
  canvas_.edit_label(hit);
}

void SelectTool::move(const CanvasEvent& event) {
  if (drag_) return Tool::move(event);
  const ElementId before = hovered_;
  const double reach = 18 / canvas_.zoom();
  const ElementId under = canvas_.scene_items().node_at(event.at);
  const QRectF kept = canvas_.scene_items().bounds(hovered()).adjusted(-reach, -reach, reach, reach);
  if (under || !hovered() || !kept.contains(event.at)) hovered_ = under;
  const Element* element = canvas_.workspace().find(hovered_);
  if (element != nullptr && !starts_edges(canvas_.workspace(), *element)) hovered_ = {};
  if (hovered_ != before) canvas_.viewport()->update();
}

void SelectTool::leave() {
  if (drag_ || !hovered_) return;
  hovered_ = {};
  canvas_.viewport()->update();
}

void SelectTool::paint(QPainter& painter) const {
  Tool::paint(painter);
  const ElementId node = hovered();
  if (drag_ || !node) return;
  QPen pen(look().selection, 1.4);
  pen.setCosmetic(true);
  painter.setPen(pen);
  painter.setBrush(look().canvas);
  const double r = 4 / canvas_.zoom();
  for (const QPointF& handle : connect_handles(canvas_.scene_items().bounds(node), canvas_.zoom()))
    painter.drawEllipse(handle, r, r);
}

}  // namespace ergode
