// From drawn queueing networks to one NetworkModel: names and slots, classes, and the order of all else.
#include "solvers/queueing/lowering/network_lowering.h"

#include <algorithm>
#include <functional>

#include "core/base/text.h"
#include "solvers/queueing/lowering/lowering_steps.h"
#include "solvers/queueing/lowering/words.h"
#include "solvers/queueing/model/flow_rules.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;

constexpr std::string_view notation_name = "queueing";
constexpr NodeKind kinds_of_nodes[] = {{"source", Kind::source, "source", "interarrival", nullptr},
                                       {"station", Kind::station, "station", "service", "service_of"},
                                       {"delay", Kind::delay, "delay", "time", "time_of"},
                                       {"transport", Kind::delay, "transport", nullptr, nullptr},
                                       {"router", Kind::router, "router", nullptr, nullptr},
                                       {"class_switch", Kind::router, "class switch", nullptr, nullptr},
                                       {"sink", Kind::sink, "sink", nullptr, nullptr},
                                       {"fork", Kind::fork, "fork", nullptr, nullptr},
                                       {"join", Kind::join, "join", nullptr, nullptr},
                                       {"semaphore", Kind::semaphore, "semaphore", nullptr, nullptr},
                                       {"scaler", Kind::scaler, "scaler", nullptr, nullptr},
                                       {"logger", Kind::logger, "logger", nullptr, nullptr},
                                       {"seize", Kind::seize, "seize", nullptr, nullptr},
                                       {"release", Kind::release, "release", nullptr, nullptr},
                                       {"place", Kind::place, "place", nullptr, nullptr},
                                       {"transition", Kind::transition, "transition", "time", nullptr},
                                       {"plugin_station", Kind::plugin, "plugin station", nullptr, nullptr}};

using Node = NetworkModel::Node;
using Pool = NetworkModel::Pool;
using Region = NetworkModel::Region;

/// Words that expressions read, and where the numbers of their slots, and of streams, are kept.
template <typename Thing>
struct Kept {
  const char* word;
  std::uint32_t Thing::*number;
};
struct KindSlots {
  const char* kind;
  std::vector<Kept<Node>> slots, streams;
};
const std::vector<KindSlots>& slots_of_nodes() {
  static const std::vector<KindSlots> all = {
      {"source", {{"emitted", &Node::number}}, {}},
      {"station",
       {{"number", &Node::number},
        {"waiting", &Node::waiting},
        {"busy", &Node::busy},
        {"lost", &Node::lost},
        {"gave_up", &Node::gave_up},
        {"blocked", &Node::blocked},
        {"servers", &Node::servers_now}},
       {{"response_time", &Node::response}, {"waiting_time", &Node::wait}, {"residence_time", &Node::residence}}},
      {"delay",
       {{"number", &Node::number}},
       {{"response_time", &Node::response}, {"residence_time", &Node::residence}}},
      {"transport",
       {{"number", &Node::number}},
       {{"response_time", &Node::response}, {"residence_time", &Node::residence}}},
      {"sink", {{"arrived", &Node::number}, {"late", &Node::late}}, {{"time_in_system", &Node::response}}},
      {"join", {{"number", &Node::number}}, {{"response_time", &Node::response}}},
      {"scaler", {{"number", &Node::number}}, {{"response_time", &Node::response}}},
      {"semaphore", {{"number", &Node::number}}, {}},
      {"logger", {{"passed", &Node::number}}, {{"interval", &Node::wait}, {"age", &Node::response}}},
      {"seize", {{"number", &Node::number}}, {{"waiting_time", &Node::wait}}},
      {"place", {{"number", &Node::number}}, {{"response_time", &Node::response}}},
      {"transition", {{"fired", &Node::number}}, {}},
      {"plugin_station",
       {{"number", &Node::number}, {"lost", &Node::lost}},
       {{"response_time", &Node::response}, {"residence_time", &Node::residence}}}};
  return all;
}

/// Where the slot of the first class is kept of what is counted by class too, where there are several.
struct KeptByClass {
  const char* word;
  std::uint32_t Node::*first;
  std::vector<Kind> kinds;
  bool whole;  ///< a number of customers; else of servers, of which each may be shared
};
const std::vector<KeptByClass>& counted_by_class() {
  static const std::vector<KeptByClass> all = {
      {"number", &Node::of_class, {Kind::station, Kind::delay, Kind::place, Kind::plugin}, true},
      {"busy", &Node::busy_of_class, {Kind::station}, false},
      {"waiting", &Node::waiting_of_class, {Kind::station}, true},
      {"lost", &Node::lost_of_class, {Kind::station, Kind::plugin}, true},
      {"gave_up", &Node::gave_up_of_class, {Kind::station}, true},
      {"blocked", &Node::blocked_of_class, {Kind::station}, true}};
  return all;
}
constexpr Kept<Pool> pool_slots[] = {
    {"free", &Pool::free}, {"busy", &Pool::busy}, {"waiting", &Pool::waiting}, {"preempted", &Pool::preempted}};
constexpr Kept<Region> region_slots[] = {
    {"number", &Region::number}, {"waiting", &Region::waiting}, {"lost", &Region::lost}};
/// Likewise by class, where there are several: the slot of the first.
constexpr Kept<Region> region_slots_by_class[] = {
    {"number", &Region::number_of_class}, {"waiting", &Region::waiting_of_class}, {"lost", &Region::lost_of_class}};
constexpr Kept<Region> region_streams[] = {
    {"waiting_time", &Region::wait}, {"response_time", &Region::response}, {"residence_time", &Region::residence}};
/// Of all networks together.
constexpr std::string_view system_word = "system";
constexpr Kept<NetworkModel> system_streams[] = {{"response_time", &NetworkModel::system_response},
                                                 {"waiting_time", &NetworkModel::system_wait}};

/// The most that a slot or stream of an element can be, by definition: nobody waits where servers are shared, nobody is
/// lost where there is always room.
double most_of(const Element& element, std::string_view word) {
  if (element.kind != "station") return NamedSlot::everything.upper;
  const std::string discipline(trim(element.text("discipline")));
  const bool shares = std::any_of(std::begin(discipline_words), std::end(discipline_words), [&](const auto& one) {
    using D = NetworkModel::Discipline;
    return discipline == one.name && (one.value == D::ps || one.value == D::dps || one.value == D::gps);
  });
  const bool never = word == "lost" ? trim(element.text("capacity")).empty() && trim(element.text("balking")).empty()
                                    : shares && (word == "waiting" || word == "waiting_time");
  return never ? 0.0 : NamedSlot::everything.upper;
}

std::uint32_t add_slot(Lowering& model, const Element& element, const std::string& name,
                       double most = NamedSlot::everything.upper, ValueType type = ValueType::integer()) {
  return model.slots.add({.name = name,
                          .type = type,
                          .element = element.id,
                          .writer = std::string(notation_name),
                          .range = {0.0, most},
                          .by_set = true},
                         0.0);
}

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
  declare_attributes(model);
  // In document order whatever the kind, so that numbers, streams and timers follow the drawing.
  for (const Element* diagram : model.document.of(Section::diagram)) {
    if (diagram->text("notation") != notation_name) continue;
    const std::size_t before = net().nodes.size();
    for (const Element* element : model.document.nodes(diagram->id)) {
      declare_shared(model, *element);
      for (const NodeKind& kind : node_kinds())
        if (element->kind == kind.word) declare_node(model, *element, kind);
    }
    if (net().nodes.size() > before) net().diagrams.push_back({diagram->id, diagram->name()});
    for (const Element* edge : model.document.edges(diagram->id))
      if (edge->kind == "flow") declare_flow(model, *edge);
  }
  declare_system(model);
}

// All networks together are the system, as in what solvers answer unasked. A node that has its name keeps its streams.
void NetworkLowering::declare_system(Lowering& model) {
  if (net().diagrams.empty()) return;
  const auto called_so = [](const auto& one) { return one.name == system_word; };
  if (std::any_of(net().nodes.begin(), net().nodes.end(), called_so) ||
      std::any_of(net().regions.begin(), net().regions.end(), called_so))
    return;
  for (const auto& [word, number] : system_streams)
    net().*number = add_stream(model, net().diagrams.front().element, std::string(system_word) + "." + word,
                               {0.0, NamedSlot::everything.upper});
}

// What may not be drawn is in files all the same. The flow is left out, so that nothing here meets what it never
// expects.
void NetworkLowering::declare_flow(Lowering& model, const Element& flow) {
  const Element *from = model.document.find(flow.source), *to = model.document.find(flow.target);
  if (from == nullptr || to == nullptr) return;
  const std::string why = why_no_flow(from->kind, to->kind);
  if (why.empty()) {
    leaving_[flow.source].push_back(&flow);
    return;
  }
  model.refuse(flow, "QN014", "", "A flow leads from " + called(*from) + " to " + called(*to) + ". " + why,
               "Take it away, or lead it elsewhere.");
  misled_.insert(flow.source);
}

bool NetworkLowering::declare_name(Lowering& model, const Element& element, const char* what) {
  const std::string name = element.name();
  if (!is_identifier(name))
    model.refuse(element, "QN001", "name", "The name is \"" + name + "\"; wanted letters, digits and _.");
  else if (const auto* other = model.slots.declare(name, {element.id, what}))
    model.refuse(element, "QN001", "name", "\"" + name + "\" is also the name of a " + other->what + ".");
  else return true;
  return false;
}

std::uint32_t NetworkLowering::add_stream(Lowering& model, const Element& element, const char* word) {
  // Times pass: none is below zero.
  return add_stream(model, element.id, element.name() + "." + word, {0.0, most_of(element, word)});
}

std::uint32_t NetworkLowering::add_stream(Lowering& model, ElementId element, std::string name, Range range) {
  std::vector<std::string> names;
  for (const NetworkModel::JobClass& one : net().classes)
    if (!one.name.empty()) names.push_back(one.name);
  return model.slots.add(StreamSpec{std::move(name), "s", element, names, range});
}

void NetworkLowering::declare_node(Lowering& model, const Element& element, const NodeKind& kind) {
  Node node{.element = element.id, .name = element.name(), .kind = kind.kind};
  declare_name(model, element, kind.what);
  for (const KindSlots& all : slots_of_nodes()) {
    if (element.kind != all.kind) continue;
    model.slots.keep_together(all.slots.size());
    for (const auto& [word, number] : all.slots)
      node.*number = add_slot(model, element, node.name + "." + word, most_of(element, word));
    for (const auto& [word, number] : all.streams) node.*number = add_stream(model, element, word);
  }
  if (net().classes.size() > 1)
    for (const KeptByClass& kept : counted_by_class()) {
      if (std::find(kept.kinds.begin(), kept.kinds.end(), node.kind) == kept.kinds.end()) continue;
      for (const NetworkModel::JobClass& one : net().classes) {
        const std::uint32_t slot =
            add_slot(model, element, node.name + "." + kept.word + "." + one.name, most_of(element, kept.word),
                     kept.whole ? ValueType::integer() : ValueType::real());
        if (node.*kept.first == NetworkModel::none) node.*kept.first = slot;
      }
    }
  if (node.kind == Kind::logger && !trim(element.text("value")).empty()) {
    std::vector<std::string> names;
    for (const NetworkModel::JobClass& one : net().classes)
      if (!one.name.empty()) names.push_back(one.name);
    node.value_stream = model.slots.add(
        StreamSpec{node.name + ".value", std::string(trim(element.text("value_unit"))), element.id, names});
  }
  if (node.kind == Kind::plugin) declare_plugin(model, element, node);
  if (node.kind == Kind::source) declare_jobs(model, element, node);
  const auto raised = [&](const char* property) {
    const std::string event(trim(element.text(property)));
    return event.empty() ? NetworkModel::none : model.slots.events.raised_by(element.id, property, event);
  };
  if (node.kind == Kind::station) node.loss_event = raised("loss_event");
  if (node.kind == Kind::station || node.kind == Kind::delay) {
    node.arrival_event = raised("arrival_event"), node.departure_event = raised("departure_event");
    if (node.arrival_event != NetworkModel::none || node.departure_event != NetworkModel::none)
      node.features |= NetworkModel::raises_events;
  }
  number_[element.id] = static_cast<std::uint32_t>(net().nodes.size());
  net().nodes.push_back(std::move(node));
}

void NetworkLowering::declare_shared(Lowering& model, const Element& element) {
  if (element.kind == "pool") {
    Pool pool{.element = element.id, .name = element.name()};
    if (declare_name(model, element, "resource pool"))
      for (const auto& [word, number] : pool_slots) pool.*number = add_slot(model, element, pool.name + "." + word);
    net().pools.push_back(std::move(pool));
  } else if (element.kind == "region") {
    Region region{.element = element.id, .name = element.name()};
    if (declare_name(model, element, "region")) {
      for (const auto& [word, number] : region_slots)
        region.*number = add_slot(model, element, region.name + "." + word);
      for (const auto& [word, number] : region_streams) region.*number = add_stream(model, element, word);
      for (const auto& [word, first] : region_slots_by_class) {
        if (net().classes.size() < 2) break;
        for (const NetworkModel::JobClass& one : net().classes) {
          const std::uint32_t slot = add_slot(model, element, region.name + "." + word + "." + one.name);
          if (region.*first == NetworkModel::none) region.*first = slot;
        }
      }
    }
    net().regions.push_back(std::move(region));
  }
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

void NetworkLowering::lower_classes(Lowering& model, PropertyReader& read) {
  for (NetworkModel::JobClass& one : net().classes) {
    if (!one.element) continue;
    const Element& element = *model.document.find(one.element);
    one.ranked = reads_attributes(element, "priority");
    net().ranked = net().ranked || one.ranked;
    if (one.ranked) one.rank = model.program(element, "priority", ValueType::real(), customers());
    else one.priority = read.integer(element, "priority", 0);
    if (!trim(element.text("due")).empty()) one.due = duration(model, customers(), element, "due", "");
    const std::size_t told = model.problems.size();
    long population = read.integer(element, "population", 0);
    constexpr long most = NetworkModel::most_customers;
    if (population < 0 || population > most)
      refuse_value(model, element, "population",
                   "The population is " + std::to_string(population) + "; wanted 0 to " + std::to_string(most) + ".");
    // Somebody is meant to be there: one of a number that was refused, so that nobody is told that the class is empty.
    if (model.problems.size() > told) population = 1;
    one.population = static_cast<std::uint32_t>(population);
    if (population > 0) one.reference = find_reference(model, element);
  }
}

std::uint32_t NetworkLowering::find_reference(Lowering& model, const Element& of_class) {
  const std::string reference(trim(of_class.text("reference")));
  std::uint32_t found = NetworkModel::none;
  for (std::uint32_t n = 0; n < net().nodes.size(); ++n) {
    const Node& node = net().nodes[n];
    if (node.kind != Kind::station && node.kind != Kind::delay) continue;
    if (!reference.empty() ? node.name == reference : node.kind == Kind::delay) return n;
    if (reference.empty()) found = std::min(found, n);
  }
  if (found == NetworkModel::none)
    model.refuse(of_class, "QN006", "reference",
                 reference.empty() ? "There is no station at which the customers of this class could be."
                                   : "There is no station or delay \"" + reference + "\".");
  return found;
}

// Each may be as many as there may be at one time, all together not more either.
void NetworkLowering::count_first(Lowering& model) {
  std::uint64_t all = 0;
  const auto count = [&](ElementId element, const char* property, std::uint32_t more) {
    const bool fitted = all <= NetworkModel::most_customers;
    all += more;
    if (fitted && all > NetworkModel::most_customers)
      refuse_value(model, *model.document.find(element), property,
                   "With those before there are " + std::to_string(all) + " customers at time zero; wanted at most " +
                       std::to_string(NetworkModel::most_customers) + ".");
  };
  for (const NetworkModel::JobClass& one : net().classes)
    if (one.element) count(one.element, "population", one.population);
  for (const Node& node : net().nodes)
    if (node.kind == Kind::place) count(node.element, "tokens", node.tokens);
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
  net().time_unit = parse_unit(model.document.model().text("time_unit", "h")).value_or(Unit{});
  CustomerScope of_customers(scope);
  check_attribute_names(model, scope);
  for (std::uint32_t a = 0; a < net().attributes.size(); ++a) show_attribute(of_customers, a);
  customers_ = net().attributes.empty() ? &scope : &of_customers;
  lower_classes(model, read);
  number_levels();
  name_servers(model, scope);
  for (Node& node : net().nodes) lower_node(model, scope, read, node);
  lower_attributes(model, scope);
  lower_shared(model, scope, read);
  lower_arcs(model, scope, read);
  count_first(model);
  follow(model, scope);
  refer_followers(model);
  check_ways_back(model);
  check_ways_out(model);
  check_fork_loops(model);
  look_ahead(model);
  check_numbers(model);
  if (!net().attributes.empty()) find_carried(), check_reads(model);
  check_handed(model);
  customers_ = nullptr;
  return out_;
}

std::unique_ptr<NotationLowering> network_lowering() { return std::make_unique<NetworkLowering>(); }

std::vector<std::string> slots_of_kind(std::string_view kind) {
  std::vector<std::string> out;
  for (const KindSlots& all : slots_of_nodes())
    if (kind == all.kind)
      for (const auto& [word, number] : all.slots) out.emplace_back(word);
  if (kind == "pool")
    for (const auto& [word, number] : pool_slots) out.emplace_back(word);
  if (kind == "region")
    for (const auto& [word, number] : region_slots) out.emplace_back(word);
  return out;
}

std::vector<std::string> slots_by_class_of_kind(std::string_view kind) {
  std::vector<std::string> out;
  for (const NodeKind& one : node_kinds())
    for (const KeptByClass& kept : counted_by_class())
      if (kind == one.word && std::find(kept.kinds.begin(), kept.kinds.end(), one.kind) != kept.kinds.end())
        out.emplace_back(kept.word);
  if (kind == "region")
    for (const auto& [word, first] : region_slots_by_class) out.emplace_back(word);
  return out;
}

std::vector<std::string> streams_of_kind(std::string_view kind) {
  std::vector<std::string> out;
  for (const KindSlots& all : slots_of_nodes())
    if (kind == all.kind)
      for (const auto& [word, number] : all.streams) out.emplace_back(word);
  if (kind == "region")
    for (const auto& [word, number] : region_streams) out.emplace_back(word);
  return out;
}

std::vector<std::vector<std::string>> streams_of_system() {
  std::vector<std::vector<std::string>> out;
  for (const auto& [word, number] : system_streams) out.push_back({std::string(system_word), word});
  return out;
}

}  // namespace ergode
