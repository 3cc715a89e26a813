// What a notation needs to be drawn: shapes, labels, names, rules.
#include "core/des/lowering.h"
#include "core/document/command.h"
#include "core/drawing/node_pen.h"
#include "tests/support/token_bucket.h"

namespace ergode::test {
namespace {

void draw_source(NodePen& pen) {
  pen.ellipse(pen.box(), pen.border(), pen.fill()).line_width = pen.weight();
  pen.centred(pen.box().centre(), pen.text("rate", "1 /h"), plain_font, Role::text, pen.box().width - 8);
  pen.beside();
}

void draw_bucket(NodePen& pen) {
  const Rect b = pen.box();
  const double in = b.width / 8;
  pen.polygon({{b.x, b.y}, {b.right(), b.y}, {b.right() - in, b.bottom()}, {b.x + in, b.bottom()}}, pen.border(),
              pen.fill())
      .line_width = pen.weight();
  pen.centred({b.centre().x, b.centre().y - 9}, pen.element().name(), name_font, Role::text, b.width - 2 * in);
  pen.centred({b.centre().x, b.centre().y + 9}, "up to " + pen.text("capacity", "1"), plain_font, Role::muted,
              b.width - 2 * in);
  pen.badge({b.right(), b.y});
}

KindSpec source_kind() {
  const auto rate = behaviour_property("rate", "Rate", PropertyType::quantity, "Tokens per time, >= 0.", "1 /h", "/h");
  return {.kind = "token_source",
          .label = "Token source",
          .shortcut = "K",
          .icon = "initial",
          .width = 60,
          .height = 60,
          .help = "Emits tokens, one at a time, at exponentially distributed intervals.",
          .properties = {name_property("Unique in the model."), rate},
          .ports = Ports::centres,
          .draw = draw_source,
          .label_property = "rate"};
}

KindSpec bucket_kind() {
  return {.kind = "token_bucket",
          .label = "Token bucket",
          .shortcut = "U",
          .icon = "component",
          .width = 110,
          .height = 70,
          .help = "Holds tokens; expressions read NAME.level.",
          .properties = {name_property("Unique in the model."),
                         behaviour_property("capacity", "Capacity", PropertyType::integer,
                                            "Most tokens it holds, >= 1.", "1"),
                         behaviour_property("overflow_event", "Overflow event", PropertyType::text,
                                            "Raised by a token that finds the bucket full."),
                         behaviour_property("empty_when", "Empty when", PropertyType::predicate,
                                            "Condition that empties the bucket.")},
          .stem = "bucket",
          .draw = draw_bucket};
}

std::vector<DeclaredName> token_names(const Document& document, const Element& diagram) {
  std::vector<DeclaredName> out;
  for (const Element* node : document.nodes(diagram.id)) {
    if (node->kind != "token_bucket") continue;
    out.push_back({.path = {node->name()}, .element = node->id, .value = false});
    for (const char* slot : {"level", "spilt"}) out.push_back({.path = {node->name(), slot}});
  }
  return out;
}

}  // namespace

NotationSpec token_bucket_notation() {
  NotationSpec out{.name = "tokens", .label = "Tokens", .help = "Tokens that flow into buckets."};
  out.kinds = {
      source_kind(),
      bucket_kind(),
      note_kind(),
      {.kind = "token_pipe",
       .label = "Token pipe",
       .section = Section::edge,
       .shortcut = "P",
       .icon = "transition",
       .named = false,
       .help = "Leads tokens from a source to a bucket.",
       .edge_look = [](const Element&) { return EdgeLook{.head = ArrowHead::open, .dash = Dash::long_dash}; }}};
  out.diagrams = {{.name = "tokens",
                   .label = "Token diagram",
                   .menu = "New &token diagram",
                   .stem = "Tokens",
                   .icon = "diagram",
                   .fill = [](Edit& edit, ElementId diagram) {
                     edit.insert({.kind = "token_source", .diagram = diagram, .properties = {{"name", "source1"}}});
                   }}};
  out.edge_kind = [](const Document&, const Element& from, const Element& to, std::string& why_not) -> std::string {
    if (from.kind == "token_source" && to.kind == "token_bucket") return "token_pipe";
    why_not = "A pipe leads from a source to a bucket.";
    return "";
  };
  out.names = token_names;
  out.lowering = token_lowering;
  return out;
}

}  // namespace ergode::test
