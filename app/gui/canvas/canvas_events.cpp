#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/canvas/directions.h"
#include "app/gui/canvas/label_editor.h"
#include "app/gui/canvas/minimap.h"
#include "app/gui/canvas/overlay.h"
#include "app/gui/edit/evaluation.h"
#include "app/gui/look/look.h"

namespace ergode {

CanvasEvent CanvasView::to_event(const QMouseEvent& event) const {
  return {mapToScene(event.position().toPoint()), event.modifiers()};
}

void CanvasView::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  since_shown_.invalidate();
  if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && space_down_)) {
    pan_from_ = event->position().toPoint();
    viewport()->setCursor(Qt::ClosedHandCursor);
    return;
  }
  press_at_ = mapToScene(event->position().toPoint());
  if (event->button() == Qt::LeftButton) {
    tool_->press(to_event(*event));
  } else if (event->button() == Qt::RightButton) {
    const ElementId hit = element_at(press_at_);
    if (hit && !workspace_.selected(hit)) workspace_.select({hit});
  }
  viewport()->update();
}

void CanvasView::mouseMoveEvent(QMouseEvent* event) {
  if (pan_from_) {
    const QPoint delta = event->position().toPoint() - *pan_from_;
    pan_from_ = event->position().toPoint();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - delta.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() - delta.y());
    return;
  }
  tool_->move(to_event(*event));
  Q_EMIT pointed(mapToScene(event->position().toPoint()));
}

void CanvasView::mouseReleaseEvent(QMouseEvent* event) {
  if (pan_from_) {
    pan_from_.reset();
    viewport()->setCursor(space_down_ ? QCursor(Qt::OpenHandCursor) : tool_->cursor());
    return;
  }
  if (event->button() == Qt::LeftButton) tool_->release(to_event(*event));
  viewport()->update();
}

void CanvasView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  press_at_ = mapToScene(event->position().toPoint());
  tool_->double_press(to_event(*event));
}

void CanvasView::wheelEvent(QWheelEvent* event) {
  since_shown_.invalidate();
  if (!event->modifiers().testFlag(Qt::ControlModifier)) return QGraphicsView::wheelEvent(event);
  const double steps = event->angleDelta().y() / 120.0;
  set_zoom(zoom() * std::pow(1.2, steps), event->position().toPoint());
  event->accept();
}

bool CanvasView::tool_key(const QKeyEvent& event) {
  if (event.modifiers() != Qt::NoModifier) return false;
  const NotationSpec* notation = workspace_.notation();
  if (notation == nullptr) return false;
  if (event.key() == Qt::Key_V) return use_select_tool(), true;
  const std::string key = event.text().toUpper().toStdString();
  for (const KindSpec& kind : notation->kinds) {
    if (kind.shortcut.empty() || kind.shortcut != key) continue;
    if (kind.section == Section::edge) connect_with_keys();
    else place_with_keys(kind.kind);
    return true;
  }
  return false;
}

void CanvasView::keyPressEvent(QKeyEvent* event) {
  // Typed at a field on the canvas, and of no use there: not meant for a tool either.
  const QWidget* focus = QApplication::focusWidget();
  if (focus != nullptr && focus != this && isAncestorOf(focus)) return event->accept();
  if (tool_->key(*event)) return;
  const double step = event->modifiers().testFlag(Qt::ShiftModifier) ? 50 : 10;
  const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
  const bool along = event->modifiers() == Qt::ControlModifier;
  switch (event->key()) {
    case Qt::Key_Space:
      if (!event->isAutoRepeat()) {
        space_down_ = true;
        viewport()->setCursor(Qt::OpenHandCursor);
      }
      return;
    case Qt::Key_Escape:
      if (tool_->cancel()) return;
      if (tool_->name() != QLatin1String("select")) return use_select_tool();
      return workspace_.select({});
    case Qt::Key_Left:
      if (plain) return nudge(-step, 0);
      if (along) return walk(direction_of(event->key()));
      break;
    case Qt::Key_Right:
      if (plain) return nudge(step, 0);
      if (along) return walk(direction_of(event->key()));
      break;
    case Qt::Key_Up:
      if (plain) return nudge(0, -step);
      if (along) return walk(direction_of(event->key()));
      break;
    case Qt::Key_Down:
      if (plain) return nudge(0, step);
      if (along) return walk(direction_of(event->key()));
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (plain && workspace_.selection().size() == 1) return edit_label(workspace_.selection().front());
      break;
    case Qt::Key_Plus:
      return set_zoom(zoom() * 1.2);
    case Qt::Key_Minus:
      return set_zoom(zoom() / 1.2);
    default:
      break;
  }
  if (tool_key(*event)) return;
  event->ignore();
}

void CanvasView::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
    space_down_ = false;
    viewport()->setCursor(tool_->cursor());
    return;
  }
  QGraphicsView::keyReleaseEvent(event);
}

bool CanvasView::focusNextPrevChild(bool next) {
  if (!editing_label() && tool_->step(next ? 1 : -1)) return true;
  if (editing_label() || workspace_.document().nodes(workspace_.diagram()).empty())
    return QGraphicsView::focusNextPrevChild(next);
  step_selection(next ? 1 : -1);
  return true;
}

QString CanvasView::tip(ElementId id) const {
  const Element* element = workspace_.find(id);
  if (element == nullptr) return {};
  QStringList lines;
  const KindSpec* kind = workspace_.kind_of(*element);
  if (const PropertySpec* trigger = kind != nullptr ? kind->first(PropertyType::trigger) : nullptr) {
    const std::string delay = Evaluation(workspace_.document()).delay(*element, *trigger);
    if (!delay.empty())
      lines << QStringLiteral("%1: %2").arg(QString::fromStdString(element->text(trigger->name)),
                                            QString::fromStdString(delay));
  }
  if (const QString who = who_is_at(id); !who.isEmpty()) lines << who;
  if (const Diagnostic* problem = workspace_.worst_problem(id)) lines << QString::fromStdString(problem->message);
  return lines.join(QLatin1Char('\n'));
}

bool CanvasView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave && tool_) tool_->leave();
  if (event->type() != QEvent::ToolTip || !tool_ || tool_->dragging()) return QGraphicsView::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString text = tip(element_at(mapToScene(help->pos())));
  if (text.isEmpty()) QToolTip::hideText();
  else QToolTip::showText(help->globalPos(), text, viewport());
  return true;
}

void CanvasView::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasFormat(QLatin1String(kind_mime))) event->acceptProposedAction();
}

void CanvasView::dragMoveEvent(QDragMoveEvent* event) {
  if (event->mimeData()->hasFormat(QLatin1String(kind_mime))) event->acceptProposedAction();
}

void CanvasView::dropEvent(QDropEvent* event) {
  const QByteArray kind = event->mimeData()->data(QLatin1String(kind_mime));
  if (kind.isEmpty()) return;
  event->acceptProposedAction();
  setFocus(Qt::OtherFocusReason);
  place(kind.toStdString(), mapToScene(event->position().toPoint()), true);
}

void CanvasView::contextMenuEvent(QContextMenuEvent* event) { Q_EMIT menu_wanted(event->globalPos()); }

void CanvasView::resizeEvent(QResizeEvent* event) {
  QGraphicsView::resizeEvent(event);
  minimap_->place();
  // A diagram of another notation brings another palette, which takes its room when the diagram has been fitted.
  const bool settling = since_shown_.isValid() && since_shown_.elapsed() < 400;
  if (fit_pending_ || settling) fit();
  else grow_scene();
}

void CanvasView::drawBackground(QPainter* painter, const QRectF& area) { paint_grid(*painter, area, zoom()); }

void CanvasView::drawForeground(QPainter* painter, const QRectF&) {
  if (!tool_->dragging() || tool_->name() != QLatin1String("select")) paint_selection(*painter, *this);
  tool_->paint(*painter);
}

void CanvasView::changeEvent(QEvent* event) {
  QGraphicsView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && tool_) {
    resetCachedContent();
    scene_.update();
    viewport()->update();
  }
}

}  // namespace ergode
