#include "core/drawing/diagram_picture.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/drawing/node_pen.h"

namespace ergode {
namespace {

/// Draws edges.
struct EdgePen {
  const Document& document;
  const DiagramGeometry& geometry;
  const DrawOptions& options;
  Picture& out;

  void pill(ElementId id, const std::string& text, Role role, Point left_top) {
    const double width = text_width(text, plain_font) + 2 * pill_padding;
    out.rectangle(id, {left_top.x, left_top.y, width, pill_height}, pill_height / 2, role, Role::canvas);
    out.words(id, {left_top.x + width / 2, left_top.y + pill_height / 2 + 4.3}, text, plain_font, role, Anchor::middle);
  }

  void line(const Element& e) {
    const EdgeRoute* route = geometry.route(e.id);
    if (route == nullptr || route->points.size() < 2) return;
    const EdgeLook& look = geometry.look(e.id);
    const Role role = marked_role(options, e.id, geometry.pill(e.id).empty() ? look.role : look.role_with_pill);
    std::vector<Point> points = route->points;
    const Point tip = points.back(), before = points[points.size() - 2];
    const double run = std::hypot(tip.x - before.x, tip.y - before.y);
    const bool head = look.head != ArrowHead::none && run > 0;
    const Point u = run > 0 ? Point{(tip.x - before.x) / run, (tip.y - before.y) / run} : Point{1, 0};
    const auto back = [&](double along, double across) -> Point {
      return {tip.x - along * u.x - across * u.y, tip.y - along * u.y + across * u.x};
    };
    if (head && look.head == ArrowHead::filled) points.back() = back(8, 0);
    Primitive& path = out.polyline(e.id, points, role);
    path.line_width = options.selected.contains(e.id) || options.problems.contains(e.id) ? thick : thin;
    path.dash = look.dash;
    if (!head) return;
    if (look.head == ArrowHead::open) out.polyline(e.id, {back(10, 5), tip, back(10, -5)}, role).line_width = 1.6;
    else out.polygon(e.id, {tip, back(11, 4.5), back(11, -4.5)}, Role::none, role);
    draw_breakpoint(out, options, e.id, route->points.front());
  }

  /// What a label is drawn on: the inside of a container, or the canvas.
  Role ground(const Element& e, const Rect& label) const {
    for (const ElementId end : {e.source, e.target}) {
      const Element* at = document.find(end);
      for (int depth = 0; at != nullptr && depth <= 256; ++depth, at = document.find(at->parent)) {
        const Rect b = geometry.box(at->id);
        if (geometry.composite(at->id) && b.contains({label.x, label.y}) && b.contains({label.right(), label.bottom()}))
          return Role::panel;
      }
    }
    return Role::canvas;
  }

  /// Ties a label that had to be set off to its line.
  void leader(const Element& e, const Rect& b, const std::vector<Point>& line) {
    double best = 1e300;
    Point from, to;
    for (std::size_t i = 1; i < line.size(); ++i) {
      const Point p = line[i - 1], q = line[i];
      const auto within = [](double v, double x, double y) { return std::clamp(v, std::min(x, y), std::max(x, y)); };
      const Point on{within(b.centre().x, p.x, q.x), within(b.centre().y, p.y, q.y)};
      const Point off{std::clamp(on.x, b.x, b.right()), std::clamp(on.y, b.y, b.bottom())};
      const double distance = std::hypot(on.x - off.x, on.y - off.y);
      if (distance >= best) continue;
      best = distance;
      from = off;
      to = on;
    }
    if (best < 20.0 || best > 1e6) return;
    Primitive& tie = out.polyline(e.id, {from, to}, Role::muted);
    tie.line_width = hair;
    tie.dash = Dash::dotted;
  }

  void label(const Element& e) {
    const EdgeRoute* route = geometry.route(e.id);
    if (route == nullptr) return;
    if (route->label) {
      const Rect b = *route->label;
      leader(e, b, route->points);
      out.rectangle(e.id, b, 3, Role::none, ground(e, b)).fill_opacity = 0.92;
      double y = b.y + 1;
      if (const std::string& text = geometry.pill(e.id); !text.empty()) {
        pill(e.id, text, geometry.look(e.id).pill_role,
             {b.centre().x - text_width(text, plain_font) / 2 - pill_padding, y});
        y += pill_height + 2;
      }
      bool first = true;
      for (const std::string& text : geometry.label(e.id)) {
        const double baseline = y + 12.5;
        double x = b.centre().x;
        if (geometry.look(e.id).clock && first) {
          const double left = x - (text_width(text, plain_font) + 15) / 2;
          out.ellipse(e.id, {left, baseline - 10, 11, 11}, Role::muted, Role::canvas).line_width = hair;
          out.polyline(e.id, {{left + 5.5, baseline - 8}, {left + 5.5, baseline - 4.5}, {left + 8.2, baseline - 4.5}},
                       Role::muted)
              .line_width = hair;
          x += 7.5;
        }
        out.words(e.id, {x, baseline}, text, plain_font, Role::text, Anchor::middle);
        y += plain_font.line_height();
        first = false;
      }
    }
    if (!options.problems.contains(e.id) || route->points.size() < 2) return;
    const Point a = route->points[0], c = route->points[1];
    draw_badge(
        out, options, e.id,
        route->label ? Point{route->label->right() + 2, route->label->y} : Point{(a.x + c.x) / 2, (a.y + c.y) / 2});
  }
};

constexpr Font number_font{11};
constexpr double number_line = 16, number_padding = 6, strip_gap = 4;

/// How large the strip of these numbers is, and where it is drawn if nothing is in the way: below the node.
Rect strip_below(const Rect& box, const NodeNumbers& numbers) {
  double width = 0;
  for (const std::string& text : numbers.texts) width = std::max(width, text_width(text, number_font));
  width = std::max(width + 2 * number_padding, std::min(box.width, 120.0));
  const double height = number_line * static_cast<double>(numbers.texts.size()) + 4;
  return {box.centre().x - width / 2, box.bottom() + strip_gap, width, height};
}

/// What strips of numbers should not cover: labels of edges, nodes but those around others, and where the strips of
/// others would be best. By their left ends.
class Obstacles {
 public:
  Obstacles(const DiagramGeometry& geometry, const DrawOptions& options) {
    for (const ElementId id : geometry.edges())
      if (const EdgeRoute* route = geometry.route(id); route != nullptr && route->label)
        add(*route->label, label_weight, {});
    for (const ElementId id : geometry.nodes())
      if (!geometry.composite(id) && geometry.compartments(id).empty()) add(geometry.box(id), 1.0, id);
    for (const ElementId id : geometry.nodes())
      if (const auto found = options.numbers.find(id); found != options.numbers.end() && !found->second.texts.empty())
        add(strip_below(geometry.box(id), found->second), strip_weight, id);
    std::sort(all_.begin(), all_.end(), [](const One& a, const One& b) { return a.box.x < b.box.x; });
  }
  /// What a strip of that node would cover there, labels counted more than nodes.
  double covered(const Rect& strip, ElementId of) const {
    double out = 0.0;
    auto one = std::lower_bound(all_.begin(), all_.end(), strip.x - widest_,
                                [](const One& a, double x) { return a.box.x < x; });
    for (; one != all_.end() && one->box.x < strip.right(); ++one) {
      const double width = std::min(one->box.right(), strip.right()) - std::max(one->box.x, strip.x);
      const double height = std::min(one->box.bottom(), strip.bottom()) - std::max(one->box.y, strip.y);
      if (width > 0 && height > 0 && one->node != of) out += one->weight * width * height;
    }
    return out;
  }

 private:
  static constexpr double label_weight = 4.0, strip_weight = 2.0;
  struct One {
    Rect box;
    double weight;
    ElementId node;  ///< whose box or strip it is; null: a label
  };
  void add(const Rect& box, double weight, ElementId node) {
    all_.push_back({box, weight, node}), widest_ = std::max(widest_, box.width);
  }
  std::vector<One> all_;
  double widest_ = 0.0;
};

/// Below the node, else where it covers least: a line farther, beside that, above, at its sides. Nothing but what lies
/// around decides, so one node alone is drawn as in its diagram.
Rect place_of_strip(const Rect& box, const NodeNumbers& numbers, const Obstacles& obstacles, ElementId id) {
  constexpr double far = 24, aside = 0.5;
  Rect best = strip_below(box, numbers);
  const double width = best.width, height = best.height;
  const double middle = best.x, below = best.y, above = box.y - strip_gap - height;
  const double beside = box.centre().y - height / 2;
  const double left = middle - aside * (box.width + width) / 2, right = middle + aside * (box.width + width) / 2;
  double least = obstacles.covered(best, id);
  for (const Point at : {Point{middle, above}, Point{left, below}, Point{right, below}, Point{middle, below + far},
                         Point{left, above}, Point{right, above}, Point{middle, above - far},
                         Point{box.x - strip_gap - width, beside}, Point{box.right() + strip_gap, beside}}) {
    const Rect strip{at.x, at.y, width, height};
    const double covers = least > 0.0 ? obstacles.covered(strip, id) : least;
    if (covers < least) best = strip, least = covers;
  }
  return best;
}

/// A strip at the node, in the colour of its share, as wide as what is written there.
void draw_numbers(const Rect& box, const DrawOptions& options, ElementId id, const Obstacles* obstacles, Picture& out) {
  const auto found = options.numbers.find(id);
  if (obstacles == nullptr || found == options.numbers.end() || found->second.texts.empty()) return;
  const NodeNumbers& numbers = found->second;
  const bool coloured = !std::isnan(numbers.share);
  const Role fill = coloured ? ordered_role(numbers.share) : Role::panel;
  const Role letters = coloured ? role_on(fill) : Role::text;
  const Rect strip = place_of_strip(box, numbers, *obstacles, id);
  Primitive& ground = out.rectangle(id, strip, 3, numbers.stale ? Role::warning : Role::node_border, fill);
  ground.line_width = numbers.stale ? thin : hair;
  if (numbers.stale) ground.dash = Dash::dashed;
  double baseline = strip.y + 13.5;
  for (const std::string& text : numbers.texts) {
    out.words(id, {strip.centre().x, baseline}, text, number_font, letters, Anchor::middle);
    baseline += number_line;
  }
}

/// Below everything: the scale of the colours, and what they are of.
void draw_legend(const DrawOptions& options, Picture& out) {
  if (options.numbers.empty()) return;
  const bool coloured = std::any_of(options.numbers.begin(), options.numbers.end(),
                                    [](const auto& entry) { return !std::isnan(entry.second.share); });
  const bool stale =
      std::any_of(options.numbers.begin(), options.numbers.end(), [](const auto& entry) { return entry.second.stale; });
  constexpr double step = 16, height = 10;
  double x = out.view.x + 24, y = out.view.bottom();
  if (coloured) {
    out.words({}, {x, y + 9}, "0", number_font, Role::muted);
    x += 12;
    for (int i = 0; i < ordered_count; ++i, x += step)
      out.rectangle({}, {x, y, step, height}, 0, Role::none, ordered_role((i + 0.5) / ordered_count));
    out.words({}, {x + 5, y + 9}, "1", number_font, Role::muted);
    x += 20;
  }
  out.words({}, {x, y + 9}, options.numbers_caption, number_font, Role::muted);
  if (stale)
    out.words({}, {x + text_width(options.numbers_caption, number_font) + 10, y + 9},
              "stale: the model has changed since", {11, true}, Role::warning);
}

void draw_node(const Document& document, const DiagramGeometry& geometry, const DrawOptions& options, const Element& e,
               const Obstacles* obstacles, Picture& out) {
  NodePen pen(document, geometry, options, e, out);
  const KindSpec* kind = geometry.kind(e);
  if (kind == nullptr) pen.draw_unknown();
  else if (kind->draw) kind->draw(pen);
  else pen.draw_box();
  pen.draw_present();
  draw_numbers(pen.box(), options, e.id, obstacles, out);
  draw_breakpoint(out, options, e.id, {pen.box().x, pen.box().y});
}

}  // namespace

Picture draw_element(const Document& document, const DiagramGeometry& geometry, ElementId element,
                     const DrawOptions& options) {
  Picture out;
  const Element* e = document.find(element);
  if (e == nullptr) return out;
  EdgePen pen{document, geometry, options, out};
  if (e->is_edge()) {
    pen.line(*e);
    pen.label(*e);
  } else {
    std::optional<Obstacles> obstacles;
    if (options.numbers.contains(element)) obstacles.emplace(geometry, options);
    draw_node(document, geometry, options, *e, obstacles ? &*obstacles : nullptr, out);
  }
  out.fit(4);
  return out;
}

Picture draw_diagram(const Document& document, const DiagramGeometry& geometry, const DrawOptions& options) {
  Picture out;
  EdgePen pen{document, geometry, options, out};
  std::optional<Obstacles> obstacles;
  if (!options.numbers.empty()) obstacles.emplace(geometry, options);
  const auto draw_nodes = [&](bool containers) {
    for (const ElementId id : geometry.nodes()) {
      const Element* e = document.find(id);
      if (e == nullptr) continue;
      const KindSpec* kind = geometry.kind(*e);
      const bool around = geometry.composite(id) || (kind != nullptr && kind->compartment);
      if (around == containers) draw_node(document, geometry, options, *e, obstacles ? &*obstacles : nullptr, out);
    }
  };
  draw_nodes(true);
  for (const ElementId id : geometry.edges())
    if (const Element* e = document.find(id)) pen.line(*e);
  draw_nodes(false);
  for (const ElementId id : geometry.edges())
    if (const Element* e = document.find(id)) pen.label(*e);
  out.fit(24);
  if (!options.numbers.empty()) {
    draw_legend(options, out);
    out.fit(24);
  }
  return out;
}

Picture draw_diagram(const Document& document, ElementId diagram, const Catalogue& catalogue,
                     const DrawOptions& options) {
  return draw_diagram(document, DiagramGeometry(document, diagram, catalogue), options);
}

}  // namespace ergode
