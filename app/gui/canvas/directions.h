#pragma once
#include <QPointF>
#include <vector>

#include "core/base/element_id.h"

namespace ergode {

class CanvasView;

/// The nearest of `candidates` from `start` in a direction (a unit step along one axis): within 60 degrees of it, and
/// what lies straight ahead before what lies aside. Null when there is none.
ElementId nearest_in_direction(const CanvasView& canvas, QPointF start, QPointF direction,
                               const std::vector<ElementId>& candidates);
/// (1, 0) for the right arrow, and so on; null point for other keys.
QPointF direction_of(int key);

}  // namespace ergode
