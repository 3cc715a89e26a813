#pragma once
#include <QLineF>
#include <QRectF>
#include <optional>
#include <vector>

#include "app/gui/canvas/tool.h"
#include "core/document/element.h"

namespace ergode {

/// Moves the selected nodes; over another container they are put into it.
class MoveDrag : public Drag {
 public:
  /// Of what is selected now. @param start  where the button went down [scene]
  MoveDrag(CanvasView& canvas, QPointF start);
  void move(const CanvasEvent& event) override;
  void drop(const CanvasEvent& event) override;
  void paint(QPainter& painter) const override;

 private:
  void update(const CanvasEvent& event);
  QPointF start_, delta_;
  QRectF box_;
  std::vector<ElementId> ids_, moving_;  ///< Outermost nodes, and all nodes that move with them.
  std::vector<QRectF> neighbours_;
  std::vector<QLineF> guides_;
  std::optional<ElementId> parent_;
  QString refusal_;
  QRectF target_box_;
  bool moved_ = false;
};

/// Selects what a rectangle covers.
class RubberDrag : public Drag {
 public:
  /// @param adds  to the selection; else it is replaced
  RubberDrag(CanvasView& canvas, QPointF start, bool adds);
  void move(const CanvasEvent& event) override;
  void drop(const CanvasEvent& event) override;
  void paint(QPainter& painter) const override;

 private:
  QRectF area_;
  QPointF start_;
  std::vector<ElementId> before_;
};

/// Pulls one corner of a node. `grip`: from the corner to the handle that was grabbed.
class ResizeDrag : public Drag {
 public:
  /// @param corner  0 top left, then clockwise
  ResizeDrag(CanvasView& canvas, ElementId id, int corner, QPointF grip);
  void move(const CanvasEvent& event) override;
  void drop(const CanvasEvent& event) override;

 private:
  Rect wanted(const CanvasEvent& event) const;
  ElementId id_;
  int corner_;  ///< 0 top left, 1 top right, 2 bottom right, 3 bottom left
  QPointF grip_;
  Rect old_;
};

/// Draws an edge from a node, or pulls one end of an edge to another node.
class ConnectDrag : public Drag {
 public:
  /// A new edge from `source`.
  ConnectDrag(CanvasView& canvas, ElementId source, QPointF start);
  /// An end of `edge`: its source, or else its target.
  ConnectDrag(CanvasView& canvas, ElementId edge, bool pulls_source);
  void move(const CanvasEvent& event) override;
  void drop(const CanvasEvent& event) override;
  void paint(QPainter& painter) const override;

 private:
  void look(const CanvasEvent& event);
  ElementId fixed_, edge_, over_;
  bool pulls_source_ = false;
  QPointF from_, to_;
  QString refusal_;
};

/// Moves a corner of an edge, or makes one where its line is pulled.
class WayPointDrag : public Drag {
 public:
  WayPointDrag(CanvasView& canvas, ElementId edge, QPointF start);
  void move(const CanvasEvent& event) override;
  void drop(const CanvasEvent& event) override;

 private:
  std::vector<Point> wanted(const CanvasEvent& event) const;
  ElementId edge_;
  std::vector<Point> points_;
  std::size_t index_ = 0;
  bool fresh_ = false, moved_ = false;
};

/// Moves the label of an edge away from its automatic place.
class LabelDrag : public Drag {
 public:
  /// @param start  where the button went down [scene]
  LabelDrag(CanvasView& canvas, ElementId edge, QPointF start);
  void move(const CanvasEvent& event) override;
  void drop(const CanvasEvent& event) override;

 private:
  Point wanted(const CanvasEvent& event) const;
  ElementId edge_;
  QPointF start_;
  Point old_;
  bool moved_ = false;
};

}  // namespace ergode
