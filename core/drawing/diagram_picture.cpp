#include "core/drawing/diagram_picture.h"

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

constexpr double thin = 1.4, thick = 2.2, hair = 1.0;
constexpr Font name_font{13, true};
constexpr Font plain_font{12};
constexpr Font mono_font{11, false, true};

/// Draws one element; holds what every kind needs to know.
struct Pen {
  const Document& document;
  const DiagramGeometry& geometry;
  const DrawOptions& options;
  Picture& out;

  Role border(ElementId id, Role otherwise = Role::node_border) const {
    if (const auto problem = options.problems.find(id);
        problem != options.problems.end() && problem->second != Severity::info)
      return problem->second == Severity::error ? Role::error : Role::warning;
    if (options.selected.contains(id)) return Role::selection;
    if (options.active.contains(id)) return Role::active_border;
    return otherwise;
  }
  double weight(ElementId id) const {
    return options.problems.contains(id) || options.selected.contains(id) || options.active.contains(id) ? thick : thin;
  }
  Role fill(ElementId id, Role otherwise) const { return options.active.contains(id) ? Role::active_fill : otherwise; }

  void badge(ElementId id, Point centre) {
    const auto problem = options.problems.find(id);
    if (!options.problem_badges || problem == options.problems.end() || problem->second == Severity::info) return;
    const Role role = problem->second == Severity::error ? Role::error : Role::warning;
    out.ellipse(id, {centre.x - 8, centre.y - 8, 16, 16}, Role::canvas, role).line_width = hair;
    out.words(id, {centre.x, centre.y + 4.5}, "!", {12, true}, Role::canvas, Anchor::middle);
  }

  void breakpoint(ElementId id, Point centre) {
    if (options.breakpoints.contains(id))
      out.ellipse(id, {centre.x - 6, centre.y - 6, 12, 12}, Role::canvas, Role::failure).line_width = hair;
  }

  void pill(ElementId id, const std::string& text, Point left_top) {
    const double width = text_width(text, plain_font) + 2 * pill_padding;
    out.rectangle(id, {left_top.x, left_top.y, width, pill_height}, pill_height / 2, Role::ccf, Role::canvas);
    out.words(id, {left_top.x + width / 2, left_top.y + pill_height / 2 + 4.3}, text, plain_font, Role::ccf,
              Anchor::middle);
  }

  void centred_words(ElementId id, Point middle, const std::string& text, const Font& font, Role role, double room) {
    out.words(id, {middle.x, middle.y + 0.36 * font.size}, elided(text, font, room), font, role, Anchor::middle);
  }

  /// "entry / x := 0", "exit / ...", "d/dt level := inflow".
  static std::vector<std::string> behaviour(const Element& e) {
    std::vector<std::string> lines;
    for (const auto& [part, sign] : {std::pair{"entry", "entry / "}, {"exit", "exit / "}, {"flow", "d/dt "}})
      if (const std::string text = e.text(part); !text.empty()) lines.push_back(sign + text);
    return lines;
  }

  void state(const Element& e) {
    const Rect b = geometry.box(e.id);
    if (geometry.composite(e.id)) return composite(e, b);
    out.rectangle(e.id, b, 8, border(e.id), fill(e.id, Role::node_fill)).line_width = weight(e.id);
    const std::vector<std::string> lines = behaviour(e);
    if (lines.empty()) {
      centred_words(e.id, b.centre(), e.name(), name_font, Role::text, b.width - 12);
    } else {
      out.words(e.id, {b.x + 10, b.y + 17}, elided(e.name(), name_font, b.width - 18), name_font, Role::text);
      out.polyline(e.id, {{b.x, b.y + title_bar_height}, {b.right(), b.y + title_bar_height}}, border(e.id))
          .line_width = hair;
      double y = b.y + title_bar_height + 15;
      for (const std::string& line : lines) {
        if (y > b.bottom() - 4) break;
        out.words(e.id, {b.x + 10, y}, elided(line, mono_font, b.width - 16), mono_font, Role::muted);
        y += mono_font.line_height();
      }
    }
    badge(e.id, {b.right() - 2, b.y + 2});
  }

  void composite(const Element& e, const Rect& b) {
    out.rectangle(e.id, b, 8, border(e.id), fill(e.id, Role::panel)).line_width = weight(e.id);
    out.polyline(e.id, {{b.x, b.y + title_bar_height}, {b.right(), b.y + title_bar_height}}, border(e.id)).line_width =
        hair;
    std::string rest;
    for (const std::string& line : behaviour(e)) rest += (rest.empty() ? "" : "   ") + line;
    out.words(e.id, {b.x + 10, b.y + 17.5}, elided(e.name(), name_font, b.width - 18), name_font, Role::text);
    const double name_end = b.x + 26 + text_width(e.name(), name_font);
    if (!rest.empty() && name_end + 40 < b.right())
      out.words(e.id, {name_end, b.y + 17.5}, elided(rest, mono_font, b.right() - 10 - name_end), mono_font,
                Role::muted);
    separators(e, b);
    badge(e.id, {b.right() - 2, b.y + 2});
  }

  /// Dashed lines between the regions of a state, which stand side by side or one above the other.
  void separators(const Element& e, const Rect& b) {
    std::vector<Rect> regions;
    for (const ElementId region : geometry.regions(e.id)) regions.push_back(geometry.box(region));
    if (regions.size() < 2) return;
    std::sort(regions.begin(), regions.end(), [](const Rect& p, const Rect& q) { return p.x < q.x; });
    bool columns = true;
    for (std::size_t i = 1; i < regions.size(); ++i) columns = columns && regions[i].x >= regions[i - 1].right() - 1;
    if (columns) {
      for (std::size_t i = 1; i < regions.size(); ++i) {
        const double x = (regions[i - 1].right() + regions[i].x) / 2;
        out.polyline(e.id, {{x, b.y + title_bar_height}, {x, b.bottom()}}, Role::node_border).dash = Dash::dashed;
      }
      return;
    }
    std::sort(regions.begin(), regions.end(), [](const Rect& p, const Rect& q) { return p.y < q.y; });
    for (std::size_t i = 1; i < regions.size(); ++i) {
      if (regions[i].y < regions[i - 1].bottom() - 1) continue;
      const double y = (regions[i - 1].bottom() + regions[i].y) / 2;
      out.polyline(e.id, {{b.x, y}, {b.right(), y}}, Role::node_border).dash = Dash::dashed;
    }
  }

  void region(const Element& e) {
    const Rect b = geometry.box(e.id);
    const bool marked = options.selected.contains(e.id) || options.problems.contains(e.id);
    // The area belongs to the region, so that a canvas can be clicked anywhere in it; its lines are its state's.
    Primitive& area = out.rectangle(e.id, b, 4, marked ? border(e.id) : Role::none, Role::panel);
    area.line_width = thick;
    if (!marked) area.fill_opacity = 0.0;
    std::string title = "region: " + e.name();
    for (const std::string& line : behaviour(e)) title += "   " + line;
    out.words(e.id, {b.x + 10, b.y + 16}, elided(title, plain_font, b.width - 16), plain_font, Role::muted);
    badge(e.id, {b.right() - 12, b.y + 12});
  }

  void beside(const Element& e, const Rect& b) {
    if (!e.name().empty()) out.words(e.id, {b.right() + 4, b.y + 2}, e.name(), plain_font, Role::muted);
    badge(e.id, {b.right(), b.y});
  }

  void initial(const Element& e) {
    const Rect b = geometry.box(e.id);
    const Role role = border(e.id, Role::text);
    out.ellipse(e.id, b, role, role).line_width = hair;
    beside(e, b);
  }

  void final_state(const Element& e) {
    const Rect b = geometry.box(e.id);
    const Role role = border(e.id, Role::text);
    out.ellipse(e.id, b, role, fill(e.id, Role::canvas)).line_width = 1.6;
    const double inset = b.width * 0.22;
    out.ellipse(e.id, grown(b, -inset), Role::none, role);
    beside(e, b);
  }

  void choice(const Element& e) {
    const Rect b = geometry.box(e.id);
    const Point c = b.centre();
    out.polygon(e.id, {{c.x, b.y}, {b.right(), c.y}, {c.x, b.bottom()}, {b.x, c.y}}, border(e.id),
                fill(e.id, Role::node_fill))
        .line_width = weight(e.id);
    beside(e, b);
  }

  void history(const Element& e) {
    const Rect b = geometry.box(e.id);
    out.ellipse(e.id, b, border(e.id), fill(e.id, Role::canvas)).line_width = weight(e.id);
    centred_words(e.id, b.centre(), e.text("depth", "shallow") == "deep" ? "H*" : "H", name_font, Role::text, b.width);
    beside(e, b);
  }

  /// Entry and exit points; an exit point and the end of everything carry a cross.
  void point(const Element& e) {
    const Rect b = geometry.box(e.id);
    const Role role = border(e.id, Role::text);
    if (e.kind != "terminate") out.ellipse(e.id, b, role, fill(e.id, Role::canvas)).line_width = 1.6;
    if (e.kind != "entry_point") {
      const double inset = e.kind == "terminate" ? 0.0 : b.width * 0.15;
      const Rect cross = grown(b, -inset);
      out.polyline(e.id, {{cross.x, cross.y}, {cross.right(), cross.bottom()}}, role).line_width = 1.6;
      out.polyline(e.id, {{cross.x, cross.bottom()}, {cross.right(), cross.y}}, role).line_width = 1.6;
    }
    beside(e, b);
  }

  void bar(const Element& e) {
    const Rect b = geometry.box(e.id);
    const Role role = border(e.id, Role::text);
    out.rectangle(e.id, b, 2, role, role).line_width = hair;
    beside(e, b);
  }

  void note(const Element& e) {
    const Rect b = geometry.box(e.id);
    constexpr double fold = 12;
    out.polygon(
           e.id,
           {{b.x, b.y}, {b.right() - fold, b.y}, {b.right(), b.y + fold}, {b.right(), b.bottom()}, {b.x, b.bottom()}},
           border(e.id, Role::muted), Role::canvas)
        .line_width = hair;
    out.polyline(e.id, {{b.right() - fold, b.y}, {b.right() - fold, b.y + fold}, {b.right(), b.y + fold}},
                 border(e.id, Role::muted))
        .line_width = hair;
    double y = b.y + 17;
    for (const std::string& line : wrapped(e.text("text"), plain_font, b.width - 24)) {
      if (y > b.bottom() - 3) break;
      out.words(e.id, {b.x + 10, y}, elided(line, plain_font, b.width - 16), plain_font, Role::text);
      y += plain_font.line_height();
    }
    badge(e.id, {b.right(), b.y});
  }

  void variable(const Element& e) {
    const Rect b = geometry.box(e.id);
    const std::string unit = e.text("unit");
    std::string text =
        (e.text("role", "variable") == "parameter" ? "parameter " : "") + e.name() + " : " + e.text("type", "real");
    if (!unit.empty()) text += " [" + unit + "]";
    text += " = " + e.text("initial", "0");
    out.rectangle(e.id, b, 3, border(e.id, Role::muted), Role::canvas).line_width = hair;
    out.words(e.id, {b.x + 8, b.centre().y + 4}, elided(text, mono_font, b.width - 14), mono_font, Role::text);
    badge(e.id, {b.right(), b.y});
  }

  void component(const Element& e) {
    const Rect b = geometry.box(e.id);
    std::string name = e.name();
    const std::string count = e.text("count");
    if (!count.empty()) {
      name += "[1.." + count + "]";
      for (const double shift : {6.0, 3.0})  // a stack stands for an array
        out.rectangle(e.id, {b.x + shift, b.y - shift, b.width, b.height}, 4, border(e.id), fill(e.id, Role::node_fill))
            .line_width = hair;
    }
    out.rectangle(e.id, b, 4, border(e.id), fill(e.id, Role::node_fill)).line_width = weight(e.id);
    const Point c = b.centre();
    const std::string arguments = e.text("arguments");
    const double first = arguments.empty() ? c.y - 9 : c.y - 17;
    centred_words(e.id, {c.x, first}, name, name_font, Role::text, b.width - 12);
    const std::string chart = e.text("chart");
    centred_words(e.id, {c.x, first + 18}, chart.empty() ? "no chart" : "chart: " + chart, plain_font, Role::muted,
                  b.width - 12);
    if (!arguments.empty()) centred_words(e.id, {c.x, first + 35}, arguments, mono_font, Role::muted, b.width - 12);
    badge(e.id, {b.right() - 2, b.y + 2});
  }

  void group(const Element& e) {
    const Rect b = geometry.box(e.id);
    const double tip = std::min(14.0, b.width / 6);
    const Point c = b.centre();
    out.polygon(e.id,
                {{b.x + tip, b.y},
                 {b.right() - tip, b.y},
                 {b.right(), c.y},
                 {b.right() - tip, b.bottom()},
                 {b.x + tip, b.bottom()},
                 {b.x, c.y}},
                border(e.id, Role::ccf), fill(e.id, Role::canvas))
        .line_width = weight(e.id);
    centred_words(e.id, {c.x, c.y - 8}, group_badge(e.name()), name_font, Role::ccf, b.width - 2 * tip);
    const std::string model = e.text("model", "bfr");
    std::string words = model == "bfr"               ? "binomial failure rate"
                        : model == "beta"            ? "beta factor"
                        : model == "mgl"             ? "MGL"
                        : model == "alpha_staggered" ? "alpha factor, staggered"
                                                     : "alpha factor";
    if (e.text("applies_to", "rate") == "demand") words += ", on demand";
    centred_words(e.id, {c.x, c.y + 9}, words, {11}, Role::muted, b.width - tip - 6);
    badge(e.id, {b.right() - tip, b.y + 2});
  }

  void unknown(const Element& e) {
    const Rect b = geometry.box(e.id);
    Primitive& box = out.rectangle(e.id, b, 4, border(e.id, Role::muted), Role::canvas);
    box.dash = Dash::dashed;
    centred_words(e.id, {b.centre().x, b.centre().y - 8}, e.name().empty() ? "(no name)" : e.name(), name_font,
                  Role::muted, b.width - 10);
    centred_words(e.id, {b.centre().x, b.centre().y + 9}, "unknown kind: " + e.kind, plain_font, Role::muted,
                  b.width - 10);
    badge(e.id, {b.right(), b.y});
  }

  void node(const Element& e) {
    if (e.kind == "state") state(e);
    else if (e.kind == "region") region(e);
    else if (e.kind == "initial") initial(e);
    else if (e.kind == "final") final_state(e);
    else if (e.kind == "choice") choice(e);
    else if (e.kind == "history") history(e);
    else if (e.kind == "junction") initial(e);
    else if (e.kind == "bar") bar(e);
    else if (e.kind == "entry_point" || e.kind == "exit_point" || e.kind == "terminate") point(e);
    else if (e.kind == "note") note(e);
    else if (e.kind == "variable") variable(e);
    else if (e.kind == "component") component(e);
    else if (e.kind == "ccf_group") group(e);
    else unknown(e);
    const Rect b = geometry.box(e.id);
    breakpoint(e.id, {b.x, b.y});
  }

  Role edge_role(const Element& e) const {
    const Role usual = e.kind == "membership"                                        ? Role::ccf
                       : e.text("role") == "failure" || !geometry.pill(e.id).empty() ? Role::failure
                                                                                     : Role::transition;
    return border(e.id, usual);
  }

  void line(const Element& e) {
    const EdgeRoute* route = geometry.route(e.id);
    if (route == nullptr || route->points.size() < 2) return;
    const Role role = edge_role(e);
    const std::string trigger = e.text("trigger");
    const bool rate = trigger.starts_with("rate") || trigger.starts_with("ccf");
    std::vector<Point> points = route->points;
    const Point tip = points.back(), before = points[points.size() - 2];
    const double run = std::hypot(tip.x - before.x, tip.y - before.y);
    const bool head = e.kind != "membership" && run > 0;
    const Point u = run > 0 ? Point{(tip.x - before.x) / run, (tip.y - before.y) / run} : Point{1, 0};
    const auto back = [&](double along, double across) -> Point {
      return {tip.x - along * u.x - across * u.y, tip.y - along * u.y + across * u.x};
    };
    if (head && !rate) points.back() = back(8, 0);
    Primitive& path = out.polyline(e.id, points, role);
    path.line_width = options.selected.contains(e.id) || options.problems.contains(e.id) ? thick : thin;
    if (e.kind == "membership") path.dash = Dash::dashed;
    if (!head) return;
    if (rate) out.polyline(e.id, {back(10, 5), tip, back(10, -5)}, role).line_width = 1.6;
    else out.polygon(e.id, {tip, back(11, 4.5), back(11, -4.5)}, Role::none, role);
    breakpoint(e.id, route->points.front());
  }

  /// What a label is drawn on: the inside of a container, or the canvas.
  Role ground(const Element& e, const Rect& label) const {
    for (const ElementId end : {e.source, e.target}) {
      const Element* at = document.find(end);
      for (int depth = 0; at != nullptr && depth < 64; ++depth, at = document.find(at->parent)) {
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
        pill(e.id, text, {b.centre().x - text_width(text, plain_font) / 2 - pill_padding, y});
        y += pill_height + 2;
      }
      const bool timeout = e.text("trigger").starts_with("after");
      bool first = true;
      for (const std::string& text : transition_label_lines(e)) {
        const double baseline = y + 12.5;
        double x = b.centre().x;
        if (timeout && first) {
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
    badge(e.id,
          route->label ? Point{route->label->right() + 2, route->label->y} : Point{(a.x + c.x) / 2, (a.y + c.y) / 2});
  }
};

}  // namespace

Picture draw_element(const Document& document, const DiagramGeometry& geometry, ElementId element,
                     const DrawOptions& options) {
  Picture out;
  const Element* e = document.find(element);
  if (e == nullptr) return out;
  Pen pen{document, geometry, options, out};
  if (e->is_edge()) {
    pen.line(*e);
    pen.label(*e);
  } else {
    pen.node(*e);
  }
  out.fit(4);
  return out;
}

Picture draw_diagram(const Document& document, const DiagramGeometry& geometry, const DrawOptions& options) {
  Picture out;
  Pen pen{document, geometry, options, out};
  const auto draw_nodes = [&](bool containers) {
    for (const ElementId id : geometry.nodes()) {
      const Element* e = document.find(id);
      if (e != nullptr && (geometry.composite(id) || e->kind == "region") == containers) pen.node(*e);
    }
  };
  draw_nodes(true);
  for (const ElementId id : geometry.edges())
    if (const Element* e = document.find(id)) pen.line(*e);
  draw_nodes(false);
  for (const ElementId id : geometry.edges())
    if (const Element* e = document.find(id)) pen.label(*e);
  out.fit(24);
  return out;
}

Picture draw_diagram(const Document& document, ElementId diagram, const DrawOptions& options) {
  return draw_diagram(document, DiagramGeometry(document, diagram), options);
}

}  // namespace ergode
