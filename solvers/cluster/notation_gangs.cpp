#include "solvers/cluster/notation_gangs.h"

#include <algorithm>

#include "core/catalogue/element_figure.h"
#include "core/drawing/node_pen.h"
#include "solvers/cluster/lowering/gang_lowering.h"
#include "solvers/cluster/lowering/gang_words.h"
#include "solvers/cluster/notation_failures.h"
#include "solvers/cluster/notation_properties.h"

namespace ergode {
namespace {

using namespace cluster_properties;

PropertySpec gang_of(PropertySpec property, const char* policy, const char* empty_hint = "") {
  return hinted(only_when(std::move(property), "policy", {policy}), empty_hint);
}

std::vector<PropertySpec> gpu_cluster_properties() {
  return {name_of_node(),
          amount("gpus", "GPUs", "A whole number from 1.", default_cluster_gpus),
          amount("gpus_per_host", "GPUs of a host", "A whole number from 1; the last host has what is left.",
                 default_gpus_per_host),
          behaviour_property("type", "Type of GPU", PropertyType::text, "For people: A100."),
          pool_speed(),
          choice_of("policy", "Scheduler", "Who gets GPUs when some are free.", gang_policy_words),
          behaviour_property("consolidated", "Consolidated", PropertyType::boolean,
                             "A job up to the GPUs of a host waits for one host that has room for it; a wider one for "
                             "whole hosts and one for what is left over.",
                             "false"),
          amount("restart", "Time to restart",
                 "For which a job that was stopped, or has lost a host, holds its GPUs before it goes on, >= 0 s.",
                 "0 s", "s"),
          gang_of(behaviour_property("thresholds", "Thresholds", PropertyType::expression,
                                     "GPU time in seconds, rising: a job that had the first of them falls into the "
                                     "second queue, and so on.",
                                     default_thresholds),
                  "las"),
          gang_of(amount("promote_after", "Promote after",
                         "Who has waited for so many times the time that he has worked begins again in the first "
                         "queue, > 0; empty: nobody does.",
                         ""),
                  "las", "never"),
          gang_of(behaviour_property("weights", "Weights of users", PropertyType::expression,
                                     "A list as [2, 1], above 0, in the order of streams and in a trace in that of the "
                                     "first jobs; of further ones 1.",
                                     ""),
                  "drf", "all alike"),
          hinted(amount("cpus", "CPUs", "Of the whole cluster, > 0; empty: enough for everybody."), "enough"),
          hinted(amount("memory", "Memory",
                        "Of the whole cluster, > 0, in the unit of its jobs; empty: enough for everybody."),
                 "enough"),
          amount("price", "Price", "Of a GPU that a job has, >= 0 USD/h.", "0 USD/h", "USD/h"),
          budget_of_gpus(),
          busy_power(),
          idle_power()};
}

// GPUs of two hosts, some of which jobs have.
void draw_gpu_cluster(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 10, pen.border(), pen.fill()).line_width = pen.weight();
  const double side = 8, gap = 3, left = b.centre().x - 4 * (side + gap);
  for (int host = 0; host < 2; ++host)
    for (int gpu = 0; gpu < 8; ++gpu)
      pen.rectangle({left + gpu * (side + gap), b.y + 27 + host * (side + gap), side, side}, 1, pen.border(),
                    (host == 0 ? gpu < 6 : gpu < 3) ? pen.border() : pen.fill());
  const double wide = b.width - 16;
  pen.centred({b.centre().x, b.y + 15}, pen.element().name(), name_font, Role::text, wide);
  std::string gpus = pen.text("gpus", default_cluster_gpus) + " GPUs";
  if (const std::string type = pen.text("type"); !type.empty()) gpus += ", " + type;
  pen.centred({b.centre().x, b.y + 62}, gpus, plain_font, Role::text, wide);
  pen.centred({b.centre().x, b.y + 80}, pen.text("policy", gang_policy_words[0].name), plain_font, Role::text, wide);
  pen.badge({b.right(), b.y});
}

ElementFigure gang_average(const std::string& name, const char* word, const char* label, const char* symbol) {
  const std::string slot = name + "." + word;
  return {.key = word,
          .label = label,
          .symbol = symbol,
          .measure = {{"name", name + "_" + word},
                      {"label", std::string(label) + " of " + name},
                      {"type", "time_average"},
                      {"expression", slot}},
          .answers = {{.expression = slot}, {.results = word + std::string("/") + name}}};
}

ElementFigure gang_mean(const Document& document, const std::string& name, const std::string& word,
                        const std::string& label, const char* symbol) {
  const std::string stream = name + "." + word;
  ElementFigure out{.key = word,
                    .label = label,
                    .symbol = symbol,
                    .measure = {{"name", name + "_" + word},
                                {"label", label + " at " + name},
                                {"type", "observed_mean"},
                                {"of", stream}},
                    .answers = {{.stream = stream}}};
  if (word != "slowdown") out.measure.push_back({"unit", document.model().text("time_unit", "h")});
  return out;
}

std::vector<ElementFigure> gpu_cluster_figures(const Document& document, const Element& cluster) {
  return {gang_average(cluster.name(), "gpus", "Mean GPUs in use", "K"),
          gang_average(cluster.name(), "waiting", "Mean jobs waiting", "Q"),
          gang_mean(document, cluster.name(), "response_time", "Mean completion time", "T"),
          gang_mean(document, cluster.name(), "slowdown", "Mean slowdown", "S")};
}

KindSpec gpu_cluster_kind() {
  KindSpec out{.kind = "gpu_cluster",
               .label = "GPU cluster",
               .shortcut = "C",
               .icon = "gpu_cluster",
               .width = 200,
               .height = 96,
               .help = "GPUs in hosts under a scheduler, for jobs that need all their GPUs at once."};
  out.properties = gpu_cluster_properties();
  for (PropertySpec& one : host_failure_properties(false)) out.properties.push_back(std::move(one));
  out.stem = "cluster";
  out.draw = draw_gpu_cluster;
  out.report_columns = {"gpus",
                        "gpus_per_host",
                        "type",
                        "policy",
                        "consolidated",
                        "restart",
                        "failure",
                        "repair",
                        "up_while",
                        "checkpoint_period",
                        "checkpoint_cost",
                        "requeue"};
  out.report_caption = "GPU clusters of *";
  out.figures = gpu_cluster_figures;
  return out;
}

std::vector<DeclaredName> names_of_gangs(const Document& document, const Element& diagram) {
  return names_of_nodes(document, diagram, gang_slots_of_kind, gang_streams_of_kind);
}

}  // namespace

NotationSpec gangs_notation() {
  NotationSpec out{.name = "cluster", .label = "Cluster", .help = ""};
  out.kinds = {gpu_cluster_kind()};
  out.names = names_of_gangs;
  out.lowering = gang_lowering;
  return out;
}

}  // namespace ergode
