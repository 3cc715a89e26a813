// From drawn flows to ways: with which probability, of which class, and who comes where.
#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "solvers/queueing/lowering/lowering_steps.h"
#include "solvers/queueing/lowering/words.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using Leaving = NetworkModel::Leaving;

Leaving leaving_of(const Element& edge) {
  const std::string word(trim(edge.text("taken_by")));
  return word == "refused" ? Leaving::refused : word == "reneged" ? Leaving::reneged : Leaving::done;
}

}  // namespace

NetworkModel::Ways NetworkLowering::ways(Lowering& model, const Node& node, std::uint32_t of_class, Leaving leaving) {
  NetworkModel::Ways out;
  std::vector<const Element*> edges;
  for (const Element* edge : leaving_[node.element])
    if (leaving_of(*edge) == leaving) edges.push_back(edge);
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
    out.flow.push_back(edge->id);
    out.becomes.push_back(trim(edge->text("becomes")).empty() ? of_class : class_named(model, *edge, "becomes"));
    // Where customers choose, probabilities do not count; at random means all ways alike.
    const bool given = leaving == Leaving::done && node.routing != NetworkModel::Routing::probabilities
                           ? false
                           : !trim(edge->text("probability")).empty();
    out.given.push_back(given ? 1 : 0);
    out.probability.emplace_back(0.0);
    if (!given) {
      ++open;
      continue;
    }
    out.probability.back() = model.program(*edge, "probability", ValueType::real(), customers());
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
  const bool misled = misled_.count(node.element) != 0;
  if (out.target.empty() && (misled || leaving != Leaving::done)) return out;  // they leave the network
  if (out.target.empty()) {
    model.refuse(element, "QN002", "", "No flow leads on from here for customers" + of + ".",
                 "Draw a flow to where they go, or to a sink.");
    return out;
  }
  constexpr double hair = 1e-9;
  if (!changes && !misled && (sum > 1.0 + hair || (open == 0 && sum < 1.0 - hair)))
    model.refuse(element, "QN003", "",
                 "The probabilities of the ways" + of + " sum up to " +
                     number_text(sum, number_text(sum, 6) == "1" ? 12 : 6) + "; wanted 1.",
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
  known_[of_class] = 1;
  Node& at = net().nodes[node];
  if (at.kind == Kind::sink || !at.ways[of_class].target.empty()) return;
  if (at.kind == Kind::place) return enter_place(model, scope, node, of_class);
  if (at.kind == Kind::fork || at.kind == Kind::scaler) {
    PropertyReader read(scope, model.problems);
    at.ways[of_class] = all_ways(model, read, at, of_class);
    if (at.ways[of_class].target.empty() && misled_.count(at.element) != 0) return;
    if (at.ways[of_class].target.empty())
      model.refuse(*model.document.find(at.element), "QN002", "", "No flow leads on from here.",
                   "Draw a flow for each of those whom a customer is split into.");
    else reached_.emplace_back(node, of_class), enter_joins(model, scope, node, of_class);
    return;
  }
  at.ways[of_class] = ways(model, at, of_class, Leaving::done);
  if (at.ways[of_class].target.empty()) return;
  for (const Leaving other : {Leaving::refused, Leaving::reneged}) {
    NetworkModel::Ways some = ways(model, at, of_class, other);
    if (some.target.empty()) continue;
    at.ways_of(other).resize(net().classes.size());
    at.ways_of(other)[of_class] = std::move(some);
  }
  reached_.emplace_back(node, of_class);
}

// Who is split goes on from where his parts meet as the class that he had, whatever they became on the way: there he
// comes to the first joins and scalers behind, past those of forks in between.
void NetworkLowering::enter_joins(Lowering& model, Scope& scope, std::uint32_t fork, std::uint32_t of_class) {
  std::set<std::pair<std::uint32_t, std::size_t>> seen;  // with the number of splits that are open there
  std::vector<std::pair<std::uint32_t, std::size_t>> ahead = {{fork, 0}};
  constexpr std::size_t deepest = 16;  // forks in forks; a fork that leads to itself would have no end
  std::set<std::uint32_t> meet;
  while (!ahead.empty()) {
    auto [node, open] = ahead.back();
    ahead.pop_back();
    const Kind kind = net().nodes[node].kind;
    const bool first = node == fork && open == 0;
    if (!first && open == 1 && (kind == Kind::join || kind == Kind::scaler)) {
      meet.insert(node);
      continue;
    }
    if (first || (kind == Kind::fork && open < deepest)) ++open;
    else if (kind == Kind::join) --open;
    for (const Element* edge : leaving_[net().nodes[node].element])
      if (const auto to = number_.find(edge->target); to != number_.end() && seen.insert({to->second, open}).second)
        ahead.emplace_back(to->second, open);
  }
  for (const std::uint32_t node : meet) enter(model, scope, node, of_class);
}

// Tokens of a class have come to a place: transitions that take them send customers on.
void NetworkLowering::enter_place(Lowering& model, Scope& scope, std::uint32_t place, std::uint32_t of_class) {
  if (!come_.insert({place, of_class}).second) return;
  for (std::uint32_t n = 0; n < net().nodes.size(); ++n) {
    if (net().nodes[n].kind != Kind::transition) continue;
    const NetworkModel::Transition& transition = net().transitions[net().nodes[n].transition];
    if (std::none_of(transition.takes.begin(), transition.takes.end(), [&](const NetworkModel::Arc& arc) {
          return arc.place == place && (arc.of_class == NetworkModel::none || arc.of_class == of_class);
        }))
      continue;
    seen_[n] = 1;
    const NetworkModel::Ways ways = net().nodes[n].ways[0];
    for (std::size_t w = 0; w < ways.target.size(); ++w) {
      seen_[ways.target[w]] = 1;
      enter(model, scope, ways.target[w], ways.becomes[w] == NetworkModel::none ? of_class : ways.becomes[w]);
    }
  }
}

void NetworkLowering::go_on(Lowering& model, Scope& scope, const Node& from, const NetworkModel::Ways& ways,
                            std::uint32_t of_class) {
  const bool closed = closed_[of_class] != 0;
  // By value: entering may move the list.
  const std::vector<std::uint32_t> targets = ways.target, classes = ways.becomes;
  for (std::size_t w = 0; w < targets.size(); ++w) {
    const Node& there = net().nodes[targets[w]];
    seen_[targets[w]] = 1;
    const std::uint32_t becomes = classes[w];
    // A class without customers of its own is closed where those of a closed one become it.
    if (closed && closed_[becomes] == 0 && open_[becomes] == 0) closed_[becomes] = 1;
    if (closed != (closed_[becomes] != 0))
      model.refuse(*model.document.find(from.element), "QN006", "",
                   "Customers of class \"" + net().classes[of_class].name + "\" become \"" +
                       net().classes[becomes].name + "\", of which one is closed and the other is not.");
    if (closed && there.kind == Kind::sink)
      model.refuse(*model.document.find(from.element), "QN006", "",
                   "Customers of the closed class \"" + net().classes[of_class].name + "\" can get to the sink \"" +
                       there.name + "\".",
                   "Give the flow to it a class, or lead them back.");
    if (closed && there.kind == Kind::station && there.capacity != NetworkModel::unlimited &&
        there.when_full == NetworkModel::WhenFull::lose && leaving_.count(there.element) != 0 &&
        std::none_of(leaving_[there.element].begin(), leaving_[there.element].end(),
                     [](const Element* edge) { return leaving_of(*edge) == Leaving::refused; }))
      limited_.emplace_back(targets[w], of_class);
    if (closed && there.kind == Kind::plugin && net().plugins[there.plugin].loses &&
        std::none_of(leaving_[there.element].begin(), leaving_[there.element].end(),
                     [](const Element* edge) { return leaving_of(*edge) == Leaving::refused; }))
      model.refuse(*model.document.find(there.element), "QN006", "when_down",
                   "Customers of the closed class \"" + net().classes[of_class].name +
                       "\" come here and would be lost; wanted a flow for those who are turned away.");
    enter(model, scope, targets[w], becomes);
  }
}

void NetworkLowering::follow(Lowering& model, Scope& scope) {
  const auto nodes = static_cast<std::uint32_t>(net().nodes.size());
  seen_.assign(nodes, 0);
  closed_.assign(net().classes.size(), 0), open_ = closed_, known_ = closed_;
  for (std::uint32_t c = 0; c < net().classes.size(); ++c) closed_[c] = net().classes[c].population > 0 ? 1 : 0;
  for (const Node& node : net().nodes)
    if (node.kind == Kind::source) open_[node.emits] = 1;
  for (std::uint32_t n = 0; n < nodes; ++n)
    if (net().nodes[n].kind == Kind::source) enter(model, scope, n, net().nodes[n].emits);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const Node& node = net().nodes[n];
    if (node.kind == Kind::place && node.tokens > 0) seen_[n] = 1, enter(model, scope, n, node.emits);
    if (node.kind != Kind::transition || !net().transitions[node.transition].takes.empty()) continue;
    seen_[n] = 1;  // it takes nothing: a source
    const NetworkModel::Ways ways = node.ways[0];
    for (std::size_t w = 0; w < ways.target.size(); ++w) {
      seen_[ways.target[w]] = 1;
      enter(model, scope, ways.target[w], ways.becomes[w] == NetworkModel::none ? 0 : ways.becomes[w]);
    }
  }
  for (std::uint32_t c = 0; c < net().classes.size(); ++c)
    if (net().classes[c].reference != NetworkModel::none) enter(model, scope, net().classes[c].reference, c);
  while (!reached_.empty()) {
    const auto [node, of_class] = reached_.back();
    reached_.pop_back();
    const Node& from = net().nodes[node];
    for (const Leaving leaving : {Leaving::done, Leaving::refused, Leaving::reneged})
      if (const auto& all = from.ways_of(leaving); of_class < all.size())
        go_on(model, scope, from, all[of_class], of_class);
  }
  check_room(model);
  for (std::uint32_t c = 0; c < net().classes.size(); ++c)
    if (known_[c] == 0 && net().classes[c].element)
      model.problems.push_back(
          {.severity = Severity::warning,
           .code = "QN016",
           .element = net().classes[c].element,
           .pointer = "population",
           .message = "The class \"" + net().classes[c].name +
                      "\" is empty: no source sends its customers, none is there at time zero, and "
                      "nobody becomes one.",
           .hint = "A source of this class, a population, or a way on which others become it."});
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const Node& node = net().nodes[n];
    if (node.kind == Kind::source || seen_[n] != 0) continue;
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

// Closed customers lose nobody at a station that has room for all of them together: its capacity is none then. Who
// comes from outside, parts and tokens may fill it.
void NetworkLowering::check_room(Lowering& model) {
  std::uint64_t all = 0;
  for (const NetworkModel::JobClass& one : net().classes) all += one.population;
  const bool others = std::any_of(net().nodes.begin(), net().nodes.end(), [](const Node& node) {
    return node.kind == Kind::fork || node.kind == Kind::scaler || node.kind == Kind::transition;
  });
  for (const auto& [station, of_class] : limited_) {
    Node& there = net().nodes[station];
    bool open = others;
    for (std::uint32_t c = 0; c < net().classes.size(); ++c)
      open = open || (closed_[c] == 0 && !there.ways[c].target.empty());
    if (!open && there.capacity >= all) {
      there.capacity = NetworkModel::unlimited;
      continue;
    }
    const Element& element = *model.document.find(there.element);
    model.refuse(
        element, "QN006", "capacity",
        "Customers of the closed class \"" + net().classes[of_class].name +
            "\" come here and would be lost: the capacity is " + std::to_string(there.capacity) + "; wanted " +
            (open ? std::string("any") : "at least " + std::to_string(all) + ", all closed customers together") + ".",
        "Let it block, draw a flow for those who are refused, or leave the capacity empty.");
  }
}

void NetworkLowering::lower_routing(Lowering& model, PropertyReader& read, Node& node) {
  const Element& element = *model.document.find(node.element);
  using Routing = NetworkModel::Routing;
  node.routing = meaning_of(read, element, "routing", routing_words);
  if (node.routing == Routing::power_of_d) {
    const long choices = read.integer(element, "choices", 2);
    if (choices < 1 || choices > 1000000)
      refuse_value(model, element, "choices", "Of " + std::to_string(choices) + " ways; wanted 1 to 1000000.");
    else node.choices = static_cast<std::uint32_t>(choices);
  }
}

}  // namespace ergode
