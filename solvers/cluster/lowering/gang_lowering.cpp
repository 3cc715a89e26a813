// From drawn clusters of GPUs and their streams of jobs to one GangModel: names and flows.
#include "solvers/cluster/lowering/gang_lowering.h"

#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/gang_lowering_steps.h"
#include "solvers/cluster/lowering/stream_flows.h"

namespace ergode {
namespace {

using GangStream = GangModel::Stream;
using GangCluster = GangModel::Cluster;

std::uint32_t slot_of_gang(Lowering& model, const Element& element, const char* word, ValueType type,
                           const char* unit = "") {
  return model.slots.add({.name = element.name() + "." + word,
                          .unit = unit,
                          .type = type,
                          .element = element.id,
                          .writer = "gpu_cluster",
                          .range = {0.0, NamedSlot::everything.upper},
                          .by_set = true},
                         0.0);
}

}  // namespace

void GangLowering::declare(Lowering& model) {
  net().tables = table_names(model.document);
  const std::set<ElementId> own = gang_streams(model.document);
  for (const Element* node : model.nodes("cluster", "job_stream"))
    if (own.contains(node->id)) declare_stream(model, *node);
  for (const Element* node : model.nodes("cluster", "gpu_cluster")) declare_cluster(model, *node);
  for (const Element* diagram : model.document.of(Section::diagram)) {
    if (diagram->text("notation") != "cluster") continue;
    for (const Element* edge : model.document.edges(diagram->id))
      if (edge->kind == "job_flow") join(model, *edge);
  }
  declare_observations(model);
}

void GangLowering::declare_name(Lowering& model, const Element& element, const char* what) {
  const std::string name = element.name();
  if (!is_identifier(name))
    model.refuse(element, "GNG001", "name", "The name is \"" + quotable(name) + "\"; wanted letters, digits and _.");
  else if (const auto* other = model.slots.declare(name, {element.id, what}))
    model.refuse(element, "GNG001", "name", "\"" + name + "\" is also the name of a " + other->what + ".");
}

void GangLowering::declare_stream(Lowering& model, const Element& element) {
  declare_name(model, element, "job stream");
  GangStream stream{.element = element.id, .name = element.name()};
  stream.submitted = slot_of_gang(model, element, "submitted", ValueType::integer());
  stream.jobs = slot_of_gang(model, element, "jobs", ValueType::integer());
  stream.gpus_now = slot_of_gang(model, element, "gpus", ValueType::real());
  const TakenWord taken[] = {
      {"size", Dimension::of_time()}, {"gpus", Dimension()}, {"cpus", Dimension()}, {"memory", Dimension()}};
  stream.handed = declare_handed_jobs(model, element, taken, "GNG010");
  stream_number_[element.id] = static_cast<std::uint32_t>(net().streams.size());
  net().streams.push_back(std::move(stream));
}

void GangLowering::declare_cluster(Lowering& model, const Element& element) {
  declare_name(model, element, "GPU cluster");
  GangCluster one{.element = element.id, .name = element.name()};
  for (auto [word, slot] : {std::pair("submitted", &one.submitted),
                            {"jobs", &one.jobs},
                            {"waiting", &one.waiting},
                            {"gpus", &one.gpus},
                            {"free", &one.free},
                            {"stranded", &one.stranded},
                            {"preemptions", &one.preemptions},
                            {"done", &one.done},
                            {"rejected", &one.rejected},
                            {"up", &one.up},
                            {"host_failures", &one.host_failures},
                            {"restarts", &one.restarts}})
    *slot = slot_of_gang(model, element, word, ValueType::integer());
  one.power = slot_of_gang(model, element, "power", ValueType::real(parse_unit("W")->dimension), "W");
  one.makespan = slot_of_gang(model, element, "makespan", ValueType::real(Dimension::of_time()), "s");
  one.lost_work = slot_of_gang(model, element, "lost_work", ValueType::real(Dimension::of_time()), "s");
  cluster_number_[element.id] = static_cast<std::uint32_t>(net().clusters.size());
  net().clusters.push_back(std::move(one));
}

void GangLowering::join(Lowering& model, const Element& flow) {
  join_stream(model, flow, stream_number_, cluster_number_, net().streams, net().clusters, &GangModel::Stream::cluster,
              GangModel::none, {"GNG003", "GNG006", "GPU cluster"});
}

void GangLowering::declare_observations(Lowering& model) {
  for (std::uint32_t s = 0; s < net().streams.size(); ++s) {
    GangStream& one = net().streams[s];
    if (one.cluster == GangModel::none) continue;
    std::vector<std::uint32_t>& all = net().clusters[one.cluster].streams;
    one.of_class = static_cast<std::uint32_t>(all.size());
    all.push_back(s);
  }
  for (GangCluster& cluster : net().clusters) {
    std::vector<std::string> classes;
    for (const std::uint32_t s : cluster.streams) classes.push_back(net().streams[s].name);
    const auto add = [&](const char* word, const char* unit) {
      return model.slots.add(
          StreamSpec{cluster.name + "." + word, unit, cluster.element, classes, {0.0, NamedSlot::everything.upper}});
    };
    cluster.response_time = add("response_time", "s"), cluster.wait = add("wait", "s");
    cluster.slowdown = add("slowdown", ""), cluster.cost = add("cost", "USD");
    cluster.job_lost_work = add("job_lost_work", "s"), cluster.job_restarts = add("job_restarts", "");
  }
}

std::shared_ptr<LoweredPart> GangLowering::lower(Lowering& model, Scope& scope) {
  if (net().clusters.empty() && net().streams.empty()) return nullptr;
  for (GangStream& stream : net().streams) lower_stream(model, scope, stream);
  for (GangCluster& cluster : net().clusters) lower_cluster(model, scope, cluster);
  return out_;
}

std::unique_ptr<NotationLowering> gang_lowering() { return std::make_unique<GangLowering>(); }

// A stream that flows nowhere, and whose jobs are customers of a queueing network, is one of jobs with GPUs, too.
std::set<ElementId> gang_streams(const Document& document) {
  std::set<ElementId> out, flowing;
  std::set<std::string> named;
  const std::set<ElementId> of_pools = pool_streams(document);
  for (const Element* diagram : document.of(Section::diagram)) {
    if (diagram->text("notation") != "cluster") continue;
    for (const Element* edge : document.edges(diagram->id)) {
      const Element *from = document.find(edge->source), *to = document.find(edge->target);
      if (edge->kind != "job_flow" || from == nullptr || to == nullptr || from->kind != "job_stream") continue;
      flowing.insert(from->id);
      if (to->kind == "gpu_cluster" && !of_pools.contains(from->id)) out.insert(from->id);
    }
  }
  for (const Element* node : document.of(Section::node))
    if (node->kind == "source" && !trim(node->text("jobs")).empty()) named.emplace(trim(node->text("jobs")));
  for (const Element* node : document.of(Section::node))
    if (node->kind == "job_stream" && named.contains(node->name()) && !flowing.contains(node->id)) out.insert(node->id);
  return out;
}

std::vector<std::string> gang_slots_of_kind(std::string_view kind) {
  if (kind == "gpu_cluster")
    return {"submitted", "jobs",  "waiting",  "gpus", "free",          "stranded", "preemptions", "done",
            "rejected",  "power", "makespan", "up",   "host_failures", "restarts", "lost_work"};
  return {};
}

std::vector<std::string> gang_streams_of_kind(std::string_view kind) {
  if (kind == "gpu_cluster") return {"response_time", "wait", "slowdown", "cost", "job_lost_work", "job_restarts"};
  return {};
}

}  // namespace ergode
