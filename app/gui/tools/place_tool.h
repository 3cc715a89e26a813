#pragma once
#include <string>

#include <optional>

#include "app/gui/canvas/tool.h"
#include "app/gui/tools/target_choice.h"

namespace ergode {

/// Adds a node of one kind where the user clicks, and lets him name it. Without a pointer: the arrows move the shape,
/// Enter places it. Sticky: stays until Escape.
class PlaceTool : public Tool {
 public:
  PlaceTool(CanvasView& canvas, std::string kind, bool sticky);
  QString name() const override { return QStringLiteral("place.") + QString::fromStdString(kind_); }
  QString hint() const override;
  QCursor cursor() const override { return Qt::CrossCursor; }
  void press(const CanvasEvent& event) override;
  void move(const CanvasEvent& event) override;
  bool key(QKeyEvent& event) override;
  void paint(QPainter& painter) const override;
  /// Shows the shape at a free place: near the selection, or without one in sight, nearest to the middle of the view.
  /// The view moves there only while the pointer is elsewhere.
  void start_with_keys() override;

 private:
  std::string kind_;
  bool sticky_, shown_ = false;
  QPointF at_;
};

/// Draws edges from node to node by dragging, or by a click on each. Started with a node selected, keys choose the
/// target, Enter draws the edge and opens its label.
class ConnectTool : public Tool {
 public:
  ConnectTool(CanvasView& canvas, bool sticky) : Tool(canvas), sticky_(sticky) {}
  /// Offers targets of the selected node, when one is.
  void start_with_keys() override;
  QString name() const override { return QStringLiteral("connect"); }
  QString hint() const override;
  QCursor cursor() const override { return Qt::CrossCursor; }
  void press(const CanvasEvent& event) override;
  void release(const CanvasEvent& event) override;
  bool key(QKeyEvent& event) override;
  bool step(int by) override;
  void paint(QPainter& painter) const override;

 private:
  void show_choice();
  std::optional<TargetChoice> choice_;
  bool sticky_;
  bool second_click_ = false;
};

}  // namespace ergode
