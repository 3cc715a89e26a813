// Whether closed customers can get back to where they begin (QN006), and open ones leave (QN022).
#include <algorithm>
#include <utility>
#include <vector>

#include "solvers/queueing/lowering/lowering_steps.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using Leaving = NetworkModel::Leaving;
using M = NetworkModel;

/// Places that customers can get to: node * classes + class. A way that may be gone is one, whoever decides.
class Reach {
 public:
  Reach(const M& model, std::size_t start) : model_(model), seen_(model.nodes.size() * model.classes.size(), 0) {
    leave(start);
    for (std::size_t i = 0; i < reached_.size(); ++i) leave(reached_[i]);
  }
  bool comes_to(std::size_t place) const { return seen_[place] != 0; }
  /// Somebody leaves the network, or has nowhere to go, which others have told.
  bool ends() const { return ends_; }
  const std::vector<std::size_t>& reached() const { return reached_; }

 private:
  void enter(std::size_t node, std::size_t of_class) {
    const std::size_t place = node * model_.classes.size() + of_class;
    if (std::exchange(seen_[place], 1) == 0) reached_.push_back(place);
  }
  void go(const M::Ways& ways, std::size_t of_class) {
    for (std::size_t w = 0; w < ways.target.size(); ++w) {
      if (!ways.upto.empty() && !(ways.upto[w] > (w == 0 ? 0.0 : ways.upto[w - 1]))) continue;
      enter(ways.target[w], ways.becomes[w] == M::none ? of_class : ways.becomes[w]);
    }
  }
  void leave(std::size_t place) {
    const std::size_t n = place / model_.classes.size(), c = place % model_.classes.size();
    const M::Node& node = model_.nodes[n];
    if (node.kind == Kind::place) return take(n, c);
    ends_ = ends_ || node.kind == Kind::sink || node.ways.size() <= c || node.ways[c].target.empty();
    for (const Leaving leaving : {Leaving::done, Leaving::refused, Leaving::reneged})
      if (const auto& all = node.ways_of(leaving); c < all.size()) go(all[c], c);
    // Who is split goes on where his parts meet, as the class that he had.
    if (node.kind != Kind::fork && node.kind != Kind::scaler) return;
    for (std::size_t j = 0; j < model_.nodes.size(); ++j)
      if (model_.nodes[j].kind == Kind::join || model_.nodes[j].kind == Kind::scaler) enter(j, c);
  }
  void take(std::size_t place, std::size_t of_class) {
    for (const M::Node& node : model_.nodes) {
      if (node.kind != Kind::transition) continue;
      const std::vector<M::Arc>& takes = model_.transitions[node.transition].takes;
      if (std::any_of(takes.begin(), takes.end(), [&](const M::Arc& arc) {
            return arc.place == place && (arc.of_class == M::none || arc.of_class == of_class);
          }))
        go(node.ways[0], of_class);
    }
  }

  const M& model_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::size_t> reached_;
  bool ends_ = false;
};

}  // namespace

// A passage may end at the beginning of another class that they become (traffic()).
void NetworkLowering::check_ways_back(Lowering& model) {
  const std::size_t classes = net().classes.size();
  const auto is_start = [&](std::size_t place) {
    const M::JobClass& one = net().classes[place % classes];
    return one.population > 0 && one.reference == place / classes;
  };
  for (std::size_t c = 0; c < classes; ++c) {
    const M::JobClass& one = net().classes[c];
    if (one.population == 0 || one.reference == M::none) continue;
    const Reach reach(net(), one.reference * classes + c);
    if (reach.ends()) continue;
    // Where they are in the end: to where they come back from there, from which they get to the fewest places.
    std::size_t last = one.reference * classes + c, fewest = reach.reached().size() + 1;
    bool back = false;
    for (const std::size_t place : reach.reached()) {
      back = back || place / classes == one.reference;
      if (back) break;
      const Reach on(net(), place);
      back = is_start(place) && on.comes_to(place);
      if (on.comes_to(place) && on.reached().size() < fewest) fewest = on.reached().size(), last = place;
    }
    if (back) continue;
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
  const std::size_t classes = net().classes.size();
  const auto keeps = [&](std::size_t place) {
    const M::Node& node = net().nodes[place / classes];
    const bool passes =
        node.kind == Kind::delay || node.kind == Kind::router || node.kind == Kind::logger || node.kind == Kind::source;
    return passes || (node.kind == Kind::station && node.capacity == M::unlimited && !node.has(M::patient | M::balks));
  };
  for (std::size_t n = 0; n < net().nodes.size(); ++n) {
    const M::Node& source = net().nodes[n];
    if (source.kind != Kind::source || source.emits >= classes) continue;
    const Reach reach(net(), n * classes + source.emits);
    if (reach.ends() || !std::all_of(reach.reached().begin(), reach.reached().end(), keeps)) continue;
    model.problems.push_back({.severity = Severity::warning,
                              .code = "QN022",
                              .element = source.element,
                              .message = "No way leads customers who come from \"" + source.name +
                                         "\" out of the network: there are more and more of them, and nothing "
                                         "settles.",
                              .hint = "Draw a flow to a sink."});
  }
}

}  // namespace ergode
