#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/base/ink.h"
#include "core/document/element.h"
#include "core/drawing/text_metrics.h"

namespace ergode {

/// A colour without opacity: red, green and blue of sRGB, 0 to 255.
struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
  std::string hex() const;  ///< "#0072b2"
  friend bool operator==(const Color&, const Color&) = default;
};

/// Colours by role. Light and dark are the palettes of the screen; print is light on white and used by every export.
/// The three live as long as the program; copies may be changed.
struct Theme {
  std::array<Color, static_cast<std::size_t>(Role::count)> colors{};
  Color color(Role role) const { return colors[static_cast<std::size_t>(role)]; }
  static const Theme& light();
  static const Theme& dark();
  static const Theme& print();
};

/// Lengths of strokes and gaps in pixels of the picture; empty: solid.
const std::vector<double>& dash_pattern(Dash dash);
/// Each series has its own dash beside its colour.
/// By the place of a series in the list; from the seventh on they come again.
Dash series_dash(std::size_t index);

/// Which end of a text its point is: the beginning, the middle or the end of its baseline.
enum class Anchor : std::uint8_t { start, middle, end };

/// One shape. Coordinates and widths in pixels at 100 %, y downwards; which members count depends on `kind`, as they
/// say.
struct Primitive {
  enum class Kind : std::uint8_t { rectangle, ellipse, polyline, polygon, text };
  Kind kind = Kind::rectangle;
  ElementId element;  ///< What it belongs to; null: decoration.
  Role stroke = Role::none;
  Role fill = Role::none;  ///< For text: the colour of the letters.
  double line_width = 1.4;
  Dash dash = Dash::solid;
  double fill_opacity = 1.0;
  Rect box;                   ///< Rectangle and ellipse.
  double radius = 0.0;        ///< Corners of a rectangle.
  std::vector<Point> points;  ///< Polyline and polygon; for text the one point where the baseline begins (by anchor).
  std::string text;
  Font font;
  Anchor anchor = Anchor::start;
  bool upwards = false;  ///< Text turned to read from bottom to top about its point.

  /// What it covers, without the width of its line.
  Rect extent() const;
};

/// The least rectangle around both.
Rect united(const Rect& a, const Rect& b);
/// Larger by `margin` on each side; smaller where it is negative.
Rect grown(const Rect& r, double margin);
bool overlaps(const Rect& a, const Rect& b);  ///< Interiors meet.

/// Shapes in drawing order, on the screen, in an exported file and in a report alike.
///
///     Picture out;
///     out.rectangle({}, {0, 0, 100, 40}, 4, Role::node_border, Role::node_fill).line_width = 2.2;
///     out.words({}, {50, 24}, "EDG", name_font, Role::text, Anchor::middle);
///     out.fit(24);
///     const std::string file = to_svg(out, Theme::print());
///
/// It is the one form in which everything is drawn: the canvas paints it, the exports write it, tests read it. Colours
/// are roles, which a theme turns into colours when it is drawn.
struct Picture {
  std::vector<Primitive> primitives;
  Rect view;  ///< What is shown; everything lies inside.

  /// Each returns the new shape so that the caller can set what is special; the reference is valid until the next call.
  Primitive& rectangle(ElementId element, const Rect& box, double radius, Role stroke, Role fill);
  Primitive& ellipse(ElementId element, const Rect& box, Role stroke, Role fill);
  Primitive& polyline(ElementId element, std::vector<Point> points, Role stroke);
  Primitive& polygon(ElementId element, std::vector<Point> points, Role stroke, Role fill);
  Primitive& words(ElementId element, Point baseline, std::string text, const Font& font, Role role,
                   Anchor anchor = Anchor::start);

  /// Adds the other's shapes after its own; `view` stays.
  void append(Picture other);
  /// Sets `view` to what the primitives cover, with a margin, in whole pixels.
  void fit(double margin);
  /// Moves all shapes; `view` stays.
  void shift(double dx, double dy);
};

}  // namespace ergode
