// What schedulers of iterations say of themselves, and their jobs: by files, or as they are drawn.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "solvers/cluster/lowering/drawn_arrivals.h"
#include "solvers/cluster/lowering/drawn_count.h"
#include "solvers/cluster/lowering/drawn_file.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/drawn_speedup.h"
#include "solvers/cluster/lowering/host_failures.h"
#include "solvers/cluster/lowering/iteration_lowering_steps.h"
#include "solvers/cluster/lowering/iteration_words.h"

namespace ergode {

double IterationLowering::number(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                                 const char* unit, double otherwise, double least, double most, bool whole) {
  const bool plain = *unit == '\0';
  const Unit in = plain ? Unit{} : *parse_unit(unit);
  const double value = read.quantity(element, property, plain ? Dimension() : in.dimension, otherwise);
  if (value >= least && value <= most && (!whole || value == std::floor(value))) return value;
  for (const Diagnostic& known : model.problems)
    if (known.severity == Severity::error && known.element == element.id && known.pointer == property) return otherwise;
  const double scale = plain ? 1.0 : in.scale;
  const std::string behind = plain ? "" : " " + std::string(unit);
  model.refuse(element, "ITR002", property,
               "The value is " + number_text(value / scale, 9) + behind + "; wanted a " + (whole ? "whole " : "") +
                   "number from " + number_text(least / scale, 6) + behind + " to " + number_text(most / scale, 6) +
                   behind + ".");
  return otherwise;
}

void IterationLowering::lower_options(Lowering& model, PropertyReader& read, const Element& element, Scheduler& one) {
  IterationOptions& options = one.options;
  options.policy = meaning_of(read, element, "policy", iteration_policy_words);
  options.partial = meaning_of(read, element, "backpropagation", backpropagation_words);
  options.gpus = static_cast<std::uint32_t>(number(model, read, element, "gpus", "", 4.0, 1.0, 100'000.0, true));
  options.rotate = read.boolean(element, "rotate", true);
  if (!trim(element.text("memory")).empty())
    options.memory_bytes = number(model, read, element, "memory", "GiB", options.memory_bytes, 1.0, 1e18);
  options.bytes_per_s = number(model, read, element, "bandwidth", "Gbit/s", 1.25e9, 1.0, 1e18);
  options.most_spans =
      static_cast<std::size_t>(number(model, read, element, "shown_pieces", "", 2000.0, 0.0, 1'000'000.0, true));
  one.price_per_s = number(model, read, element, "price", "USD/h", 0.0, 0.0, 1e9);
  one.baseline = options;
  one.baseline.most_spans = 0;
  switch (meaning_of(read, element, "baseline", iteration_baseline_words)) {
    case IterationBaseline::time_slicing:
      one.baseline.policy = IterationPolicy::time_slicing;
      break;
    case IterationBaseline::fifo_gang:
      one.baseline.policy = IterationPolicy::fifo_gang;
      break;
    case IterationBaseline::srtf_gang:
      one.baseline.policy = IterationPolicy::srtf_gang;
      break;
    case IterationBaseline::full:
      one.baseline.partial = false;
      break;
  }
}

void IterationLowering::lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                       Scheduler& one) {
  one.gpus_per_host = static_cast<std::uint32_t>(number(
      model, read, element, "gpus_per_host", "", *parse_number(default_iteration_gpus_per_host), 1.0, 100'000.0, true));
  one.failures = drawn_host_failures(
      model, scope, read,
      {.element = &element, .name = one.name, .hosts = one.hosts(), .value = "ITR002", .never_changes = "ITR010"});
  for (IterationOptions* options : {&one.options, &one.baseline}) {
    options->checkpoint_period_s = one.failures.checkpoint_period_s;
    options->checkpoint_cost_s = one.failures.checkpoint_cost_s, options->restart_s = one.failures.restart_s;
    options->before_all = one.failures.before_all;
  }
}

void IterationLowering::lower_costs(Lowering& model, PropertyReader& read, const Element& element, Scheduler& one) {
  one.backward_per_forward = number(model, read, element, "backward_per_forward", "", 2.0, 0.0, 1000.0);
  one.costs.parameter_bytes = number(model, read, element, "parameters", "GB", 1.4e9, 0.0, 1e18);
  one.costs.activation_bytes = number(model, read, element, "activations", "GB", 0.0, 0.0, 1e18);
  one.costs.optimiser_bytes = number(model, read, element, "optimiser", "GB", 0.0, 0.0, 1e18);
  const std::string text(trim(element.text("phi")));
  if (text.empty()) return;
  if (auto shares = parse_shares(text)) one.phi = std::move(*shares);
  else
    model.refuse(element, "ITR002", "phi",
                 "The shares are \"" + quotable(text) + "\"; wanted numbers from 0 to 1, as in [0.25, 0.5, 0.75, 1].");
}

std::shared_ptr<const IterationTrace> IterationLowering::read_jobs(Lowering& model, PropertyReader& read,
                                                                   const Element& at, const std::string& file,
                                                                   const Scheduler& one, std::uint64_t most) {
  const auto text = model.text_of(at, "ITR003", "trace", file);
  if (!text) return nullptr;
  const IterationDefaults defaults{.backward_per_forward = one.backward_per_forward,
                                   .parameter_bytes = one.costs.parameter_bytes,
                                   .activation_bytes = one.costs.activation_bytes,
                                   .optimiser_bytes = one.costs.optimiser_bytes};
  auto jobs = read_iteration_trace(*text->text, text->name, defaults);
  if (const auto* problems = std::get_if<Diagnostics>(&jobs)) {
    for (const Diagnostic& found : *problems) model.refuse(at, found.code, "trace", found.message, found.hint);
    return nullptr;
  }
  auto made = std::make_shared<IterationTrace>(std::get<IterationTrace>(std::move(jobs)));
  keep_first(made->jobs, most);
  const Element& scheduler = *model.document.find(one.element);
  const double workers = trim(scheduler.text("workers")).empty()
                             ? 0.0
                             : number(model, read, scheduler, "workers", "", 1.0, 1.0, 100'000.0, true);
  for (IterationJob& job : made->jobs) {
    if (workers > 0.0) job.workers = static_cast<std::uint32_t>(workers);
    if (!one.phi.empty()) job.phi = one.phi;
  }
  std::vector<std::string> problems = iteration_problems(made->jobs, one.options);
  if (problems.empty()) problems = iteration_problems(made->jobs, one.baseline);
  constexpr std::size_t most_told = 10;
  for (std::size_t i = 0; i < std::min(problems.size(), most_told); ++i)
    model.refuse(at, "ITR012", "trace", problems[i],
                 i + 1 == most_told && problems.size() > most_told
                     ? std::to_string(problems.size() - most_told) + " more are not shown."
                     : "");
  if (!problems.empty()) return nullptr;
  return made;
}

void IterationLowering::lower_stream(Lowering& model, Scope& scope, Stream& stream) {
  const Element& element = *model.document.find(stream.element);
  PropertyReader read(scope, model.problems);
  stream.handed_on = handed_on(model, element, words_of_sharing_jobs(), words_of_rejected_jobs("gpus"));
  stream.most_jobs = drawn_most_jobs(model, scope, element, "ITR002");
  if (const std::string file = drawn_file(model, read, element, "trace", "ITR007", "jobs are drawn"); !file.empty()) {
    stream.trace = read_jobs(model, read, element, file, net().schedulers[stream.scheduler], stream.most_jobs);
    return;
  }
  stream.speedup = drawn_speedup(model, scope, element, "ITR005");
  lower_arrivals(model, scope, element, "ITR002", stream);
  const auto law = [&](const char* property, const char* otherwise) {
    return drawn_positive_law(model, scope, element, "ITR002", property, otherwise, Dimension());
  };
  stream.size = drawn_times(model, scope, element, "ITR002", "size", default_job_size);
  stream.gpus = law("gpus", default_stream_gpus);
  stream.iterations = law("iterations", default_job_iterations);
  warn_of_part(model, element, "gpus", stream.gpus);
  check_drawn(model, element, stream);
}

void IterationLowering::check_drawn(Lowering& model, const Element& element, const Stream& stream) {
  const Scheduler& at = net().schedulers[stream.scheduler];
  const Element& scheduler = *model.document.find(at.element);
  const bool fixed = stream.gpus.family() == Distribution::Family::deterministic;
  const double gpus = std::max(1.0, std::ceil(stream.gpus.mean()));
  if (!at.phi.empty() && (!fixed || gpus != static_cast<double>(at.phi.size())))
    model.refuse(element, "ITR012", "gpus",
                 "Jobs of \"" + stream.name + "\" have " + (fixed ? number_text(gpus, 6) : "a varying number of") +
                     " GPUs, and \"" + at.name + "\" gives shares to " + std::to_string(at.phi.size()) +
                     " workers; wanted as many.");
  // What all jobs of a file have: those that are drawn say it themselves.
  if (const std::string workers(trim(scheduler.text("workers"))); !workers.empty())
    model.problems.push_back({.severity = Severity::warning,
                              .code = "ITR014",
                              .element = scheduler.id,
                              .pointer = "workers",
                              .message = "The workers, " + quotable(workers) +
                                         ", are those of jobs of a file; jobs of \"" + stream.name +
                                         "\" have as many as they have GPUs.",
                              .hint = "Set the GPUs of a job of that stream."});
  if (fixed && gpus > at.options.gpus)
    model.refuse(element, "ITR012", "gpus",
                 "Jobs of \"" + stream.name + "\" have " + number_text(gpus, 6) + " GPUs; wanted at most the " +
                     std::to_string(at.options.gpus) + " of \"" + at.name + "\".");
  // The greatest share is 1 but where shares are given.
  const bool partial = at.options.partial && at.options.policy == IterationPolicy::jigsaw && !at.phi.empty();
  const double bytes = worker_memory_bytes(at.costs, partial ? *std::max_element(at.phi.begin(), at.phi.end()) : 1.0);
  constexpr double gib = 1024.0 * 1024.0 * 1024.0;
  if (bytes > at.options.memory_bytes)
    model.refuse_once(scheduler, "ITR012", "memory",
                      "A job of \"" + stream.name + "\" needs " + number_text(bytes / gib, 6) +
                          " GiB of a GPU; wanted at most the " + number_text(at.options.memory_bytes / gib, 6) +
                          " GiB that it has.");
  const Distribution* const size = stream.size.known();
  if (has_errors(model.problems) || stream.handed.brings(0) || size == nullptr) return;
  HostFailures rules = at.failures;
  const double speed = stream.speedup.speed(gpus),
               iteration_s = size->mean() / speed / std::max(1.0, std::ceil(stream.iterations.mean()));
  // Times as short as that are lost in those of the clock.
  constexpr auto one_value = Distribution::Family::deterministic;
  if (fixed && size->family() == one_value && stream.iterations.family() == one_value &&
      iteration_s < IterationModel::least_iteration_s)
    return model.refuse(element, "ITR012", "size",
                        "An iteration of \"" + stream.name + "\" takes " + number_text(iteration_s) +
                            " s; wanted at least " + number_text(IterationModel::least_iteration_s) + " s.",
                        "Fewer iterations take longer.");
  // It saves after whole iterations only.
  if (rules.checkpoints() && iteration_s > 0.0)
    rules.checkpoint_period_s = std::ceil(rules.checkpoint_period_s / iteration_s) * iteration_s;
  warn_of_restarts(model, scheduler, "ITR013", rules, stream.name, std::ceil(gpus / at.gpus_per_host), stream.size,
                   speed);
}

}  // namespace ergode
