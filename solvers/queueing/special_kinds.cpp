#include "solvers/queueing/special_kinds.h"

#include <algorithm>
#include <iterator>

#include "core/drawing/node_pen.h"
#include "core/drawing/plug_box.h"
#include "core/plugin/plugin_properties.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "solvers/queueing/notation_drawing.h"
#include "solvers/queueing/notation_figures.h"
#include "solvers/queueing/notation_ways.h"

namespace ergode {
namespace {

using namespace queueing_kinds;

// A bar from which, or to which, ways lead side by side.
void draw_bar(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 2, pen.border(), pen.border(Role::text)).line_width = pen.weight();
  pen.beside();
}

/// Beside the sign, below its name: for whom it waits, where that is not for all.
void draw_quorum(NodePen& pen) {
  double y = pen.box().y + 15;
  for (const char* property : {"wait_for", "wait_for_parts", "wait_for_of"})
    if (const std::string text = pen.text(property); !text.empty()) {
      pen.words({pen.box().right() + 4, y}, text, mono_font, Role::muted);
      y += 13;
    }
}

void draw_join(NodePen& pen) {
  draw_bar(pen);
  draw_quorum(pen);
}

// A bar in a box: those who come through are counted.
void draw_gate(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 3, pen.border(), pen.fill()).line_width = pen.weight();
  pen.polyline({{b.centre().x, b.y + 5}, {b.centre().x, b.bottom() - 5}}, pen.border()).line_width = thick;
  pen.beside();
}

// Two bars: so many come, so many go.
void draw_scaler(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 3, pen.border(), pen.fill()).line_width = pen.weight();
  for (const double x : {b.x + b.width / 3, b.x + 2 * b.width / 3})
    pen.polyline({{x, b.y + 5}, {x, b.bottom() - 5}}, pen.border()).line_width = thick;
  pen.beside();
  draw_quorum(pen);
}

// A page with lines.
void draw_logger(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 2, pen.border(), pen.fill()).line_width = pen.weight();
  for (int line = 1; line <= 3; ++line) {
    const double y = b.y + line * b.height / 4;
    pen.polyline({{b.x + 6, y}, {b.right() - 6, y}}, pen.border()).line_width = hair;
  }
  pen.beside();
}

void draw_hexagon(NodePen& pen) {
  const Rect b = pen.box();
  const double in = b.height / 3;
  pen.polygon({{b.x + in, b.y},
               {b.right() - in, b.y},
               {b.right(), b.centre().y},
               {b.right() - in, b.bottom()},
               {b.x + in, b.bottom()},
               {b.x, b.centre().y}},
              pen.border(), pen.fill())
      .line_width = pen.weight();
  pen.centred(b.centre(), pen.element().name() + ": " + pen.text("units", "1"), name_font, Role::text,
              b.width - 2 * in);
  pen.badge({b.right() - in, b.y});
}

/// What a node at which units are taken or given back has in it.
void draw_use(NodePen& pen, const char* sign) {
  const Rect b = pen.box();
  pen.rectangle(b, 6, pen.border(), pen.fill()).line_width = pen.weight();
  pen.centred({b.centre().x, b.centre().y - 9}, pen.element().name(), name_font, Role::text, b.width - 12);
  pen.centred({b.centre().x, b.centre().y + 9},
              sign + pen.text("units", sign[0] == '+' ? "1" : "all") + " " + pen.text("pool"), mono_font, Role::muted,
              b.width - 12);
  pen.badge({b.right(), b.y});
}
void draw_seize(NodePen& pen) { draw_use(pen, "+"); }
void draw_release(NodePen& pen) { draw_use(pen, "\u2212"); }

void draw_region(NodePen& pen) {
  const Rect b = pen.box();
  Primitive& box = pen.rectangle(b, 8, pen.border(Role::failure), pen.fill());
  box.line_width = pen.weight(), box.dash = Dash::dashed;
  pen.centred({b.centre().x, b.centre().y - 9}, pen.element().name() + ": at most " + pen.text("capacity", "any"),
              name_font, Role::text, b.width - 12);
  pen.centred({b.centre().x, b.centre().y + 9}, pen.text("stations"), mono_font, Role::muted, b.width - 12);
  pen.badge({b.right(), b.y});
}

// A cart is too small to draw: an arrow along a line.
void draw_transport(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, b.height / 2, pen.border(), pen.fill()).line_width = pen.weight();
  pen.centred({b.centre().x, b.centre().y - 9}, pen.element().name() + " \u2192", name_font, Role::text,
              b.width - b.height / 2);
  pen.centred({b.centre().x, b.centre().y + 9}, pen.text("distance", "100 m") + " at " + pen.text("speed", "1 m/s"),
              mono_font, Role::muted, b.width - b.height / 2);
  draw_those_inside(pen);
  pen.badge({b.right() - 8, b.y + 4});
}

/// As on a die, up to five; more as a number, with one of each sort below it.
void draw_marking(NodePen& pen, const std::vector<Present>& here) {
  constexpr double die[5][5][2] = {{{0, 0}},
                                   {{-1, 0}, {1, 0}},
                                   {{-1, 1}, {0, -1}, {1, 1}},
                                   {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}},
                                   {{-1, -1}, {1, -1}, {0, 0}, {-1, 1}, {1, 1}}};
  const Point c = pen.box().centre();
  const std::uint64_t all = number_there(here);
  if (all == 0) return;
  if (all > std::size(die)) {
    pen.centred({c.x, c.y - 5}, std::to_string(all), name_font, Role::text, pen.box().width - 6);
    std::vector<Present> sorts;
    for (Present one : here) {
      one.count = 1;
      if (std::find(sorts.begin(), sorts.end(), one) == sorts.end()) sorts.push_back(one);
    }
    const double width = 10.0 * static_cast<double>(std::min<std::size_t>(sorts.size(), 3));
    return pen.row({c.x - width / 2, c.y + 5, width + 0.5, 9}, sorts, 10, false);
  }
  const double step = pen.box().width / 5, radius = pen.box().width / 10;
  std::size_t next = 0;
  for (const Present& one : here)
    for (std::uint32_t i = 0; one.somebody() && i < one.count && next < all; ++i, ++next) {
      const auto& place = die[all - 1][next];
      pen.dot({c.x + place[0] * step, c.y + place[1] * step}, radius, one);
    }
  pen.number_at_corner();
}

void draw_place(NodePen& pen) {
  const Rect b = pen.box();
  pen.ellipse(b, pen.border(), pen.fill()).line_width = pen.weight();
  if (const std::vector<Present>* here = pen.present(); here != nullptr) {
    draw_marking(pen, *here);
    return pen.beside();
  }
  const std::string tokens = pen.text("tokens");
  if (tokens == "1") {
    const double r = b.width / 8;
    pen.ellipse({b.centre().x - r, b.centre().y - r, 2 * r, 2 * r}, Role::text, Role::text);
  } else if (!tokens.empty() && tokens != "0") {
    pen.centred(b.centre(), tokens, name_font, Role::text, b.width - 8);
  }
  pen.beside();
}

// Immediate ones are filled, as the field has it.
void draw_transition(NodePen& pen) {
  const Rect b = pen.box();
  const bool immediate = pen.text("time").empty();
  pen.rectangle(b, 0, pen.border(), immediate ? pen.border(Role::text) : pen.fill()).line_width = pen.weight();
  pen.beside();
}

/// A small sign with its name beside it.
KindSpec sign(const char* kind, const char* label, const char* help, double width, double height,
              void (*draw)(NodePen&), std::vector<PropertySpec> more) {
  KindSpec out{.kind = kind, .label = label, .icon = kind, .width = width, .height = height, .help = help};
  out.properties = {name_property(identifier)};
  out.properties.insert(out.properties.end(), more.begin(), more.end());
  out.stem = kind;
  out.ports = Ports::centres;
  out.draw = draw;
  return out;
}

KindSpec box(const char* kind, const char* label, const char* help, double width, double height, void (*draw)(NodePen&),
             std::vector<PropertySpec> more) {
  KindSpec out = sign(kind, label, help, width, height, draw, std::move(more));
  out.ports = {};
  return out;
}

PropertySpec number(const char* name, const char* label, const char* help, const char* otherwise) {
  return behaviour_property(name, label, Type::integer, help, otherwise);
}

PropertySpec pool_reference() {
  PropertySpec out = behaviour_property("pool", "Pool", Type::reference, "Left out: the only one.");
  out.reference = "pool";
  return out;
}

// A station with a plug at its side.
void draw_plugin_station(NodePen& pen) {
  const Rect b = pen.box();
  draw_plug_box(pen);
  const double y = b.centre().y;
  const double left = b.x + 32, room = b.right() - left - 8, middle = (left + b.right()) / 2;
  pen.centred({middle, y - 9}, pen.element().name(), name_font, Role::text, room);
  pen.centred({middle, y + 9}, pen.text("plugin", "no plugin"), mono_font, Role::muted, room);
  draw_those_inside(pen);
  pen.badge({b.right() - 8, b.y + 4});
}

/// Made of the manifests of the plugins that are here.
KindSpec plugin_station_kind() {
  std::vector<PropertySpec> properties = plugin_properties(PluginCapability::station, "Which serves customers here.");
  PropertySpec up = behaviour_property("up", "Up", Type::expression,
                                       "While it is false the station's clock stands: in(host[1].Up).", "true");
  properties.insert(properties.begin() + 1, {std::move(up), choice("when_down", "When down",
                                                                   "What becomes of who is there.", when_down_words)});
  KindSpec out = box("plugin_station", "Plugin station",
                     "A plugin serves customers here, by the clock of the network: `ergode plugins list`.", 190, 56,
                     draw_plugin_station, with_routing(std::move(properties)));
  out.stem = "server";
  out.preview = ways_preview;
  out.figures = delay_figures;
  out.report_columns = {"plugin", "*"};
  out.report_caption = "Plugin stations of *";
  return out;
}

}  // namespace

std::vector<KindSpec> special_kinds() {
  const std::vector<PropertySpec> quorum = {
      number("wait_for", "Waits for", "So many of those of one customer; empty: all.", ""),
      naming("job_class", behaviour_property("wait_for_parts", "Waits for, by class of parts", Type::arguments,
                                             "Of those of one customer so many of each class: user = 2, batch = 1. "
                                             "With a number too it waits for both.")),
      naming("job_class", behaviour_property("wait_for_of", "Waits for, by class of the whole", Type::arguments,
                                             "Of customers of a class instead: gold = 2, bulk = all, mail = "
                                             "parts(user = 2, batch = 1)."))};
  std::vector<KindSpec> out = {
      sign("fork", "Fork", "A customer becomes as many as its flows say, which go on side by side.", 12, 60, draw_bar,
           {}),
      sign("join", "Join", "Those of one customer wait here for each other, and he goes on.", 12, 60, draw_join,
           with_routing(quorum)),
      sign("semaphore", "Semaphore", "Those of one customer wait here until so many have come; later ones pass.", 36,
           36, draw_gate,
           with_routing({number("threshold", "Threshold", "How many must have come.", "1"),
                         naming("job_class",
                                behaviour_property("threshold_of", "Threshold by class of the whole", Type::arguments,
                                                   "Of customers of a class instead, of whatever class "
                                                   "their parts are: gold = 2, bulk = 3."))})),
      sign("scaler", "Scaler", "Those of one customer come together and are split anew.", 36, 36, draw_scaler, quorum),
      sign("logger", "Logger", "Observes when customers pass, how old they are, and what they have.", 36, 36,
           draw_logger,
           with_routing(
               {behaviour_property("value", "Value", Type::expression,
                                   "Observed of who passes, as NAME.value: tokens * 2 USD."),
                behaviour_property("value_unit", "Unit of the value", Type::text, "USD, MB, s; empty: none.")})),
      box("transport", "Transport", "Customers travel here.", 200, 52, draw_transport,
          with_routing({behaviour_property("distance", "Distance", Type::expression, "How far.", "100 m"),
                        behaviour_property("speed", "Speed", Type::expression, "How fast.", "1 m/s")})),
      box("seize", "Seize", "Customers wait here for units of a pool, by priority, then in their order.", 130, 48,
          draw_seize,
          with_routing({pool_reference(),
                        number("units", "Units", "How many; may read attributes of the customer.", "1"),
                        behaviour_property("preempts", "Takes units away", Type::boolean,
                                           "Where too few are free: from holders of lower priority, who stop and wait "
                                           "for them, as their station says (interrupted service).",
                                           "false")})),
      box("release", "Release", "Customers give units back.", 130, 48, draw_release,
          with_routing({pool_reference(), number("units", "Units", "How many; empty: all that they hold.", "")})),
      box("pool", "Resource pool", "Units that customers hold from a seize to a release.", 140, 40, draw_hexagon,
          {behaviour_property("units", "Units", Type::integer,
                              "A whole number >= 0; an expression may change while the model runs.", "1")}),
      box("region", "Capacity region", "So many customers at most are in its stations.", 200, 52, draw_region,
          {naming("station delay", behaviour_property("stations", "Stations", Type::text,
                                                      "Names of stations and delays: desk, printer.")),
           number("capacity", "Capacity", "Most customers in it; empty: any number.", ""),
           naming("job_class",
                  behaviour_property("capacity_of", "Capacity by class", Type::arguments, "gold = 3, bulk = 1.")),
           choice("when_full", "When full", "What becomes of who comes.", region_words),
           naming("job_class", behaviour_property("loses", "Classes lost", Type::text,
                                                  "Only these are lost, the others wait: x, y."))}),
      sign("place", "Place", "Holds customers as tokens, for transitions to take.", 44, 44, draw_place,
           {number("tokens", "Tokens", "At time zero.", "0"), class_reference("Of tokens at time zero.")}),
      sign("transition", "Transition", "Takes tokens from places and sends them on, or new customers.", 14, 48,
           draw_transition,
           {time("time", "Time", "From being enabled to firing; empty: none, and it fires at once."),
            behaviour_property("servers", "Servers", Type::expression,
                               "How many firings may be under way at once; infinite: any number.", "1"),
            number("priority", "Priority", "Of those without time the greatest fires first.", "0"),
            behaviour_property("weight", "Weight", Type::expression, "Of those without time and of equal priority.",
                               "1")})};
  out.push_back(plugin_station_kind());
  // Charts have pictures of these names.
  for (KindSpec& one : out)
    if (one.kind == "region") one.icon = "capacity_region";
    else if (one.kind == "transition") one.icon = "petri_transition";
  return out;
}

}  // namespace ergode
