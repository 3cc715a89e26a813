// Where passages of closed customers end; whether they can get back to where they begin (QN006), and open ones leave
// (QN022).
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "solvers/queueing/lowering/lowering_steps.h"
#include "solvers/queueing/lowering/place_graph.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using M = NetworkModel;

/// Where they are in the end: in the smallest circle out of which no way leads to another one.
std::uint32_t smallest_circle(const PlaceGraph& graph, const std::vector<std::uint32_t>& reached,
                              std::uint32_t otherwise) {
  const std::vector<PlaceGraph::Component>& all = graph.components();
  // Ways lead to smaller numbers, so what is behind is known first.
  std::vector<std::uint8_t> circle_behind(all.size(), 0);
  for (std::size_t c = 0; c < all.size(); ++c)
    for (const std::uint32_t next : all[c].next)
      if (all[next].circle || circle_behind[next] != 0) circle_behind[c] = 1;
  std::uint32_t fewest = M::none;
  for (const std::uint32_t place : reached) {
    const std::uint32_t c = graph.component_of(place);
    if (graph.holds(place) && all[c].circle && circle_behind[c] == 0 && all[c].places < fewest)
      fewest = all[c].places, otherwise = place;
  }
  return otherwise;
}

}  // namespace

// Nobody begins there, so it is none of what follow() begins with; and of open classes a reference says nothing.
void NetworkLowering::refer_followers(Lowering& model) {
  const auto classes = static_cast<std::uint32_t>(net().classes.size());
  PlaceGraph graph(net());
  std::vector<std::uint8_t> become(classes, 0);
  for (std::uint32_t c = 0; c < classes; ++c) {
    const M::JobClass& one = net().classes[c];
    if (one.population == 0 || one.reference == M::none) continue;
    const std::uint32_t start = graph.place(one.reference, c);
    graph.explore(start);
    for (const std::uint32_t place : graph.reached_from(start)) become[place % classes] = 1;
  }
  for (std::uint32_t c = 0; c < classes; ++c) {
    M::JobClass& one = net().classes[c];
    if (become[c] == 0 || one.population > 0 || !one.element) continue;
    const Element& element = *model.document.find(one.element);
    if (!trim(element.text("reference")).empty()) one.reference = find_reference(model, element);
  }
}

// A passage may end at the reference of another class that they become (traffic()).
void NetworkLowering::check_ways_back(Lowering& model) {
  const auto classes = static_cast<std::uint32_t>(net().classes.size());
  PlaceGraph graph(net());
  std::vector<std::uint32_t> begun;
  for (std::uint32_t c = 0; c < classes; ++c)
    if (const M::JobClass& one = net().classes[c]; one.population > 0 && one.reference != M::none)
      begun.push_back(graph.place(one.reference, c)), graph.explore(begun.back());
  const auto ends = graph.somewhere([&](std::uint32_t place) { return graph.ends(place); });
  std::vector<std::uint8_t> begins(graph.components().size(), 0);
  for (const std::uint32_t start : begun)
    if (graph.components()[graph.component_of(start)].circle) begins[graph.component_of(start)] = 1;
  for (const std::uint32_t start : begun) {
    if (ends[graph.component_of(start)] != 0) continue;
    const M::JobClass& one = net().classes[start % classes];
    const std::vector<std::uint32_t> reached = graph.reached_from(start);
    const auto comes_back = [&](std::uint32_t place) {
      const std::uint32_t node = place / classes;
      return node == one.reference || node == net().classes[place % classes].reference ||
             begins[graph.component_of(place)] != 0;
    };
    if (std::any_of(reached.begin(), reached.end(), comes_back)) {
      // The nearest place that they never leave, and at which nobody begins.
      std::set<std::uint32_t> home;
      for (const std::uint32_t place : reached)
        if (comes_back(place)) home.insert(graph.component_of(place));
      const auto trap = std::find_if(reached.begin(), reached.end(), [&](std::uint32_t place) {
        const std::uint32_t c = graph.component_of(place);
        return graph.holds(place) && graph.components()[c].last && home.count(c) == 0;
      });
      if (trap == reached.end()) continue;
      const std::string as =
          *trap % classes == start % classes ? "" : " as \"" + net().classes[*trap % classes].name + '"';
      model.problems.push_back(
          {.severity = Severity::warning,
           .code = "QN006",
           .element = net().nodes[*trap / classes].element,
           .message = "Customers of the closed class \"" + one.name + "\" may come to \"" +
                      net().nodes[*trap / classes].name + '"' + as + ", and no way leads from there back to \"" +
                      net().nodes[one.reference].name + "\", where they begin: in the end nobody goes round any more.",
           .hint = "Draw a flow back from there."});
      continue;
    }
    const std::uint32_t last = smallest_circle(graph, reached, start);
    model.refuse(*model.document.find(one.element), "QN006", "reference",
                 "No way leads customers of the closed class \"" + one.name + "\" back to \"" +
                     net().nodes[one.reference].name + "\", where they begin; they end at \"" +
                     net().nodes[last / classes].name + "\".",
                 "Draw a flow back, or let them begin where they stay.");
  }
}

// Only where all that they get to is as plain as that: elsewhere some are turned away, give up or are taken.
void NetworkLowering::check_ways_out(Lowering& model) {
  if (!net().regions.empty() || has_errors(model.problems)) return;
  PlaceGraph graph(net());
  const auto for_sources = [&](auto look) {
    for (std::uint32_t n = 0; n < net().nodes.size(); ++n)
      if (const M::Node& one = net().nodes[n]; one.kind == Kind::source && one.emits < net().classes.size())
        look(one, graph.place(n, one.emits));
  };
  for_sources([&](const M::Node&, std::uint32_t start) { graph.explore(start); });
  const auto ends = graph.somewhere([&](std::uint32_t place) { return graph.ends(place); });
  const auto lets_go = graph.somewhere([&](std::uint32_t place) {
    const M::Node& node = net().nodes[place / net().classes.size()];
    const bool passes =
        node.kind == Kind::delay || node.kind == Kind::router || node.kind == Kind::logger || node.kind == Kind::source;
    return !passes && (node.kind != Kind::station || node.capacity != M::unlimited || node.has(M::patient | M::balks));
  });
  for_sources([&](const M::Node& source, std::uint32_t start) {
    const std::uint32_t c = graph.component_of(start);
    if (ends[c] != 0 || lets_go[c] != 0) return;
    model.problems.push_back({.severity = Severity::warning,
                              .code = "QN022",
                              .element = source.element,
                              .message = "No way leads customers who come from \"" + source.name +
                                         "\" out of the network: there are more and more of them, and nothing "
                                         "settles.",
                              .hint = "Draw a flow to a sink."});
  });
}

}  // namespace ergode
