#include "app/gui/tools/place_tool.h"

#include <QKeyEvent>
#include <QLineF>
#include <algorithm>
#include <cmath>
#include <optional>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/canvas/directions.h"
#include "app/gui/canvas/guides.h"
#include "app/gui/edit/gestures.h"
#include "app/gui/look/look.h"
#include "app/gui/tools/drags.h"

namespace ergode {

PlaceTool::PlaceTool(CanvasView& canvas, std::string kind, bool sticky)
    : Tool(canvas), kind_(std::move(kind)), sticky_(sticky) {}

QString PlaceTool::hint() const {
  const NotationSpec* notation = canvas_.workspace().notation();
  const KindSpec* kind = notation != nullptr ? notation->kind(kind_) : nullptr;
  if (kind == nullptr) return {};
  return sticky_ ? QStringLiteral("Click to place each %1 (arrows and Enter without a mouse); Esc ends")
                       .arg(QString::fromStdString(kind->label).toLower())
                 : QStringLiteral("Click to place the %1 (arrows and Enter without a mouse); Esc gives up")
                       .arg(QString::fromStdString(kind->label).toLower());
}

void PlaceTool::press(const CanvasEvent& event) {
  const bool placed = canvas_.place(kind_, event.at, !sticky_);
  if (placed && !sticky_) canvas_.use_select_tool();
}

void PlaceTool::move(const CanvasEvent& event) {
  at_ = event.at;
  shown_ = true;
  canvas_.viewport()->update();
}

void PlaceTool::start_with_keys() {
  const Workspace& workspace = canvas_.workspace();
  const NotationSpec* notation = workspace.notation();
  const KindSpec* kind = notation != nullptr ? notation->kind(kind_) : nullptr;
  if (kind == nullptr) return;
  const QSizeF size(kind->width, kind->height);
  const QRectF selected =
      workspace.selection().empty() ? QRectF() : canvas_.scene_items().bounds(workspace.selection().front());
  const Element* beside = workspace.selection().empty() ? nullptr : workspace.find(workspace.selection().front());
  const bool near_selection = beside != nullptr && beside->is_node() && !selected.isEmpty();
  // A label between two nodes needs about a node's width of room.
  const QPointF start = near_selection ? QPointF(selected.right() + 140 + size.width() / 2, selected.center().y())
                                       : canvas_.mapToScene(canvas_.viewport()->rect().center());
  const auto free = [&](QPointF at) {
    const QRectF box(at - QPointF(size.width() / 2 + 20, size.height() / 2 + 20), size + QSizeF(40, 40));
    for (const Element* node : workspace.document().nodes(workspace.diagram())) {
      const KindSpec* other = workspace.kind_of(*node);
      const bool around = beside != nullptr && inside(workspace.document(), beside->id, node->id) && node != beside;
      if (around && other != nullptr && other->container) continue;
      if (canvas_.scene_items().bounds(node->id).intersects(box)) return false;
    }
    return true;
  };
  const QRectF seen = canvas_.mapToScene(canvas_.viewport()->rect()).boundingRect();
  const auto box_at = [&](QPointF at) { return QRectF(at - QPointF(size.width() / 2, size.height() / 2), size); };
  at_ = start;
  for (int row = 0; row < 40; ++row) {
    const double down = ((row + 1) / 2) * (row % 2 == 0 ? -1 : 1) * (size.height() + 40);
    at_ = start + QPointF(0, down);
    if (free(at_)) break;
  }
  // Nothing asks for a place beside something: then one in sight, the nearest to the middle.
  if (!near_selection && !seen.contains(box_at(at_))) {
    std::optional<QPointF> best;
    const double step = std::max(20.0, std::max(seen.width(), seen.height()) / 24);
    for (double y = seen.top() + size.height() / 2; y <= seen.bottom() - size.height() / 2; y += step)
      for (double x = seen.left() + size.width() / 2; x <= seen.right() - size.width() / 2; x += step)
        if (const QPointF at(x, y); (!best || QLineF(at, start).length() < QLineF(*best, start).length()) && free(at))
          best = at;
    if (best) at_ = *best;
  }
  shown_ = true;
  // What the pointer is over stays under it: who has pressed the key may be about to click.
  if (!canvas_.viewport()->underMouse() && !seen.contains(box_at(at_))) canvas_.ensureVisible(box_at(at_));
  canvas_.viewport()->update();
}

bool PlaceTool::key(QKeyEvent& event) {
  const QPointF direction = direction_of(event.key());
  if (!direction.isNull() && !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier))) {
    if (!shown_) start_with_keys();
    at_ += direction * (event.modifiers().testFlag(Qt::ShiftModifier) ? 100 : 20);
    canvas_.ensureVisible(QRectF(at_ - QPointF(60, 30), QSizeF(120, 60)));
    canvas_.viewport()->update();
    return true;
  }
  if (event.key() != Qt::Key_Return && event.key() != Qt::Key_Enter) return false;
  if (!shown_) start_with_keys();
  const QRectF seen = canvas_.mapToScene(canvas_.viewport()->rect()).boundingRect(),
               middle(at_ - QPointF(60, 30), QSizeF(120, 60));
  if (!seen.contains(middle)) canvas_.ensureVisible(middle);
  const bool placed = canvas_.place(kind_, at_, !sticky_);
  if (placed && !sticky_) canvas_.use_select_tool();
  return true;
}

void PlaceTool::paint(QPainter& painter) const {
  const NotationSpec* notation = canvas_.workspace().notation();
  const KindSpec* kind = notation != nullptr ? notation->kind(kind_) : nullptr;
  if (!shown_ || kind == nullptr) return;
  const QPointF corner = snap_to_grid(at_ - QPointF(kind->width / 2, kind->height / 2));
  QPen pen(look().selection, 1.2, Qt::DashLine);
  pen.setCosmetic(true);
  painter.setPen(pen);
  QColor fill = look().selection;
  fill.setAlpha(24);
  painter.setBrush(fill);
  painter.drawRoundedRect(QRectF(corner, QSizeF(kind->width, kind->height)), 8, 8);
}

QString ConnectTool::hint() const {
  return QStringLiteral("Drag from one element to another, or click one and then the other; Esc gives up");
}

void ConnectTool::press(const CanvasEvent& event) {
  choice_.reset();  // The pointer takes over.
  if (second_click_ && drag_) return;
  const ElementId source = canvas_.scene_items().node_at(event.at);
  if (!source) return canvas_.workspace().say(QStringLiteral("An edge starts at an element"));
  drag_ = std::make_unique<ConnectDrag>(canvas_, source, event.at);
  second_click_ = false;
}

void ConnectTool::release(const CanvasEvent& event) {
  if (!drag_) return;
  if (!second_click_ && canvas_.press_distance(event) < 6) {
    second_click_ = true;  // The first click chose the source; the line now follows the pointer.
    return;
  }
  second_click_ = false;
  const std::size_t depth = canvas_.workspace().history().depth();
  Tool::release(event);
  if (!sticky_ && canvas_.workspace().history().depth() > depth) canvas_.use_select_tool();
}

void ConnectTool::start_with_keys() {
  const Workspace& workspace = canvas_.workspace();
  const Element* source = workspace.selection().size() == 1 ? workspace.find(workspace.selection().front()) : nullptr;
  if (source == nullptr || !source->is_node()) return;
  choice_.emplace(canvas_, source->id);
  if (!choice_->target()) choice_.reset();
  else show_choice();
}

void ConnectTool::show_choice() {
  const Workspace& workspace = canvas_.workspace();
  const auto name = [&](ElementId id) {
    const Element* element = workspace.find(id);
    const KindSpec* kind = element != nullptr ? workspace.kind_of(*element) : nullptr;
    if (element == nullptr) return QString();
    return QString::fromStdString(element->name().empty() && kind != nullptr ? kind->label : element->name());
  };
  canvas_.ensureVisible(canvas_.scene_items().bounds(choice_->target()));
  canvas_.viewport()->update();
  canvas_.workspace().say(QStringLiteral("%1 to %2: arrows, Tab or letters choose, Enter connects, Esc gives up")
                              .arg(name(choice_->source()), name(choice_->target())));
}

bool ConnectTool::step(int by) {
  if (!choice_) return false;
  choice_->step(by);
  show_choice();
  return true;
}

bool ConnectTool::key(QKeyEvent& event) {
  if (!choice_) return false;
  Workspace& workspace = canvas_.workspace();
  if (workspace.find(choice_->target()) == nullptr || workspace.find(choice_->source()) == nullptr) {
    choice_.reset();
    return false;
  }
  if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  if (const QPointF direction = direction_of(event.key()); !direction.isNull()) {
    choice_->go(direction);
    show_choice();
    return true;
  }
  if (event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter) {
    std::string why;
    ElementId made;
    auto command =
        connect(workspace.document(), *workspace.notation(), choice_->source(), choice_->target(), made, why);
    if (!command) {
      workspace.say(QStringLiteral("Not connected: ") + QString::fromStdString(why));
      return true;
    }
    choice_.reset();
    CanvasView& canvas = canvas_;
    workspace.push(std::move(*command));
    workspace.select({made});
    canvas.use_select_tool();
    canvas.edit_label(made, true);
    return true;
  }
  if (event.key() == Qt::Key_Backspace) {
    choice_->erase();
    return true;
  }
  const QString letters = event.text();
  if (letters.isEmpty() || !(letters.front().isLetterOrNumber() || letters.front() == QLatin1Char('_'))) return false;
  if (choice_->type(letters)) show_choice();
  else
    workspace.say(
        QStringLiteral("No element that can be connected begins with \"%1%2\"").arg(choice_->typed(), letters));
  return true;
}

void ConnectTool::paint(QPainter& painter) const {
  Tool::paint(painter);
  if (!choice_ || canvas_.workspace().find(choice_->target()) == nullptr) return;
  painter.setBrush(Qt::NoBrush);
  QPen pen(look().selection, 1.2, Qt::DashLine);
  pen.setCosmetic(true);
  const auto ring = [&](ElementId id) {
    painter.drawRoundedRect(canvas_.scene_items().bounds(id).adjusted(-5, -5, 5, 5), 10, 10);
  };
  painter.setPen(pen);
  for (const ElementId id : choice_->candidates())
    if (id != choice_->target()) ring(id);
  pen.setStyle(Qt::SolidLine);
  pen.setWidthF(3);
  painter.setPen(pen);
  QColor glow = look().selection;
  glow.setAlpha(30);
  painter.setBrush(glow);
  ring(choice_->target());
  if (choice_->source() == choice_->target()) return;
  pen.setWidthF(1.6);
  painter.setPen(pen);
  const QRectF from = canvas_.scene_items().bounds(choice_->source()),
               to = canvas_.scene_items().bounds(choice_->target());
  painter.drawLine(border_point(from, to.center()), border_point(to, from.center()));
}

}  // namespace ergode
