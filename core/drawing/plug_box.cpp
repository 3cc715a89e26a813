#include "core/drawing/plug_box.h"

#include "core/drawing/node_pen.h"

namespace ergode {

void draw_plug_box(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 4, pen.border(), pen.fill()).line_width = pen.weight();
  const double x = b.x + 14, y = b.centre().y;
  pen.rectangle({x, y - 7, 9, 14}, 2, pen.border(), pen.fill());
  for (const double prong : {y - 3.5, y + 3.5}) pen.polyline({{x + 9, prong}, {x + 15, prong}}, pen.border());
  pen.polyline({{x - 6, y}, {x, y}}, pen.border());
}

}  // namespace ergode
