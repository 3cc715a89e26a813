// What a notation needs to be drawn: shapes, labels, names, rules.
#include "core/base/unit.h"
#include "core/document/command.h"
#include "core/drawing/node_pen.h"
#include "core/expression/syntax.h"
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

/// "3 /h": an expression; a mere number must have the unit of a rate.
std::variant<PropertyTexts, Diagnostic> read_rate(const Document&, const Element&, const std::string& text) {
  const auto wrong = [&](std::string message, int column) {
    return Diagnostic{
        .code = "TOK001", .message = std::move(message), .hint = "write a rate such as 3 /h", .column = column};
  };
  const auto parsed = parse_expression(text);
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) return wrong(error->message, error->column);
  const Syntax& rate = std::get<Syntax>(parsed);
  const auto unit = parse_unit(rate.unit);
  if (rate.kind == Syntax::Kind::number && (!unit || unit->dimension != Dimension::per_time()))
    return wrong("\"" + rate.unit + "\" is no unit of a rate", rate.unit_begin + 1);
  return PropertyTexts{{"rate", text}};
}

KindSpec source_kind() {
  return {.kind = "token_source",
          .label = "Token source",
          .shortcut = "K",
          .icon = "initial",
          .width = 60,
          .height = 60,
          .help = "Emits tokens, one at a time, at exponentially distributed intervals.",
          .properties = {name_property("Unique in the model."),
                         {.name = "rate",
                          .label = "Rate",
                          .type = PropertyType::quantity,
                          .group = "Behaviour",
                          .default_text = "1 /h",
                          .dimension = "/h",
                          .help = "Tokens per time, >= 0."}},
          .ports = Ports::centres,
          .draw = draw_source,
          .label_hint = "rate",
          .write_label = [](const Element& source) { return source.text("rate", "1 /h"); },
          .read_label = read_rate};
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
                         {.name = "capacity",
                          .label = "Capacity",
                          .type = PropertyType::integer,
                          .group = "Behaviour",
                          .default_text = "1",
                          .help = "Most tokens it holds, >= 1."},
                         {.name = "overflow_event",
                          .label = "Overflow event",
                          .group = "Behaviour",
                          .help = "Chart event raised by a token that finds the bucket full; empty: none."},
                         {.name = "empty_when",
                          .label = "Empty when",
                          .type = PropertyType::predicate,
                          .group = "Behaviour",
                          .help = "Condition that empties it when it comes to hold."}},
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
                     Element source{.kind = "token_source", .diagram = diagram};
                     source.properties = {{"name", "source1"}};
                     edit.insert(source);
                   }}};
  out.refuse_parent = [](const Document&, const std::string&, const Element* parent) -> std::string {
    return parent == nullptr ? "" : "Sources and buckets stand directly in the diagram.";
  };
  out.edge_kind = [](const Document&, const Element& from, const Element& to, std::string& why_not) -> std::string {
    if (from.kind == "token_source" && to.kind == "token_bucket") return "token_pipe";
    why_not = "A pipe leads from a source to a bucket.";
    return "";
  };
  out.names = token_names;
  return out;
}

}  // namespace ergode::test
