#include "app/gui/canvas/guides.h"

#include <QPointF>
#include <array>
#include <cmath>
#include <optional>

namespace ergode {
namespace {

struct Candidate {
  double delta, at;
  QRectF neighbour;
};

/// Edges and centre of a box along one axis.
std::array<double, 3> lines(const QRectF& box, bool horizontal) {
  if (horizontal) return {box.left(), box.center().x(), box.right()};
  return {box.top(), box.center().y(), box.bottom()};
}

std::optional<Candidate> nearest(const QRectF& box, const std::vector<QRectF>& neighbours, double reach,
                                 bool horizontal) {
  std::optional<Candidate> best;
  for (const QRectF& neighbour : neighbours) {
    const auto mine = lines(box, horizontal), theirs = lines(neighbour, horizontal);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        if ((i == 1) != (j == 1)) continue;  // A centre meets a centre, an edge an edge.
        const double delta = theirs[j] - mine[i];
        if (std::abs(delta) > reach || (best && std::abs(delta) >= std::abs(best->delta))) continue;
        best = Candidate{delta, theirs[j], neighbour};
      }
    }
  }
  return best;
}

}  // namespace

QPointF snap_to_grid(QPointF p) {
  return {std::round(p.x() / grid_step) * grid_step, std::round(p.y() / grid_step) * grid_step};
}

Snap snap_box(const QRectF& box, const std::vector<QRectF>& neighbours, double reach) {
  Snap out;
  out.delta = snap_to_grid(box.topLeft()) - box.topLeft();
  const auto across = nearest(box, neighbours, reach, true);
  const auto along = nearest(box, neighbours, reach, false);
  if (across) out.delta.setX(across->delta);
  if (along) out.delta.setY(along->delta);
  const QRectF rest = box.translated(out.delta);
  if (across) {
    const QRectF both = rest.united(across->neighbour);
    out.guides.emplace_back(across->at, both.top() - 10, across->at, both.bottom() + 10);
  }
  if (along) {
    const QRectF both = rest.united(along->neighbour);
    out.guides.emplace_back(both.left() - 10, along->at, both.right() + 10, along->at);
  }
  return out;
}

QPointF border_point(const QRectF& box, QPointF towards) {
  const QPointF d = towards - box.center();
  if (box.isEmpty() || d.isNull()) return box.center();
  const double across = d.x() == 0 ? 1e9 : box.width() / 2 / std::abs(d.x());
  const double along = d.y() == 0 ? 1e9 : box.height() / 2 / std::abs(d.y());
  return box.center() + d * std::min({across, along, 1.0});
}

}  // namespace ergode
