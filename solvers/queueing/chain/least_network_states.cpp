// How great a network's chain is at least, before a state of it is made.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "solvers/queueing/chain/network_chain.h"

namespace ergode {

using M = NetworkModel;
using Kind = NetworkModel::Kind;

namespace {

/// Ways of n over k, as far as doubles go.
double choose(double n, std::uint32_t k) {
  double out = 1.0;
  for (std::uint32_t i = 1; i <= k; ++i) out *= (n - k + i) / i;
  return out;
}

/// Where customers of one class surely can get to, each on his own, while nobody else moves.
class Reach {
 public:
  Reach(const M& model, std::uint32_t of_class) : model_(model), class_(of_class), seen_(model.nodes.size()) {}

  /// By all ways from a node whose probability is known; `share` of those who come to it go there.
  void follow(std::uint32_t node, double share) {
    const M::Node& from = model_.nodes[node];
    if (from.ways.size() <= class_) return;
    const M::Ways& ways = from.ways[class_];
    const bool fixed = from.routing == M::Routing::probabilities || from.routing == M::Routing::random;
    if (ways.upto.empty() || (!fixed && ways.target.size() > 1)) return;
    double before = 0.0;
    for (std::size_t w = 0; w < ways.target.size(); ++w) {
      const double p = ways.upto[w] - std::exchange(before, ways.upto[w]);
      if (!(p > 0.0) || ways.becomes[w] != class_) continue;
      if (holds(model_.nodes[ways.target[w]])) edges.emplace(node, ways.target[w]);
      visit(ways.target[w], share * p);
    }
  }
  void visit(std::uint32_t node, double share) {
    const M::Node& here = model_.nodes[node];
    const bool stays = here.kind == Kind::station || here.kind == Kind::delay;
    if (stays && !holds(here)) return;
    if (stays && first_of_way_) first.emplace_back(node, share);
    if (std::exchange(seen_[node], 1) != 0 || (!stays && !here.passes())) return;
    const bool was = first_of_way_;
    if (stays) ++places, first_of_way_ = false;
    follow(node, share);
    first_of_way_ = was;
  }

  std::uint32_t places = 0;                                 ///< stations and delays
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;  ///< between nodes, by which they are reached
  std::vector<std::pair<std::uint32_t, double>> first;  ///< of them, those to which a way leads first, with its share

 private:
  /// Takes any number of them, and serves each.
  bool holds(const M::Node& here) const {
    if (here.kind != Kind::station && here.kind != Kind::delay) return true;
    if (here.capacity != M::unlimited || here.has(M::balks | M::varies_speed)) return false;
    if (here.kind == Kind::station && !(here.servers.is_constant() && here.servers.value() >= 1.0)) return false;
    return here.time.size() > class_ && here.time[class_].drawn && here.time[class_].mean_s > 0.0;
  }

  const M& model_;
  std::uint32_t class_;
  std::vector<std::uint8_t> seen_;
  bool first_of_way_ = true;
};

/// Closed classes that begin at one node and go the same ways: whoever is served somewhere, one more of them can be
/// anywhere else, so that in numbers they move as one class does. 1 where they do not.
double states_of_alike(const M& model) {
  std::optional<Reach> first;
  std::uint32_t reference = M::none;
  double all = 0.0;
  for (std::uint32_t c = 0; c < model.classes.size(); ++c) {
    const M::JobClass& one = model.classes[c];
    if (one.population == 0) continue;
    Reach reach(model, c);
    reach.visit(one.reference, 1.0);
    if (!first) first.emplace(std::move(reach)), reference = one.reference;
    else if (one.reference != reference || reach.edges != first->edges || reach.places != first->places) return 1.0;
    all += static_cast<double>(one.population);
  }
  if (!first || first->places == 0) return 1.0;
  return choose(all + first->places - 1.0, first->places - 1);
}

}  // namespace

double NetworkChain::least_states(std::uint64_t limit) const {
  if (!model_.regions.empty() || !places_.empty() || !timed_.empty() || !immediate_.empty()) return 1.0;
  double out = states_of_alike(model_);
  for (std::uint32_t c = 0; c < model_.classes.size(); ++c) {
    const M::JobClass& one = model_.classes[c];
    // Others stay where they are: in delays, where they are in nobody's way.
    const auto in_the_way = [&](const M::JobClass& other) {
      return &other != &one && other.population > 0 && model_.nodes[other.reference].kind != Kind::delay;
    };
    if (std::any_of(model_.classes.begin(), model_.classes.end(), in_the_way)) continue;
    // To get so many everywhere fill the places farthest away first: on his way each passes empty ones only.
    Reach reach(model_, c);
    if (one.population > 0) {
      reach.visit(one.reference, 1.0);
      if (reach.places > 0)
        out = std::max(out, choose(static_cast<double>(one.population) + reach.places - 1.0, reach.places - 1));
      continue;
    }
    if (finite_) continue;
    for (const std::uint32_t source : sources_)
      if (source != M::none && model_.nodes[source].emits == c && !model_.nodes[source].batched &&
          !model_.nodes[source].has_rate)
        reach.follow(source, 1.0);
    out = std::max(out, choose(static_cast<double>(limit) + reach.places, reach.places));
  }
  return out;
}

double NetworkChain::least_customers(double time_s) const {
  double out = 0.0;
  if (!model_.regions.empty()) return out;
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const M::Node& source = model_.nodes[sources_[s]];
    if (processes_[s] != nullptr || source.has_rate || source.batched || !source.time[0].drawn ||
        source.time[0].law.family() != Distribution::Family::exponential)
      continue;
    Reach reach(model_, source.emits);
    reach.follow(sources_[s], 1.0);
    for (const auto& [node, share] : reach.first) {
      const M::Duration& service = model_.nodes[node].time[source.emits];
      if (service.law.family() != Distribution::Family::exponential || model_.nodes[node].has(M::patient)) continue;
      out += share / source.time[0].mean_s * service.mean_s * -std::expm1(-time_s / service.mean_s);
    }
  }
  return out;
}

}  // namespace ergode
