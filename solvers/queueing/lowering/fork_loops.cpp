// Parts that come back to where they were split without meeting: each is split again, and there are ever more (QN022).
#include <utility>
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
  explicit PartsBack(const M& model)
      : model_(model),
        classes_(model.classes.size()),
        now_(model.nodes.size() * classes_, 0.0),
        then_(now_.size(), 0.0) {}

  /// Sums up from move to move; what is still on the way when it gives up is left out. O(moves x places with parts),
  /// of all calls together at most `most_work` places.
  double count(std::uint32_t fork, std::uint32_t of_class) {
    constexpr int most_moves = 10'000;
    constexpr double nothing = 1e-13;
    double back = 0.0, left = 1.0;
    there_.clear();
    send(fork, of_class, 1.0, now_, there_);
    for (int move = 0; move < most_moves && left > nothing && back < enough && work_ < most_work; ++move) {
      next_.clear();
      left = 0.0;
      for (const std::uint32_t place : there_) {
        const double parts = std::exchange(now_[place], 0.0);
        const auto node = static_cast<std::uint32_t>(place / classes_),
                   as = static_cast<std::uint32_t>(place % classes_);
        if (node == fork && as == of_class) {
          back += parts;
          continue;
        }
        left += parts;
        send(node, as, parts, then_, next_);
      }
      now_.swap(then_), there_.swap(next_);
    }
    for (const std::uint32_t place : there_) now_[place] = 0.0;
    return back;
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
            std::vector<std::uint32_t>& there) {
    const M::Node& node = model_.nodes[from];
    if (!goes_on(node) || node.ways.size() <= of_class) return;
    const M::Ways& ways = node.ways[of_class];
    const bool fork = node.kind == Kind::fork;
    const bool fixed = node.routing == M::Routing::probabilities || node.routing == M::Routing::random;
    if (!fork && ways.target.size() != 1 && (ways.upto.empty() || !fixed)) return;
    double before = 0.0;
    work_ += ways.target.size();
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

  static constexpr std::size_t most_work = 10'000'000;
  const M& model_;
  std::size_t classes_, work_ = 0;
  std::vector<double> now_, then_;           ///< parts by place, node * classes + class; 0 between calls
  std::vector<std::uint32_t> there_, next_;  ///< the places in them where there are any
};

}  // namespace

void NetworkLowering::check_fork_loops(Lowering& model) {
  if (has_errors(model.problems)) return;
  PartsBack parts(net());
  for (std::uint32_t n = 0; n < net().nodes.size(); ++n) {
    const M::Node& fork = net().nodes[n];
    if (fork.kind != Kind::fork) continue;
    for (std::uint32_t c = 0; c < fork.ways.size(); ++c) {
      if (!(parts.count(n, c) >= PartsBack::enough)) continue;
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
