// Parts that come back to where they were split without meeting: each is split again, and there are ever more (QN022).
#include <algorithm>
#include <vector>

#include "solvers/queueing/lowering/lowering_steps.h"

namespace ergode {
namespace {

using M = NetworkModel;
using Kind = NetworkModel::Kind;

/// How many parts of one split come back to the fork, on average and at least: those who may be lost, taken or held
/// for each other on the way, or whose chance to go a way changes, do not count.
class PartsBack {
 public:
  PartsBack(const M& model, std::uint32_t fork, std::uint32_t of_class)
      : model_(model), classes_(model.classes.size()), fork_(fork), class_(of_class) {}

  /// Sums up from move to move; what is still on the way when it gives up is left out.
  double count() {
    constexpr int most_moves = 10'000;
    constexpr double nothing = 1e-13;
    std::vector<double> now(model_.nodes.size() * classes_, 0.0);
    std::vector<std::uint32_t> there, next;
    send(fork_, class_, 1.0, now, there);
    double left = 1.0;
    for (int move = 0; move < most_moves && left > nothing && back_ < enough; ++move) {
      std::vector<double> then(now.size(), 0.0);
      next.clear();
      left = 0.0;
      for (const std::uint32_t place : there) {
        const auto node = static_cast<std::uint32_t>(place / classes_),
                   of_class = static_cast<std::uint32_t>(place % classes_);
        if (node == fork_ && of_class == class_) {
          back_ += now[place];
          continue;
        }
        left += now[place];
        send(node, of_class, now[place], then, next);
      }
      now.swap(then), there.swap(next);
    }
    return back_;
  }
  /// A hair of rounding is none.
  static constexpr double enough = 1.0 - 1e-9;

 private:
  /// Everybody who comes there goes on some time.
  bool goes_on(const M::Node& node) const {
    if (node.kind == Kind::fork || node.kind == Kind::router || node.kind == Kind::logger || node.kind == Kind::delay)
      return node.region == M::none;
    return node.kind == Kind::station && node.region == M::none && node.capacity == M::unlimited &&
           !node.has(M::patient | M::balks | M::may_block) && node.servers.is_constant() && node.servers.value() >= 1.0;
  }
  void send(std::uint32_t from, std::uint32_t of_class, double count, std::vector<double>& onto,
            std::vector<std::uint32_t>& there) const {
    const M::Node& node = model_.nodes[from];
    if (!goes_on(node) || node.ways.size() <= of_class) return;
    const M::Ways& ways = node.ways[of_class];
    const bool fork = node.kind == Kind::fork;
    const bool fixed = node.routing == M::Routing::probabilities || node.routing == M::Routing::random;
    if (!fork && ways.target.size() != 1 && (ways.upto.empty() || !fixed)) return;
    double before = 0.0;
    for (std::size_t w = 0; w < ways.target.size(); ++w) {
      double share = 1.0;
      if (fork) share = ways.count[w];
      else if (ways.target.size() > 1) share = ways.upto[w] - before, before = ways.upto[w];
      const std::size_t place = ways.target[w] * classes_ + (ways.becomes[w] == M::none ? of_class : ways.becomes[w]);
      if (!(share > 0.0)) continue;
      if (onto[place] == 0.0) there.push_back(static_cast<std::uint32_t>(place));
      onto[place] += count * share;
    }
  }

  const M& model_;
  std::size_t classes_;
  std::uint32_t fork_, class_;
  double back_ = 0.0;
};

}  // namespace

void NetworkLowering::check_fork_loops(Lowering& model) {
  if (has_errors(model.problems)) return;
  for (std::uint32_t n = 0; n < net().nodes.size(); ++n) {
    const M::Node& fork = net().nodes[n];
    if (fork.kind != Kind::fork) continue;
    for (std::uint32_t c = 0; c < fork.ways.size(); ++c) {
      if (!(PartsBack(net(), n, c).count() >= PartsBack::enough)) continue;
      model.problems.push_back(
          {.severity = Severity::warning,
           .code = "QN022",
           .element = fork.element,
           .message = "Parts that \"" + fork.name +
                      "\" makes come back to it before they meet, on average one or more of each split: whoever comes "
                      "here is split without end, customers become ever more, and nothing settles.",
           .hint = "Let parts meet at a join before they come back, or leave more often."});
      break;
    }
  }
}

}  // namespace ergode
