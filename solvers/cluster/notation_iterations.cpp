#include "solvers/cluster/notation_iterations.h"

#include <algorithm>

#include "core/drawing/node_pen.h"
#include "solvers/cluster/lowering/iteration_lowering.h"
#include "solvers/cluster/lowering/iteration_words.h"
#include "solvers/cluster/notation_failures.h"
#include "solvers/cluster/notation_properties.h"

namespace ergode {
namespace {

using namespace cluster_properties;

PropertySpec of_jigsaw(PropertySpec property) { return only_when(std::move(property), "policy", {"jigsaw"}); }

std::vector<PropertySpec> iteration_properties() {
  std::vector<PropertySpec> out = {
      name_of_node(),
      file_named(
          "trace", "Training jobs",
          "A CSV file, or a parameter of type file: arrival_s, iterations, workers, forward_s, backward_s, and as "
          "there are job, parameter_bytes, activation_bytes, optimiser_bytes, phi; or a list of jobs of Tiresias. Not "
          "needed where job streams flow here.",
          "jobs come from streams"),
      amount("gpus", "GPUs", "A whole number from 1.", "4"),
      hinted(amount("workers", "Workers of each job", "A whole number from 1; empty: as the file says."),
             "as the file says"),
      choice_of("policy", "Policy", "Who runs an iteration, and where.", iteration_policy_words),
      of_jigsaw(choice_of("backpropagation", "Backpropagation",
                          "How much of the network each worker propagates back through.", backpropagation_words)),
      of_jigsaw(
          hinted(behaviour_property("phi", "Shares of the workers", PropertyType::text,
                                    "Of the layers that each propagates back through, from the output on: numbers "
                                    "from 0 to 1, one a worker, as in [0.25, 0.5, 0.75, 1]. Empty: worker j of k "
                                    "has j / k."),
                 "j / k")),
      of_jigsaw(behaviour_property("rotate", "Shares go round", PropertyType::boolean,
                                   "The workers change shares after each iteration, so that data are treated alike.",
                                   "true")),
      choice_of("baseline", "Compared with", "The same jobs are run in this way too, with full backpropagation.",
                iteration_baseline_words),
      hinted(amount("memory", "Memory of a GPU",
                    "Jobs share a GPU where parameters and optimisers of all and what one of them computes fit. Empty: "
                    "not asked.",
                    "", "GiB"),
             "not asked"),
      amount("bandwidth", "Bandwidth", "Of the network, each worker: gradients go round a ring.", "10 Gbit/s",
             "Gbit/s"),
      amount("backward_per_forward", "Backward over forward",
             "T_b / T_f where the file has the time of whole iterations.", "2"),
      amount("parameters", "Parameters", "Of a job, where the file does not say.", "1.4 GB", "GB"),
      amount("activations", "Activations", "Of a job, where the file does not say.", "0 GB", "GB"),
      amount("optimiser", "State of the optimiser", "Of a job, where the file does not say.", "0 GB", "GB"),
      amount("price", "Price", "Of a GPU while it computes for a job, >= 0 USD/h.", "0 USD/h", "USD/h"),
      amount("shown_pieces", "Pieces that are kept", "Of iterations, for the table of what GPUs did.", "2000"),
      amount("gpus_per_host", "GPUs of a host", "That fail together, a whole number from 1; the last may have fewer.",
             default_iteration_gpus_per_host)};
  for (PropertySpec& property : host_failure_properties()) out.push_back(std::move(property));
  return out;
}

// Pieces of two jobs that fit together.
void draw_iteration_scheduler(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 10, pen.border(), pen.fill()).line_width = pen.weight();
  const double unit = 15, high = 6, gap = 2, left = b.centre().x - 2.5 * unit - gap / 2;
  for (int row = 0; row < 3; ++row) {
    const double y = b.y + 26 + row * (high + gap), first = (row + 1) * unit + unit / 4;
    pen.rectangle({left, y, first, high}, 1, pen.border(), pen.border());
    pen.rectangle({left + first + gap, y, 5 * unit - first, high}, 1, pen.border(), pen.fill()).line_width = hair;
  }
  const double room = b.width - 16;
  pen.centred({b.centre().x, b.y + 15}, pen.element().name(), name_font, Role::text, room);
  std::string rules = pen.text("policy", iteration_policy_words[0].name);
  if (rules == "jigsaw") rules += ", " + pen.text("backpropagation", backpropagation_words[0].name);
  std::replace(rules.begin(), rules.end(), '_', ' ');
  pen.centred({b.centre().x, b.y + 60}, pen.text("gpus", "4") + " GPUs, " + rules, plain_font, Role::text, room);
  pen.centred({b.centre().x, b.y + 77}, "after the abstract", plain_font, Role::muted, room);
  pen.badge({b.right(), b.y});
}

std::vector<DeclaredName> names_of_iterations(const Document& document, const Element& diagram) {
  return names_of_nodes(document, diagram, iteration_slots_of_kind, iteration_streams_of_kind);
}

}  // namespace

NotationSpec iterations_notation() {
  KindSpec kind{.kind = "iteration_scheduler",
                .label = "Iteration scheduler (after the abstract)",
                .shortcut = "I",
                .icon = "iteration_scheduler",
                .width = 230,
                .height = 92,
                .help =
                    "GPUs that training jobs share iteration by iteration, and workers that propagate back through "
                    "parts of the network only: structured partial backpropagation and JigSaw, after the abstract "
                    "of arXiv 2111.10672. Shares, packing and costs are assumptions; nothing is said of accuracy."};
  kind.properties = iteration_properties();
  kind.stem = "training";
  kind.draw = draw_iteration_scheduler;
  kind.report_columns = {"trace", "gpus", "policy", "backpropagation", "baseline"};
  kind.report_caption = "Schedulers of iterations of *";
  NotationSpec out{.name = "cluster", .label = "Cluster", .help = ""};
  out.kinds = {std::move(kind)};
  out.names = names_of_iterations;
  out.lowering = iteration_lowering;
  return out;
}

}  // namespace ergode
