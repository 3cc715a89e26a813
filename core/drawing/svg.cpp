#include "core/drawing/svg.h"

#include <charconv>
#include <cmath>

#include "core/base/escape_xml.h"
#include "core/base/text.h"

namespace ergode {
namespace {

using Kind = Primitive::Kind;

void attribute(std::string& out, const char* name, const std::string& value) {
  out += ' ';
  out += name;
  out += "=\"";
  out += value;
  out += '"';
}

void paint(std::string& out, const Primitive& s, const Theme& theme) {
  attribute(out, "fill", s.fill == Role::none ? "none" : theme.color(s.fill).hex());
  if (s.fill != Role::none && s.fill_opacity < 1.0) attribute(out, "fill-opacity", svg_number(s.fill_opacity));
  if (s.stroke == Role::none) return;
  attribute(out, "stroke", theme.color(s.stroke).hex());
  attribute(out, "stroke-width", svg_number(s.line_width));
  std::string dashes;
  for (const double length : dash_pattern(s.dash)) dashes += (dashes.empty() ? "" : " ") + svg_number(length);
  if (!dashes.empty()) attribute(out, "stroke-dasharray", dashes);
  if (s.kind == Kind::polyline) attribute(out, "stroke-linejoin", "round");
}

void write_points(std::string& out, const std::vector<Point>& points) {
  std::string text;
  for (const Point& p : points) text += (text.empty() ? "" : " ") + svg_number(p.x) + "," + svg_number(p.y);
  attribute(out, "points", text);
}

void write_text(std::string& out, const Primitive& s, const Theme& theme) {
  const Point p = s.points.empty() ? Point{} : s.points[0];
  out += "<text";
  attribute(out, "x", svg_number(p.x));
  attribute(out, "y", svg_number(p.y));
  if (s.font.mono) attribute(out, "font-family", "DejaVu Sans Mono, monospace");
  attribute(out, "font-size", svg_number(s.font.size));
  if (s.font.bold) attribute(out, "font-weight", "bold");
  attribute(out, "fill", theme.color(s.fill).hex());
  if (s.anchor != Anchor::start) attribute(out, "text-anchor", s.anchor == Anchor::middle ? "middle" : "end");
  if (s.upwards) attribute(out, "transform", "rotate(-90 " + svg_number(p.x) + " " + svg_number(p.y) + ")");
  out += '>' + escape_xml(visible_lines(s.text)) + "</text>\n";
}

void write_shape(std::string& out, const Primitive& s, const Theme& theme) {
  switch (s.kind) {
    case Kind::text:
      if (s.fill != Role::none && !s.text.empty()) write_text(out, s, theme);
      return;
    case Kind::rectangle:
      out += "<rect";
      attribute(out, "x", svg_number(s.box.x));
      attribute(out, "y", svg_number(s.box.y));
      attribute(out, "width", svg_number(std::max(0.0, s.box.width)));
      attribute(out, "height", svg_number(std::max(0.0, s.box.height)));
      if (s.radius > 0.0) attribute(out, "rx", svg_number(s.radius));
      break;
    case Kind::ellipse:
      out += "<ellipse";
      attribute(out, "cx", svg_number(s.box.centre().x));
      attribute(out, "cy", svg_number(s.box.centre().y));
      attribute(out, "rx", svg_number(s.box.width / 2));
      attribute(out, "ry", svg_number(s.box.height / 2));
      break;
    case Kind::polyline:
    case Kind::polygon:
      if (s.points.empty()) return;
      out += s.kind == Kind::polyline ? "<polyline" : "<polygon";
      write_points(out, s.points);
      break;
  }
  paint(out, s, theme);
  out += "/>\n";
}

}  // namespace

std::string svg_number(double value) {
  if (!std::isfinite(value)) return "0";
  const double rounded = std::round(value * 100.0) / 100.0;
  if (rounded == 0.0) return "0";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, rounded, std::chars_format::fixed).ptr;
  return {buffer, end};
}

std::string to_svg(const Picture& picture, const Theme& theme, const SvgOptions& options) {
  const Rect& v = picture.view;
  const std::string width = svg_number(v.width), height = svg_number(v.height);
  std::string out;
  if (options.standalone) out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += "<svg";
  if (options.standalone) attribute(out, "xmlns", "http://www.w3.org/2000/svg");
  attribute(out, "width", width);
  attribute(out, "height", height);
  attribute(out, "viewBox", svg_number(v.x) + " " + svg_number(v.y) + " " + width + " " + height);
  // HTML validators know the style attribute only; programs that read SVG files know both.
  if (options.standalone) attribute(out, "font-family", "DejaVu Sans, sans-serif");
  else attribute(out, "style", "font-family: 'DejaVu Sans', sans-serif");
  if (!options.title.empty()) attribute(out, "role", "img");
  out += ">\n";
  if (!options.title.empty()) out += "<title>" + escape_xml(visible_lines(options.title)) + "</title>\n";
  if (!options.description.empty()) out += "<desc>" + escape_xml(visible_lines(options.description)) + "</desc>\n";
  if (!options.provenance.empty()) {
    out += "<metadata>\n";
    for (const auto& [key, value] : options.provenance) out += escape_xml(key) + ": " + escape_xml(value) + "\n";
    out += "</metadata>\n";
  }
  if (!options.transparent) {
    out += "<rect";
    attribute(out, "x", svg_number(v.x));
    attribute(out, "y", svg_number(v.y));
    attribute(out, "width", width);
    attribute(out, "height", height);
    attribute(out, "fill", theme.color(Role::canvas).hex());
    out += "/>\n";
  }
  for (const Primitive& s : picture.primitives) write_shape(out, s, theme);
  out += "</svg>\n";
  return out;
}

}  // namespace ergode
