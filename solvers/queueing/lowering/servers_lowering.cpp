// How many servers a station has, how fast each is and when it fails.
#include <cmath>
#include <variant>
#include <vector>

#include "core/base/text.h"
#include "core/expression/compile.h"
#include "solvers/queueing/lowering/lowering_steps.h"

namespace ergode {

using Interruption = NetworkModel::Interruption;
using Kind = NetworkModel::Kind;
using Rules = NetworkModel::Rules;

// Before anything is compiled that may read them. What is wrong is told where stations are lowered.
void NetworkLowering::name_servers(Lowering& model, Scope& scope) {
  for (const Node& node : net().nodes) {
    if (node.kind != Kind::station) continue;
    const Element& element = *model.document.find(node.element);
    // As many as there are speeds: they are counted later, and read from the slot until then.
    if (!is_written(element, "servers") && is_written(element, "server_speeds")) continue;
    const std::size_t told = model.problems.size();
    const Program servers =
        is_written(element, "servers") ? model.program(element, "servers", ValueType::integer(), scope) : Program(1.0);
    if (model.problems.size() == told && servers.is_constant()) model.slots.hold(node.servers_now, servers.value());
    model.problems.erase(model.problems.begin() + static_cast<std::ptrdiff_t>(told), model.problems.end());
  }
}

void NetworkLowering::lower_servers(Lowering& model, Scope& scope, const Element& element, Node& node, Rules& rules) {
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
    if (node.interruption != Interruption::finish) node.features |= NetworkModel::takes_away;
  } else {
    const double servers = node.servers.evaluate(nullptr);
    model.slots.hold(node.servers_now, servers);
    if (!(servers >= 1.0 && servers <= NetworkModel::most_servers))
      refuse_value(model, element, "servers",
                   "There are " + number_text(servers) + " servers; wanted at least 1, at most " +
                       number_text(NetworkModel::most_servers) + ": where nobody ever waits a delay does.");
    model.slots.narrow(node.busy, {0.0, servers});
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
      if (one->always_zero())
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

}  // namespace ergode
