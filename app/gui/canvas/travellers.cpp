#include "app/gui/canvas/travellers.h"

#include <QGraphicsItem>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "app/gui/canvas/diagram_scene.h"
#include "app/gui/canvas/shape_painter.h"
#include "core/drawing/dots.h"

namespace ergode {
namespace {

constexpr std::size_t most_travels = 120;
constexpr int frame_ms = 33;
constexpr double dot_radius = 5.5, least_on_screen = 3.5;

double length_of(const std::vector<Point>& path) {
  double sum = 0;
  for (std::size_t i = 1; i < path.size(); ++i) sum += std::hypot(path[i].x - path[i - 1].x, path[i].y - path[i - 1].y);
  return sum;
}

/// At a share of its length.
QPointF along(const std::vector<Point>& path, double share) {
  double left = share * length_of(path);
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Point a = path[i - 1], b = path[i];
    const double piece = std::hypot(b.x - a.x, b.y - a.y);
    if (left <= piece && piece > 0) return {a.x + (b.x - a.x) * left / piece, a.y + (b.y - a.y) * left / piece};
    left -= piece;
  }
  return to_qt(path.back());
}

/// Takes up to `count` away, those of a standing who came last first. @returns how many are left to take
std::uint32_t take_last(std::vector<Present>& from, Standing standing, ElementId sort, std::uint32_t count) {
  for (auto one = from.rbegin(); one != from.rend() && count > 0; ++one) {
    if (one->standing != standing || one->sort != sort) continue;
    const std::uint32_t taken = std::min(count, one->count);
    one->count -= taken, count -= taken;
  }
  return count;
}

}  // namespace

class Travellers::Dot : public QGraphicsItem {
 public:
  Dot() {
    setAcceptedMouseButtons(Qt::NoButton);
    setZValue(1e9);
    setVisible(false);
  }
  void show(int series) {
    if (series == series_ && !shapes_.primitives.empty()) return;
    series_ = series;
    shapes_ = {};
    draw_dot(shapes_, {}, {0, 0}, dot_radius, series);
    update();
  }
  QRectF boundingRect() const override {
    constexpr double r = 1.4 * dot_radius;
    return {-r, -r, 2 * r, 2 * r};
  }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override {
    for (const Primitive& shape : shapes_.primitives) paint_shape(*painter, shape, drawing_theme(), Detail::shapes);
  }

 private:
  int series_ = -1;
  Picture shapes_;
};

struct Travellers::Travel {
  struct Leg {
    std::vector<Point> path;
    int before = -1, after = -1;
  };
  std::vector<Leg> legs;
  double begins_s = 0.0, each_s = 0.0, passed_s = 0.0;
  ElementId to, sort;
  std::unique_ptr<Dot> dot = std::make_unique<Dot>();
  double ends_s() const { return begins_s + each_s * static_cast<double>(legs.size()); }
};

Travellers::Travellers(DiagramScene& scene, QObject* parent) : QObject(parent), scene_(scene) {
  timer_.setInterval(frame_ms);
  timer_.setTimerType(Qt::PreciseTimer);
  connect(&timer_, &QTimer::timeout, this, [this] { pass(static_cast<double>(since_.restart()) / 1000.0); });
}

Travellers::~Travellers() = default;

void Travellers::set_out(const std::vector<Moved>& moves, double each_s) {
  if (!(each_s > 0.0)) return;
  std::unordered_map<std::uint32_t, Travel*> going;    // by who
  std::unordered_map<std::uint32_t, double> born_s;    // likewise: when he may set out
  std::unordered_map<ElementId, double> last_there_s;  // by node: when the last of these arrives
  const std::size_t before = travels_.size();
  for (const Moved& move : moves) {
    if (!move.edge) {
      going.erase(move.who);
      if (move.to && last_there_s.contains(move.to)) born_s[move.who] = last_there_s[move.to];
      continue;
    }
    const std::vector<Point>* path = scene_.path_of(move.edge);
    Travel* travel = nullptr;
    if (const auto known = going.find(move.who); known != going.end() && known->second->to == move.from)
      travel = known->second;
    if (path == nullptr || path->size() < 2 || (travel == nullptr && travels_.size() >= most_travels)) {
      going.erase(move.who);
      continue;
    }
    if (travel == nullptr) {
      travels_.push_back(std::make_unique<Travel>());
      travel = travels_.back().get();
      travel->each_s = each_s;
      if (const auto born = born_s.find(move.who); born != born_s.end()) travel->begins_s = born->second;
      scene_.addItem(travel->dot.get());
      travel->dot->setScale(std::max(1.0, least_on_screen / (dot_radius * zoom_)));
    }
    travel->legs.push_back({*path, scene_.series(move.sort), scene_.series(move.becomes)});
    travel->to = move.to, travel->sort = move.becomes;
    going[move.who] = travel;
    double& last = last_there_s[move.to];
    last = std::max(last, travel->ends_s());
  }
  if (travels_.size() == before) return;
  for (std::size_t t = before; t < travels_.size(); ++t) place(*travels_[t]);
  if (timer_.isActive()) return;
  since_.start();
  timer_.start();
}

void Travellers::clear() {
  timer_.stop();
  if (travels_.empty()) return;
  travels_.clear();
  Q_EMIT arrived();
}

void Travellers::pass(double wall_s) {
  const std::size_t before = travels_.size();
  for (const auto& travel : travels_) {
    travel->passed_s += wall_s;
    place(*travel);
  }
  std::erase_if(travels_, [](const auto& travel) { return travel->passed_s >= travel->ends_s(); });
  if (travels_.empty()) timer_.stop();
  if (travels_.size() != before) Q_EMIT arrived();
}

void Travellers::place(Travel& travel) {
  const double edges = (travel.passed_s - travel.begins_s) / travel.each_s;
  travel.dot->setVisible(edges >= 0.0);
  if (edges < 0.0) return;
  const auto at = std::min(static_cast<std::size_t>(edges), travel.legs.size() - 1);
  const Travel::Leg& leg = travel.legs[at];
  const double share = std::min(1.0, edges - static_cast<double>(at));
  // Slower at both ends: where somebody comes from and goes to is seen best.
  const double eased = share * share * (3.0 - 2.0 * share);
  travel.dot->show(share < 0.5 ? leg.before : leg.after);
  travel.dot->setPos(along(leg.path, eased));
}

void Travellers::set_zoom(double zoom) {
  zoom_ = zoom;
  for (const auto& travel : travels_) travel->dot->setScale(std::max(1.0, least_on_screen / (dot_radius * zoom_)));
}

std::vector<QPointF> Travellers::places() const {
  std::vector<QPointF> out;
  for (const auto& travel : travels_)
    if (travel->dot->isVisible()) out.push_back(travel->dot->pos());
  return out;
}

std::unordered_map<ElementId, std::vector<Present>> Travellers::settled(
    std::unordered_map<ElementId, std::vector<Present>> present) const {
  for (const auto& travel : travels_) {
    const auto there = present.find(travel->to);
    if (there == present.end()) continue;
    std::uint32_t left = 1;
    for (const Standing standing : {Standing::waiting, Standing::outside, Standing::served, Standing::blocked}) {
      const std::uint32_t was = left;
      left = take_last(there->second, standing, travel->sort, left);
      // His server waits for him.
      if (left < was && standing == Standing::served)
        there->second.push_back({.node = travel->to, .standing = Standing::idle});
    }
  }
  for (auto& [node, all] : present) std::erase_if(all, [](const Present& one) { return one.count == 0; });
  return present;
}

}  // namespace ergode
