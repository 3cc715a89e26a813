#pragma once
#include <string>

#include "app/gui/tools/tool.h"

namespace ergode {

/// Adds a node of one kind where the user clicks, and lets him name it. Sticky: stays until Escape.
class PlaceTool : public Tool {
 public:
  PlaceTool(CanvasView& canvas, std::string kind, bool sticky);
  QString name() const override { return QStringLiteral("place.") + QString::fromStdString(kind_); }
  QString hint() const override;
  QCursor cursor() const override { return Qt::CrossCursor; }
  void press(const CanvasEvent& event) override;
  void move(const CanvasEvent& event) override;
  void paint(QPainter& painter) const override;

 private:
  std::string kind_;
  bool sticky_, shown_ = false;
  QPointF at_;
};

/// Draws edges from node to node by dragging, or by a click on each.
class ConnectTool : public Tool {
 public:
  ConnectTool(CanvasView& canvas, bool sticky) : Tool(canvas), sticky_(sticky) {}
  QString name() const override { return QStringLiteral("connect"); }
  QString hint() const override;
  QCursor cursor() const override { return Qt::CrossCursor; }
  void press(const CanvasEvent& event) override;
  void release(const CanvasEvent& event) override;

 private:
  bool sticky_;
  bool second_click_ = false;
};

}  // namespace ergode
