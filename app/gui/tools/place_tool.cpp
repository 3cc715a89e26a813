#include "app/gui/tools/place_tool.h"

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/canvas/guides.h"
#include "app/gui/look/look.h"
#include "app/gui/tools/drags.h"

namespace ergode {

PlaceTool::PlaceTool(CanvasView& canvas, std::string kind, bool sticky)
    : Tool(canvas), kind_(std::move(kind)), sticky_(sticky) {}

QString PlaceTool::hint() const {
  const NotationSpec* notation = canvas_.workspace().notation();
  const KindSpec* kind = notation != nullptr ? notation->kind(kind_) : nullptr;
  if (kind == nullptr) return {};
  return sticky_
             ? QStringLiteral("Click to place each %1; Esc ends").arg(QString::fromStdString(kind->label).toLower())
             : QStringLiteral("Click to place the %1; Esc gives up").arg(QString::fromStdString(kind->label).toLower());
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

}  // namespace ergode
