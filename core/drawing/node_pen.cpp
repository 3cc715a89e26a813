#include "core/drawing/node_pen.h"

#include <algorithm>

namespace ergode {

Role marked_role(const DrawOptions& options, ElementId id, Role otherwise) {
  if (const auto problem = options.problems.find(id);
      problem != options.problems.end() && problem->second != Severity::info)
    return problem->second == Severity::error ? Role::error : Role::warning;
  if (options.selected.contains(id)) return Role::selection;
  if (options.active.contains(id)) return Role::active_border;
  return otherwise;
}

void draw_badge(Picture& out, const DrawOptions& options, ElementId id, Point centre) {
  const auto problem = options.problems.find(id);
  if (!options.problem_badges || problem == options.problems.end() || problem->second == Severity::info) return;
  const Role role = problem->second == Severity::error ? Role::error : Role::warning;
  out.ellipse(id, {centre.x - 8, centre.y - 8, 16, 16}, Role::canvas, role).line_width = hair;
  out.words(id, {centre.x, centre.y + 4.5}, "!", {12, true}, Role::canvas, Anchor::middle);
}

void draw_breakpoint(Picture& out, const DrawOptions& options, ElementId id, Point centre) {
  if (options.breakpoints.contains(id))
    out.ellipse(id, {centre.x - 6, centre.y - 6, 12, 12}, Role::canvas, Role::failure).line_width = hair;
}

NodePen::NodePen(const Document& document, const DiagramGeometry& geometry, const DrawOptions& options,
                 const Element& element, Picture& out)
    : document_(document),
      geometry_(geometry),
      options_(options),
      element_(element),
      box_(geometry.box(element.id)),
      out_(out) {}

bool NodePen::composite() const { return geometry_.composite(element_.id); }
int NodePen::series() const { return geometry_.series(element_.id); }
bool NodePen::marked() const {
  return options_.selected.contains(element_.id) || options_.problems.contains(element_.id);
}
Role NodePen::border(Role otherwise) const { return marked_role(options_, element_.id, otherwise); }
Role NodePen::fill(Role otherwise) const {
  return options_.active.contains(element_.id) ? Role::active_fill : otherwise;
}
double NodePen::weight() const { return marked() || options_.active.contains(element_.id) ? thick : thin; }

Primitive& NodePen::rectangle(const Rect& box, double radius, Role stroke, Role fill) {
  return out_.rectangle(element_.id, box, radius, stroke, fill);
}
Primitive& NodePen::ellipse(const Rect& box, Role stroke, Role fill) {
  return out_.ellipse(element_.id, box, stroke, fill);
}
Primitive& NodePen::polyline(std::vector<Point> points, Role stroke) {
  return out_.polyline(element_.id, std::move(points), stroke);
}
Primitive& NodePen::polygon(std::vector<Point> points, Role stroke, Role fill) {
  return out_.polygon(element_.id, std::move(points), stroke, fill);
}
void NodePen::words(Point baseline, const std::string& text, const Font& font, Role role) {
  out_.words(element_.id, baseline, text, font, role);
}
void NodePen::centred(Point middle, const std::string& text, const Font& font, Role role, double room) {
  out_.words(element_.id, {middle.x, middle.y + 0.36 * font.size}, elided(text, font, room), font, role,
             Anchor::middle);
}

void NodePen::beside() {
  if (!element_.name().empty()) words({box_.right() + 4, box_.y + 2}, element_.name(), plain_font, Role::muted);
  // Clear of the name.
  badge({box_.x, box_.y});
}

void NodePen::badge(Point centre) { draw_badge(out_, options_, element_.id, centre); }

void NodePen::separators() {
  std::vector<Rect> parts;
  for (const ElementId part : geometry_.compartments(element_.id)) parts.push_back(geometry_.box(part));
  if (parts.size() < 2) return;
  std::sort(parts.begin(), parts.end(), [](const Rect& p, const Rect& q) { return p.x < q.x; });
  bool columns = true;
  for (std::size_t i = 1; i < parts.size(); ++i) columns = columns && parts[i].x >= parts[i - 1].right() - 1;
  if (columns) {
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const double x = (parts[i - 1].right() + parts[i].x) / 2;
      polyline({{x, box_.y + title_bar_height}, {x, box_.bottom()}}, Role::node_border).dash = Dash::dashed;
    }
    return;
  }
  std::sort(parts.begin(), parts.end(), [](const Rect& p, const Rect& q) { return p.y < q.y; });
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].y < parts[i - 1].bottom() - 1) continue;
    const double y = (parts[i - 1].bottom() + parts[i].y) / 2;
    polyline({{box_.x, y}, {box_.right(), y}}, Role::node_border).dash = Dash::dashed;
  }
}

const std::vector<Present>* NodePen::present() {
  static const std::vector<Present> nobody;
  asked_ = true;
  if (!options_.history) return nullptr;
  const auto found = options_.present.find(element_.id);
  return found == options_.present.end() ? &nobody : &found->second;
}

void NodePen::dot(Point centre, double radius, const Present& one, DotStyle style) {
  if (one.standing == Standing::blocked) style = DotStyle::held;
  draw_dot(out_, element_.id, centre, radius, geometry_.series(one.sort), style);
}

void NodePen::row(const Rect& place, const std::vector<Present>& some, double pitch, bool from_right) {
  std::uint64_t left = 0;
  for (const Present& one : some) left += one.count;
  const double radius = std::min(place.height, pitch - 1) / 2;
  const Font letters{std::min(place.height + 1, 11.0)};
  auto room = static_cast<std::uint64_t>(std::max(0.0, place.width / pitch));
  if (room < left) {
    // As many make way as the number needs, which is not known before.
    const auto wide = static_cast<std::uint64_t>(text_width("+" + std::to_string(left), letters) / pitch) + 1;
    room = room > wide ? room - wide : 0;
  }
  double at = from_right ? place.right() - pitch / 2 : place.x + pitch / 2;
  for (const Present& one : some)
    for (std::uint32_t i = 0; i < one.count && room > 0; ++i, --room, --left) {
      dot({at, place.centre().y}, radius, one, one.standing == Standing::outside ? DotStyle::hollow : DotStyle::plain);
      at += from_right ? -pitch : pitch;
    }
  if (left == 0) return;
  const double edge = from_right ? at + pitch / 2 - 1 : at - pitch / 2 + 1;
  out_.words(element_.id, {edge, place.centre().y + 0.36 * letters.size}, "+" + std::to_string(left), letters,
             Role::text, from_right ? Anchor::end : Anchor::start);
}

void NodePen::pill(Point centre, const std::string& text) {
  constexpr Font letters{11, true};
  const double width = std::max(16.0, text_width(text, letters) + 8);
  rectangle({centre.x - width / 2, centre.y - 8, width, 16}, 8, Role::node_border, Role::canvas).line_width = hair;
  out_.words(element_.id, {centre.x, centre.y + 4}, text, letters, Role::text, Anchor::middle);
}

void NodePen::number_at_corner() {
  const std::vector<Present>* here = present();
  if (const std::uint64_t count = here != nullptr ? number_there(*here) : 0; count > 0)
    pill({box_.right() - 2, box_.bottom()}, std::to_string(count));
}

void NodePen::draw_present() {
  const bool shape_did = asked_;
  const std::vector<Present>* here = present();
  if (here == nullptr || here->empty()) return;
  std::vector<Present> inside, outside;
  for (const Present& one : *here)
    if (one.somebody()) (one.standing == Standing::outside ? outside : inside).push_back(one);
  constexpr double size = 9, pitch = 10, narrow = 60;
  // Before it, on the left where most come from.
  if (!outside.empty()) row({box_.x, box_.y - size - 3, std::max(box_.width, narrow), size}, outside, pitch, false);
  if (shape_did || inside.empty()) return;
  const Rect place = box_.width >= narrow ? Rect{box_.x + 6, box_.bottom() - size - 3, box_.width - 16, size}
                                          : Rect{box_.centre().x - narrow / 2, box_.bottom() + 4, narrow, size};
  row(place, inside, pitch, false);
  if (box_.width >= narrow) number_at_corner();
  else pill({place.x - 10, place.centre().y}, std::to_string(number_there(*here)));
}

void NodePen::draw_box() {
  const KindSpec* kind = geometry_.kind(element_);
  rectangle(box_, 4, border(), fill()).line_width = weight();
  centred(box_.centre(), kind != nullptr ? kind->label_of(element_) : element_.name(), name_font, Role::text,
          box_.width - 12);
  badge({box_.right() - 2, box_.y + 2});
}

void NodePen::draw_unknown() {
  rectangle(box_, 4, border(Role::muted), Role::canvas).dash = Dash::dashed;
  const Point c = box_.centre();
  centred({c.x, c.y - 8}, element_.name().empty() ? "(no name)" : element_.name(), name_font, Role::muted,
          box_.width - 10);
  centred({c.x, c.y + 9}, "unknown kind: " + element_.kind, plain_font, Role::muted, box_.width - 10);
  badge({box_.right(), box_.y});
}

namespace {

void draw_note(NodePen& pen) {
  const Rect b = pen.box();
  constexpr double fold = 12;
  pen.polygon(
         {{b.x, b.y}, {b.right() - fold, b.y}, {b.right(), b.y + fold}, {b.right(), b.bottom()}, {b.x, b.bottom()}},
         pen.border(Role::muted), Role::canvas)
      .line_width = hair;
  pen.polyline({{b.right() - fold, b.y}, {b.right() - fold, b.y + fold}, {b.right(), b.y + fold}},
               pen.border(Role::muted))
      .line_width = hair;
  double y = b.y + 17;
  for (const std::string& line : wrapped(pen.text("text"), plain_font, b.width - 24)) {
    if (y > b.bottom() - 3) break;
    pen.words({b.x + 10, y}, elided(line, plain_font, b.width - 16), plain_font, Role::text);
    y += plain_font.line_height();
  }
  pen.badge({b.right(), b.y});
}

}  // namespace

KindSpec note_kind() {
  return {.kind = "note",
          .label = "Note",
          .shortcut = "N",
          .icon = "note",
          .width = 180,
          .height = 60,
          .named = false,
          .help = "Text on the diagram without meaning to solvers.",
          .properties = {{.name = "text",
                          .label = "Text",
                          .type = PropertyType::notes,
                          .group = "Identity",
                          .help = "What the note says."}},
          .draw = draw_note,
          .label_property = "text"};
}

}  // namespace ergode
