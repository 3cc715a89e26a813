#pragma once
#include <QCursor>
#include <QPainter>
#include <QPointF>
#include <QString>
#include <functional>
#include <memory>
#include <string>

#include "core/base/element_id.h"

class QKeyEvent;

namespace ergode {

class CanvasView;

struct CanvasEvent {
  QPointF at;  ///< scene coordinates
  Qt::KeyboardModifiers modifiers = Qt::NoModifier;
};

/// One press-move-release gesture. It shows its effect as a preview of the document and becomes one command when
/// dropped. Destroying it before the drop takes the preview away. Made at the press; move() any number of times, then
/// drop() once or never.
class Drag {
 public:
  explicit Drag(CanvasView& canvas) : canvas_(canvas) {}
  virtual ~Drag();
  Drag(const Drag&) = delete;
  Drag& operator=(const Drag&) = delete;
  virtual void move(const CanvasEvent& event) = 0;
  virtual void drop(const CanvasEvent& event) = 0;
  virtual void paint(QPainter&) const {}

 protected:
  CanvasView& canvas_;
};

/// What the mouse does on the canvas: select, place, connect. A small state machine: idle, or one Drag.
class Tool {
 public:
  explicit Tool(CanvasView& canvas) : canvas_(canvas) {}
  virtual ~Tool() = default;
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  virtual QString name() const = 0;  ///< "select", "place.state", "connect"
  virtual QString hint() const { return {}; }
  virtual QCursor cursor() const { return Qt::ArrowCursor; }
  virtual void press(const CanvasEvent&) {}
  virtual void double_press(const CanvasEvent& event) { press(event); }
  virtual void move(const CanvasEvent& event);
  virtual void release(const CanvasEvent& event);
  /// The pointer has left the canvas: nothing is under it any more.
  virtual void leave() {}
  virtual bool key(QKeyEvent&) { return false; }
  /// Taken up by its key: there may be no pointer.
  virtual void start_with_keys() {}
  /// Tab (1) and Shift+Tab (-1): @returns whether the tool wants them for itself.
  virtual bool step(int) { return false; }
  /// Escape: @returns whether there was something to give up.
  virtual bool cancel();
  virtual void paint(QPainter& painter) const;
  bool dragging() const { return drag_ != nullptr; }

 protected:
  CanvasView& canvas_;
  std::unique_ptr<Drag> drag_;
};

/// Makes the tools of a canvas, which knows what a tool is and not which there are.
struct ToolBox {
  std::function<std::unique_ptr<Tool>(CanvasView&)> select;
  /// @param sticky  stays until Escape.
  std::function<std::unique_ptr<Tool>(CanvasView&, const std::string& kind, bool sticky)> place;
  std::function<std::unique_ptr<Tool>(CanvasView&, bool sticky)> connect;
};

}  // namespace ergode
