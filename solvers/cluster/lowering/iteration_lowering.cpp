// From drawn schedulers of iterations to one IterationModel.
#include "solvers/cluster/lowering/iteration_lowering.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "core/expression/parameters.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/iteration_words.h"
#include "solvers/cluster/running/iteration_part.h"

namespace ergode {
namespace {

using IterationScheduler = IterationModel::Scheduler;

class IterationLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override;
  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override;

 private:
  void declare_scheduler(Lowering& model, const Element& element);
  void lower_options(Lowering& model, PropertyReader& read, const Element& element, IterationScheduler& one);
  void read_jobs(Lowering& model, PropertyReader& read, const Element& element, IterationScheduler& one);
  /// ITR002 where it is out of its range, and `otherwise`.
  static double number(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                       const char* unit, double otherwise, double least, double most, bool whole = false);

  std::shared_ptr<IterationPart> out_ = std::make_shared<IterationPart>();
};

void IterationLowering::declare(Lowering& model) {
  for (const Element* node : model.nodes("cluster", "iteration_scheduler")) declare_scheduler(model, *node);
}

void IterationLowering::declare_scheduler(Lowering& model, const Element& element) {
  const std::string name = element.name();
  if (!is_identifier(name))
    model.refuse(element, "ITR001", "name", "The name is \"" + quotable(name) + "\"; wanted letters, digits and _.");
  else if (const auto* other = model.slots.declare(name, {element.id, "scheduler of iterations"}))
    model.refuse(element, "ITR001", "name", "\"" + name + "\" is also the name of a " + other->what + ".");
  const auto slot = [&](const char* word, ValueType type, const char* unit = "") {
    return model.slots.add({.name = name + "." + word,
                            .unit = unit,
                            .type = type,
                            .element = element.id,
                            .writer = "iteration_scheduler",
                            .range = {0.0, NamedSlot::everything.upper},
                            .by_set = true},
                           0.0);
  };
  const auto time = ValueType::real(Dimension::of_time()), bytes = ValueType::real(parse_unit("B")->dimension);
  IterationScheduler one{.element = element.id, .name = name};
  one.jobs = slot("jobs", ValueType::integer()), one.done = slot("done", ValueType::integer());
  one.makespan = slot("makespan", time, "s"), one.mean_response_time = slot("mean_response_time", time, "s");
  one.busy = slot("busy", ValueType::real());
  one.network_bytes = slot("network_bytes", bytes, "B"), one.peak_memory = slot("peak_memory", bytes, "B");
  one.baseline_makespan = slot("baseline_makespan", time, "s");
  one.baseline_response_time = slot("baseline_response_time", time, "s");
  one.baseline_busy = slot("baseline_busy", ValueType::real());
  one.response_time =
      model.slots.add(StreamSpec{name + ".response_time", "s", element.id, {}, {0.0, NamedSlot::everything.upper}});
  out_->model.schedulers.push_back(std::move(one));
}

std::shared_ptr<LoweredPart> IterationLowering::lower(Lowering& model, Scope& scope) {
  if (out_->model.schedulers.empty()) return nullptr;
  for (IterationScheduler& one : out_->model.schedulers) {
    const Element& element = *model.document.find(one.element);
    PropertyReader read(scope, model.problems);
    one.handed_on = handed_on(model, element, words_of_sharing_jobs());
    lower_options(model, read, element, one);
    read_jobs(model, read, element, one);
  }
  return out_;
}

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

void IterationLowering::lower_options(Lowering& model, PropertyReader& read, const Element& element,
                                      IterationScheduler& one) {
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

void IterationLowering::read_jobs(Lowering& model, PropertyReader& read, const Element& element,
                                  IterationScheduler& one) {
  IterationDefaults defaults;
  defaults.backward_per_forward = number(model, read, element, "backward_per_forward", "", 2.0, 0.0, 1000.0);
  defaults.parameter_bytes = number(model, read, element, "parameters", "GB", 1.4e9, 0.0, 1e18);
  defaults.activation_bytes = number(model, read, element, "activations", "GB", 0.0, 0.0, 1e18);
  defaults.optimiser_bytes = number(model, read, element, "optimiser", "GB", 0.0, 0.0, 1e18);
  const double workers = trim(element.text("workers")).empty()
                             ? 0.0
                             : number(model, read, element, "workers", "", 1.0, 1.0, 100'000.0, true);
  std::vector<double> phi;
  if (const std::string text(trim(element.text("phi"))); !text.empty()) {
    const auto shares = parse_shares(text);
    if (shares) phi = *shares;
    else
      model.refuse(
          element, "ITR002", "phi",
          "The shares are \"" + quotable(text) + "\"; wanted numbers from 0 to 1, as in [0.25, 0.5, 0.75, 1].");
  }
  const std::string name = read.file(element, "trace");
  if (name.empty()) return model.refuse(element, "ITR003", "trace", "No file is named; wanted one of training jobs.");
  const auto text = model.text_of(element, "ITR003", "trace", name);
  if (!text) return;
  const auto& [file, bytes] = *text;
  auto jobs = read_iteration_trace(*bytes, file, defaults);
  if (const auto* problems = std::get_if<Diagnostics>(&jobs)) {
    for (const Diagnostic& found : *problems) model.refuse(element, found.code, "trace", found.message, found.hint);
    return;
  }
  auto made = std::make_shared<IterationTrace>(std::get<IterationTrace>(std::move(jobs)));
  for (IterationJob& job : made->jobs) {
    if (workers > 0.0) job.workers = static_cast<std::uint32_t>(workers);
    if (!phi.empty()) job.phi = phi;
  }
  std::vector<std::string> problems = iteration_problems(made->jobs, one.options);
  if (problems.empty()) problems = iteration_problems(made->jobs, one.baseline);
  constexpr std::size_t most_told = 10;
  for (std::size_t i = 0; i < std::min(problems.size(), most_told); ++i)
    model.refuse(element, "ITR012", "trace", problems[i],
                 i + 1 == most_told && problems.size() > most_told
                     ? std::to_string(problems.size() - most_told) + " more are not shown."
                     : "");
  if (problems.empty()) one.trace = std::move(made);
}

}  // namespace

std::unique_ptr<NotationLowering> iteration_lowering() { return std::make_unique<IterationLowering>(); }

std::vector<std::string> iteration_slots_of_kind(std::string_view kind) {
  if (kind != "iteration_scheduler") return {};
  return {"jobs",          "done",        "makespan",          "mean_response_time",     "busy",
          "network_bytes", "peak_memory", "baseline_makespan", "baseline_response_time", "baseline_busy"};
}

std::vector<std::string> iteration_streams_of_kind(std::string_view kind) {
  if (kind != "iteration_scheduler") return {};
  return {"response_time"};
}

}  // namespace ergode
