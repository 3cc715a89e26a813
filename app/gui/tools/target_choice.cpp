#include "app/gui/tools/target_choice.h"

#include <algorithm>
#include <cmath>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/canvas/directions.h"

namespace ergode {

TargetChoice::TargetChoice(const CanvasView& canvas, ElementId source) : canvas_(canvas), source_(source) {
  const Workspace& workspace = canvas.workspace();
  const Element* from = workspace.find(source);
  const NotationSpec* notation = workspace.notation();
  if (from == nullptr || notation == nullptr) return;
  std::string why;
  for (const Element* node : workspace.document().nodes(workspace.diagram()))
    if (!notation->edge_kind(workspace.document(), *from, *node, why).empty()) candidates_.push_back(node->id);
  // Reading order, so that Tab goes as the eye does; what is not the source itself first.
  const auto place = [&](ElementId id) {
    const QPointF at = canvas.scene_items().bounds(id).center();
    return std::tuple(id == source, std::round(at.y() / 40), at.x());
  };
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [&](ElementId a, ElementId b) { return place(a) < place(b); });
  if (candidates_.empty()) return;
  // The nearest other one is the likeliest.
  const QPointF here = canvas.scene_items().bounds(source).center();
  double least = 1e300;
  target_ = candidates_.front();
  for (const ElementId id : candidates_) {
    const QPointF d = canvas.scene_items().bounds(id).center() - here;
    const double distance = std::hypot(d.x(), d.y());
    if (id == source || distance >= least) continue;
    least = distance;
    target_ = id;
  }
}

void TargetChoice::step(int by) {
  if (candidates_.empty()) return;
  const auto size = static_cast<std::ptrdiff_t>(candidates_.size());
  const auto at = std::find(candidates_.begin(), candidates_.end(), target_) - candidates_.begin();
  target_ = candidates_[static_cast<std::size_t>((at + by + size) % size)];
  typed_.clear();
}

bool TargetChoice::go(QPointF direction) {
  if (!target_) return false;
  typed_.clear();
  const ElementId next =
      nearest_in_direction(canvas_, canvas_.scene_items().bounds(target_).center(), direction, candidates_);
  if (!next) return false;
  target_ = next;
  return true;
}

bool TargetChoice::type(const QString& letters) {
  const QString wanted = typed_ + letters;
  for (const ElementId id : candidates_) {
    const Element* element = canvas_.workspace().find(id);
    if (!QString::fromStdString(element->name()).startsWith(wanted, Qt::CaseInsensitive)) continue;
    target_ = id;
    typed_ = wanted;
    return true;
  }
  return false;
}

void TargetChoice::erase() { typed_.chop(1); }

}  // namespace ergode
