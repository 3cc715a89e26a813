// From drawn round schedulers and their streams of jobs to one RoundModel: names and flows.
#include "solvers/cluster/lowering/round_lowering.h"

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/round_lowering_steps.h"
#include "solvers/cluster/lowering/stream_flows.h"

namespace ergode {

void RoundLowering::declare(Lowering& model) {
  net().tables = table_names(model.document);
  const std::set<ElementId> own = round_streams(model.document);
  for (const Element* node : model.nodes("cluster", "job_stream"))
    if (own.contains(node->id)) declare_stream(model, *node);
  for (const Element* node : model.nodes("cluster", "round_scheduler")) declare_scheduler(model, *node);
  for (const Element* diagram : model.document.of(Section::diagram)) {
    if (diagram->text("notation") != "cluster") continue;
    for (const Element* edge : model.document.edges(diagram->id))
      if (edge->kind == "job_flow") join(model, *edge);
  }
  for (std::uint32_t s = 0; s < net().streams.size(); ++s)
    if (const std::uint32_t at = net().streams[s].scheduler; at != RoundModel::none)
      net().schedulers[at].streams.push_back(s);
  for (Scheduler& one : net().schedulers) declare_observations(model, one);
}

void RoundLowering::declare_name(Lowering& model, const Element& element, const char* what) {
  const std::string name = element.name();
  if (!is_identifier(name))
    model.refuse(element, "RND001", "name", "The name is \"" + quotable(name) + "\"; wanted letters, digits and _.");
  else if (const auto* other = model.slots.declare(name, {element.id, what}))
    model.refuse(element, "RND001", "name", "\"" + name + "\" is also the name of a " + other->what + ".");
}

void RoundLowering::declare_stream(Lowering& model, const Element& element) {
  declare_name(model, element, "job stream");
  Stream stream{.element = element.id, .name = element.name()};
  const auto slot = [&](const char* word) {
    return model.slots.add({.name = element.name() + "." + word,
                            .type = ValueType::integer(),
                            .element = element.id,
                            .writer = "round_scheduler",
                            .range = {0.0, NamedSlot::everything.upper},
                            .by_set = true},
                           0.0);
  };
  stream.submitted = slot("submitted"), stream.jobs = slot("jobs"), stream.gpus_now = slot("gpus");
  const TakenWord taken[] = {{"size", Dimension::of_time()}, {"gpus", Dimension()}, {"epochs", Dimension()}};
  stream.handed = declare_handed_jobs(model, element, taken, "RND010");
  stream_number_[element.id] = static_cast<std::uint32_t>(net().streams.size());
  net().streams.push_back(std::move(stream));
}

void RoundLowering::declare_scheduler(Lowering& model, const Element& element) {
  declare_name(model, element, "round scheduler");
  const std::string name = element.name();
  const auto slot = [&](const char* word, ValueType type, const char* unit = "", double scale = 1.0) {
    return model.slots.add({.name = name + "." + word,
                            .unit = unit,
                            .scale = scale,
                            .type = type,
                            .element = element.id,
                            .writer = "round_scheduler",
                            .range = {0.0, NamedSlot::everything.upper},
                            .by_set = true},
                           0.0);
  };
  const auto time = ValueType::real(Dimension::of_time());
  Scheduler one{.element = element.id, .name = name};
  one.jobs = slot("jobs", ValueType::integer()), one.running = slot("running", ValueType::integer());
  one.gpus = slot("gpus", ValueType::integer()), one.done = slot("done", ValueType::integer());
  one.makespan = slot("makespan", time, "s"), one.mean_response_time = slot("mean_response_time", time, "s");
  one.worst_fairness = slot("worst_fairness", ValueType::real());
  one.unfair_fraction = slot("unfair_fraction", ValueType::real());
  one.utilisation = slot("utilisation", ValueType::real());
  one.power = slot("power", ValueType::real(parse_unit("W")->dimension), "W");
  one.spend = slot("spend", ValueType::real(parse_unit("USD/h")->dimension), "USD/h", 1.0 / 3600.0);
  one.submitted = slot("submitted", ValueType::integer()), one.rejected = slot("rejected", ValueType::integer());
  one.up = slot("up", ValueType::integer()), one.host_failures = slot("host_failures", ValueType::integer());
  one.restarts = slot("restarts", ValueType::integer()), one.lost_work = slot("lost_work", time, "s");
  scheduler_number_[element.id] = static_cast<std::uint32_t>(net().schedulers.size());
  net().schedulers.push_back(std::move(one));
}

void RoundLowering::join(Lowering& model, const Element& flow) {
  join_stream(model, flow, stream_number_, scheduler_number_, net().streams, net().schedulers,
              &RoundModel::Stream::scheduler, RoundModel::none, {"RND004", "RND006", "round scheduler"});
}

// Jobs of its own trace are a class of their own beside streams.
void RoundLowering::declare_observations(Lowering& model, Scheduler& one) {
  std::vector<std::string> classes;
  if (!one.streams.empty() && is_said(*model.document.find(one.element), "trace")) classes.push_back(one.name);
  for (const std::uint32_t s : one.streams) {
    net().streams[s].of_class = static_cast<std::uint32_t>(classes.size());
    classes.push_back(net().streams[s].name);
  }
  const auto add = [&](const char* word, const char* unit) {
    return model.slots.add(
        StreamSpec{one.name + "." + word, unit, one.element, classes, {0.0, NamedSlot::everything.upper}});
  };
  one.response_time = add("response_time", "s"), one.fairness = add("fairness", ""), one.cost = add("cost", "USD");
  one.job_lost_work = add("job_lost_work", "s"), one.job_restarts = add("job_restarts", "");
}

std::shared_ptr<LoweredPart> RoundLowering::lower(Lowering& model, Scope& scope) {
  if (net().schedulers.empty()) return nullptr;
  for (Scheduler& one : net().schedulers) {
    const Element& element = *model.document.find(one.element);
    PropertyReader read(scope, model.problems);
    one.handed_on = handed_on(model, element, words_of_sharing_jobs());
    lower_options(model, read, element, one);
    lower_failures(model, scope, read, element, one);
    lower_plans(model, read, element, one);
    read_files(model, read, element, one);
  }
  for (Stream& stream : net().streams)
    if (stream.scheduler != RoundModel::none) lower_stream(model, scope, stream);
  for (const Scheduler& one : net().schedulers) check_steps(model, one), check_restarts(model, one);
  return out_;
}

std::unique_ptr<NotationLowering> round_lowering() { return std::make_unique<RoundLowering>(); }

std::set<ElementId> round_streams(const Document& document) {
  std::set<ElementId> out = streams_that_flow_to(document, "round_scheduler");
  for (const char* elsewhere : {"host_pool", "gpu_fleet", "gpu_cluster"})
    for (const ElementId one : streams_that_flow_to(document, elsewhere)) out.erase(one);
  return out;
}

std::vector<std::string> round_slots_of_kind(std::string_view kind) {
  if (kind != "round_scheduler") return {};
  return {"jobs",           "running",
          "gpus",           "done",
          "makespan",       "mean_response_time",
          "worst_fairness", "unfair_fraction",
          "utilisation",    "power",
          "spend",          "submitted",
          "rejected",       "up",
          "host_failures",  "restarts",
          "lost_work"};
}

std::vector<std::string> round_streams_of_kind(std::string_view kind) {
  if (kind != "round_scheduler") return {};
  return {"response_time", "fairness", "cost", "job_lost_work", "job_restarts"};
}

}  // namespace ergode
