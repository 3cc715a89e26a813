// From the properties of nodes to laws, rules and servers; what does not go together.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/des/known_at_start.h"
#include "core/expression/compile.h"
#include "solvers/queueing/lowering/lowering_steps.h"
#include "solvers/queueing/lowering/words.h"

namespace ergode {
namespace {

using Discipline = NetworkModel::Discipline;
using Interruption = NetworkModel::Interruption;
using Kind = NetworkModel::Kind;
using Priorities = NetworkModel::Priorities;
using Rules = NetworkModel::Rules;
using WhenFull = NetworkModel::WhenFull;

bool changes_class(const NetworkModel::Node& node) {
  for (std::uint32_t c = 0; c < node.ways.size(); ++c)
    for (const std::uint32_t becomes : node.ways[c].becomes)
      if (becomes != c) return true;
  return false;
}

}  // namespace

void NetworkLowering::refuse_value(Lowering& model, const Element& at, const std::string& property,
                                   std::string message) {
  if (std::none_of(model.problems.begin(), model.problems.end(), [&](const Diagnostic& d) {
        return d.severity == Severity::error && d.element == at.id && d.pointer == property && d.code != "QN004";
      }))
    model.refuse(at, "QN004", property, std::move(message));
}

NetworkModel::Duration NetworkLowering::duration(Lowering& model, Scope& scope, const Element& at, const char* property,
                                                 const char* otherwise, Dimension dimension) {
  const auto parsed = parse_expression(at.text(property, otherwise));
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    model.problems.push_back(
        to_diagnostic({.code = error->code, .message = error->message, .column = error->column}, at.id, property));
    Duration none;
    none.given = true;
    return none;
  }
  return duration(model, scope, at, property, std::get<Syntax>(parsed), dimension);
}

NetworkModel::Duration NetworkLowering::quantity(Lowering& model, Scope& scope, const Element& at, const char* property,
                                                 const Syntax& syntax, Dimension dimension) {
  Duration out;
  out.given = true;
  if (lower_list(model, scope, at, property, syntax, dimension, out) ||
      lower_time_with_memory(model, scope, at, property, syntax, out))
    return out;
  if (syntax.kind == Syntax::Kind::call && is_distribution(syntax.word) && syntax.unit.empty() &&
      (reads_attributes(syntax) || reads_known_at_start(model.slots, syntax))) {
    auto made = compile_varying(syntax, dimension, scope);
    out.drawn = false;
    if (const auto* error = std::get_if<ExpressionError>(&made)) {
      model.problems.push_back(to_diagnostic(*error, at.id, property));
    } else {
      out.varying = static_cast<std::uint32_t>(net().varying.size());
      net().varying.push_back(std::get<VaryingLaw>(std::move(made)));
    }
    return out;
  }
  auto compiled = compile_random(syntax, dimension, scope, model.files);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) {
    model.problems.push_back(to_diagnostic(*error, at.id, property));
    return out;
  }
  auto& quantity = std::get<RandomQuantity>(compiled);
  if (auto* law = std::get_if<Distribution>(&quantity)) {
    out.law = std::move(*law);
    out.mean_s = out.law.mean();
    return out;
  }
  out.value = std::move(std::get<Program>(quantity));
  out.drawn = out.value.is_constant();
  if (out.drawn) {
    out.mean_s = out.value.evaluate(nullptr);
    out.law = Distribution::deterministic(out.mean_s);
  }
  return out;
}

NetworkModel::Duration NetworkLowering::duration(Lowering& model, Scope& scope, const Element& at, const char* property,
                                                 const Syntax& syntax, Dimension dimension) {
  Duration out = quantity(model, scope, at, property, syntax, dimension);
  if (!out.drawn) return out;
  const bool time = dimension == Dimension::of_time();
  const bool certain = out.law.family() == Distribution::Family::deterministic;
  const double least = certain ? out.mean_s : out.law.quantile(0.0);
  if (!(least >= 0.0))
    refuse_value(model, at, property,
                 std::string(time ? "The time " : "The number ") + (certain ? "is " : "may be ") + number_text(least) +
                     (time ? " s" : "") + "; wanted >= 0.");
  else if (certain && !std::isfinite(least))
    refuse_value(model, at, property,
                 std::string(time ? "The time" : "The number") + " is infinite; wanted a finite one.");
  else return out;
  if (certain) out.mean_s = 0.0, out.law = Distribution::deterministic(0.0);
  return out;
}

void NetworkLowering::for_classes(Lowering& model, const Element& at, const char* property,
                                  const std::function<void(std::uint32_t of_class, const Syntax& value)>& take) {
  const auto by_class = parse_arguments(at.text(property));
  if (const auto* error = std::get_if<SyntaxError>(&by_class)) {
    model.problems.push_back({.code = error->code,
                              .element = at.id,
                              .pointer = property,
                              .message = error->message,
                              .column = error->column});
    return;
  }
  std::set<std::string> said;
  for (const ArgumentSyntax& one : std::get<std::vector<ArgumentSyntax>>(by_class)) {
    const auto found = class_number_.find(one.name);
    if (!said.insert(one.name).second)
      refuse_value(model, at, property, "The class \"" + one.name + "\" comes twice; wanted one value for each class.");
    if (found == class_number_.end())
      model.refuse(at, "QN005", property, "There is no class \"" + one.name + "\".",
                   "Draw it, or name one of those drawn.");
    else take(found->second, one.value);
  }
}

std::vector<NetworkModel::Duration> NetworkLowering::durations(Lowering& model, Scope& scope, const Element& at,
                                                               const char* property, const char* otherwise,
                                                               const char* by_class) {
  std::vector<Duration> out(net().classes.size());
  if (*otherwise != '\0' || is_written(at, property))
    out.assign(net().classes.size(), duration(model, scope, at, property, otherwise));
  for_classes(model, at, by_class, [&](std::uint32_t of_class, const Syntax& syntax) {
    out[of_class] = duration(model, scope, at, by_class, syntax, Dimension::of_time());
  });
  return out;
}

void NetworkLowering::lower_node(Lowering& model, Scope& scope, PropertyReader& read, Node& node) {
  const Element& element = *model.document.find(node.element);
  const NodeKind& kind = *std::find_if(node_kinds().begin(), node_kinds().end(),
                                       [&](const NodeKind& one) { return element.kind == one.word; });
  node.ways.resize(net().classes.size());
  if (node.kind > Kind::sink || kind.word == std::string("transport"))
    return lower_special(model, scope, read, element, node);
  if (node.kind != Kind::sink) lower_routing(model, read, node);
  if (node.kind == Kind::source) lower_source(model, scope, element, node);
  if (node.kind == Kind::station || node.kind == Kind::delay)
    node.time = durations(model, customers(), element, kind.law, default_time, kind.laws);
  if (node.kind == Kind::station) lower_station(model, scope, read, element, node);
}

void NetworkLowering::lower_source(Lowering& model, Scope& scope, const Element& element, Node& node) {
  node.emits = class_named(model, element);
  if (net().classes[node.emits].population > 0)
    model.refuse(element, "QN005", "class",
                 "The class \"" + net().classes[node.emits].name + "\" is closed: its customers neither come nor go.");
  node.batched = is_written(element, "batch");
  if (node.batched) lower_source_batch(model, scope, element, node);
  if (is_written(element, "jobs")) {
    // Whoever does not know of jobs must not take it for a law.
    node.time.emplace_back().drawn = false;
    return;
  }
  node.has_rate = is_written(element, "rate");
  if (node.has_rate && is_written(element, "interarrival"))
    model.problems.push_back({.severity = Severity::warning,
                              .code = "QN004",
                              .element = element.id,
                              .pointer = "interarrival",
                              .message = "The source has both a rate (" + quotable(element.text("rate")) +
                                         ") and a time between arrivals (" + quotable(element.text("interarrival")) +
                                         "): the rate counts; wanted one of them."});
  if (node.has_rate) {
    node.rate = model.program(element, "rate", ValueType::real(Dimension::per_time()), scope);
    node.reader = model.slots.wake(node.rate);
    node.time.emplace_back();
    if (!node.rate.is_constant()) return;
    const double rate = node.rate.value();
    if (!(rate >= 0.0 && std::isfinite(rate)))
      refuse_value(model, element, "rate",
                   "The rate is " + number_text(rate * net().time_unit.scale) + " /" + net().time_unit.symbol +
                       "; wanted a finite rate >= 0.");
    return;
  }
  if (lower_process(model, scope, element, node)) return;
  node.time.push_back(duration(model, scope, element, "interarrival", default_gap));
  if (node.time[0].drawn && node.time[0].mean_s <= 0.0)
    refuse_value(model, element, "interarrival", "The time between two is always 0 s; wanted a mean > 0.");
}

// What is drawn is rounded; what is written is meant.
void NetworkLowering::lower_source_batch(Lowering& model, Scope& scope, const Element& element, Node& node) {
  node.batch = duration(model, scope, element, "batch", "1", Dimension());
  if (!node.batch.drawn) return;
  const double least = node.batch.law.quantile(0.0);
  const bool fixed = node.batch.law.family() == Distribution::Family::deterministic;
  constexpr double most = NetworkModel::most_at_once;
  if ((fixed && least != std::floor(least)) || std::round(least) > most)
    refuse_value(model, element, "batch",
                 (fixed ? "" : "At least ") + number_text(least) +
                     " customers come at once; wanted a whole number from 0 to " + number_text(most) + ".");
}

void NetworkLowering::lower_station(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                    Node& node) {
  node.discipline = meaning_of(read, element, "discipline", discipline_words);
  node.priorities = meaning_of(read, element, "priorities", priorities_words);
  node.interruption = meaning_of(read, element, "interruption", interruption_words);
  node.when_full = meaning_of(read, element, "when_full", when_full_words);
  if (net().levels == 1 && !net().ranked) node.priorities = Priorities::ignored;
  if (is_written(element, "capacity")) {
    const long capacity = read.integer(element, "capacity", 1);
    if (capacity < 1 || capacity >= static_cast<long>(NetworkModel::unlimited))
      refuse_value(model, element, "capacity",
                   "The capacity is " + std::to_string(capacity) + "; wanted 1 to " +
                       std::to_string(NetworkModel::unlimited - 1) + ", or nothing for any number.");
    else node.capacity = static_cast<std::uint32_t>(capacity);
  } else {
    node.when_full = WhenFull::lose;
  }
  lower_rules(model, scope, read, element, node);
  check_rules(model, element, node);
}

void NetworkLowering::lower_rules(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                  Node& node) {
  Rules rules;
  lower_servers(model, scope, element, node, rules);
  const auto law = [&](const char* property, Duration& into, std::uint32_t feature) {
    if (!is_written(element, property)) return;
    into = duration(model, scope, element, property, "");
    if (!into.always_zero()) node.features |= feature;
  };
  if (is_written(element, "patience") || is_written(element, "patience_of")) {
    rules.patience = durations(model, customers(), element, "patience", "", "patience_of");
    node.features |= NetworkModel::patient;
  }
  law("setup", rules.setup, NetworkModel::sets_up);
  law("vacation", rules.vacation, NetworkModel::vacates);
  if (node.has(NetworkModel::vacates) && node.servers.is_constant() &&
      node.servers.evaluate(nullptr) > NetworkModel::most_at_once)
    refuse_value(model, element, "servers",
                 "There are " + number_text(node.servers.evaluate(nullptr)) +
                     " servers, each with vacations of its own; wanted at most " +
                     number_text(NetworkModel::most_at_once) + ".");
  rules.one_vacation = meaning_of(read, element, "vacations", vacations_words);
  if (is_written(element, "balking")) {
    rules.balking = model.program(element, "balking", ValueType::real(), customers());
    node.features |= NetworkModel::balks;
    if (rules.balking.is_constant())
      if (const double turns = rules.balking.evaluate(nullptr); !(turns >= 0.0 && turns <= 1.0))
        refuse_value(model, element, "balking",
                     "Customers turn round with probability " + number_text(turns) + "; wanted 0 to 1.");
  }
  if (is_written(element, "speed")) {
    rules.speed = model.program(element, "speed", ValueType::real(), scope);
    node.features |= NetworkModel::varies_speed;
    if (!rules.speed.is_constant()) node.speed_reader = model.slots.wake(rules.speed);
    else if (!(rules.speed.evaluate(nullptr) > 0.0))
      refuse_value(model, element, "speed",
                   "The speed is " + number_text(rules.speed.evaluate(nullptr)) + "; wanted > 0.");
  }
  const long batch = read.integer(element, "batch", 1), least = read.integer(element, "least_batch", 1);
  if (batch < 1 || batch > NetworkModel::most_at_once || least < 1 || least > batch)
    refuse_value(model, element, "batch",
                 "From " + std::to_string(least) + " to " + std::to_string(batch) +
                     " customers are served at once; wanted 1 to " + std::to_string(NetworkModel::most_at_once) +
                     ", and the least number no more than the greatest.");
  else if (batch > 1)
    rules.batch = static_cast<std::uint32_t>(batch), rules.least_batch = static_cast<std::uint32_t>(least),
    node.features |= NetworkModel::batches;
  rules.weight.assign(net().classes.size(), 1.0);
  for_classes(model, element, "weights", [&](std::uint32_t of_class, const Syntax& syntax) {
    auto made = compile_as(syntax, ValueType::real(), scope);
    if (const auto* error = std::get_if<ExpressionError>(&made)) {
      model.problems.push_back(to_diagnostic(*error, element.id, "weights"));
      return;
    }
    const Program& weight = std::get<Program>(made);
    const double value = weight.is_constant() ? weight.evaluate(nullptr) : 0.0;
    if (value > 0.0 && std::isfinite(value)) rules.weight[of_class] = value;
    else
      refuse_value(model, element, "weights",
                   "The weight of \"" + net().classes[of_class].name + "\" " +
                       (weight.is_constant() ? "is " + number_text(value) : "changes while the model runs") +
                       "; wanted a finite constant > 0.");
  });
  switch (node.discipline) {
    case Discipline::polling:
      node.features |= NetworkModel::polls;
      rules.visit = meaning_of(read, element, "visit", visit_words);
      if (const long limit = read.integer(element, "limit", 1); limit >= 1 && limit <= NetworkModel::most_customers)
        rules.limit = static_cast<std::uint32_t>(limit);
      else
        refuse_value(model, element, "limit",
                     "At most " + std::to_string(limit) + " customers are served in a visit; wanted 1 to " +
                         std::to_string(NetworkModel::most_customers) + ".");
      if (is_written(element, "switchover")) rules.switchover = duration(model, scope, element, "switchover", "");
      break;
    case Discipline::ps:
    case Discipline::dps:
    case Discipline::gps:
      node.features |= NetworkModel::shares;
      break;
    case Discipline::las:
      node.features |= NetworkModel::by_attained;
      break;
    case Discipline::sjf:
    case Discipline::ljf:
      node.features |= NetworkModel::draws_first | NetworkModel::keyed;
      break;
    case Discipline::srpt:
      node.features |= NetworkModel::draws_first | NetworkModel::keyed | NetworkModel::preempts;
      break;
    case Discipline::sept:
    case Discipline::lept:
    case Discipline::edd:
      node.features |= NetworkModel::keyed;
      break;
    case Discipline::lcfs_pr:
      node.features |= NetworkModel::preempts;
      break;
    default:
      break;
  }
  if (node.has(NetworkModel::shares | NetworkModel::by_attained | NetworkModel::polls)) {
    if (node.priorities != Priorities::ignored && is_written(element, "priorities"))
      model.refuse(element, "QN008", "priorities",
                   "Priorities are \"" + element.text("priorities") + "\", but nobody goes first by \"" +
                       element.text("discipline") + "\"; wanted \"ignored\".",
                   "Orders have priorities, sharing has weights (dps, gps).");
    node.priorities = Priorities::ignored;
  }
  if (node.priorities == Priorities::preemptive) node.features |= NetworkModel::preempts;
  if (node.priorities != Priorities::ignored) {
    node.features |= NetworkModel::prioritises;
    if (net().ranked && node.discipline == Discipline::fcfs) node.features |= NetworkModel::keyed;
  }
  if (node.when_full != WhenFull::lose) node.features |= NetworkModel::lets_in;
  if (node.when_full == WhenFull::retry)
    rules.retry_after = duration(model, scope, element, "retry_after", default_time);
  if (node.features == 0) return;
  node.rules = static_cast<std::uint32_t>(net().rules.size());
  net().rules.push_back(std::move(rules));
}

void NetworkLowering::check_rules(Lowering& model, const Element& element, const Node& node) {
  const auto apart = [&](std::uint32_t one, std::uint32_t others, const char* property, const char* what) {
    if (!node.has(one) || !node.has(others)) return;
    // Where it is pointed to somebody has written something.
    for (const char* other : {"time_to_failure", "vacation", "least_batch", "priorities", "discipline"})
      if (!is_written(element, property) && is_written(element, other)) property = other;
    model.refuse(element, "QN008", property, std::string(what) + " do not go together at one station.");
  };
  using M = NetworkModel;
  constexpr std::uint32_t shared = M::shares | M::by_attained;
  apart(shared, M::sets_up | M::vacates, "discipline", "Shared servers and set-ups or vacations");
  apart(shared, M::patient, "patience", "Shared servers, at which nobody waits, and customers who give up");
  apart(shared, M::batches, "batch", "Shared servers and batches");
  apart(shared, M::own_servers, "server_speeds",
        "Shared servers and servers that fail by themselves or have their own speeds");
  apart(M::polls, M::sets_up | M::vacates | M::batches | M::own_servers, "discipline",
        "Polling and set-ups, vacations, batches or servers of their own");
  apart(M::batches, M::preempts | M::own_servers, "batch", "Batches and preemption or servers of their own");
  apart(M::own_servers, M::sets_up | M::vacates, "setup",
        "Servers that fail by themselves or have their own speeds and set-ups or vacations");
  apart(M::sets_up, M::vacates, "setup", "Set-ups and vacations");
  if (net().ranked && node.has(M::prioritises) && node.discipline != Discipline::fcfs)
    model.refuse(
        element, "QN008", "discipline",
        "Customers have priorities of their own: who is next is decided by them; wanted fcfs among equal ones.",
        "Let priorities be ignored here.");
  if (node.has(M::batches) && node.interruption != Interruption::finish)
    model.refuse(element, "QN008", "interruption", "A batch is served to its end; wanted \"finish\".");
  if (node.has(M::polls) && !(node.servers.is_constant() && node.servers.evaluate(nullptr) == 1.0))
    model.refuse(element, "QN008", "servers", "One server goes round the classes; wanted 1.");
  if (node.has(M::polls) && node.rules != M::none) {
    const Duration& over = net().rules[node.rules].switchover;
    if (over.drawn && !over.always_zero() && !(over.mean_s > 0.0))
      refuse_value(model, element, "switchover", "The time is always 0 s; wanted a mean > 0, or nothing.");
  }
}

// Through routers, whose ways are another's too.
void NetworkLowering::look_ahead(Lowering& model) {
  using M = NetworkModel;
  const auto need_rules = [&](Node& node) {
    if (node.rules != M::none) return;
    node.rules = static_cast<std::uint32_t>(net().rules.size());
    net().rules.emplace_back().weight.assign(net().classes.size(), 1.0);
  };
  std::vector<Node>& nodes = net().nodes;
  std::vector<std::vector<std::uint32_t>> before(nodes.size());
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    for (const M::Ways& ways : nodes[n].ways)
      for (const std::uint32_t target : ways.target) before[target].push_back(n);
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].when_full != WhenFull::block && nodes[n].when_full != WhenFull::block_before) continue;
    std::vector<std::uint32_t> reached{n};
    std::vector<std::uint8_t> seen(nodes.size(), 0);
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const std::uint32_t from : before[reached[i]]) {
        if (seen[from] != 0) continue;
        seen[from] = 1;
        nodes[from].features |= M::may_block;
        if (nodes[n].when_full == WhenFull::block_before && nodes[from].kind == Kind::station)
          nodes[from].features |= M::holds_before;
        if (nodes[from].kind == Kind::router) reached.push_back(from);
      }
  }
  for (Node& node : nodes) {
    const Element& element = *model.document.find(node.element);
    if (node.has(M::may_block) && node.has(M::own_servers))
      model.refuse(element, "QN008", "", "Servers that fail by themselves or have their own speeds cannot be blocked.");
    if (node.has(M::holds_before) &&
        (node.has(M::batches | M::shares | M::by_attained | M::preempts | M::polls) || changes_class(node)))
      model.refuse(
          element, "QN008", "discipline",
          "Customers who are served only when there is room where they go are served one at a time, to the end, "
          "and stay of their class.");
    if (node.routing == M::Routing::round_robin || (node.features & ~M::may_block) != 0) need_rules(node);
    if (node.routing == M::Routing::probabilities || node.routing == M::Routing::round_robin ||
        node.routing == M::Routing::random)
      continue;
    for (const M::Ways& ways : node.ways)
      for (const std::uint32_t target : ways.target) {
        Node& there = nodes[target];
        if (there.kind != Kind::station) {
          model.refuse(element, "QN009", "routing",
                       "Customers choose among stations, and a way leads to \"" + there.name + "\".");
          continue;
        }
        if (node.routing == M::Routing::fastest &&
            !std::all_of(there.time.begin(), there.time.end(), [](const Duration& t) { return t.drawn; }))
          model.refuse(element, "QN009", "routing",
                       "Service times at \"" + there.name +
                           "\" change while the model runs: nobody knows what to "
                           "expect.");
        if (node.routing == M::Routing::last_response) there.features |= M::tells_stays, need_rules(there);
        if (node.routing == M::Routing::last_service) there.features |= M::tells_services, need_rules(there);
        if (node.routing != M::Routing::least_work) continue;
        if (there.has(M::shares | M::by_attained | M::batches))
          model.refuse(element, "QN009", "routing",
                       "The work left is known where customers are served one by one, not at \"" + there.name + "\".");
        there.features |= M::draws_first;
        need_rules(there);
      }
  }
}

}  // namespace ergode
