#include "solvers/cluster/notation_rounds.h"

#include <algorithm>

#include "core/drawing/node_pen.h"
#include "solvers/cluster/lowering/missing_throughputs.h"
#include "solvers/cluster/lowering/round_lowering.h"
#include "solvers/cluster/lowering/round_words.h"
#include "solvers/cluster/notation_failures.h"
#include "solvers/cluster/notation_properties.h"

namespace ergode {
namespace {

using namespace cluster_properties;

PropertySpec of_shockwave(PropertySpec property) { return only_when(std::move(property), "policy", {"shockwave"}); }

std::vector<PropertySpec> scheduler_properties() {
  return {
      name_of_node(),
      file_named(
          "trace", "Trace of jobs",
          "A file of training jobs, or a parameter of type file: Shockwave's (twelve cells between tabs) or Gavel's "
          "(seven). A job is ended at one and a half times the duration that is listed for it, done or not, as in "
          "the published simulator: with slower throughputs listed durations must be longer too. Empty: jobs come by "
          "the streams that flow here alone.",
          "jobs come by streams"),
      file_named("throughputs", "Throughputs",
                 "A CSV file, or a parameter of type file: model, batch_size, num_gpus, steps_per_s. Needed where jobs "
                 "come by a trace or train a model."),
      column_named("throughput_column", "Column of throughputs",
                   "Its name; empty: the first that begins with steps_per_s."),
      choice_of("missing_throughputs", "Jobs without one", "Jobs of the trace for which the table has no row.",
                missing_throughput_words),
      amount("gpus", "GPUs", "A whole number from 1.", "32"),
      choice_of("policy", "Scheduler", "Who runs in a round.", round_policy_words),
      amount("round", "Length of a round", "1 s or more.", "120 s", "s"),
      amount(
          "restore", "Time to restore",
          "Lost by a job that did not run in the round before, in its first round too, but in the first round of all "
          "and where it is done more than 5 s before the round ends, as in the published simulator. Shorter than a "
          "round.",
          "20 s", "s"),
      amount("reset_interval", "Time between shares",
             "Shares are computed anew when jobs came or went, and at the earliest after it.", "1000 s", "s"),
      behaviour_property("as_published", "As published", PropertyType::boolean,
                         "As in the published simulator: a job whose steps were counted too many when its batch size "
                         "changed holds its GPUs for five rounds, and plans measure jobs since the first round of all. "
                         "Else it is done, and they measure each since its own first round, which is fairer.",
                         "true"),
      amount("price", "Price", "Of a GPU in the rounds in which a job has it, >= 0 USD/h.", "0 USD/h", "USD/h"),
      budget_of_gpus(),
      busy_power(),
      idle_power(),
      amount("unfair_above", "Unfair above", "Finish-time fairness above which a job counts as unfair, 0 or more.",
             "1.05"),
      of_shockwave(choice_of("planning", "Plans", "How rounds are planned.", planning_words)),
      of_shockwave(amount("future_rounds", "Rounds of a plan", "A whole number from 1 to 1000.", "20")),
      of_shockwave(amount("replan_rounds", "Rounds between plans", "At the most; a whole number from 1.", "8")),
      of_shockwave(amount("makespan_weight", "Weight of the makespan", "k per second, 0 or more.", "0.001")),
      of_shockwave(amount("priority_power", "Power of lateness", "lambda, 0 to 1000.", "12")),
      of_shockwave(
          amount("most_rho", "Fairness to keep", "Finish-time fairness that plans keep if they can, > 0.", "1"))};
}

// Bars in rounds: a Gantt chart.
void draw_round_scheduler(NodePen& pen) {
  const Rect b = pen.box();
  pen.rectangle(b, 10, pen.border(), pen.fill()).line_width = pen.weight();
  const double side = 13, gap = 2, left = b.centre().x - 2.5 * (side + gap);
  for (int row = 0; row < 2; ++row)
    for (int round = 0; round < 5; ++round)
      pen.rectangle({left + round * (side + gap), b.y + 27 + row * 9, side, 7}, 1, pen.border(),
                    (round + 2 * row) % 3 == 0 ? pen.fill() : pen.border());
  const double wide = b.width - 16;
  pen.centred({b.centre().x, b.y + 15}, pen.element().name(), name_font, Role::text, wide);
  std::string policy = pen.text("policy", round_policy_words[0].name);
  std::replace(policy.begin(), policy.end(), '_', ' ');
  pen.centred({b.centre().x, b.y + 58}, pen.text("gpus", "32") + " GPUs, " + policy, plain_font, Role::text, wide);
  pen.centred({b.centre().x, b.y + 76}, pen.text("trace"), plain_font, Role::text, wide);
  pen.badge({b.right(), b.y});
}

KindSpec scheduler_kind() {
  KindSpec out{.kind = "round_scheduler",
               .label = "Round scheduler",
               .shortcut = "R",
               .icon = "round_scheduler",
               .width = 220,
               .height = 92,
               .help = "A cluster that runs training jobs, of a trace or of streams, in rounds, and who runs in each."};
  out.properties = scheduler_properties();
  for (PropertySpec& one : round_failure_properties()) out.properties.push_back(std::move(one));
  out.stem = "scheduler";
  out.draw = draw_round_scheduler;
  out.report_columns = {"trace",          "gpus",          "policy",
                        "round",          "gpus_per_host", "failure",
                        "repair",         "up_while",      "checkpoint_period",
                        "checkpoint_cost"};
  out.report_caption = "Round schedulers of *";
  return out;
}

std::vector<DeclaredName> names_of_rounds(const Document& document, const Element& diagram) {
  return names_of_nodes(document, diagram, round_slots_of_kind, round_streams_of_kind);
}

}  // namespace

std::vector<PropertySpec> round_job_properties() {
  return {
      hinted(behaviour_property("training", "Model that is trained", PropertyType::text,
                                "For round schedulers: as the table of throughputs calls it, which then says how "
                                "fast a job is on its GPUs. Empty: the speedup does."),
             "none"),
      hinted(amount("batch_size", "Batch size",
                    "Of a model that is trained, at the beginning: a whole number from 1. Empty: the least that the "
                    "model has."),
             "the least"),
      choice_of("mode", "Batch size grows", "Of a model that is trained.", batch_mode_words),
      hinted(behaviour_property("epochs", "Epochs", PropertyType::expression,
                                "Of a model that is trained, instead of its size: a number or a distribution, "
                                "rounded up to whole steps."),
             "by its size")};
}

NotationSpec rounds_notation() {
  NotationSpec out{.name = "cluster", .label = "Cluster", .help = ""};
  out.kinds = {scheduler_kind()};
  out.names = names_of_rounds;
  out.lowering = round_lowering;
  return out;
}

}  // namespace ergode
