// What round schedulers say of themselves: numbers, policies, plans.
#include <algorithm>
#include <cmath>

#include "core/base/unit.h"
#include "solvers/cluster/lowering/gang_words.h"
#include "solvers/cluster/lowering/host_failures.h"
#include "solvers/cluster/lowering/round_lowering_steps.h"
#include "solvers/cluster/lowering/round_words.h"

namespace ergode {

double RoundLowering::number(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                             const char* unit, double otherwise, double least, double most, bool whole) {
  const bool plain = *unit == '\0';
  const Unit in = plain ? Unit{} : *parse_unit(unit);
  const double value = read.quantity(element, property, plain ? Dimension() : in.dimension, otherwise);
  if (value >= least && value <= most && (!whole || value == std::floor(value))) return value;
  for (const Diagnostic& known : model.problems)
    if (known.severity == Severity::error && known.element == element.id && known.pointer == property) return least;
  const double scale = plain ? 1.0 : in.scale;
  const std::string behind = plain ? "" : " " + std::string(unit);
  model.refuse(element, "RND002", property,
               "The value is " + number_text(value / scale, 9) + behind + "; wanted a " + (whole ? "whole " : "") +
                   "number from " + number_text(least / scale, 6) + behind + " to " + number_text(most / scale, 6) +
                   behind + ".");
  return least;
}

void RoundLowering::lower_options(Lowering& model, PropertyReader& read, const Element& element, Scheduler& one) {
  const char *const time = "s", *const none = "";
  RoundOptions& options = one.options;
  options.policy = meaning_of(read, element, "policy", round_policy_words);
  options.gpus = static_cast<int>(number(model, read, element, "gpus", none, options.gpus, 1, 1e6, true));
  options.round_s = number(model, read, element, "round", time, options.round_s, 1.0, 1e6);
  options.restore_s = number(model, read, element, "restore", time, options.restore_s, 0.0, 1e6);
  if (options.restore_s >= options.round_s && !refused(model, element))
    model.refuse(element, "RND002", "restore",
                 "The time to restore is " + number_text(options.restore_s, 9) + " s, and a round is " +
                     number_text(options.round_s, 9) + " s; wanted less than a round."),
        options.restore_s = 0.0;
  options.reset_interval_s = number(model, read, element, "reset_interval", time, options.reset_interval_s, 0.0, 1e9);
  options.as_published = read.boolean(element, "as_published", options.as_published);
  one.price_per_s = number(model, read, element, "price", "USD/h", 0.0, 0.0, 1e9);
  one.budget_per_s = number(model, read, element, "budget", "USD/h", 0.0, 0.0, 1e9);
  one.busy_w = number(model, read, element, "busy_power", "W", 0.0, 0.0, 1e9);
  one.idle_w = number(model, read, element, "idle_power", "W", 0.0, 0.0, 1e9);
  one.unfair_above = number(model, read, element, "unfair_above", none, one.unfair_above, 0.0, 1e9);
}

void RoundLowering::lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                   Scheduler& one) {
  one.gpus_per_host = static_cast<std::uint32_t>(
      number(model, read, element, "gpus_per_host", "", *parse_number(default_gpus_per_host), 1.0, 1e6, true));
  one.failures = drawn_host_failures(
      model, scope, read,
      {.element = &element, .name = one.name, .hosts = one.hosts(), .value = "RND002", .never_changes = "RND017"});
  one.options.checkpoint_period_s = one.failures.checkpoint_period_s;
  one.options.checkpoint_cost_s = one.failures.checkpoint_cost_s;
}

// A round is a checkpoint, and a restore what it takes to go on.
void RoundLowering::check_restarts(Lowering& model, const Scheduler& one) {
  if (has_errors(model.problems)) return;
  HostFailures rules = one.failures;
  rules.checkpoint_period_s = std::min(rules.checkpoint_period_s, one.options.round_s);
  rules.restart_s = one.options.restore_s;
  for (const std::uint32_t s : one.streams) {
    const Stream& stream = net().streams[s];
    if (stream.trace || !stream.training.empty() || stream.handed.brings(0)) continue;
    const double gpus = std::max(1.0, std::ceil(stream.gpus.mean()));
    warn_of_restarts(model, *model.document.find(one.element), "RND019", rules, stream.name,
                     std::ceil(gpus / one.gpus_per_host), stream.size, stream.speedup.speed(gpus));
  }
}

void RoundLowering::lower_plans(Lowering& model, PropertyReader& read, const Element& element, Scheduler& one) {
  const char* const none = "";
  PlanOptions& plan = one.plan;
  plan.gpus = one.options.gpus, plan.round_s = one.options.round_s;
  plan.heuristic = meaning_of(read, element, "planning", planning_words);
  plan.rounds = static_cast<int>(number(model, read, element, "future_rounds", none, plan.rounds, 1, 1000, true));
  one.replan_rounds =
      static_cast<int>(number(model, read, element, "replan_rounds", none, one.replan_rounds, 1, 1e6, true));
  plan.makespan_weight = number(model, read, element, "makespan_weight", none, plan.makespan_weight, 0.0, 1e12);
  plan.priority_power = number(model, read, element, "priority_power", none, plan.priority_power, 0.0, 1000.0);
  plan.most_rho = number(model, read, element, "most_rho", none, plan.most_rho, 1e-6, 1e6);
}

bool RoundLowering::refused(const Lowering& model, const Element& element) {
  return std::any_of(model.problems.begin(), model.problems.end(), [&](const Diagnostic& known) {
    return known.severity == Severity::error && known.element == element.id;
  });
}

}  // namespace ergode
