#include "tests/support/plain_fault_tree.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ergode::test {
namespace {

using PlainKind = PlainTree::Kind;
enum : int { operational = 0, failed = 1, safe = 2 };  // gates; spare gates count their inputs from `uses` on
constexpr int uses = 10;

/// One int per node: events and gates as above, strict pand waits_for + 20, dependencies 0 waiting, 1 triggered, 2 not.
using State = std::vector<int>;

class Meaning {
 public:
  explicit Meaning(const PlainTree& tree) : tree_(tree) {}

  State start() const {
    State s(tree_.nodes.size(), operational);
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (tree_.nodes[i].kind == PlainKind::spare) s[i] = uses;
      if (tree_.nodes[i].kind == PlainKind::pand_strict) s[i] = 20;
    }
    return s;
  }

  double rate(const State& s, int event) const {
    const PlainTree::Node& node = at(event);
    if (s[index(event)] == failed) return 0.0;
    bool stands_by = false, used = false;
    for (std::size_t g = 0; g < tree_.nodes.size(); ++g) {
      const PlainTree::Node& other = tree_.nodes[g];
      const auto place = std::find(other.children.begin(), other.children.end(), event) - other.children.begin();
      if (place == static_cast<std::ptrdiff_t>(other.children.size())) continue;
      if (other.kind == PlainKind::spare) stands_by = true, used = used || ever_used(s, static_cast<int>(g), place);
      if (other.kind == PlainKind::sequence)
        for (std::ptrdiff_t k = 0; k < place; ++k)
          if (s[index(other.children[static_cast<std::size_t>(k)])] != failed) return 0.0;
      if (other.kind == PlainKind::mutex)
        for (const int child : other.children)
          if (child != event && s[index(child)] == failed) return 0.0;
    }
    return stands_by && !used ? node.rate * node.dormancy : node.rate;
  }

  /// What follows at once from the failure of an event, with probabilities: gates, then one dependency after the other
  /// in the order of the text, each with what follows from it.
  std::vector<std::pair<State, double>> after(State s, int event) const {
    s[index(event)] = failed;
    std::vector<std::pair<State, double>> open = {{std::move(s), 1.0}}, done;
    while (!open.empty()) {
      auto [now, p] = std::move(open.back());
      open.pop_back();
      while (gates(now)) {
      }
      const int next = triggered(now);
      if (next < 0) {
        done.push_back({std::move(now), p});
        continue;
      }
      const double follows = at(next).probability;
      if (follows < 1.0) open.push_back({now, p * (1.0 - follows)}), open.back().first[index(next)] = safe;
      now[index(next)] = failed;
      for (std::size_t k = 1; k < at(next).children.size(); ++k) now[index(at(next).children[k])] = failed;
      open.push_back({std::move(now), p * follows});
    }
    return done;
  }

 private:
  static std::size_t index(int node) { return static_cast<std::size_t>(node); }
  const PlainTree::Node& at(int node) const { return tree_.nodes[index(node)]; }

  bool ever_used(const State& s, int gate, std::ptrdiff_t place) const {
    return s[index(gate)] >= uses && s[index(gate)] - uses == place;
  }

  // One pass from below; whether anything changed.
  bool gates(State& s) const {
    bool changed = false;
    for (std::size_t g = 0; g < tree_.nodes.size(); ++g) {
      const int before = s[g];
      if (before != failed && before != safe) step(s, static_cast<int>(g));
      changed = changed || s[g] != before;
    }
    return changed;
  }

  void step(State& s, int gate) const {
    const PlainTree::Node& node = at(gate);
    int& mine = s[index(gate)];
    const auto down = [&](std::size_t k) { return s[index(node.children[k])] == failed; };
    std::size_t count = 0;
    for (std::size_t k = 0; k < node.children.size(); ++k) count += down(k);
    const std::size_t n = node.children.size();
    switch (node.kind) {
      case PlainKind::conjunction:
        if (count == n) mine = failed;
        return;
      case PlainKind::disjunction:
        if (count > 0) mine = failed;
        return;
      case PlainKind::vote:
        if (count >= static_cast<std::size_t>(node.needed)) mine = failed;
        return;
      case PlainKind::pand:
        if (count == n) {
          mine = failed;
          return;
        }
        for (std::size_t k = 0; k + 1 < n; ++k)
          if (down(k + 1) && !down(k)) mine = safe;
        return;
      case PlainKind::pand_strict:
        for (;;) {
          const auto waits = static_cast<std::size_t>(mine - 20);
          for (std::size_t k = waits + 1; k < n; ++k)
            if (down(k)) {
              mine = safe;
              return;
            }
          if (!down(waits)) return;
          if (waits + 1 == n) {
            mine = failed;
            return;
          }
          ++mine;
        }
      case PlainKind::por:
        if (down(0)) mine = failed;
        else if (count > 0) mine = safe;
        return;
      case PlainKind::por_strict:
        if (count > (down(0) ? 1U : 0U)) mine = safe;
        else if (down(0)) mine = failed;
        return;
      case PlainKind::spare: {
        if (!down(static_cast<std::size_t>(mine - uses))) return;
        for (std::size_t k = 0; k < n; ++k)
          if (!down(k) && !taken(s, gate, node.children[k])) {
            mine = uses + static_cast<int>(k);
            return;
          }
        mine = failed;
        return;
      }
      default:
        return;
    }
  }

  bool taken(const State& s, int gate, int input) const {
    for (std::size_t g = 0; g < tree_.nodes.size(); ++g)
      if (static_cast<int>(g) != gate && tree_.nodes[g].kind == PlainKind::spare && s[g] >= uses &&
          tree_.nodes[g].children[static_cast<std::size_t>(s[g] - uses)] == input)
        return true;
    return false;
  }

  int triggered(const State& s) const {
    for (std::size_t d = 0; d < tree_.nodes.size(); ++d)
      if (tree_.nodes[d].kind == PlainKind::dependency && s[d] == operational &&
          s[index(tree_.nodes[d].children[0])] == failed)
        return static_cast<int>(d);
    return -1;
  }

  const PlainTree& tree_;
};

std::string name(int node) { return "N" + std::to_string(node); }

}  // namespace

std::string PlainTree::text() const {
  std::string out = "toplevel " + name(top) + ";\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    out += name(static_cast<int>(i));
    switch (node.kind) {
      case PlainKind::event:
        out += " lambda=" + std::to_string(node.rate) + " dorm=" + std::to_string(node.dormancy) + ";\n";
        continue;
      case PlainKind::conjunction:
        out += " and";
        break;
      case PlainKind::disjunction:
        out += " or";
        break;
      case PlainKind::vote:
        out += " " + std::to_string(node.needed) + "of" + std::to_string(node.children.size());
        break;
      case PlainKind::pand:
        out += " pand";
        break;
      case PlainKind::pand_strict:
        out += " pand-excl";
        break;
      case PlainKind::por:
        out += " por";
        break;
      case PlainKind::por_strict:
        out += " por-excl";
        break;
      case PlainKind::spare:
        out += " wsp";
        break;
      case PlainKind::dependency:
        out += node.probability < 1.0 ? " pdep=" + std::to_string(node.probability) : " fdep";
        break;
      case PlainKind::sequence:
        out += " seq";
        break;
      case PlainKind::mutex:
        out += " mutex";
        break;
    }
    for (const int child : node.children) out += " " + name(child);
    out += ";\n";
  }
  return out;
}

double PlainTree::probability_by(double time) const {
  const Meaning meaning(*this);
  std::map<State, std::size_t> number;
  std::vector<State> states;
  std::vector<std::vector<std::pair<std::size_t, double>>> jumps;
  const auto add = [&](const State& s) {
    const auto [known, fresh] = number.emplace(s, states.size());
    if (fresh) states.push_back(s);
    return known->second;
  };
  add(meaning.start());
  double fastest = 0.0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    jumps.emplace_back();
    double leave = 0.0;
    for (std::size_t event = 0; event < nodes.size(); ++event) {
      if (nodes[event].kind != PlainKind::event) continue;
      const State here = states[i];
      const double rate = meaning.rate(here, static_cast<int>(event));
      if (rate <= 0.0) continue;
      leave += rate;
      for (const auto& [to, p] : meaning.after(here, static_cast<int>(event)))
        if (p > 0.0) {
          const std::size_t target = add(to);
          jumps[i].push_back({target, rate * p});
        }
    }
    fastest = std::max(fastest, leave);
  }
  std::vector<double> p(states.size(), 0.0), next, sum(states.size(), 0.0);
  p[0] = 1.0;
  const double mean = fastest * time;
  double weight = std::exp(-mean), seen = 0.0;
  for (int k = 0; seen < 1.0 - 1e-15 && k < 2000; ++k) {
    for (std::size_t i = 0; i < p.size(); ++i) sum[i] += weight * p[i];
    seen += weight;
    weight *= mean / (k + 1);
    next = p;
    for (std::size_t i = 0; i < p.size(); ++i)
      for (const auto& [to, rate] : jumps[i]) {
        next[to] += p[i] * rate / fastest;
        next[i] -= p[i] * rate / fastest;
      }
    p = next;
  }
  double out = 0.0;
  for (std::size_t i = 0; i < states.size(); ++i)
    if (states[i][static_cast<std::size_t>(top)] == failed) out += sum[i];
  return out;
}

PlainTree random_tree(std::mt19937& random, int events, int gates) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  PlainTree tree;
  std::vector<int> free_events, inputs;
  for (int e = 0; e < events; ++e) {
    tree.nodes.push_back({.kind = PlainKind::event, .rate = 0.1 + 0.1 * below(15)});
    if (below(2) == 0) tree.nodes.back().rate = 1.0;  // alike, so that there is something to lump
    free_events.push_back(e);
  }
  std::shuffle(free_events.begin(), free_events.end(), random);
  const auto take = [&] {
    const int e = free_events.back();
    free_events.pop_back();
    return e;
  };
  std::vector<int> spares, ordered;
  int spare_gates = 0;
  if (events >= 5 && below(2) == 0) {  // one or two spare gates that may share a spare
    spares.push_back(take());
    if (events >= 7 && below(2) == 0) spares.push_back(take());
    for (const int s : spares) tree.nodes[static_cast<std::size_t>(s)].dormancy = 0.5 * below(3);
    spare_gates = 1 + below(2);
  }
  std::vector<int> primaries;
  for (int g = 0; g < spare_gates && !free_events.empty(); ++g) primaries.push_back(take());
  inputs = free_events;
  for (const int primary : primaries) {
    std::vector<int> children = {primary};
    children.insert(children.end(), spares.begin(), spares.end());
    tree.nodes.push_back({.kind = PlainKind::spare, .children = children});
    inputs.push_back(static_cast<int>(tree.nodes.size()) - 1);
  }
  constexpr PlainKind kinds[] = {PlainKind::conjunction, PlainKind::disjunction, PlainKind::vote,
                                 PlainKind::pand,        PlainKind::pand_strict, PlainKind::por,
                                 PlainKind::por_strict,  PlainKind::conjunction};
  for (int g = 0; g < gates; ++g) {
    const bool last = g + 1 == gates;
    PlainTree::Node gate{.kind = kinds[static_cast<std::size_t>(below(static_cast<int>(std::size(kinds))))]};
    std::shuffle(inputs.begin(), inputs.end(), random);
    // The last gate takes what nobody took; others may share inputs.
    const int most = static_cast<int>(inputs.size());
    const int n = last ? most : std::min(most, 2 + below(2));
    gate.children.assign(inputs.begin(), inputs.begin() + n);
    gate.needed = 1 + below(n);
    tree.nodes.push_back(gate);
    if (!last)
      for (int k = 0; k < n; ++k)
        if (below(4) != 0 && inputs.size() > 1) std::erase(inputs, gate.children[static_cast<std::size_t>(k)]);
    inputs.push_back(static_cast<int>(tree.nodes.size()) - 1);
  }
  tree.top = static_cast<int>(tree.nodes.size()) - 1;
  if (below(3) == 0 && free_events.size() >= 2) {
    std::shuffle(free_events.begin(), free_events.end(), random);
    ordered.assign(free_events.begin(), free_events.begin() + 2);
    tree.nodes.push_back({.kind = below(2) == 0 ? PlainKind::sequence : PlainKind::mutex, .children = ordered});
  }
  for (int d = below(3); d > 0; --d) {
    std::vector<int> dependents;
    for (int e = 0; e < events; ++e)
      if (below(3) == 0 && std::find(ordered.begin(), ordered.end(), e) == ordered.end()) dependents.push_back(e);
    int trigger = below(tree.top);
    if (dependents.empty() || std::find(dependents.begin(), dependents.end(), trigger) != dependents.end()) continue;
    const auto kind = tree.nodes[static_cast<std::size_t>(trigger)].kind;
    if (kind == PlainKind::dependency || kind == PlainKind::sequence || kind == PlainKind::mutex) continue;
    PlainTree::Node node{.kind = PlainKind::dependency, .children = {trigger}};
    node.children.insert(node.children.end(), dependents.begin(), dependents.end());
    if (below(3) == 0) node.probability = 0.25 * (1 + below(3));
    tree.nodes.push_back(node);
  }
  return tree;
}

}  // namespace ergode::test
