// What nobody refuses and nobody means: so many are waited for who never come (QN019, warnings).
#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "solvers/queueing/lowering/lowering_steps.h"

namespace ergode {

using Kind = NetworkModel::Kind;

void NetworkLowering::check_numbers(Lowering& model) {
  check_splits(model);
  check_pools(model);
}

namespace {

/// Most parts of one customer who come to a node, and of each class of those who come to joins at all.
struct MostParts {
  std::uint32_t all = 0;
  std::vector<std::uint32_t> of_class;
  /// What is more there.
  void take(const MostParts& other) {
    all = std::max(all, other.all);
    for (std::size_t c = 0; c < of_class.size(); ++c) of_class[c] = std::max(of_class[c], other.of_class[c]);
  }
};

/// Where parts come that go one way from a fork or scaler, and as which classes, until they meet there.
class PartsAhead {
 public:
  explicit PartsAhead(const NetworkModel& net) : net_(net) {}
  /// Calls `met(node, class)` for each semaphore that they pass and each join or scaler at which they meet.
  template <typename Met>
  void follow(std::uint32_t to, std::uint32_t of_class, const Met& met) {
    const auto classes = static_cast<std::uint32_t>(net_.classes.size());
    seen_.assign(net_.nodes.size() * classes * (deepest + 1), 0);
    reached_.clear();
    enter(to, of_class, 1);
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const auto [n, c, depth] = reached_[i];
      const NetworkModel::Node& here = net_.nodes[n];
      const bool joins = here.kind == Kind::join || here.kind == Kind::scaler;
      const bool splits = here.kind == Kind::fork || here.kind == Kind::scaler;
      if (depth == 1 && (joins || here.kind == Kind::semaphore)) met(n, c);
      if (depth == 1 && joins) continue;
      const std::uint32_t after = std::min(depth - (joins ? 1 : 0) + (splits ? 1 : 0), deepest);
      // Who was split again is whom he was from the join on, which is not known here.
      for (std::uint32_t k = joins ? 0 : c; k < (joins ? classes : c + 1); ++k) go_on(here, k, after);
      if (here.kind != Kind::place) continue;
      for (const NetworkModel::Node& fired : net_.nodes) {
        if (fired.kind != Kind::transition) continue;
        const NetworkModel::Transition& one = net_.transitions[fired.transition];
        if (std::any_of(one.takes.begin(), one.takes.end(),
                        [&, place = n](const NetworkModel::Arc& arc) { return arc.place == place; }))
          go_on(fired, 0, depth, c);
      }
    }
  }

 private:
  static constexpr std::uint32_t deepest = 8;
  struct Reached {
    std::uint32_t node, of_class, depth;
  };
  void enter(std::uint32_t n, std::uint32_t c, std::uint32_t depth) {
    if (std::exchange(seen_[(std::size_t{n} * net_.classes.size() + c) * (deepest + 1) + depth], 1) == 0)
      reached_.push_back({n, c, depth});
  }
  /// @param otherwise  class of those whose way does not say which they become
  void go_on(const NetworkModel::Node& from, std::uint32_t c, std::uint32_t depth, std::uint32_t otherwise = 0) {
    using Leaving = NetworkModel::Leaving;
    for (const Leaving leaving : {Leaving::done, Leaving::refused, Leaving::reneged}) {
      const auto& all = from.ways_of(leaving);
      if (c >= all.size()) continue;
      for (std::size_t w = 0; w < all[c].target.size(); ++w)
        enter(all[c].target[w], all[c].becomes[w] == NetworkModel::none ? otherwise : all[c].becomes[w], depth);
    }
  }
  const NetworkModel& net_;
  std::vector<std::uint8_t> seen_;  // by node, class, depth
  std::vector<Reached> reached_;
};

}  // namespace

// From every fork and scaler as deep as its parts are split again; who comes back at that depth is one of so many.
void NetworkLowering::check_splits(Lowering& model) {
  const std::vector<Node>& nodes = net().nodes;
  const std::size_t classes = net().classes.size();
  std::vector<std::vector<MostParts>> most(nodes.size());  // by node, class of the whole; none: nobody comes there
  PartsAhead ahead(net());
  for (const Node& split : nodes) {
    if (split.kind != Kind::fork && split.kind != Kind::scaler) continue;
    for (std::size_t whole = 0; whole < split.ways.size(); ++whole) {
      const NetworkModel::Ways& ways = split.ways[whole];
      MostParts here{.of_class = std::vector<std::uint32_t>(classes, 0)};
      std::vector<std::uint8_t> met(nodes.size(), 0);
      for (std::size_t w = 0; w < ways.target.size(); ++w) {
        std::vector<std::uint8_t> as(classes, 0);
        ahead.follow(ways.target[w], ways.becomes[w], [&](std::uint32_t n, std::uint32_t c) {
          met[n] = 1;
          if (nodes[n].kind != Kind::semaphore) as[c] = 1;
        });
        here.all += ways.count[w];
        for (std::size_t c = 0; c < classes; ++c) here.of_class[c] += as[c] != 0 ? ways.count[w] : 0;
      }
      for (std::uint32_t n = 0; n < nodes.size(); ++n) {
        if (met[n] == 0) continue;
        most[n].resize(classes, {.of_class = std::vector<std::uint32_t>(classes, 0)});
        most[n][whole].take(here);
      }
    }
  }
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    // What is said of all is meant for those who are split into most.
    MostParts any{.of_class = std::vector<std::uint32_t>(classes, 0)};
    for (const MostParts& one : most[n]) any.take(one);
    for (std::size_t whole = 0; whole < most[n].size(); ++whole) {
      if (most[n][whole].all == 0) continue;
      const MostParts& those = !nodes[n].quorums.empty() && nodes[n].quorums[whole].own ? most[n][whole] : any;
      if (warn_of_wait(model, nodes[n], whole, those.all, those.of_class)) break;  // one mistake, one message
    }
  }
}

bool NetworkLowering::warn_of_wait(Lowering& model, const Node& node, std::size_t whole, std::uint32_t all,
                                   const std::vector<std::uint32_t>& of_class) {
  const bool holds = node.kind == Kind::semaphore;
  const auto warn = [&](const char* property, std::uint32_t wanted, const std::string& of, std::uint32_t most) {
    model.problems.push_back(
        {.severity = Severity::warning,
         .code = "QN019",
         .element = node.element,
         .pointer = property,
         .message =
             "\"" + node.name + "\" waits for " + std::to_string(wanted) + " of one customer" + of +
             (most == 0 ? ", of whom none ever comes" : ", of whom there are never more than " + std::to_string(most)) +
             (holds ? ": they stay there for ever." : ": it waits for all."),
         .hint = "Wait for fewer, or split customers into more."});
    return true;
  };
  const NetworkModel::Quorum& quorum = node.quorums[whole];
  const char* const property =
      holds ? (quorum.own ? "threshold_of" : "threshold") : (quorum.own ? "wait_for_of" : "wait_for");
  if (quorum.count > all) return warn(property, quorum.count, "", all);
  for (std::size_t c = 0; c < quorum.of_class.size(); ++c)
    if (quorum.of_class[c] > of_class[c])
      return warn(quorum.own ? "wait_for_of" : "wait_for_parts", quorum.of_class[c],
                  " that are of class \"" + net().classes[c].name + "\"", of_class[c]);
  return false;
}

void NetworkLowering::check_pools(Lowering& model) {
  const auto warn = [&](ElementId at, const char* property, std::string message, std::string hint) {
    model.problems.push_back({.severity = Severity::warning,
                              .code = "QN019",
                              .element = at,
                              .pointer = property,
                              .message = std::move(message),
                              .hint = std::move(hint)});
  };
  for (std::uint32_t p = 0; p < net().pools.size(); ++p) {
    const NetworkModel::Pool& pool = net().pools[p];
    bool seized = false, released = false;
    for (const Node& node : net().nodes) {
      if (node.pool != p) continue;
      seized = seized || node.kind == Kind::seize;
      released = released || node.kind == Kind::release;
      if (node.kind == Kind::seize && pool.units.is_constant() && node.units > pool.units.value())
        warn(node.element, "units",
             "\"" + node.name + "\" wants " + std::to_string(node.units) + " units of \"" + pool.name +
                 "\", which has " + number_text(pool.units.value()) + ": who comes waits for ever.",
             "Seize fewer, or draw a pool of more.");
    }
    if (seized && !released)
      warn(pool.element, "",
           "Units of \"" + pool.name +
               "\" are seized and nowhere released: they come back only when who holds them "
               "leaves the network.",
           "Draw a release on the way.");
  }
}

}  // namespace ergode
