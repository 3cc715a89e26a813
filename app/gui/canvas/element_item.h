#pragma once
#include <QGraphicsItem>
#include <vector>

#include "core/drawing/picture.h"

namespace ergode {

/// One node or edge (or decoration) of a diagram: paints the shapes the drawing gives it. A view of the document: it
/// never changes anything, and takes no events; the tools do.
class ElementItem : public QGraphicsItem {
 public:
  explicit ElementItem(ElementId id);
  ElementId id() const { return id_; }
  /// New shapes; cheap when they are the same as before.
  void show(std::vector<Primitive> shapes);
  /// The polyline an edge runs along; empty for nodes.
  const std::vector<Point>& path() const { return path_; }
  /// What the item's text covers (an edge's label); empty when it has none.
  QRectF text_box() const { return text_box_; }

  /// The round sign of its problem; empty when it has none.
  QRectF badge() const { return badge_; }

  QRectF boundingRect() const override { return bounds_; }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override;

 private:
  ElementId id_;
  std::vector<Primitive> shapes_;
  std::vector<Point> path_;
  QRectF bounds_, text_box_, badge_;
};

}  // namespace ergode
