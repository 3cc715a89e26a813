#include "solvers/queueing/notation_drawing.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "core/base/text.h"
#include "core/drawing/node_pen.h"
#include "core/drawing/text_metrics.h"
#include "solvers/queueing/lowering/network_lowering.h"

namespace ergode {
namespace {

/// The last letters of a law are cut off where they do not fit: "exponential(mean = 1 s)".
void law(NodePen& pen, Point middle, const char* property, const char* otherwise, double room) {
  pen.centred(middle, pen.text(property, otherwise), mono_font, Role::muted, room);
}

/// What is written where a few letters have room.
constexpr std::size_t few_letters = 4;
constexpr double row_height = 13;

/// The word of a discipline as it is written in papers: "PS", "LCFS-PR".
std::string short_word(std::string word) {
  if (word == "polling") return word;
  for (char& c : word) c = c == '_' ? '-' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return word;
}

struct DrawnRow {
  std::string text;
  Font font = mono_font;
};

/// Below the queue: the law, the number of servers where it is an expression, and what is not as usual.
std::vector<DrawnRow> rows_of(const NodePen& pen, const std::string& servers) {
  std::vector<DrawnRow> out = {{pen.text("service", default_time)}};
  if (const std::string by_class = pen.text("service_of"); !by_class.empty()) out.back().text = by_class;
  if (servers.size() > few_letters) out.push_back({"c = " + servers});
  std::string special;
  const auto also = [&](const std::string& text) { special += (special.empty() ? "" : " \u00b7 ") + text; };
  if (const std::string word = pen.text("discipline", "fcfs"); word != "fcfs") also(short_word(word));
  if (const std::string capacity = pen.text("capacity"); !capacity.empty()) {
    also("max " + capacity);
    std::string full = pen.text("when_full", "lose");
    std::replace(full.begin(), full.end(), '_', ' ');
    also(full);
  }
  if (!special.empty()) out.push_back({special, {mono_font.size}});
  return out;
}

constexpr std::size_t most_drawn = 3;  // servers

/// A station at the moment shown.
struct Crew {
  bool shown = false;
  std::vector<Present> line;     ///< who stands in the places, the next one first
  std::vector<Present> servers;  ///< those that are drawn, one by one: those who serve, with whom, then the others
  std::uint64_t all = 0, busy = 0;
};

/// @param most  servers that there are at most: where more are served at once (shared servers, batches) the others
///     stand in line.
Crew crew_of(NodePen& pen, double most) {
  Crew out;
  const std::vector<Present>* here = pen.present();
  if (here == nullptr) return out;
  out.shown = true;
  for (const bool serving : {true, false})
    for (Present one : *here) {
      if (one.standing == Standing::waiting || one.standing == Standing::outside || one.somebody() != serving) continue;
      const double room = std::max(0.0, most - static_cast<double>(out.all));
      const auto taken = static_cast<std::uint32_t>(std::min(room, static_cast<double>(one.count)));
      out.all += taken, out.busy += serving ? taken : 0;
      one.count -= taken;
      if (serving && one.count > 0) out.line.push_back(one);
      one.count = 1;
      for (std::uint32_t i = 0; i < taken && out.servers.size() < most_drawn; ++i) out.servers.push_back(one);
    }
  for (const Present& one : *here)
    if (one.standing == Standing::waiting) out.line.push_back(one);
  return out;
}

/// What a server does: whom it serves, or why nobody.
void draw_server(NodePen& pen, const Rect& round, const Present& server) {
  const Point c = round.centre();
  const double arm = round.width / 5;
  switch (server.standing) {
    case Standing::down:
      pen.polyline({{c.x - arm, c.y - arm}, {c.x + arm, c.y + arm}}, Role::failure).line_width = thick;
      pen.polyline({{c.x - arm, c.y + arm}, {c.x + arm, c.y - arm}}, Role::failure).line_width = thick;
      return;
    case Standing::away:
      for (const double x : {-arm, 0.0, arm}) pen.ellipse({c.x + x - 1, c.y - 1, 2, 2}, Role::none, Role::muted);
      return;
    case Standing::idle:
      return;
    default:
      pen.dot(c, std::min(6.0, round.width / 3), server);
  }
}

}  // namespace

// A triangle on its side: customers come out at its tip.
void draw_source(NodePen& pen) {
  const Rect b = pen.box();
  pen.polygon({{b.x, b.y}, {b.right(), b.centre().y}, {b.x, b.bottom()}}, pen.border(), pen.fill()).line_width =
      pen.weight();
  pen.beside();
}

// The other way round.
void draw_sink(NodePen& pen) {
  const Rect b = pen.box();
  pen.ellipse(b, pen.border(), pen.fill()).line_width = pen.weight();
  const double in = b.width / 4;
  pen.ellipse({b.x + in, b.y + in, b.width - 2 * in, b.height - 2 * in}, pen.border(), pen.border());
  pen.beside();
}

// As textbooks have it: an open box with places, and the servers behind it: three at most, and how many there are.
// While a history is shown, customers stand in the places, the next one beside the servers, and at the servers.
void draw_station(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 4, pen.border(), pen.fill()).line_width = pen.weight();
  const std::string servers = pen.text("servers", "1");
  const auto number = parse_number(servers);
  const Crew crew = crew_of(pen, number.value_or(std::numeric_limits<double>::infinity()));
  const bool few = number && *number <= static_cast<double>(most_drawn);
  auto circles = few && *number >= 0 ? static_cast<std::size_t>(*number) : most_drawn;
  std::string count = few ? "" : servers.size() > few_letters ? "\u00d7c" : "\u00d7" + servers;
  if (crew.shown && !few) {
    circles = crew.servers.size();
    count = std::to_string(crew.busy) + "/" + std::to_string(crew.all);
  }
  const std::vector<DrawnRow> rows = rows_of(pen, servers);
  const double top = b.y + 22, bottom = b.bottom() - 4 - row_height * static_cast<double>(rows.size()) - 2;
  const double height = std::clamp(bottom - top, 10.0, 34.0), middle = (top + std::max(bottom, top + 10)) / 2;
  const double circle = std::min(height, 20.0), letters = count.empty() ? 0.0 : text_width(count, plain_font) + 4;
  const double left = b.x + 12, right = b.right() - 12 - letters - static_cast<double>(circles) * (circle + 2);
  const double above = middle - height / 2, below = middle + height / 2;
  pen.polyline({{left, above}, {right, above}, {right, below}, {left, below}}, pen.border());
  constexpr int places = 5;
  const double wide = std::min(12.0, (right - left) / (places + 1));
  for (int place = 1; place <= places; ++place) {
    const double x = right - place * wide;
    pen.polyline({{x, above}, {x, below}}, pen.border()).line_width = hair;
  }
  pen.row({left + 2, middle - 4.5, right - left - 2, 9}, crew.line, wide, true);
  for (std::size_t one = 0; one < circles; ++one) {
    const Rect round{right + 2 + static_cast<double>(one) * (circle + 2), middle - circle / 2, circle, circle};
    pen.ellipse(round, pen.border(), pen.fill());
    if (one < crew.servers.size()) draw_server(pen, round, crew.servers[one]);
  }
  if (!count.empty()) pen.centred({b.right() - 10 - letters / 2, middle}, count, plain_font, Role::text, letters + 4);
  pen.centred({b.centre().x, b.y + 12}, pen.element().name(), name_font, Role::text, b.width - 12);
  double line = b.bottom() - 4 - row_height * (static_cast<double>(rows.size()) - 0.5);
  for (DrawnRow row : rows) {
    // Smaller letters rather than half an expression.
    while (row.font.size > 9 && text_width(row.text, row.font) > b.width - 10) row.font.size -= 0.5;
    pen.centred({b.centre().x, line}, row.text, row.font, Role::muted, b.width - 8);
    line += row_height;
  }
  pen.number_at_corner();
  pen.badge({b.right(), b.y});
}

void draw_those_inside(NodePen& pen) {
  const Rect b = pen.box();
  if (const std::vector<Present>* here = pen.present(); here != nullptr) {
    std::vector<Present> inside;
    for (const Present& one : *here)
      if (one.somebody() && one.standing != Standing::outside) inside.push_back(one);
    pen.row({b.x + b.height / 2, b.bottom() - 9, b.width - b.height, 8}, inside, 9, false);
  }
  pen.number_at_corner();
}

// A queue nobody waits in: time passes.
void draw_delay(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, b.height / 2, pen.border(), pen.fill()).line_width = pen.weight();
  pen.centred({b.centre().x, b.centre().y - 9}, pen.element().name(), name_font, Role::text, b.width - b.height / 2);
  law(pen, {b.centre().x, b.centre().y + 9}, "time", default_time, b.width - b.height / 2);
  draw_those_inside(pen);
  pen.badge({b.right() - 8, b.y + 4});
}

void draw_router(NodePen& pen) {
  const Rect b = pen.box();
  const Point c = b.centre();
  pen.polygon({{c.x, b.y}, {b.right(), c.y}, {c.x, b.bottom()}, {b.x, c.y}}, pen.border(), pen.fill()).line_width =
      pen.weight();
  pen.beside();
}

// A router with two ways in it that cross.
void draw_class_switch(NodePen& pen) {
  const Rect b = pen.box();
  const Point c = b.centre();
  pen.polygon({{c.x, b.y}, {b.right(), c.y}, {c.x, b.bottom()}, {b.x, c.y}}, pen.border(), pen.fill()).line_width =
      pen.weight();
  const double arm = b.width / 6;
  pen.polyline({{c.x - arm, c.y - arm}, {c.x + arm, c.y + arm}}, pen.border());
  pen.polyline({{c.x - arm, c.y + arm}, {c.x + arm, c.y - arm}}, pen.border());
  pen.beside();
}

void draw_class(NodePen& pen) {
  const Rect b = pen.box();
  const double ear = 12, line = 20;
  pen.polygon({{b.x, b.y},
               {b.right() - ear, b.y},
               {b.right(), b.centre().y},
               {b.right() - ear, b.bottom()},
               {b.x, b.bottom()}},
              pen.border(), pen.fill())
      .line_width = pen.weight();
  const std::string population = pen.text("population");
  const bool closed = !population.empty() && population != "0";
  // Its flows look like this.
  const auto place = static_cast<std::size_t>(std::max(0, pen.series()));
  Primitive& sample = pen.polyline({{b.x + 8, b.centre().y}, {b.x + 8 + line, b.centre().y}}, series_role(place));
  sample.dash = series_dash(place), sample.line_width = thick;
  if (pen.present() != nullptr) pen.dot({b.x + 8 + line / 2, b.centre().y}, 5, {.sort = pen.element().id});
  pen.centred({b.centre().x + (8 + line - ear) / 2, b.centre().y},
              closed ? pen.element().name() + ": " + population : pen.element().name(), closed ? name_font : plain_font,
              Role::text, b.width - ear - line - 16);
  pen.badge({b.right() - ear, b.y});
}

}  // namespace ergode
