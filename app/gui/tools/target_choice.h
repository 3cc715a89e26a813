#pragma once
#include <QPointF>
#include <QRectF>
#include <QString>
#include <vector>

#include "core/base/element_id.h"

namespace ergode {

class CanvasView;

/// Choosing the other end of an edge without a pointer: arrow keys go to the nearest element in that direction, typing
/// goes to the first whose name begins so, Tab goes through all. Only elements that can be connected are offered.
class TargetChoice {
 public:
  TargetChoice(const CanvasView& canvas, ElementId source);
  ElementId source() const { return source_; }
  /// Null when nothing can be connected to the source.
  ElementId target() const { return target_; }
  const std::vector<ElementId>& candidates() const { return candidates_; }
  void step(int by);
  /// @returns whether there was something in that direction.
  bool go(QPointF direction);
  /// Adds letters to what was typed. @returns whether a name begins so; otherwise nothing changes.
  bool type(const QString& letters);
  void erase();
  const QString& typed() const { return typed_; }

 private:
  const CanvasView& canvas_;
  ElementId source_, target_;
  std::vector<ElementId> candidates_;
  QString typed_;
};

}  // namespace ergode
