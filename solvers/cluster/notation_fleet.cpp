#include "solvers/cluster/notation_fleet.h"

#include <algorithm>

#include "core/catalogue/element_figure.h"
#include "core/drawing/node_pen.h"
#include "solvers/cluster/lowering/fleet_lowering.h"
#include "solvers/cluster/lowering/fleet_words.h"
#include "solvers/cluster/notation_failures.h"
#include "solvers/cluster/notation_properties.h"

namespace ergode {
namespace {

using namespace cluster_properties;

PropertySpec of_variation(PropertySpec property, std::vector<std::string> sources) {
  return only_when(std::move(property), "variation", std::move(sources));
}

std::vector<PropertySpec> fleet_properties() {
  return {
      name_of_node(),
      amount("nodes", "Nodes", "A whole number from 1; at most 100,000 GPUs together.", default_fleet_nodes),
      amount("gpus_per_node", "GPUs of a node", "A whole number from 1 to 1024.", default_node_gpus),
      behaviour_property("type", "Type of GPU", PropertyType::text, "For people: V100."),
      hinted(amount("memory", "Memory of a GPU", "0 or more; empty: it is not asked whether jobs fit.", "", "GiB"),
             "not asked"),
      pool_speed(),
      amount("price", "Price", "Of a GPU, whether it works or not, 0 or more.", "0 USD/h", "USD/h"),
      hinted(amount("power", "Power",
                    "Of a GPU that works, 0 or more. Empty: of each what is known of it (power_cap, sgemm_longhorn, "
                    "measured with power_w), else 0 W.",
                    "", "W"),
             "of each GPU"),
      choice_of("placement", "Placement", "Which free GPUs a job gets.", placement_words),
      choice_of("baseline", "Compared with",
                "The same jobs are run on the same GPUs under this placement too, so that baseline_response_time, "
                "baseline_slowdown, baseline_makespan and baseline_utilisation can be compared history by history.",
                baseline_words),
      choice_of("queue", "Queue", "Who begins when not all jobs fit.", fleet_order_words),
      choice_of("variation", "Variation", "How much GPUs that should be alike differ; each history draws its own.",
                variation_words),
      of_variation(hinted(amount("scale_to", "Scaled to V",
                                 "Variation of class A, whisker range over median, above 0 to 1; the other classes "
                                 "are stretched by the same factor. Empty: as measured."),
                          "as measured"),
                   {"longhorn", "sgemm_longhorn", "frontera", "frontera_32", "lonestar6", "measured"}),
      of_variation(amount("tail_probability", "Failing GPUs", "Share of hot or failing ones, 5 to 20 % slower; 0 to 1.",
                          "0.0153061224"),
                   {"power_cap"}),
      of_variation(
          file_named("measurements", "Measurements",
                     "A CSV file, or a parameter of type file: app (A, B, C or D), gpu, perf_ms, node, cabinet, "
                     "run; of one application it is class A."),
          {"measured"})};
}

// Nodes of GPUs, of which some are slower than others.
void draw_gpu_fleet(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 10, pen.border(), pen.fill()).line_width = pen.weight();
  const double side = 9, gap = 3, wide = 4 * side + 3 * gap, left = b.centre().x - wide - 5;
  for (int node = 0; node < 2; ++node)
    for (int gpu = 0; gpu < 4; ++gpu) {
      // Heights are speeds.
      const double high = side + (gpu * 3 + node * 2) % 5;
      pen.rectangle({left + node * (wide + 10) + gpu * (side + gap), b.y + 42 - high, side, high}, 1, pen.border(),
                    gpu < 3 - node ? pen.border() : pen.fill())
          .line_width = hair;
    }
  const double room = b.width - 16;
  pen.centred({b.centre().x, b.y + 15}, pen.element().name(), name_font, Role::text, room);
  std::string gpus =
      pen.text("nodes", default_fleet_nodes) + " nodes of " + pen.text("gpus_per_node", default_node_gpus);
  if (const std::string type = pen.text("type"); !type.empty()) gpus += ", " + type;
  std::string rules =
      pen.text("placement", placement_words[0].name) + ", " + pen.text("variation", variation_words[0].name);
  std::replace(rules.begin(), rules.end(), '_', ' ');
  pen.centred({b.centre().x, b.y + 58}, gpus, plain_font, Role::text, room);
  pen.centred({b.centre().x, b.y + 76}, rules, plain_font, Role::text, room);
  pen.badge({b.right(), b.y});
}

ElementFigure fleet_average(const std::string& name, const std::string& word, const std::string& label,
                            const char* symbol) {
  const std::string slot = name + "." + word;
  return {.key = word,
          .label = label,
          .symbol = symbol,
          .measure = {{"name", name + "_" + word},
                      {"label", label + " of " + name},
                      {"type", "time_average"},
                      {"expression", slot}},
          .answers = {{.expression = slot}}};
}

ElementFigure fleet_observed(const std::string& name, const std::string& word, const std::string& label,
                             const char* symbol, const std::string& unit) {
  const std::string stream = name + "." + word;
  return {.key = word,
          .label = label,
          .symbol = symbol,
          .measure = {{"name", name + "_" + word},
                      {"label", label + " at " + name},
                      {"type", "observed_mean"},
                      {"of", stream},
                      {"unit", unit}},
          .answers = {{.stream = stream}}};
}

std::vector<ElementFigure> fleet_figures(const Document& document, const Element& fleet) {
  const std::string name = fleet.name();
  return {fleet_average(name, "busy", "Mean GPUs in use", "K"),
          fleet_average(name, "waiting", "Mean jobs waiting", "Q"),
          fleet_observed(name, "response_time", "Mean response time", "T", document.model().text("time_unit", "h")),
          fleet_observed(name, "slowdown", "Mean slowdown", "s", "")};
}

KindSpec fleet_kind() {
  KindSpec out{.kind = "gpu_fleet",
               .label = "GPU fleet",
               .shortcut = "U",
               .icon = "gpu_fleet",
               .width = 220,
               .height = 92,
               .help =
                   "GPUs that should be alike and are not, in nodes, and how jobs that wait for the slowest of "
                   "theirs are placed on them."};
  out.properties = fleet_properties();
  for (PropertySpec& one : host_failure_properties()) out.properties.push_back(std::move(one));
  out.stem = "fleet";
  out.draw = draw_gpu_fleet;
  out.report_columns = {"nodes",           "gpus_per_node", "type",   "placement", "queue",
                        "variation",       "failure",       "repair", "up_while",  "checkpoint_period",
                        "checkpoint_cost", "restart",       "requeue"};
  out.report_caption = "GPU fleets of *";
  out.figures = fleet_figures;
  return out;
}

std::vector<DeclaredName> names_of_fleets(const Document& document, const Element& diagram) {
  return names_of_nodes(document, diagram, fleet_slots_of_kind, fleet_streams_of_kind);
}

}  // namespace

NotationSpec fleet_notation() {
  NotationSpec out{.name = "cluster", .label = "Cluster", .help = ""};
  out.kinds = {fleet_kind()};
  out.names = names_of_fleets;
  out.lowering = fleet_lowering;
  return out;
}

std::vector<PropertySpec> fleet_job_properties() {
  return {choice_of("application", "Class of application", "For fleets of GPUs: what bounds it.", application_words),
          hinted(amount("locality_penalty", "Penalty of several nodes",
                        "For fleets of GPUs: times slower, from 1 on; empty: that of the class, A 1.16, B and C 1, D "
                        "1.1."),
                 "of the class"),
          hinted(amount("gpu_memory", "Memory of each GPU",
                        "For fleets of GPUs and pools of hosts: that a job needs, 0 or more.", "", "GiB"),
                 "not asked"),
          hinted(amount("most_jobs", "Jobs that come",
                        "At most so many, then no more; of a trace the first. A whole number from 1."),
                 "without end")};
}

}  // namespace ergode
