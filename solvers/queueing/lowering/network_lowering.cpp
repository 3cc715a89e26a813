// From drawn queueing networks to one NetworkModel: names and slots, classes, and the order of all else.
#include "solvers/queueing/lowering/network_lowering.h"

#include <algorithm>
#include <functional>

#include "core/base/text.h"
#include "solvers/queueing/lowering/lowering_steps.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;

constexpr std::string_view notation_name = "queueing";
constexpr const char* station_slots[] = {"number", "waiting", "busy", "lost", "gave_up", "blocked"};
constexpr const char* delay_slots[] = {"number"};
constexpr const char* source_slots[] = {"emitted"};
constexpr const char* sink_slots[] = {"arrived", "late"};

constexpr NodeKind kinds_of_nodes[] = {{"source", Kind::source, "source", "interarrival", nullptr},
                                       {"station", Kind::station, "station", "service", "service_of"},
                                       {"delay", Kind::delay, "delay", "time", "time_of"},
                                       {"router", Kind::router, "router", nullptr, nullptr},
                                       {"class_switch", Kind::router, "class switch", nullptr, nullptr},
                                       {"sink", Kind::sink, "sink", nullptr, nullptr}};

}  // namespace

std::span<const NodeKind> node_kinds() { return kinds_of_nodes; }

void NetworkLowering::declare(Lowering& model) {
  for (const Element* element : model.nodes(notation_name, "job_class")) {
    const std::string name = element->name();
    if (!is_identifier(name))
      model.refuse(*element, "QN001", "name", "The name is \"" + name + "\"; wanted letters, digits and _.");
    else if (!class_number_.emplace(name, net().classes.size()).second)
      model.refuse(*element, "QN001", "name", "There is another class \"" + name + "\".");
    net().classes.push_back({.element = element->id, .name = name});
  }
  if (net().classes.empty()) net().classes.emplace_back();
  // In document order whatever the kind, so that numbers, streams and timers follow the drawing.
  for (const Element* diagram : model.document.of(Section::diagram)) {
    if (diagram->text("notation") != notation_name) continue;
    const std::size_t before = net().nodes.size();
    for (const Element* element : model.document.nodes(diagram->id))
      for (const NodeKind& kind : node_kinds())
        if (element->kind == kind.word) declare_node(model, *element, kind);
    if (net().nodes.size() > before) net().diagrams.push_back({diagram->id, diagram->name()});
    for (const Element* edge : model.document.edges(diagram->id))
      if (edge->kind == "flow") leaving_[edge->source].push_back(edge);
  }
}

void NetworkLowering::declare_node(Lowering& model, const Element& element, const NodeKind& kind) {
  Node node{.element = element.id, .name = element.name(), .kind = kind.kind};
  if (!is_identifier(node.name))
    model.refuse(element, "QN001", "name", "The name is \"" + node.name + "\"; wanted letters, digits and _.");
  else if (const auto* other = model.slots.declare(node.name, {element.id, kind.what}))
    model.refuse(element, "QN001", "name", "\"" + node.name + "\" is also the name of a " + other->what + ".");
  std::uint32_t* const places[] = {&node.number, &node.waiting, &node.busy, &node.lost, &node.gave_up, &node.blocked};
  std::uint32_t* const of_sinks[] = {&node.number, &node.late};
  std::uint32_t* const* place = node.kind == Kind::sink ? of_sinks : places;
  for (const char* word : slots_of_kind(kind.word))
    **place++ = model.slots.add({.name = node.name + "." + word,
                                 .type = ValueType::integer(),
                                 .element = element.id,
                                 .writer = std::string(notation_name),
                                 .range = {0.0, NamedSlot::everything.upper}},
                                0.0);
  if (net().classes.size() > 1 && (node.kind == Kind::station || node.kind == Kind::delay))
    for (const NetworkModel::JobClass& one : net().classes) {
      const std::uint32_t slot = model.slots.add({.name = node.name + ".number." + one.name,
                                                  .type = ValueType::integer(),
                                                  .element = element.id,
                                                  .writer = std::string(notation_name),
                                                  .range = {0.0, NamedSlot::everything.upper}},
                                                 0.0);
      if (node.of_class == NetworkModel::none) node.of_class = slot;
    }
  std::vector<std::string> names;
  for (const NetworkModel::JobClass& one : net().classes)
    if (!one.name.empty()) names.push_back(one.name);
  std::uint32_t* const streams[] = {&node.response, &node.wait};
  std::uint32_t* const* of_stream = streams;
  for (const char* word : streams_of_kind(kind.word))
    **of_stream++ = model.slots.add(StreamSpec{node.name + "." + word, "s", element.id, names});
  const std::string loss(trim(element.text("loss_event")));
  node.raises_loss = node.kind == Kind::station && !loss.empty();
  if (node.raises_loss) node.loss_event = model.slots.events.number(loss);
  number_[element.id] = static_cast<std::uint32_t>(net().nodes.size());
  net().nodes.push_back(std::move(node));
}

std::uint32_t NetworkLowering::class_named(Lowering& model, const Element& at, const char* property) {
  const std::string name(trim(at.text(property)));
  if (name.empty()) {
    if (net().classes.size() > 1)
      model.refuse(at, "QN005", property, "No class is named, and there are several.",
                   "Name one of the classes drawn.");
    return 0;
  }
  const auto found = class_number_.find(name);
  if (found != class_number_.end()) return found->second;
  model.refuse(at, "QN005", property, "There is no class \"" + name + "\".", "Draw it, or name one of those drawn.");
  return 0;
}

void NetworkLowering::lower_classes(Lowering& model, Scope& scope, PropertyReader& read) {
  for (NetworkModel::JobClass& one : net().classes) {
    if (!one.element) continue;
    const Element& element = *model.document.find(one.element);
    one.priority = read.integer(element, "priority", 0);
    if (!trim(element.text("due")).empty()) one.due = duration(model, scope, element, "due", "");
    const long population = read.integer(element, "population", 0);
    constexpr long most = 10'000'000;
    if (population < 0 || population > most) {
      model.refuse(element, "QN004", "population",
                   "The population is " + std::to_string(population) + "; wanted 0 to " + std::to_string(most) + ".");
      continue;
    }
    one.population = static_cast<std::uint32_t>(population);
    if (population == 0) continue;
    const std::string reference(trim(element.text("reference")));
    std::uint32_t first_station = NetworkModel::none;
    for (std::uint32_t n = 0; n < net().nodes.size(); ++n) {
      const Node& node = net().nodes[n];
      if (node.kind != Kind::station && node.kind != Kind::delay) continue;
      if (!reference.empty() ? node.name == reference : node.kind == Kind::delay) {
        one.reference = n;
        break;
      }
      first_station = std::min(first_station, n);
    }
    if (one.reference == NetworkModel::none && reference.empty()) one.reference = first_station;
    if (one.reference == NetworkModel::none)
      model.refuse(element, "QN006", "reference",
                   reference.empty() ? "There is no station at which the customers of this class could be."
                                     : "There is no station or delay \"" + reference + "\".");
  }
}

// Greater priorities first; equal ones are one level.
void NetworkLowering::number_levels() {
  std::vector<long> priorities;
  for (const NetworkModel::JobClass& one : net().classes) priorities.push_back(one.priority);
  std::sort(priorities.begin(), priorities.end(), std::greater<>());
  priorities.erase(std::unique(priorities.begin(), priorities.end()), priorities.end());
  for (NetworkModel::JobClass& one : net().classes)
    one.level =
        static_cast<std::uint32_t>(std::find(priorities.begin(), priorities.end(), one.priority) - priorities.begin());
  net().levels = static_cast<std::uint32_t>(priorities.size());
}

std::shared_ptr<LoweredPart> NetworkLowering::lower(Lowering& model, Scope& scope) {
  if (net().nodes.empty()) return nullptr;
  PropertyReader read(scope, model.problems);
  lower_classes(model, scope, read);
  number_levels();
  for (Node& node : net().nodes) lower_node(model, scope, read, node);
  follow(model, scope);
  look_ahead(model);
  if (!has_errors(model.problems)) warn_of_overload(model);
  return out_;
}

std::unique_ptr<NotationLowering> network_lowering() { return std::make_unique<NetworkLowering>(); }

std::span<const char* const> slots_of_kind(std::string_view kind) {
  if (kind == "station") return station_slots;
  if (kind == "delay") return delay_slots;
  if (kind == "source") return source_slots;
  if (kind == "sink") return sink_slots;
  return {};
}

std::span<const char* const> streams_of_kind(std::string_view kind) {
  // The first is the time from coming to going, the second a part of it.
  static constexpr const char* of_station[] = {"response_time", "waiting_time"};
  static constexpr const char* of_sink[] = {"time_in_system"};
  if (kind == "station") return of_station;
  if (kind == "delay") return std::span(of_station).first(1);
  if (kind == "sink") return of_sink;
  return {};
}

}  // namespace ergode
