#include "statecharts/notation/shapes.h"

#include <algorithm>

namespace ergode {
namespace {

constexpr double sign_line = 1.6;

/// "entry / x := 0", "exit / ...", "d/dt level := inflow".
std::vector<std::string> behaviour(const NodePen& pen) {
  std::vector<std::string> lines;
  for (const auto& [part, sign] : {std::pair{"entry", "entry / "}, {"exit", "exit / "}, {"flow", "d/dt "}})
    if (const std::string text = pen.text(part); !text.empty()) lines.push_back(sign + text);
  return lines;
}

void title_line(NodePen& pen) {
  const Rect b = pen.box();
  pen.polyline({{b.x, b.y + title_bar_height}, {b.right(), b.y + title_bar_height}}, pen.border()).line_width = hair;
}

void draw_composite(NodePen& pen) {
  const Rect b = pen.box();
  const std::string name = pen.element().name();
  pen.rectangle(b, 8, pen.border(), pen.fill(Role::panel)).line_width = pen.weight();
  title_line(pen);
  std::string rest;
  for (const std::string& line : behaviour(pen)) rest += (rest.empty() ? "" : "   ") + line;
  pen.words({b.x + 10, b.y + 17.5}, elided(name, name_font, b.width - 18), name_font, Role::text);
  const double name_end = b.x + 26 + text_width(name, name_font);
  if (!rest.empty() && name_end + 40 < b.right())
    pen.words({name_end, b.y + 17.5}, elided(rest, mono_font, b.right() - 10 - name_end), mono_font, Role::muted);
  pen.separators();
  pen.badge({b.right() - 2, b.y + 2});
}

void lines_of_cross(NodePen& pen, const Rect& c, Role role) {
  pen.polyline({{c.x, c.y}, {c.right(), c.bottom()}}, role).line_width = sign_line;
  pen.polyline({{c.x, c.bottom()}, {c.right(), c.y}}, role).line_width = sign_line;
}

Role circle(NodePen& pen) {
  const Role role = pen.border(Role::text);
  pen.ellipse(pen.box(), role, pen.fill(Role::canvas)).line_width = sign_line;
  return role;
}

}  // namespace

void draw_state(NodePen& pen) {
  if (pen.composite()) return draw_composite(pen);
  const Rect b = pen.box();
  const std::string name = pen.element().name();
  pen.rectangle(b, 8, pen.border(), pen.fill()).line_width = pen.weight();
  const std::vector<std::string> lines = behaviour(pen);
  if (lines.empty()) {
    pen.centred(b.centre(), name, name_font, Role::text, b.width - 12);
  } else {
    pen.words({b.x + 10, b.y + 17}, elided(name, name_font, b.width - 18), name_font, Role::text);
    title_line(pen);
    double y = b.y + title_bar_height + 15;
    for (const std::string& line : lines) {
      if (y > b.bottom() - 4) break;
      pen.words({b.x + 10, y}, elided(line, mono_font, b.width - 16), mono_font, Role::muted);
      y += mono_font.line_height();
    }
  }
  pen.badge({b.right() - 2, b.y + 2});
}

void draw_region(NodePen& pen) {
  const Rect b = pen.box();
  // The area belongs to the region, so that a canvas can be clicked anywhere in it; its lines are its state's.
  Primitive& area = pen.rectangle(b, 4, pen.marked() ? pen.border() : Role::none, Role::panel);
  area.line_width = thick;
  if (!pen.marked()) area.fill_opacity = 0.0;
  std::string title = "region: " + pen.element().name();
  for (const std::string& line : behaviour(pen)) title += "   " + line;
  pen.words({b.x + 10, b.y + 16}, elided(title, plain_font, b.width - 16), plain_font, Role::muted);
  pen.badge({b.right() - 12, b.y + 12});
}

void draw_disc(NodePen& pen) {
  const Role role = pen.border(Role::text);
  pen.ellipse(pen.box(), role, role).line_width = hair;
  pen.beside();
}

void draw_final(NodePen& pen) {
  const Role role = circle(pen);
  pen.ellipse(grown(pen.box(), -pen.box().width * 0.22), Role::none, role);
  pen.beside();
}

void draw_choice(NodePen& pen) {
  const Rect b = pen.box();
  const Point c = b.centre();
  pen.polygon({{c.x, b.y}, {b.right(), c.y}, {c.x, b.bottom()}, {b.x, c.y}}, pen.border(), pen.fill()).line_width =
      pen.weight();
  pen.beside();
}

void draw_history(NodePen& pen) {
  const Rect b = pen.box();
  pen.ellipse(b, pen.border(), pen.fill(Role::canvas)).line_width = pen.weight();
  pen.centred(b.centre(), pen.text("depth", "shallow") == "deep" ? "H*" : "H", name_font, Role::text, b.width);
  pen.beside();
}

void draw_point(NodePen& pen) {
  circle(pen);
  pen.beside();
}

void draw_exit(NodePen& pen) {
  const Role role = circle(pen);
  lines_of_cross(pen, grown(pen.box(), -pen.box().width * 0.15), role);
  pen.beside();
}

void draw_cross(NodePen& pen) {
  lines_of_cross(pen, pen.box(), pen.border(Role::text));
  pen.beside();
}

void draw_bar(NodePen& pen) {
  const Role role = pen.border(Role::text);
  pen.rectangle(pen.box(), 2, role, role).line_width = hair;
  pen.beside();
}

void draw_variable(NodePen& pen) {
  const Rect b = pen.box();
  const std::string unit = pen.text("unit");
  std::string text = (pen.text("role", "variable") == "parameter" ? "parameter " : "") + pen.element().name() + " : " +
                     pen.text("type", "real");
  if (!unit.empty()) text += " [" + unit + "]";
  text += " = " + pen.text("initial", "0");
  pen.rectangle(b, 3, pen.border(Role::muted), Role::canvas).line_width = hair;
  pen.words({b.x + 8, b.centre().y + 4}, elided(text, mono_font, b.width - 14), mono_font, Role::text);
  pen.badge({b.right(), b.y});
}

void draw_component(NodePen& pen) {
  const Rect b = pen.box();
  std::string name = pen.element().name();
  const std::string count = pen.text("count");
  if (!count.empty()) {
    name += "[1.." + count + "]";
    for (const double shift : {6.0, 3.0})  // a stack stands for an array
      pen.rectangle({b.x + shift, b.y - shift, b.width, b.height}, 4, pen.border(), pen.fill()).line_width = hair;
  }
  pen.rectangle(b, 4, pen.border(), pen.fill()).line_width = pen.weight();
  const Point c = b.centre();
  const std::string arguments = pen.text("arguments"), chart = pen.text("chart");
  const double first = arguments.empty() ? c.y - 9 : c.y - 17;
  pen.centred({c.x, first}, name, name_font, Role::text, b.width - 12);
  pen.centred({c.x, first + 18}, chart.empty() ? "no chart" : "chart: " + chart, plain_font, Role::muted, b.width - 12);
  if (!arguments.empty()) pen.centred({c.x, first + 35}, arguments, mono_font, Role::muted, b.width - 12);
  pen.badge({b.right() - 2, b.y + 2});
}

}  // namespace ergode
