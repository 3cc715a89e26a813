// From drawn queueing networks to one NetworkModel: names and slots first, then laws, ways and what is wrong with them.
#include "solvers/queueing/network_lowering.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/expression/compile.h"
#include "core/expression/syntax.h"
#include "solvers/queueing/queueing_part.h"
#include "solvers/queueing/traffic.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using Node = NetworkModel::Node;

constexpr std::string_view notation_name = "queueing";
constexpr const char* station_slots[] = {"number", "waiting", "busy", "lost"};
constexpr const char* delay_slots[] = {"number"};
constexpr const char* source_slots[] = {"emitted"};
constexpr const char* sink_slots[] = {"arrived"};

struct KindOf {
  const char* word;
  Kind kind;
  const char* what;  ///< for messages
  const char* law;   ///< property of the time spent, and of times by class
  const char* laws;
};
constexpr KindOf node_kinds[] = {{"source", Kind::source, "source", "interarrival", nullptr},
                                 {"station", Kind::station, "station", "service", "service_of"},
                                 {"delay", Kind::delay, "delay", "time", "time_of"},
                                 {"router", Kind::router, "router", nullptr, nullptr},
                                 {"sink", Kind::sink, "sink", nullptr, nullptr}};

class NetworkLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override;
  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override;

 private:
  void declare_node(Lowering& model, const Element& element, const KindOf& kind);
  void lower_classes(Lowering& model, PropertyReader& read);
  void lower_node(Lowering& model, Scope& scope, PropertyReader& read, Node& node);
  NetworkModel::Duration duration(Lowering& model, Scope& scope, const Element& at, const char* property,
                                  const Syntax* syntax);
  /// The ways of one class out of a node.
  NetworkModel::Ways ways(Lowering& model, Scope& scope, const Node& node, std::uint32_t of_class);
  /// Which classes come to which nodes; ways that nobody goes are not asked for.
  void follow(Lowering& model, Scope& scope);
  void enter(Lowering& model, Scope& scope, std::uint32_t node, std::uint32_t of_class);
  std::uint32_t class_named(Lowering& model, const Element& at);
  /// QN010: a station to which more work comes than it can do.
  void warn_of_overload(Lowering& model);
  NetworkModel& net() { return out_->model; }

  std::shared_ptr<QueueingPart> out_ = std::make_shared<QueueingPart>();
  std::map<ElementId, std::uint32_t> number_;
  std::map<std::string, std::uint32_t> class_number_;
  std::map<ElementId, std::vector<const Element*>> leaving_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> reached_;  ///< node and class, to be gone on from
};

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
      for (const KindOf& kind : node_kinds)
        if (element->kind == kind.word) declare_node(model, *element, kind);
    if (net().nodes.size() > before) net().diagrams.push_back({diagram->id, diagram->name()});
    for (const Element* edge : model.document.edges(diagram->id))
      if (edge->kind == "flow") leaving_[edge->source].push_back(edge);
  }
}

void NetworkLowering::declare_node(Lowering& model, const Element& element, const KindOf& kind) {
  Node node{.element = element.id, .name = element.name(), .kind = kind.kind};
  if (!is_identifier(node.name))
    model.refuse(element, "QN001", "name", "The name is \"" + node.name + "\"; wanted letters, digits and _.");
  else if (const auto* other = model.slots.declare(node.name, {element.id, kind.what}))
    model.refuse(element, "QN001", "name", "\"" + node.name + "\" is also the name of a " + other->what + ".");
  std::uint32_t* const places[] = {&node.number, &node.waiting, &node.busy, &node.lost};
  std::uint32_t* const* place = places;
  for (const char* word : slots_of_kind(kind.word))
    **place++ = model.slots.add({.name = node.name + "." + word,
                                 .type = ValueType::integer(),
                                 .element = element.id,
                                 .writer = std::string(notation_name),
                                 .range = {0.0, NamedSlot::everything.upper}},
                                0.0);
  std::vector<std::string> names;
  for (const NetworkModel::JobClass& one : net().classes)
    if (!one.name.empty()) names.push_back(one.name);
  const auto stream = [&](const char* word) {
    return model.slots.add(StreamSpec{node.name + "." + word, "s", element.id, names});
  };
  if (node.kind == Kind::station || node.kind == Kind::delay) node.response = stream("response_time");
  if (node.kind == Kind::station) node.wait = stream("waiting_time");
  if (node.kind == Kind::sink) node.response = stream("time_in_system");
  const std::string loss(trim(element.text("loss_event")));
  node.raises_loss = node.kind == Kind::station && !loss.empty();
  if (node.raises_loss) node.loss_event = model.slots.events.number(loss);
  number_[element.id] = static_cast<std::uint32_t>(net().nodes.size());
  net().nodes.push_back(std::move(node));
}

std::uint32_t NetworkLowering::class_named(Lowering& model, const Element& at) {
  const std::string name(trim(at.text("class")));
  if (name.empty()) {
    if (net().classes.size() > 1)
      model.refuse(at, "QN005", "class", "No class is named, and there are several.", "Name one of the classes drawn.");
    return 0;
  }
  const auto found = class_number_.find(name);
  if (found != class_number_.end()) return found->second;
  model.refuse(at, "QN005", "class", "There is no class \"" + name + "\".", "Draw it, or name one of those drawn.");
  return 0;
}

NetworkModel::Duration NetworkLowering::duration(Lowering& model, Scope& scope, const Element& at, const char* property,
                                                 const Syntax* syntax) {
  NetworkModel::Duration out;
  const auto refused = [&](const ExpressionError& error) {
    model.problems.push_back(to_diagnostic(error, at.id, property));
    return NetworkModel::Duration{};
  };
  std::variant<Syntax, SyntaxError> parsed;
  if (syntax == nullptr) {
    parsed = parse_expression(at.text(property, at.kind == "source" ? default_gap : default_time));
    if (const auto* error = std::get_if<SyntaxError>(&parsed))
      return refused({.code = error->code, .message = error->message, .column = error->column});
    syntax = &std::get<Syntax>(parsed);
  }
  auto compiled = compile_random(*syntax, Dimension::of_time(), scope, model.files);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) return refused(*error);
  auto& quantity = std::get<RandomQuantity>(compiled);
  if (auto* law = std::get_if<Distribution>(&quantity)) {
    out.law = std::move(*law);
    out.mean_s = out.law.mean();
    if (!(out.law.quantile(0.0) >= 0.0))
      model.refuse(at, "QN004", property, "The time may be " + number_text(out.law.quantile(0.0)) + " s; wanted >= 0.");
    return out;
  }
  out.value = std::move(std::get<Program>(quantity));
  out.drawn = out.value.is_constant();
  if (out.drawn) {
    const double value = out.value.evaluate(nullptr);
    if (!(value >= 0.0)) model.refuse(at, "QN004", property, "The time is " + number_text(value) + " s; wanted >= 0.");
    out.mean_s = std::max(value, 0.0);
    out.law = Distribution::deterministic(out.mean_s);
  }
  return out;
}

void NetworkLowering::lower_node(Lowering& model, Scope& scope, PropertyReader& read, Node& node) {
  const Element& element = *model.document.find(node.element);
  const KindOf& kind = node_kinds[static_cast<std::size_t>(node.kind)];
  node.ways.resize(net().classes.size());
  if (node.kind == Kind::source) {
    node.emits = class_named(model, element);
    if (net().classes[node.emits].population > 0)
      model.refuse(
          element, "QN005", "class",
          "The class \"" + net().classes[node.emits].name + "\" is closed: its customers neither come nor go.");
    node.has_rate = !trim(element.text("rate")).empty();
    if (node.has_rate) {
      node.rate = model.program(element, "rate", ValueType::real(Dimension::per_time()), scope);
      node.reader = model.slots.wake(node.rate);
      node.time.emplace_back();
    } else {
      node.time.push_back(duration(model, scope, element, kind.law, nullptr));
      if (node.time[0].drawn && node.time[0].mean_s <= 0.0)
        model.refuse(element, "QN004", kind.law, "The time between two is always 0 s; wanted a mean > 0.");
    }
    return;
  }
  if (kind.law == nullptr) return;
  node.time.assign(net().classes.size(), duration(model, scope, element, kind.law, nullptr));
  const auto by_class = parse_arguments(element.text(kind.laws));
  if (const auto* error = std::get_if<SyntaxError>(&by_class))
    model.problems.push_back({.code = error->code,
                              .element = element.id,
                              .pointer = kind.laws,
                              .message = error->message,
                              .column = error->column});
  else
    for (const ArgumentSyntax& one : std::get<std::vector<ArgumentSyntax>>(by_class)) {
      const auto found = class_number_.find(one.name);
      if (found == class_number_.end())
        model.refuse(element, "QN005", kind.laws, "There is no class \"" + one.name + "\".",
                     "Draw it, or name one of those drawn.");
      else node.time[found->second] = duration(model, scope, element, kind.laws, &one.value);
    }
  if (node.kind != Kind::station) return;
  const std::string discipline =
      read.choice(element, "discipline", "fcfs", {{"fcfs", ""}, {"lcfs", ""}, {"siro", ""}, {"ps", ""}});
  node.discipline = discipline == "lcfs"   ? NetworkModel::Discipline::lcfs
                    : discipline == "siro" ? NetworkModel::Discipline::siro
                    : discipline == "ps"   ? NetworkModel::Discipline::ps
                                           : NetworkModel::Discipline::fcfs;
  if (element.text("servers").empty()) node.servers = Program(1.0);
  else node.servers = model.program(element, "servers", ValueType::integer(), scope);
  if (node.servers.is_constant()) {
    if (const double servers = node.servers.evaluate(nullptr); !(servers >= 1.0))
      model.refuse(element, "QN004", "servers", "There are " + number_text(servers) + " servers; wanted at least 1.");
  } else {
    node.reader = model.slots.wake(node.servers);
  }
  if (!trim(element.text("capacity")).empty()) {
    const long capacity = read.integer(element, "capacity", 1);
    if (capacity < 1 || capacity >= static_cast<long>(NetworkModel::unlimited))
      model.refuse(element, "QN004", "capacity",
                   "The capacity is " + std::to_string(capacity) + "; wanted at least 1, or nothing for any number.");
    else node.capacity = static_cast<std::uint32_t>(capacity);
  }
}

NetworkModel::Ways NetworkLowering::ways(Lowering& model, Scope& scope, const Node& node, std::uint32_t of_class) {
  NetworkModel::Ways out;
  const std::vector<const Element*>& edges = leaving_[node.element];
  const std::string& name = net().classes[of_class].name;
  const auto is_own = [&](const Element* edge) { return !name.empty() && trim(edge->text("class")) == name; };
  const bool own = std::any_of(edges.begin(), edges.end(), is_own);
  bool changes = false;
  double sum = 0.0;
  std::size_t open = 0;
  for (const Element* edge : edges) {
    const bool for_all = trim(edge->text("class")).empty();
    if (own ? !is_own(edge) : !for_all) continue;
    const auto target = number_.find(edge->target);
    if (target == number_.end()) continue;
    out.target.push_back(target->second);
    const bool given = !trim(edge->text("probability")).empty();
    out.given.push_back(given ? 1 : 0);
    out.probability.emplace_back(0.0);
    if (!given) {
      ++open;
      continue;
    }
    out.probability.back() = model.program(*edge, "probability", ValueType::real(), scope);
    if (!out.probability.back().is_constant()) {
      changes = true;
      continue;
    }
    const double p = out.probability.back().evaluate(nullptr);
    if (!(p >= 0.0 && p <= 1.0))
      model.refuse(*edge, "QN003", "probability", "The probability is " + number_text(p) + "; wanted 0 to 1.");
    sum += p;
  }
  const Element& element = *model.document.find(node.element);
  const std::string of = name.empty() ? "" : " of class \"" + name + "\"";
  if (out.target.empty()) {
    model.refuse(element, "QN002", "", "No flow leads on from here for customers" + of + ".",
                 "Draw a flow to where they go, or to a sink.");
    return out;
  }
  constexpr double hair = 1e-9;
  if (!changes && (sum > 1.0 + hair || (open == 0 && sum < 1.0 - hair)))
    model.refuse(element, "QN003", "",
                 "The probabilities of the ways" + of + " sum up to " + number_text(sum) + "; wanted 1.",
                 "Leave one of them empty: it takes what is left.");
  if (changes) return out;
  double upto = 0.0;
  for (std::size_t w = 0; w < out.target.size(); ++w) {
    upto +=
        out.given[w] != 0 ? out.probability[w].evaluate(nullptr) : std::max(0.0, 1.0 - sum) / static_cast<double>(open);
    out.upto.push_back(upto);
  }
  out.upto.back() = 1.0;
  out.probability.clear(), out.given.clear();
  return out;
}

void NetworkLowering::enter(Lowering& model, Scope& scope, std::uint32_t node, std::uint32_t of_class) {
  Node& at = net().nodes[node];
  if (at.kind == Kind::sink || !at.ways[of_class].target.empty()) return;
  at.ways[of_class] = ways(model, scope, at, of_class);
  if (!at.ways[of_class].target.empty()) reached_.emplace_back(node, of_class);
}

void NetworkLowering::follow(Lowering& model, Scope& scope) {
  const std::size_t nodes = net().nodes.size();
  for (std::uint32_t n = 0; n < nodes; ++n)
    if (net().nodes[n].kind == Kind::source) enter(model, scope, n, net().nodes[n].emits);
  for (std::uint32_t c = 0; c < net().classes.size(); ++c)
    if (net().classes[c].reference != NetworkModel::none) enter(model, scope, net().classes[c].reference, c);
  std::vector<std::uint8_t> seen(nodes, 0);
  while (!reached_.empty()) {
    const auto [node, of_class] = reached_.back();
    reached_.pop_back();
    for (const std::uint32_t target : std::vector<std::uint32_t>(net().nodes[node].ways[of_class].target)) {
      const Node& there = net().nodes[target];
      seen[target] = 1;
      const bool closed = net().classes[of_class].population > 0;
      if (closed && there.kind == Kind::sink)
        model.refuse(*model.document.find(net().nodes[node].element), "QN006", "",
                     "Customers of the closed class \"" + net().classes[of_class].name + "\" can get to the sink \"" +
                         there.name + "\".",
                     "Give the flow to it a class, or lead them back.");
      if (closed && there.kind == Kind::station && there.capacity != NetworkModel::unlimited)
        model.refuse(*model.document.find(there.element), "QN006", "capacity",
                     "Customers of the closed class \"" + net().classes[of_class].name +
                         "\" come here and would be lost; wanted a station of any capacity.");
      enter(model, scope, target, of_class);
    }
  }
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const Node& node = net().nodes[n];
    if (node.kind == Kind::source || seen[n] != 0) continue;
    const bool start = std::any_of(net().classes.begin(), net().classes.end(),
                                   [&](const NetworkModel::JobClass& c) { return c.reference == n; });
    if (start) continue;
    model.problems.push_back({.severity = Severity::warning,
                              .code = "QN007",
                              .element = node.element,
                              .message = "Nobody ever comes to \"" + node.name + "\".",
                              .hint = "Draw a flow to it."});
  }
}

void NetworkLowering::warn_of_overload(Lowering& model) {
  const std::vector<double> loads = offered_loads(net());
  const auto heaviest = std::max_element(loads.begin(), loads.end());
  for (std::size_t n = 0; n < loads.size(); ++n) {
    // A hair below one is one: queues would grow for longer than anybody simulates.
    if (!(loads[n] >= 1.0 - 1e-9) || net().nodes[n].capacity != NetworkModel::unlimited) continue;
    const bool bottleneck = loads[n] == *heaviest;
    model.problems.push_back({.severity = Severity::warning,
                              .code = "QN010",
                              .element = net().nodes[n].element,
                              .pointer = "servers",
                              .message = "\"" + net().nodes[n].name + "\" gets " + number_text(loads[n], 4) +
                                         " times the work that its servers can do" +
                                         (bottleneck ? ", the most of all stations" : "") +
                                         ": its queue grows without end.",
                              .hint = "More or faster servers, fewer customers, or a capacity."});
  }
}

void NetworkLowering::lower_classes(Lowering& model, PropertyReader& read) {
  for (NetworkModel::JobClass& one : net().classes) {
    if (!one.element) continue;
    const Element& element = *model.document.find(one.element);
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

std::shared_ptr<LoweredPart> NetworkLowering::lower(Lowering& model, Scope& scope) {
  if (net().nodes.empty()) return nullptr;
  PropertyReader read(scope, model.problems);
  lower_classes(model, read);
  for (Node& node : net().nodes) lower_node(model, scope, read, node);
  follow(model, scope);
  if (!has_errors(model.problems)) warn_of_overload(model);
  return out_;
}

}  // namespace

std::unique_ptr<NotationLowering> network_lowering() { return std::make_unique<NetworkLowering>(); }

std::span<const char* const> slots_of_kind(std::string_view kind) {
  if (kind == "station") return station_slots;
  if (kind == "delay") return delay_slots;
  if (kind == "source") return source_slots;
  if (kind == "sink") return sink_slots;
  return {};
}

}  // namespace ergode
