#include "solvers/queueing/solve/network_means.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using RoutingRule = NetworkModel::Routing;

std::uint32_t spread(const NetworkModel& model, std::uint32_t from, std::uint32_t of_class, double rate,
                     std::vector<double>& onto, std::vector<double>* past, std::size_t depth) {
  const NetworkModel::Node& node = model.nodes[from];
  const NetworkModel::Ways& ways = node.ways[of_class];
  const bool fixed = node.routing == RoutingRule::probabilities || node.routing == RoutingRule::random;
  // Deeper than there are nodes is a circle of routers.
  if (ways.target.empty() || ways.upto.empty() || (!fixed && ways.target.size() > 1) || depth > model.nodes.size())
    return from;
  double before = 0.0;
  for (std::size_t w = 0; w < ways.target.size(); ++w) {
    const double there = rate * (ways.upto[w] - before);
    before = ways.upto[w];
    if (!model.nodes[ways.target[w]].passes()) {
      onto[ways.target[w] * model.classes.size() + ways.becomes[w]] += there;
      continue;
    }
    if (past != nullptr && model.nodes[ways.target[w]].kind == Kind::logger)
      (*past)[ways.target[w] * model.classes.size() + ways.becomes[w]] += there;
    const std::uint32_t unknown = spread(model, ways.target[w], ways.becomes[w], there, onto, past, depth + 1);
    if (unknown != NetworkModel::none) return unknown;
  }
  return NetworkModel::none;
}

}  // namespace

std::uint32_t spread(const NetworkModel& model, std::uint32_t from, std::uint32_t of_class, double rate,
                     std::vector<double>& onto, std::vector<double>* past) {
  return spread(model, from, of_class, rate, onto, past, 0);
}

}  // namespace ergode
