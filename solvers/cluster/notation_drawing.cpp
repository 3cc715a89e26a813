#include "solvers/cluster/notation_drawing.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/drawing/node_pen.h"
#include "core/drawing/text_metrics.h"
#include "solvers/cluster/lowering/batch_words.h"
#include "solvers/cluster/lowering/rental_words.h"

namespace ergode {
namespace {

constexpr double line_of_text = 14;

/// s(k) as it is written in papers.
std::string formula(const NodePen& pen) {
  const std::string family = pen.text("speedup", speedup_words[0].name);
  if (family == "amdahl") return "Amdahl, p = " + pen.text("parallel", default_parallel_part);
  if (family == "power") return "s = k^" + pen.text("exponent", default_speedup_exponent);
  if (family == "logarithmic") return "s = 1 + " + pen.text("coefficient", default_speedup_coefficient) + " ln k";
  if (family == "table") return "s " + pen.text("table", default_speedup_table);
  return "s: " + family;
}

/// Smaller letters rather than half an expression.
void fitted(NodePen& pen, Point middle, const std::string& text, Font font, double room) {
  while (font.size > 9 && text_width(text, font) > room) font.size -= 0.5;
  pen.centred(middle, text, font, Role::muted, room);
}

}  // namespace

// A box that jobs come out of, with a line as its flow is drawn.
void draw_job_stream(NodePen& pen) {
  const Rect b = pen.box();
  const double tip = std::min(14.0, b.width / 6);
  pen.polygon({{b.x, b.y},
               {b.right() - tip, b.y},
               {b.right(), b.centre().y},
               {b.right() - tip, b.bottom()},
               {b.x, b.bottom()}},
              pen.border(), pen.fill())
      .line_width = pen.weight();
  const double room = b.width - tip - 12, middle = b.x + (b.width - tip) / 2;
  const double sample = 20;
  const auto place = static_cast<std::size_t>(std::max(0, pen.series()));
  Primitive& line = pen.polyline({{b.x + 8, b.y + 14}, {b.x + 8 + sample, b.y + 14}}, series_role(place));
  line.dash = series_dash(place), line.line_width = thick;
  pen.centred({middle + sample / 2, b.y + 14}, pen.element().name(), name_font, Role::text, room - sample - 8);
  const std::string rate = pen.text("rate");
  if (const std::string trace = pen.text("trace"); !trace.empty()) {
    fitted(pen, {middle, b.y + 44}, "from " + trace, mono_font, room);
    return pen.badge({b.right() - tip, b.y});
  }
  const std::string sink = pen.text("sink"), taken = pen.text("taken");
  const std::string come = !sink.empty()   ? "from " + sink
                           : !rate.empty() ? "rate " + rate
                                           : pen.text("interarrival", default_job_gap);
  double y = b.bottom() - 8 - 2.5 * line_of_text + 4;
  for (const std::string& row : {come, taken.empty() ? pen.text("size", default_job_size) : taken, formula(pen)}) {
    fitted(pen, {middle, y}, row, mono_font, room);
    y += line_of_text;
  }
  pen.badge({b.right() - tip, b.y});
}

// A rack of which a part is rented.
void draw_rental(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 10, pen.border(), pen.fill()).line_width = pen.weight();
  const double side = 9, gap = 4, left = b.centre().x - (5 * side + 4 * gap) / 2;
  for (int gpu = 0; gpu < 5; ++gpu)
    pen.rectangle({left + gpu * (side + gap), b.y + 30, side, side}, 1, pen.border(),
                  gpu < 3 ? pen.border() : pen.fill())
        .line_width = hair;
  pen.centred({b.centre().x, b.y + 15}, pen.element().name(), name_font, Role::text, b.width - 16);
  std::string rules = pen.text("policy", policy_words[0].name);
  std::replace(rules.begin(), rules.end(), '_', ' ');
  if (pen.text("whole_gpus") == "true") rules += ", whole";
  const std::string money = pen.text("money");
  double y = b.y + 54;
  for (const std::string& row :
       {money.empty() ? pen.text("budget", default_budget) + " GPUs on average" : "budget " + money, rules}) {
    fitted(pen, {b.centre().x, y}, row, plain_font, b.width - 16);
    y += line_of_text;
  }
  if (const std::string failures = pen.text("failure_rate"); !failures.empty() && y < b.bottom() - 4)
    fitted(pen, {b.centre().x, y}, "fails " + failures, mono_font, b.width - 16);
  pen.badge({b.right(), b.y});
}

// A rack of hosts one above the other, some of which work.
void draw_host_pool(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 10, pen.border(), pen.fill()).line_width = pen.weight();
  const double wide = 44, high = 6, gap = 3;
  for (int host = 0; host < 3; ++host)
    pen.rectangle({b.centre().x - wide / 2, b.y + 27 + host * (high + gap), wide, high}, 1, pen.border(),
                  host < 2 ? pen.border() : pen.fill())
        .line_width = hair;
  pen.centred({b.centre().x, b.y + 15}, pen.element().name(), name_font, Role::text, b.width - 16);
  std::string hosts = pen.text("hosts", default_hosts) + " hosts";
  if (const std::string gpus = pen.text("accelerators"); !gpus.empty()) hosts += " of " + gpus + " GPUs";
  if (const std::string type = pen.text("type"); !type.empty()) hosts += ", " + type;
  double y = b.y + 62;
  for (const std::string& row : {hosts, pen.text("policy", scheduling_words[0].name)}) {
    fitted(pen, {b.centre().x, y}, row, plain_font, b.width - 16);
    y += line_of_text;
  }
  pen.badge({b.right(), b.y});
}

// Jobs that take each other over.
void draw_provisioner(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 10, pen.border(), pen.fill()).line_width = pen.weight();
  const double wide = 30, high = 6;
  for (int job = 0; job < 3; ++job)
    pen.rectangle({b.centre().x - 42 + job * 27, b.y + 27 + (job % 2) * (high + 2), wide, high}, 1, pen.border(),
                  pen.border())
        .line_width = hair;
  pen.centred({b.centre().x, b.y + 15}, pen.element().name(), name_font, Role::text, b.width - 16);
  double y = b.y + 54;
  for (const std::string& row : {pen.text("policy", provisioner_words[0].name),
                                 pen.text("chain_jobs", "2") + " jobs of " + pen.text("limit", "48 h")}) {
    fitted(pen, {b.centre().x, y}, row, plain_font, b.width - 16);
    y += line_of_text;
  }
  pen.badge({b.right(), b.y});
}

}  // namespace ergode
