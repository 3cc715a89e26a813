#pragma once
#include "core/drawing/diagram_picture.h"
#include "core/drawing/dots.h"

namespace ergode {

inline constexpr Font name_font{13, true};
inline constexpr Font plain_font{12};
inline constexpr Font mono_font{11, false, true};
/// Widths of lines: of what is marked, of a border, of what is inside.
inline constexpr double thick = 2.2, thin = 1.4, hair = 1.0;

/// What a notation draws one node with (KindSpec::draw): the node, its box, and how a border looks now that it is
/// selected, active or has a problem. Coordinates are those of the diagram. Whatever is drawn belongs to the node.
class NodePen {
 public:
  /// Holds references: all five must outlive it. Shapes are appended to `out`.
  NodePen(const Document& document, const DiagramGeometry& geometry, const DrawOptions& options, const Element& element,
          Picture& out);

  const Document& document() const { return document_; }
  const Element& element() const { return element_; }
  /// A property of the node as text, as Element::text().
  std::string text(std::string_view property, std::string_view otherwise = {}) const {
    return element_.text(property, otherwise);
  }
  const Rect& box() const { return box_; }  ///< Where the node lies; empty when it is not in the diagram.
  bool composite() const;                   ///< Other nodes stand in it.
  bool marked() const;                      ///< It is selected or has a problem.
  /// Its place among those of its kind that are told apart (KindSpec::told_apart); -1: it is not.
  int series() const;
  /// Colour of its border: what marks it, or `otherwise`.
  Role border(Role otherwise = Role::node_border) const;
  /// Colour of its inside: that of what is active, or `otherwise`.
  Role fill(Role otherwise = Role::node_fill) const;
  double weight() const;  ///< Of its border.

  // The reference is valid until the next call.
  /// Shapes with a solid line of 1.4 pixels, where nothing else is set: returned so that the caller sets it.
  Primitive& rectangle(const Rect& box, double radius, Role stroke, Role fill);
  Primitive& ellipse(const Rect& box, Role stroke, Role fill);
  Primitive& polyline(std::vector<Point> points, Role stroke);
  Primitive& polygon(std::vector<Point> points, Role stroke, Role fill);
  /// A line of text, as wide as it is, from its baseline on.
  void words(Point baseline, const std::string& text, const Font& font, Role role);
  /// One line in the middle of a place, cut off where it is wider than `room`.
  void centred(Point middle, const std::string& text, const Font& font, Role role, double room);
  /// The name to the right of a small sign, where it has one, and the badge.
  void beside();
  /// A "!" when there is a problem. Every node has one, where it covers least.
  void badge(Point centre);
  /// Dashed lines between the compartments, which stand side by side or one above the other below the title.
  void separators();

  /// @name Who is here, while a history is shown
  /// @{
  /// At the moment shown, who is next first; null: no history is shown. Whoever asks draws them; where nobody asks they
  /// stand in a row at the lower edge, with their number (draw_present()).
  const std::vector<Present>* present();
  /// One of a sort.
  void dot(Point centre, double radius, const Present& one, DotStyle style = DotStyle::plain);
  /// Those of `some` side by side within a place, the first at its right end, or at its left; "+12" at the other end
  /// stands for those who have no room. @param pitch  from one to the next.
  void row(const Rect& place, const std::vector<Present>& some, double pitch, bool from_right);
  /// A number on a pill.
  void pill(Point centre, const std::string& text);
  /// How many there are, on the corner where nothing else is drawn; nothing where nobody is.
  void number_at_corner();
  /// What the shape has not drawn.
  void draw_present();
  /// @}

  void draw_box();      ///< A box with the label.
  void draw_unknown();  ///< A dashed box with name and kind, of what nobody knows.

 private:
  const Document& document_;
  const DiagramGeometry& geometry_;
  const DrawOptions& options_;
  const Element& element_;
  Rect box_;
  Picture& out_;
  bool asked_ = false;  ///< the shape draws who is here
};

/// Colour of what marks an element, the first of: its problem (error, warning), its selection, its being active; else
/// `otherwise`.
Role marked_role(const DrawOptions& options, ElementId id, Role otherwise);
/// A round "!" in the colour of the element's problem; nothing where it has none or only a remark, or badges are off.
void draw_badge(Picture& out, const DrawOptions& options, ElementId id, Point centre);
/// A red dot where the element is a breakpoint; else nothing.
void draw_breakpoint(Picture& out, const DrawOptions& options, ElementId id, Point centre);

/// A note: text on the diagram without meaning to solvers. Every notation may have it among its kinds; documents know
/// it by the kind "note", which hashes leave out.
KindSpec note_kind();

}  // namespace ergode
