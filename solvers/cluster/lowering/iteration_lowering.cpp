// From drawn schedulers of iterations and their streams of jobs to one IterationModel: names and flows.
#include "solvers/cluster/lowering/iteration_lowering.h"

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/iteration_lowering_steps.h"
#include "solvers/cluster/lowering/stream_flows.h"

namespace ergode {
namespace {

std::uint32_t slot_of_iterations(Lowering& model, const Element& element, const char* word, ValueType type,
                                 const char* unit = "") {
  return model.slots.add({.name = element.name() + "." + word,
                          .unit = unit,
                          .type = type,
                          .element = element.id,
                          .writer = "iteration_scheduler",
                          .range = {0.0, NamedSlot::everything.upper},
                          .by_set = true},
                         0.0);
}

}  // namespace

void IterationLowering::declare(Lowering& model) {
  net().tables = table_names(model.document);
  const std::set<ElementId> own = iteration_streams(model.document);
  for (const Element* node : model.nodes("cluster", "job_stream"))
    if (own.contains(node->id)) declare_stream(model, *node);
  for (const Element* node : model.nodes("cluster", "iteration_scheduler")) declare_scheduler(model, *node);
  for (const Element* diagram : model.document.of(Section::diagram)) {
    if (diagram->text("notation") != "cluster") continue;
    for (const Element* edge : model.document.edges(diagram->id))
      if (edge->kind == "job_flow") join(model, *edge);
  }
  for (std::uint32_t s = 0; s < net().streams.size(); ++s)
    if (const std::uint32_t at = net().streams[s].scheduler; at != IterationModel::none)
      net().schedulers[at].streams.push_back(s);
  for (Scheduler& one : net().schedulers) declare_observations(model, one);
}

void IterationLowering::declare_name(Lowering& model, const Element& element, const char* what) {
  const std::string name = element.name();
  if (!is_identifier(name))
    model.refuse(element, "ITR001", "name", "The name is \"" + quotable(name) + "\"; wanted letters, digits and _.");
  else if (const auto* other = model.slots.declare(name, {element.id, what}))
    model.refuse(element, "ITR001", "name", "\"" + name + "\" is also the name of a " + other->what + ".");
}

void IterationLowering::declare_stream(Lowering& model, const Element& element) {
  declare_name(model, element, "job stream");
  Stream stream{.element = element.id, .name = element.name()};
  stream.submitted = slot_of_iterations(model, element, "submitted", ValueType::integer());
  stream.jobs = slot_of_iterations(model, element, "jobs", ValueType::integer());
  stream.gpus_now = slot_of_iterations(model, element, "gpus", ValueType::integer());
  const TakenWord taken[] = {{"size", Dimension::of_time()}, {"gpus", Dimension()}, {"iterations", Dimension()}};
  stream.handed = declare_handed_jobs(model, element, taken, "ITR008");
  stream_number_[element.id] = static_cast<std::uint32_t>(net().streams.size());
  net().streams.push_back(std::move(stream));
}

void IterationLowering::declare_scheduler(Lowering& model, const Element& element) {
  declare_name(model, element, "scheduler of iterations");
  const auto slot = [&](const char* word, ValueType type, const char* unit = "") {
    return slot_of_iterations(model, element, word, type, unit);
  };
  const auto time = ValueType::real(Dimension::of_time()), bytes = ValueType::real(parse_unit("B")->dimension);
  const auto count = ValueType::integer();
  Scheduler one{.element = element.id, .name = element.name()};
  one.jobs = slot("jobs", count), one.done = slot("done", count);
  one.makespan = slot("makespan", time, "s"), one.mean_response_time = slot("mean_response_time", time, "s");
  one.busy = slot("busy", ValueType::real());
  one.network_bytes = slot("network_bytes", bytes, "B"), one.peak_memory = slot("peak_memory", bytes, "B");
  one.baseline_makespan = slot("baseline_makespan", time, "s");
  one.baseline_response_time = slot("baseline_response_time", time, "s");
  one.baseline_busy = slot("baseline_busy", ValueType::real());
  one.submitted = slot("submitted", count), one.rejected = slot("rejected", count);
  one.up = slot("up", count), one.host_failures = slot("host_failures", count);
  one.restarts = slot("restarts", count), one.lost_work = slot("lost_work", time, "s");
  scheduler_number_[element.id] = static_cast<std::uint32_t>(net().schedulers.size());
  net().schedulers.push_back(std::move(one));
}

void IterationLowering::join(Lowering& model, const Element& flow) {
  join_stream(model, flow, stream_number_, scheduler_number_, net().streams, net().schedulers,
              &IterationModel::Stream::scheduler, IterationModel::none,
              {"ITR004", "ITR006", "scheduler of iterations"});
}

// Jobs of its own trace are a class of their own beside streams.
void IterationLowering::declare_observations(Lowering& model, Scheduler& one) {
  std::vector<std::string> classes;
  if (!one.streams.empty() && !trim(model.document.find(one.element)->text("trace")).empty())
    classes.push_back(one.name);
  for (const std::uint32_t s : one.streams) {
    net().streams[s].of_class = static_cast<std::uint32_t>(classes.size());
    classes.push_back(net().streams[s].name);
  }
  const auto add = [&](const char* word, const char* unit) {
    return model.slots.add(
        StreamSpec{one.name + "." + word, unit, one.element, classes, {0.0, NamedSlot::everything.upper}});
  };
  one.response_time = add("response_time", "s"), one.baseline_times = add("baseline_times", "s");
  one.cost = add("cost", "USD");
  one.job_lost_work = add("job_lost_work", "s"), one.job_restarts = add("job_restarts", "");
}

std::shared_ptr<LoweredPart> IterationLowering::lower(Lowering& model, Scope& scope) {
  if (net().schedulers.empty()) return nullptr;
  for (std::uint32_t i = 0; i < net().schedulers.size(); ++i) {
    Scheduler& one = net().schedulers[i];
    const Element& element = *model.document.find(one.element);
    PropertyReader read(scope, model.problems);
    one.handed_on = handed_on(model, element, words_of_sharing_jobs());
    lower_options(model, read, element, one);
    lower_failures(model, scope, read, element, one);
    lower_costs(model, read, element, one);
    const std::string file = read.file(element, "trace");
    if (!file.empty()) one.trace = read_jobs(model, read, element, file, one, jobs_without_end);
    else if (one.streams.empty())
      model.refuse(element, "ITR003", "trace", "No file is named; wanted one of training jobs.",
                   "Or draw a flow from a job stream.");
    if (one.trace && (!one.streams.empty() || one.failures.any())) trace_as_stream(i);
  }
  for (Stream& stream : net().streams)
    if (stream.scheduler != IterationModel::none && stream.element != net().schedulers[stream.scheduler].element)
      lower_stream(model, scope, stream);
  return out_;
}

void IterationLowering::trace_as_stream(std::uint32_t scheduler) {
  Scheduler& one = net().schedulers[scheduler];
  Stream made{.element = one.element, .name = one.name, .scheduler = scheduler, .trace = one.trace};
  made.handed_on = one.handed_on;
  one.streams.insert(one.streams.begin(), static_cast<std::uint32_t>(net().streams.size()));
  net().streams.push_back(std::move(made));
}

std::unique_ptr<NotationLowering> iteration_lowering() { return std::make_unique<IterationLowering>(); }

std::set<ElementId> iteration_streams(const Document& document) {
  std::set<ElementId> out = streams_that_flow_to(document, "iteration_scheduler");
  for (const char* elsewhere : {"host_pool", "gpu_fleet", "gpu_cluster", "round_scheduler"})
    for (const ElementId one : streams_that_flow_to(document, elsewhere)) out.erase(one);
  return out;
}

std::vector<std::string> iteration_slots_of_kind(std::string_view kind) {
  if (kind != "iteration_scheduler") return {};
  return {"submitted",
          "jobs",
          "done",
          "rejected",
          "makespan",
          "mean_response_time",
          "busy",
          "network_bytes",
          "peak_memory",
          "baseline_makespan",
          "baseline_response_time",
          "baseline_busy",
          "up",
          "host_failures",
          "restarts",
          "lost_work"};
}

std::vector<std::string> iteration_streams_of_kind(std::string_view kind) {
  if (kind != "iteration_scheduler") return {};
  return {"response_time", "baseline_times", "cost", "job_lost_work", "job_restarts"};
}

}  // namespace ergode
