#include "app/gui/canvas/diagram_scene.h"

#include <algorithm>
#include <cmath>

#include "app/gui/canvas/shape_painter.h"
#include "app/session/catalogue.h"
#include "core/document/layout_limits.h"
#include "core/drawing/diagram_picture.h"

namespace ergode {
namespace {

double distance_to_segment(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double t = length == 0 ? 0 : std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

std::unordered_map<ElementId, Severity> marks(const Diagnostics& problems) {
  std::unordered_map<ElementId, Severity> out;
  for (const Diagnostic& problem : problems) {
    if (problem.severity == Severity::info || !problem.element) continue;
    const auto [place, fresh] = out.try_emplace(problem.element, problem.severity);
    if (!fresh) place->second = std::max(place->second, problem.severity);
  }
  return out;
}

std::vector<ElementId> differences(const std::unordered_set<ElementId>& before,
                                   const std::unordered_set<ElementId>& after) {
  std::vector<ElementId> out;
  for (const ElementId id : before)
    if (!after.contains(id)) out.push_back(id);
  for (const ElementId id : after)
    if (!before.contains(id)) out.push_back(id);
  return out;
}

}  // namespace

bool DiagramScene::marks_differ(const Diagnostics& problems) const { return marks(problems) != options_.problems; }

DiagramScene::DiagramScene(QObject* parent) : QGraphicsScene(parent) {
  setItemIndexMethod(QGraphicsScene::BspTreeIndex);
}

void DiagramScene::show(const Document& document, ElementId diagram, const Diagnostics& problems) {
  options_.problems = marks(problems);
  geometry_ = std::make_unique<DiagramGeometry>(document, diagram, catalogue());
  Picture picture = draw_diagram(document, *geometry_, options_);
  std::unordered_map<ElementId, std::vector<Primitive>> shapes;
  order_.clear();
  for (Primitive& shape : picture.primitives) {
    const auto [place, fresh] = shapes.try_emplace(shape.element);
    if (fresh) order_.push_back(shape.element);
    place->second.push_back(std::move(shape));
  }
  std::erase_if(entries_, [&](const auto& entry) { return !shapes.contains(entry.first); });
  qreal depth = 0;
  for (const ElementId id : order_) {
    show_entry(document, id, std::move(shapes[id]));
    ElementItem& item = *entries_.at(id).item;
    if (item.zValue() != depth) item.setZValue(depth);
    depth += 1;
  }
}

void DiagramScene::show_moved(const Document& document, const std::vector<ElementId>& moved) {
  if (!geometry_) return;
  std::vector<std::pair<ElementId, Rect>> boxes;
  std::vector<ElementId> stale;
  for (const ElementId id : moved) {
    const Element* node = document.find(id);
    if (node == nullptr || !node->layout.bounds || !drawable(*node->layout.bounds)) continue;
    boxes.emplace_back(id, *node->layout.bounds);
    stale.push_back(id);
  }
  for (const ElementId edge : geometry_->move(boxes)) stale.push_back(edge);
  for (const ElementId id : stale)
    if (entries_.contains(id)) show_entry(document, id, draw_element(document, *geometry_, id, options_).primitives);
}

void DiagramScene::redraw(const Document& document, const std::vector<ElementId>& stale) {
  for (const ElementId id : stale)
    if (entries_.contains(id) && document.find(id) != nullptr)
      show_entry(document, id, draw_element(document, *geometry_, id, options_).primitives);
}

void DiagramScene::show_selection(const Document& document, const std::vector<ElementId>& ids) {
  if (!geometry_) return;
  std::unordered_set<ElementId> wanted(ids.begin(), ids.end());
  const std::vector<ElementId> stale = differences(options_.selected, wanted);
  options_.selected = std::move(wanted);
  redraw(document, stale);
}

void DiagramScene::show_history(const Document& document, std::unordered_set<ElementId> active,
                                std::unordered_set<ElementId> breakpoints) {
  if (!geometry_) return;
  std::vector<ElementId> stale = differences(options_.active, active);
  const std::vector<ElementId> more = differences(options_.breakpoints, breakpoints);
  stale.insert(stale.end(), more.begin(), more.end());
  options_.active = std::move(active), options_.breakpoints = std::move(breakpoints);
  redraw(document, stale);
}

void DiagramScene::show_present(const Document& document, bool history,
                                std::unordered_map<ElementId, std::vector<Present>> present) {
  if (!geometry_) return;
  std::vector<ElementId> stale;
  if (history != options_.history) {
    // Shapes may look otherwise even where nobody is: a place shows its first tokens while it is drawn.
    for (const ElementId id : geometry_->nodes()) stale.push_back(id);
  } else {
    for (const auto& [id, one] : options_.present)
      if (const auto now = present.find(id); now == present.end() || now->second != one) stale.push_back(id);
    for (const auto& [id, one] : present)
      if (!options_.present.contains(id)) stale.push_back(id);
  }
  options_.history = history, options_.present = std::move(present);
  redraw(document, stale);
}

const std::vector<Point>* DiagramScene::path_of(ElementId edge) const {
  const EdgeRoute* route = geometry_ ? geometry_->route(edge) : nullptr;
  return route != nullptr ? &route->points : nullptr;
}

int DiagramScene::series(ElementId element) const { return geometry_ ? geometry_->series(element) : -1; }

void DiagramScene::show_numbers(const Document& document, std::unordered_map<ElementId, NodeNumbers> numbers,
                                const std::string& caption) {
  if (!geometry_ || (numbers == options_.numbers && caption == options_.numbers_caption)) return;
  std::vector<ElementId> stale;
  for (const auto* some : {&numbers, &options_.numbers})
    for (const auto& [id, one] : *some) stale.push_back(id);
  options_.numbers = std::move(numbers), options_.numbers_caption = caption;
  redraw(document, stale);
  // The legend belongs to nobody and stands below whatever is drawn.
  std::vector<Primitive> legend;
  for (Primitive& shape : draw_diagram(document, *geometry_, options_).primitives)
    if (!shape.element) legend.push_back(std::move(shape));
  if (!legend.empty()) {
    show_entry(document, {}, std::move(legend));
    if (std::find(order_.begin(), order_.end(), ElementId()) == order_.end()) order_.push_back({});
  } else if (entries_.erase(ElementId()) > 0) {
    std::erase(order_, ElementId());
  }
}

DrawOptions DiagramScene::numbers_alone() const {
  DrawOptions out;
  out.numbers = options_.numbers, out.numbers_caption = options_.numbers_caption;
  return out;
}

void DiagramScene::show_entry(const Document& document, ElementId id, std::vector<Primitive> shapes) {
  Entry& entry = entries_[id];
  if (!entry.item) {
    entry.item = std::make_unique<ElementItem>(id);
    addItem(entry.item.get());
  }
  entry.item->show(std::move(shapes));
  const Element* element = document.find(id);
  entry.decoration = element == nullptr;
  entry.node = element != nullptr && element->is_node();
  entry.bounds = entry.node ? to_qt(geometry_->box(id)) : entry.item->boundingRect();
}

const ElementItem* DiagramScene::item(ElementId id) const {
  const auto found = entries_.find(id);
  return found != entries_.end() ? found->second.item.get() : nullptr;
}

ElementId DiagramScene::node_at(QPointF point) const {
  ElementId found;
  double area = 0;
  for (const ElementId id : order_) {
    const Entry& entry = entries_.at(id);
    if (!entry.node || !entry.bounds.contains(point)) continue;
    const double size = entry.bounds.width() * entry.bounds.height();
    if (found && size > area) continue;
    found = id;
    area = size;
  }
  return found;
}

ElementId DiagramScene::edge_at(QPointF point, double tolerance) const {
  ElementId found;
  double nearest = tolerance;
  for (const ElementId id : order_) {
    const Entry& entry = entries_.at(id);
    if (entry.node || entry.decoration) continue;
    if (!entry.item->boundingRect().adjusted(-tolerance, -tolerance, tolerance, tolerance).contains(point)) continue;
    const auto& path = entry.item->path();
    for (std::size_t i = 1; i < path.size(); ++i) {
      const double distance = distance_to_segment(from_qt(point), path[i - 1], path[i]);
      if (distance > nearest) continue;
      nearest = distance;
      found = id;
    }
  }
  return found ? found : edge_label_at(point);
}

ElementId DiagramScene::edge_label_at(QPointF point) const {
  for (auto id = order_.rbegin(); id != order_.rend(); ++id) {
    const Entry& entry = entries_.at(*id);
    if (!entry.node && !entry.decoration && entry.item->text_box().contains(point)) return *id;
  }
  return {};
}

QRectF DiagramScene::bounds(ElementId id) const {
  const auto found = entries_.find(id);
  return found != entries_.end() ? found->second.bounds : QRectF();
}

std::vector<ElementId> DiagramScene::within(const QRectF& area) const {
  std::vector<ElementId> out;
  for (const ElementId id : order_) {
    const Entry& entry = entries_.at(id);
    if (!entry.decoration && area.contains(entry.bounds)) out.push_back(id);
  }
  return out;
}

QRectF DiagramScene::content() const {
  QRectF all;
  for (const auto& [id, entry] : entries_) all = all.united(entry.item->boundingRect());
  return all;
}

}  // namespace ergode
