// From the properties of nodes to laws, rules and servers; what does not go together.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
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

bool is_written(const Element& element, const char* property) { return !trim(element.text(property)).empty(); }

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
    return {};
  }
  return duration(model, scope, at, property, std::get<Syntax>(parsed), dimension);
}

NetworkModel::Duration NetworkLowering::duration(Lowering& model, Scope& scope, const Element& at, const char* property,
                                                 const Syntax& syntax, Dimension dimension) {
  Duration out;
  if (lower_list(model, scope, at, property, syntax, dimension, out)) return out;
  auto compiled = compile_random(syntax, dimension, scope, model.files);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) {
    model.problems.push_back(to_diagnostic(*error, at.id, property));
    return out;
  }
  const bool time = dimension == Dimension::of_time();
  const auto refuse_negative = [&](const char* how, double value) {
    refuse_value(model, at, property,
                 std::string(time ? "The time " : "The number ") + how + number_text(value) + (time ? " s" : "") +
                     "; wanted >= 0.");
  };
  auto& quantity = std::get<RandomQuantity>(compiled);
  if (auto* law = std::get_if<Distribution>(&quantity)) {
    out.law = std::move(*law);
    out.mean_s = out.law.mean();
    if (!(out.law.quantile(0.0) >= 0.0)) refuse_negative("may be ", out.law.quantile(0.0));
    return out;
  }
  out.value = std::move(std::get<Program>(quantity));
  out.drawn = out.value.is_constant();
  if (out.drawn) {
    const double value = out.value.evaluate(nullptr);
    if (!(value >= 0.0)) refuse_negative("is ", value);
    out.mean_s = std::max(value, 0.0);
    out.law = Distribution::deterministic(out.mean_s);
  }
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
  for (const ArgumentSyntax& one : std::get<std::vector<ArgumentSyntax>>(by_class)) {
    const auto found = class_number_.find(one.name);
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
    node.time = durations(model, scope, element, kind.law, default_time, kind.laws);
  if (node.kind == Kind::station) lower_station(model, scope, read, element, node);
}

void NetworkLowering::lower_source(Lowering& model, Scope& scope, const Element& element, Node& node) {
  node.emits = class_named(model, element);
  if (net().classes[node.emits].population > 0)
    model.refuse(element, "QN005", "class",
                 "The class \"" + net().classes[node.emits].name + "\" is closed: its customers neither come nor go.");
  node.batched = is_written(element, "batch");
  if (node.batched) node.batch = duration(model, scope, element, "batch", "1", Dimension());
  node.has_rate = is_written(element, "rate");
  if (node.has_rate) {
    node.rate = model.program(element, "rate", ValueType::real(Dimension::per_time()), scope);
    node.reader = model.slots.wake(node.rate);
    node.time.emplace_back();
    return;
  }
  if (lower_process(model, scope, element, node)) return;
  node.time.push_back(duration(model, scope, element, "interarrival", default_gap));
  if (node.time[0].drawn && node.time[0].mean_s <= 0.0)
    refuse_value(model, element, "interarrival", "The time between two is always 0 s; wanted a mean > 0.");
}

void NetworkLowering::lower_station(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                    Node& node) {
  node.discipline = meaning_of(read, element, "discipline", discipline_words);
  node.priorities = meaning_of(read, element, "priorities", priorities_words);
  node.interruption = meaning_of(read, element, "interruption", interruption_words);
  node.when_full = meaning_of(read, element, "when_full", when_full_words);
  if (net().levels == 1) node.priorities = Priorities::ignored;
  if (is_written(element, "capacity")) {
    const long capacity = read.integer(element, "capacity", 1);
    if (capacity < 1 || capacity >= static_cast<long>(NetworkModel::unlimited))
      refuse_value(model, element, "capacity",
                   "The capacity is " + std::to_string(capacity) + "; wanted at least 1, or nothing for any number.");
    else node.capacity = static_cast<std::uint32_t>(capacity);
  } else {
    node.when_full = WhenFull::lose;
  }
  lower_rules(model, scope, read, element, node);
  check_rules(model, element, node);
}

void NetworkLowering::lower_servers(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                    Node& node, Rules& rules) {
  static_cast<void>(read);
  if (is_written(element, "server_speeds")) {
    auto list = compile_list(element.text("server_speeds"), Dimension(), scope);
    if (const auto* error = std::get_if<ExpressionError>(&list))
      model.problems.push_back(to_diagnostic(*error, element.id, "server_speeds"));
    else rules.speeds = std::get<std::vector<double>>(std::move(list));
    for (const double speed : rules.speeds)
      if (!(speed > 0.0 && std::isfinite(speed)))
        refuse_value(model, element, "server_speeds", "A speed is " + number_text(speed) + "; wanted > 0.");
    node.features |= NetworkModel::own_servers;
  }
  if (is_written(element, "servers")) node.servers = model.program(element, "servers", ValueType::integer(), scope);
  else node.servers = Program(rules.speeds.empty() ? 1.0 : static_cast<double>(rules.speeds.size()));
  if (!node.servers.is_constant()) {
    node.reader = model.slots.wake(node.servers);
  } else {
    const double servers = node.servers.evaluate(nullptr);
    if (!(servers >= 1.0))
      refuse_value(model, element, "servers", "There are " + number_text(servers) + " servers; wanted at least 1.");
    if (!rules.speeds.empty() && servers >= 1.0 && servers != static_cast<double>(rules.speeds.size()))
      refuse_value(model, element, "server_speeds",
                   "There are " + number_text(servers) + " servers and " + std::to_string(rules.speeds.size()) +
                       " speeds; wanted one for each.");
  }
  if (is_written(element, "time_to_failure") || is_written(element, "time_to_repair")) {
    node.features |= NetworkModel::breaks_down | NetworkModel::own_servers;
    rules.to_failure = duration(model, scope, element, "time_to_failure", "");
    rules.to_repair = duration(model, scope, element, "time_to_repair", "");
    for (const auto* one : {&rules.to_failure, &rules.to_repair})
      if (one->never())
        refuse_value(model, element, one == &rules.to_failure ? "time_to_failure" : "time_to_repair",
                     "The time is always 0 s; wanted a mean > 0.");
  }
  constexpr double most = 60000.0;  // told apart by 16 bits
  if (node.has(NetworkModel::own_servers) && (!node.servers.is_constant() || node.servers.evaluate(nullptr) > most))
    model.refuse(element, "QN008", "servers",
                 "Servers that fail by themselves or have their own speeds do not change in number; wanted a constant "
                 "up to " +
                     number_text(most) + ".",
                 "Draw their failures as a chart, and let the number of servers follow it.");
}

void NetworkLowering::lower_rules(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                  Node& node) {
  Rules rules;
  lower_servers(model, scope, read, element, node, rules);
  const auto law = [&](const char* property, Duration& into, std::uint32_t feature) {
    if (!is_written(element, property)) return;
    into = duration(model, scope, element, property, "");
    if (!into.never()) node.features |= feature;
  };
  if (is_written(element, "patience") || is_written(element, "patience_of")) {
    rules.patience = durations(model, scope, element, "patience", "", "patience_of");
    node.features |= NetworkModel::patient;
  }
  law("setup", rules.setup, NetworkModel::sets_up);
  law("vacation", rules.vacation, NetworkModel::vacates);
  rules.one_vacation = meaning_of(read, element, "vacations", vacations_words);
  if (is_written(element, "balking")) {
    rules.balking = model.program(element, "balking", ValueType::real(), scope);
    node.features |= NetworkModel::balks;
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
  if (batch < 1 || batch > 1000000 || least < 1 || least > batch)
    refuse_value(model, element, "batch",
                 "From " + std::to_string(least) + " to " + std::to_string(batch) +
                     " customers are served at once; wanted at least 1, and no more than the greatest number.");
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
    else refuse_value(model, element, "weights", "A weight is no constant > 0.");
  });
  switch (node.discipline) {
    case Discipline::polling:
      node.features |= NetworkModel::polls;
      rules.visit = meaning_of(read, element, "visit", visit_words);
      rules.limit = static_cast<std::uint32_t>(std::max(1L, read.integer(element, "limit", 1)));
      if (is_written(element, "switchover")) rules.switchover = duration(model, scope, element, "switchover", "");
      node.priorities = Priorities::ignored;
      break;
    case Discipline::ps:
    case Discipline::dps:
    case Discipline::gps:
      node.features |= NetworkModel::shares;
      node.priorities = Priorities::ignored;
      break;
    case Discipline::las:
      node.features |= NetworkModel::by_attained;
      node.priorities = Priorities::ignored;
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
  if (node.priorities == Priorities::preemptive) node.features |= NetworkModel::preempts;
  if (node.priorities != Priorities::ignored) node.features |= NetworkModel::prioritises;
  if (node.when_full != WhenFull::lose) node.features |= NetworkModel::lets_in;
  if (node.when_full == WhenFull::retry)
    rules.retry_after = duration(model, scope, element, "retry_after", default_time);
  if (node.features == 0) return;
  node.rules = static_cast<std::uint32_t>(net().rules.size());
  net().rules.push_back(std::move(rules));
}

void NetworkLowering::check_rules(Lowering& model, const Element& element, const Node& node) {
  const auto apart = [&](std::uint32_t one, std::uint32_t others, const char* property, const char* what) {
    if (node.has(one) && node.has(others))
      model.refuse(element, "QN008", property, std::string(what) + " do not go together at one station.");
  };
  using M = NetworkModel;
  constexpr std::uint32_t shared = M::shares | M::by_attained;
  apart(shared, M::sets_up | M::vacates, "discipline", "Shared servers and set-ups or vacations");
  apart(shared, M::patient, "patience", "Shared servers, at which nobody waits, and customers who give up");
  apart(shared, M::batches, "batch", "Shared servers and batches");
  apart(shared, M::own_servers, "server_speeds", "Shared servers and servers of their own");
  apart(M::polls, M::sets_up | M::vacates | M::batches | M::own_servers, "discipline",
        "Polling and set-ups, vacations, batches or servers of their own");
  apart(M::batches, M::preempts | M::own_servers, "batch", "Batches and preemption or servers of their own");
  apart(M::own_servers, M::sets_up | M::vacates, "setup",
        "Servers that fail by themselves or have their own speeds and set-ups or vacations");
  apart(M::sets_up, M::vacates, "setup", "Set-ups and vacations");
  if (node.has(M::batches) && node.interruption != Interruption::finish)
    model.refuse(element, "QN008", "interruption", "A batch is served to its end; wanted \"finish\".");
  if (node.has(M::polls) && !(node.servers.is_constant() && node.servers.evaluate(nullptr) == 1.0))
    model.refuse(element, "QN008", "servers", "One server goes round the classes; wanted 1.");
  if (node.has(M::polls) && node.rules != M::none) {
    const Duration& over = net().rules[node.rules].switchover;
    if (over.drawn && !over.never() && !(over.mean_s > 0.0))
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
