// From drawn forks, joins, pools, regions, places and transitions to tables.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/expression/compile.h"
#include "solvers/queueing/lowering/lowering_steps.h"
#include "solvers/queueing/lowering/words.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;

constexpr std::uint32_t most_at_once = NetworkModel::most_at_once;

/// Flows from one place, of one class, are one that takes as many as they together: each by itself would find enough.
/// @returns false: too many
bool take(std::vector<NetworkModel::Arc>& takes, const NetworkModel::Arc& arc) {
  for (NetworkModel::Arc& known : takes)
    if (known.place == arc.place && known.of_class == arc.of_class) {
      known.count += arc.count;
      return known.count <= most_at_once;
    }
  const auto rest = std::find_if(takes.begin(), takes.end(), [&](const NetworkModel::Arc& known) {
    return known.place == arc.place && known.of_class == NetworkModel::none;
  });
  takes.insert(rest, arc);
  return true;
}

constexpr const char* of_wholes = "wait_for_of";
constexpr const char* of_parts = "wait_for_parts";
constexpr long most_parts = 1'000'000'000;

bool nobody(const std::vector<std::uint32_t>& counts) {
  return std::all_of(counts.begin(), counts.end(), [](std::uint32_t n) { return n == 0; });
}

}  // namespace

std::uint32_t NetworkLowering::count_of(Lowering& model, PropertyReader& read, const Element& flow) {
  const long count = read.integer(flow, "count", 1);
  if (count >= 1 && count <= most_at_once) return static_cast<std::uint32_t>(count);
  refuse_value(model, flow, "count",
               std::to_string(count) + " go at once; wanted 1 to " + std::to_string(most_at_once) + ".");
  return 1;
}

void NetworkLowering::lower_special(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                    Node& node) {
  const auto number = [&](const char* property, long otherwise, long least, long most = 1'000'000'000) {
    const long value = read.integer(element, property, otherwise);
    if (value >= least && value <= most) return static_cast<std::uint32_t>(value);
    refuse_value(model, element, property,
                 "The number is " + std::to_string(value) + "; wanted " + std::to_string(least) + " to " +
                     std::to_string(most) + ".");
    return static_cast<std::uint32_t>(std::clamp(value, least, most));
  };
  switch (node.kind) {
    case Kind::delay:  // a transport
      lower_transport(model, scope, element, node);
      return lower_routing(model, read, node);
    case Kind::join:
    case Kind::scaler:
      lower_quorums(model, scope, element, node, is_written(element, "wait_for") ? number("wait_for", 1, 1) : 0);
      if (node.kind == Kind::join) lower_routing(model, read, node);
      return;
    case Kind::semaphore:
      node.quorums.assign(net().classes.size(), {.count = number("threshold", 1, 1)});
      for_classes(model, element, "threshold_of", [&](std::uint32_t of_class, const Syntax& syntax) {
        node.quorums[of_class] = {.count = parts_written(model, scope, element, "threshold_of", syntax, 1),
                                  .own = true};
      });
      return lower_routing(model, read, node);
    case Kind::seize:
    case Kind::release: {
      const std::string name(trim(element.text("pool")));
      for (std::uint32_t p = 0; p < net().pools.size(); ++p)
        if (net().pools[p].name == name || (name.empty() && net().pools.size() == 1)) node.pool = p;
      if (node.pool == NetworkModel::none)
        model.refuse(element, "QN005", "pool",
                     name.empty() ? "No resource pool is named." : "There is no resource pool \"" + name + "\".",
                     "Draw it, or name one of those drawn.");
      const bool all = node.kind == Kind::release && !is_written(element, "units");
      if (reads_attributes(element, "units")) {
        node.units_by = model.program(element, "units", ValueType::integer(), customers());
        node.reads |= NetworkModel::reads_in_units;
      } else {
        node.units = all ? 0 : number("units", 1, 1);
      }
      node.preempts = node.kind == Kind::seize && read.boolean(element, "preempts", false);
      if (node.preempts && node.pool != NetworkModel::none) net().pools[node.pool].preempts = true;
      return lower_routing(model, read, node);
    }
    case Kind::place:
      node.tokens = number("tokens", 0, 0, NetworkModel::most_customers);
      if (node.tokens > 0 || is_written(element, "class")) node.emits = class_named(model, element);
      return;
    case Kind::transition:
      return lower_transition(model, scope, read, element, node);
    case Kind::plugin:
      lower_plugin(model, scope, read, element, node);
      return lower_routing(model, read, node);
    case Kind::logger:
      if (is_written(element, "value")) {
        const auto unit = parse_unit(element.text("value_unit"));
        node.value =
            model.program(element, "value", ValueType::real(unit ? unit->dimension : Dimension()), customers());
        if (!unit) model.refuse(element, "UNI001", "value_unit", "\"" + element.text("value_unit") + "\" is no unit.");
      }
      return lower_routing(model, read, node);
    default:
      return;
  }
}

std::uint32_t NetworkLowering::parts_written(Lowering& model, Scope& scope, const Element& element,
                                             const char* property, const Syntax& syntax, long least) {
  auto made = compile_as(syntax, ValueType::integer(), scope);
  if (const auto* error = std::get_if<ExpressionError>(&made))
    model.problems.push_back(to_diagnostic(*error, element.id, property));
  else if (const Program& value = std::get<Program>(made); !value.is_constant())
    refuse_value(model, element, property, "The number changes while the model runs; wanted a constant.");
  else if (const double n = value.evaluate(nullptr); n >= static_cast<double>(least) && n <= double{most_parts})
    return static_cast<std::uint32_t>(n);
  else
    refuse_value(model, element, property,
                 "The number is " + number_text(n) + "; wanted " + std::to_string(least) + " to " +
                     std::to_string(most_parts) + ".");
  return 1;
}

// `all`, a whole number, or parts(user = 2, batch = 1).
void NetworkLowering::lower_quorums(Lowering& model, Scope& scope, const Element& element, Node& node,
                                    std::uint32_t count) {
  const auto whole = [&](const char* property, const Syntax& syntax, long least) {
    return parts_written(model, scope, element, property, syntax, least);
  };
  const auto refuse_nobody = [&](const char* property) {
    refuse_value(model, element, property, "It waits for nobody; wanted at least one part of some class.");
  };
  NetworkModel::Quorum of_any{.count = count};
  if (is_written(element, of_parts)) {
    of_any.of_class.assign(net().classes.size(), 0);
    const std::size_t told = model.problems.size();
    for_classes(model, element, of_parts, [&](std::uint32_t of_class, const Syntax& syntax) {
      of_any.of_class[of_class] = whole(of_parts, syntax, 0);
    });
    if (model.problems.size() == told && nobody(of_any.of_class)) refuse_nobody(of_parts);
  }
  node.quorums.assign(net().classes.size(), of_any);
  for_classes(model, element, of_wholes, [&](std::uint32_t of_class, const Syntax& syntax) {
    NetworkModel::Quorum& quorum = node.quorums[of_class] = {.own = true};
    if (syntax.is_word() && syntax.segments.front().word == "all") return;
    if (syntax.kind != Syntax::Kind::call || syntax.word != "parts") {
      quorum.count = whole(of_wholes, syntax, 1);
      return;
    }
    quorum.of_class.assign(net().classes.size(), 0);
    const std::size_t told = model.problems.size();
    std::set<std::string> said;
    for (std::size_t i = 0; i < syntax.children.size(); ++i) {
      const std::string& name = syntax.names[i];
      const auto found = class_number_.find(name);
      if (name.empty())
        refuse_value(model, element, of_wholes, "A number of parts stands without a class; wanted parts(CLASS = 2).");
      else if (found == class_number_.end())
        model.refuse(element, "QN005", of_wholes, "There is no class \"" + name + "\".",
                     "Draw it, or name one of those drawn.");
      else if (!said.insert(name).second)
        refuse_value(model, element, of_wholes,
                     "The class \"" + name + "\" comes twice; wanted one value for each class.");
      else quorum.of_class[found->second] = whole(of_wholes, syntax.children[i], 0);
    }
    if (model.problems.size() == told && nobody(quorum.of_class)) refuse_nobody(of_wholes);
  });
}

// Each is looked at by itself, so that what is wrong is said where it is written.
void NetworkLowering::lower_transport(Lowering& model, Scope& scope, const Element& element, Node& node) {
  node.time.assign(net().classes.size(), Duration{});
  const std::string distance = element.text("distance", "100 m"), speed = element.text("speed", "1 m/s");
  auto far = compile(distance, scope);
  if (const auto* error = std::get_if<ExpressionError>(&far))
    return model.problems.push_back(to_diagnostic(*error, element.id, "distance"));
  const Compiled& length = std::get<Compiled>(far);
  const auto per_time = product(length.type.dimension, Dimension::of_time(), -1);
  auto fast = compile_as(speed, ValueType::real(per_time.value_or(Dimension())), scope);
  if (const auto* error = std::get_if<ExpressionError>(&fast))
    return model.problems.push_back(to_diagnostic(*error, element.id, "speed"));
  const Program& velocity = std::get<Program>(fast);
  if (length.program.is_constant() && !(length.program.value() >= 0.0))
    refuse_value(model, element, "distance",
                 "The distance is " + number_text(length.program.value()) + " " + length.type.dimension.text() +
                     "; wanted >= 0.");
  else if (velocity.is_constant() && !(velocity.value() > 0.0))
    refuse_value(model, element, "speed",
                 "The speed is " + number_text(velocity.value()) + " " + per_time.value_or(Dimension()).text() +
                     "; wanted > 0.");
  else if (const auto parsed = parse_expression("(" + distance + ") / (" + speed + ")");
           const auto* whole = std::get_if<Syntax>(&parsed))
    node.time.assign(net().classes.size(), duration(model, scope, element, "distance", *whole, Dimension::of_time()));
}

void NetworkLowering::lower_transition(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                       Node& node) {
  node.transition = static_cast<std::uint32_t>(net().transitions.size());
  NetworkModel::Transition made;
  made.immediate = !is_written(element, "time");
  made.priority = read.integer(element, "priority", 0);
  made.weight = read.quantity(element, "weight", Dimension(), 1.0);
  if (!(made.weight > 0.0 && std::isfinite(made.weight)))
    refuse_value(model, element, "weight", "The weight is " + number_text(made.weight) + "; wanted > 0.");
  node.time.push_back(made.immediate ? Duration{} : duration(model, scope, element, "time", ""));
  if (!is_written(element, "servers")) {
    node.servers = Program(1.0);
  } else if (trim(element.text("servers")) == "infinite") {
    node.servers = Program(double{NetworkModel::most_servers});
  } else {
    node.servers = model.program(element, "servers", ValueType::integer(), scope);
    if (!node.servers.is_constant()) node.reader = model.slots.wake(node.servers);
    else if (!(node.servers.evaluate(nullptr) >= 1.0))
      refuse_value(model, element, "servers",
                   "It fires " + number_text(node.servers.evaluate(nullptr)) +
                       " times at once; wanted at least 1, or infinite.");
  }
  net().transitions.push_back(std::move(made));
}

void NetworkLowering::lower_shared(Lowering& model, Scope& scope, PropertyReader& read) {
  for (NetworkModel::Pool& pool : net().pools) {
    const Element& element = *model.document.find(pool.element);
    if (!is_written(element, "units")) continue;
    pool.units = model.program(element, "units", ValueType::integer(), scope);
    if (!pool.units.is_constant()) pool.reader = model.slots.wake(pool.units);
    else if (!(pool.units.evaluate(nullptr) >= 0.0))
      refuse_value(model, element, "units", "There are fewer than no units; wanted at least 0.");
  }
  if (std::any_of(net().pools.begin(), net().pools.end(), [](const NetworkModel::Pool& p) { return p.preempts; }))
    for (Node& node : net().nodes)
      if (node.kind == Kind::station || node.kind == Kind::delay) node.features |= NetworkModel::loses_units;
  for (NetworkModel::Region& region : net().regions)
    lower_region(model, scope, read, *model.document.find(region.element), region);
  if (net().regions.empty()) return;
  for (Node& node : net().nodes)
    if (node.kind == Kind::station || node.kind == Kind::delay) node.features |= NetworkModel::in_regions;
}

void NetworkLowering::lower_region(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                   NetworkModel::Region& region) {
  const auto number = static_cast<std::uint32_t>(&region - net().regions.data());
  region.capacity_of.assign(net().classes.size(), NetworkModel::unlimited);
  const auto limit = [&](const char* property, long value) {
    if (value >= 1 && value < static_cast<long>(NetworkModel::unlimited)) return static_cast<std::uint32_t>(value);
    refuse_value(model, element, property,
                 "The capacity is " + std::to_string(value) + "; wanted 1 to " +
                     std::to_string(NetworkModel::unlimited - 1) + ", or nothing for any number.");
    return NetworkModel::unlimited;
  };
  if (is_written(element, "capacity")) region.capacity = limit("capacity", read.integer(element, "capacity", 1));
  for_classes(model, element, "capacity_of", [&](std::uint32_t of_class, const Syntax& syntax) {
    auto made = compile_as(syntax, ValueType::integer(), scope);
    if (const auto* error = std::get_if<ExpressionError>(&made))
      model.problems.push_back(to_diagnostic(*error, element.id, "capacity_of"));
    else if (const Program& value = std::get<Program>(made); value.is_constant())
      region.capacity_of[of_class] = limit("capacity_of", static_cast<long>(value.evaluate(nullptr)));
    else refuse_value(model, element, "capacity_of", "The capacity changes while the model runs; wanted a constant.");
  });
  const bool all = meaning_of(read, element, "when_full", region_words);
  region.loses.assign(net().classes.size(), all ? 1 : 0);
  const std::string losing = element.text("loses");
  for (std::size_t at = 0; at < losing.size();) {
    const std::size_t end = std::min(losing.find(',', at), losing.size());
    const std::string of(trim(std::string_view(losing).substr(at, end - at)));
    at = end + 1;
    const auto found = class_number_.find(of);
    if (found != class_number_.end()) region.loses[found->second] = 1;
    else model.refuse(element, "QN005", "loses", "There is no class \"" + of + "\".");
  }
  const auto parsed = parse_expression("[" + element.text("stations") + "]");
  const auto* list = std::get_if<Syntax>(&parsed);
  if (list == nullptr || list->children.empty()) {
    model.refuse(element, "QN013", "stations", "The region has no stations.", "Name them: desk, printer.");
    return;
  }
  for (const Syntax& one : list->children) {
    const std::string name = one.is_word() ? one.segments.front().word : "";
    const auto found = std::find_if(net().nodes.begin(), net().nodes.end(), [&](const Node& node) {
      return node.name == name && (node.kind == Kind::station || node.kind == Kind::delay);
    });
    if (found == net().nodes.end())
      model.refuse(element, "QN013", "stations", "There is no station or delay \"" + name + "\".");
    else if (found->region != NetworkModel::none)
      model.refuse(element, "QN013", "stations",
                   "\"" + name + "\" is in the region \"" + net().regions[found->region].name + "\" already.");
    else found->region = number;
  }
}

void NetworkLowering::lower_arcs(Lowering& model, Scope& scope, PropertyReader& read) {
  static_cast<void>(scope);
  for (Node& node : net().nodes) {
    if (node.kind != Kind::place) continue;
    for (const Element* edge : leaving_[node.element]) {
      const auto target = number_.find(edge->target);
      if (target == number_.end()) continue;
      NetworkModel::Transition& to = net().transitions[net().nodes[target->second].transition];
      NetworkModel::Arc arc{.place = number_.at(node.element), .count = count_of(model, read, *edge)};
      if (is_written(*edge, "class")) arc.of_class = class_named(model, *edge);
      if (read.boolean(*edge, "inhibits", false)) {
        to.inhibitors.push_back(arc);
        continue;
      }
      to.drawn.push_back({arc, edge->id});
      if (!take(to.takes, arc))
        refuse_value(model, *edge, "count",
                     "With the others from \"" + node.name + "\" more than " + std::to_string(most_at_once) +
                         " are taken at once; wanted at most so many.");
    }
  }
  // Whoever takes of any class takes of those whom the others leave.
  for (NetworkModel::Transition& one : net().transitions)
    for (NetworkModel::Arc& arc : one.takes) {
      arc.needs = arc.count;
      for (const NetworkModel::Arc& other : one.takes)
        if (arc.of_class == NetworkModel::none && other.place == arc.place && other.of_class != NetworkModel::none)
          arc.needs += other.count;
    }
  for (Node& node : net().nodes) {
    if (node.kind != Kind::transition) continue;
    node.ways[0] = all_ways(model, read, node, NetworkModel::none);
    const NetworkModel::Transition& one = net().transitions[node.transition];
    if (one.immediate && one.takes.empty())
      model.refuse(*model.document.find(node.element), "QN014", "time",
                   "It takes no tokens and no time, so it would fire without end.", "Give it a time, or a place.");
  }
}

NetworkModel::Ways NetworkLowering::all_ways(Lowering& model, PropertyReader& read, const Node& node,
                                             std::uint32_t of_class) {
  NetworkModel::Ways out;
  const std::vector<const Element*>& edges = leaving_[node.element];
  const std::string name = of_class == NetworkModel::none ? "" : net().classes[of_class].name;
  const auto is_own = [&](const Element* edge) { return !name.empty() && trim(edge->text("class")) == name; };
  const bool own = std::any_of(edges.begin(), edges.end(), is_own);
  for (const Element* edge : edges) {
    const bool of_all = of_class == NetworkModel::none || trim(edge->text("class")).empty();
    if (own ? !is_own(edge) : !of_all) continue;
    const auto target = number_.find(edge->target);
    if (target == number_.end()) continue;
    out.target.push_back(target->second);
    out.flow.push_back(edge->id);
    std::uint32_t becomes = of_class;
    if (is_written(*edge, "becomes")) becomes = class_named(model, *edge, "becomes");
    else if (of_class == NetworkModel::none && is_written(*edge, "class")) becomes = class_named(model, *edge);
    out.becomes.push_back(becomes);
    out.count.push_back(count_of(model, read, *edge));
  }
  return out;
}

}  // namespace ergode
