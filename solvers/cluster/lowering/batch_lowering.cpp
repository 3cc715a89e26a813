// From drawn pools, streams and provisioners to one BatchModel: names, flows, what is observed.
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "solvers/cluster/lowering/batch_lowering_steps.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/stream_flows.h"

namespace ergode {
namespace {

constexpr std::string_view batch_notation_name = "cluster";

}  // namespace

void BatchLowering::declare(Lowering& model) {
  net().tables = table_names(model.document);
  const std::set<ElementId> own = pool_streams(model.document);
  for (const Element* diagram : model.document.of(Section::diagram)) {
    if (diagram->text("notation") != batch_notation_name) continue;
    for (const Element* node : model.document.nodes(diagram->id)) {
      if (node->kind == "job_stream" && own.contains(node->id)) declare_stream(model, *node);
      if (node->kind == "host_pool") declare_pool(model, *node);
      if (node->kind == "provisioner") {
        declare_name(model, *node, "provisioner");
        service_number_[node->id] = static_cast<std::uint32_t>(net().services.size());
        net().services.push_back({.element = node->id, .name = node->name()});
      }
    }
    for (const Element* edge : model.document.edges(diagram->id))
      if (edge->kind == "job_flow") join(model, *edge);
  }
  declare_observations(model);
}

void BatchLowering::declare_name(Lowering& model, const Element& element, const char* what) {
  const std::string name = element.name();
  if (!is_identifier(name))
    model.refuse(element, "BAT001", "name", "The name is \"" + quotable(name) + "\"; wanted letters, digits and _.");
  else if (const auto* other = model.slots.declare(name, {element.id, what}))
    model.refuse(element, "BAT001", "name", "\"" + name + "\" is also the name of a " + other->what + ".");
}

std::uint32_t BatchLowering::slot(Lowering& model, const Element& element, const char* word) {
  return model.slots.add({.name = element.name() + "." + word,
                          .type = ValueType::integer(),
                          .element = element.id,
                          .writer = "host_pool",
                          .range = {0.0, NamedSlot::everything.upper},
                          .by_set = true},
                         0.0);
}

void BatchLowering::declare_stream(Lowering& model, const Element& element) {
  declare_name(model, element, "job stream");
  BatchModel::Stream stream{.element = element.id, .name = element.name()};
  stream.submitted = slot(model, element, "submitted");
  stream.jobs = slot(model, element, "jobs"), stream.gpus = slot(model, element, "gpus");
  const TakenWord taken[] = {{"size", Dimension::of_time()}, {"limit", Dimension::of_time()}, {"hosts", Dimension()}};
  stream.handed = declare_handed_jobs(model, element, taken, "BAT015");
  stream_number_[element.id] = static_cast<std::uint32_t>(net().streams.size());
  net().streams.push_back(std::move(stream));
}

void BatchLowering::declare_pool(Lowering& model, const Element& element) {
  declare_name(model, element, "host pool");
  BatchModel::Pool pool{.element = element.id, .name = element.name()};
  pool.submitted = slot(model, element, "submitted"), pool.rejected = slot(model, element, "rejected");
  pool.jobs = slot(model, element, "jobs"), pool.waiting = slot(model, element, "waiting");
  pool.busy = slot(model, element, "busy"), pool.gpus = slot(model, element, "gpus");
  pool.killed = slot(model, element, "killed");
  pool.up = slot(model, element, "up"), pool.host_failures = slot(model, element, "host_failures");
  pool.restarts = slot(model, element, "restarts");
  for (const auto& [word, at] :
       {std::pair("lost_work", &pool.lost_work), {"useful_work", &pool.useful_work}, {"used_time", &pool.used_time}})
    *at = model.slots.add({.name = element.name() + "." + word,
                           .unit = "h",
                           .scale = 3600.0,
                           .type = ValueType::real(Dimension::of_time()),
                           .element = element.id,
                           .writer = "host_pool",
                           .range = {0.0, NamedSlot::everything.upper},
                           .by_set = true},
                          0.0);
  for (const auto& [word, at, unit, scale] :
       {std::tuple("power", &pool.power, "W", 1.0), {"spend", &pool.spend, "USD/h", 1.0 / 3600.0}})
    *at = model.slots.add({.name = element.name() + "." + word,
                           .unit = unit,
                           .scale = scale,
                           .type = ValueType::real(parse_unit(unit)->dimension),
                           .element = element.id,
                           .writer = "host_pool",
                           .range = {0.0, NamedSlot::everything.upper},
                           .by_set = true},
                          0.0);
  pool_number_[element.id] = static_cast<std::uint32_t>(net().pools.size());
  net().pools.push_back(std::move(pool));
}

void BatchLowering::join(Lowering& model, const Element& flow) {
  const Element *from = model.document.find(flow.source), *to = model.document.find(flow.target);
  if (from == nullptr || to == nullptr) return;
  const auto stream = stream_number_.find(flow.source), service = service_number_.find(flow.source),
             pool = pool_number_.find(flow.target);
  if (pool == pool_number_.end()) {
    // What flows elsewhere is the business of rentals, but for who flows to both.
    if (stream == stream_number_.end() && service == service_number_.end()) return;
    model.refuse(flow, "BAT003", "",
                 "\"" + from->name() + "\" flows to \"" + to->name() + "\"; wanted one pool of hosts.",
                 "Take it away, or draw a stream for each.");
    return;
  }
  std::uint32_t* const at = stream != stream_number_.end()     ? &net().streams[stream->second].pool
                            : service != service_number_.end() ? &net().services[service->second].pool
                                                               : nullptr;
  if (at == nullptr) {
    model.refuse(flow, "BAT006", "",
                 "Jobs flow from \"" + from->name() + "\" to \"" + to->name() +
                     "\". Jobs come from a job stream or a provisioner.",
                 "Take it away.");
    return;
  }
  if (*at != BatchModel::none) {
    model.refuse(flow, "BAT003", "",
                 "Jobs of \"" + from->name() + "\" go to \"" + net().pools[*at].name + "\" and to \"" + to->name() +
                     "\"; wanted one pool.",
                 "Draw one for each.");
    return;
  }
  *at = pool->second;
  if (service == service_number_.end()) return;
  if (net().pools[pool->second].provisioner != BatchModel::none)
    model.refuse(flow, "BAT003", "", "Two provisioners flow to \"" + to->name() + "\"; wanted one.",
                 "Draw a pool for each: provisioners are compared on the same jobs.");
  net().pools[pool->second].provisioner = service->second;
}

void BatchLowering::declare_observations(Lowering& model) {
  for (std::uint32_t s = 0; s < net().streams.size(); ++s) {
    BatchModel::Stream& one = net().streams[s];
    if (one.pool == BatchModel::none) continue;
    std::vector<std::uint32_t>& all = net().pools[one.pool].streams;
    one.of_class = static_cast<std::uint32_t>(all.size());
    all.push_back(s);
  }
  const auto add = [&](const std::string& name, const char* word, ElementId element, std::vector<std::string> classes,
                       const char* unit = "s") {
    return model.slots.add(
        StreamSpec{name + "." + word, unit, element, std::move(classes), {0.0, NamedSlot::everything.upper}});
  };
  for (BatchModel::Pool& pool : net().pools) {
    std::vector<std::string> classes;
    for (const std::uint32_t s : pool.streams) classes.push_back(net().streams[s].name);
    pool.wait = add(pool.name, "wait", pool.element, classes);
    pool.response_time = add(pool.name, "response_time", pool.element, classes);
    pool.slowdown = add(pool.name, "slowdown", pool.element, classes, "");
    pool.job_lost_work = add(pool.name, "job_lost_work", pool.element, classes);
    pool.job_restarts = add(pool.name, "job_restarts", pool.element, classes, "");
  }
  for (BatchModel::Service& one : net().services) {
    one.interruption = add(one.name, "interruption", one.element, {});
    one.overlap = add(one.name, "overlap", one.element, {});
    one.wait = add(one.name, "wait", one.element, {});
  }
}

std::shared_ptr<LoweredPart> BatchLowering::lower(Lowering& model, Scope& scope) {
  if (net().pools.empty() && net().services.empty()) return nullptr;
  for (BatchModel::Stream& stream : net().streams) lower_stream(model, scope, stream);
  for (BatchModel::Pool& pool : net().pools) lower_pool(model, scope, pool);
  for (BatchModel::Service& service : net().services) lower_service(model, scope, service);
  return out_;
}

std::unique_ptr<NotationLowering> batch_lowering() { return std::make_unique<BatchLowering>(); }

std::set<ElementId> pool_streams(const Document& document) { return streams_that_flow_to(document, "host_pool"); }

std::vector<std::string> batch_slots_of_kind(std::string_view kind) {
  if (kind == "host_pool")
    return {"submitted",     "jobs",     "waiting",   "busy",        "gpus",      "killed", "rejected", "up",
            "host_failures", "restarts", "lost_work", "useful_work", "used_time", "power",  "spend"};
  return {};
}

std::vector<std::string> batch_streams_of_kind(std::string_view kind) {
  if (kind == "host_pool") return {"wait", "response_time", "slowdown", "job_lost_work", "job_restarts"};
  if (kind == "provisioner") return {"interruption", "overlap", "wait"};
  return {};
}

}  // namespace ergode
