#include "solvers/queueing/exact/cycle_visits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/special_values.h"

namespace ergode {
namespace {

/// Takes places out one by one; who went there goes on at once to where they lead.
class Elimination {
 public:
  explicit Elimination(const Routing& routing) : out_(routing.places), in_(routing.places) {
    for (const Routing::Way& way : routing.ways) {
      if (way.from == way.to || way.probability == 0) continue;  // how often he stays decides nothing of where he goes
      out_[way.from][way.to] += way.probability;
      in_[way.to].insert(way.from);
    }
  }
  /// As cycle_visits(). @param most  entries that may be worked on; nothing where that is not enough
  std::optional<std::vector<double>> visits(std::size_t reference, const std::vector<bool>& of, double most) {
    std::set<std::pair<std::size_t, std::uint32_t>> left;  // those whose ways are fewest first
    std::vector<std::size_t> cost(out_.size(), 0);
    const auto ways = [&](std::uint32_t i) { return in_[i].size() * out_[i].size(); };
    for (std::uint32_t i = 0; i < out_.size(); ++i)
      if (of[i] && i != reference) left.insert({cost[i] = ways(i), i});
    struct Taken {
      std::uint32_t place;
      double leaves;
      std::vector<std::pair<std::uint32_t, double>> from;
    };
    std::vector<Taken> order;
    while (!left.empty()) {
      // Once nearly everything leads nearly everywhere a plain table is faster.
      if (left.begin()->first * 16 > left.size() * left.size()) break;
      const std::uint32_t i = left.begin()->second;
      most -= static_cast<double>(left.begin()->first);
      if (most < 0.0) return {};
      left.erase(left.begin());
      Taken taken{i, 0.0, {}};
      for (const auto& [to, p] : out_[i]) taken.leaves += p, in_[to].erase(i);
      for (const std::uint32_t from : in_[i]) {
        const auto at = out_[from].find(i);
        const double p = at->second;
        out_[from].erase(at);
        if (!of[from]) continue;
        taken.from.emplace_back(from, p);
        const double share = p / taken.leaves;
        for (const auto& [to, q] : out_[i])
          if (to != from) out_[from][to] += share * q, in_[to].insert(from);
      }
      const auto again = [&](std::uint32_t j) {
        if (!of[j] || j == reference || left.erase({cost[j], j}) == 0) return;
        left.insert({cost[j] = ways(j), j});
      };
      for (const auto& [to, p] : out_[i]) again(to);
      for (const auto& [from, p] : taken.from) again(from);
      order.push_back(std::move(taken));
    }
    std::vector<std::uint32_t> rest{static_cast<std::uint32_t>(reference)};
    for (const auto& [ways_of_it, place] : left) rest.push_back(place);
    constexpr double of_a_table = 0.01;  // an entry of it costs so much of one that is looked for
    if (std::pow(static_cast<double>(rest.size()), 3) / 3.0 * of_a_table > most) return {};
    std::vector<double> visits(out_.size(), 0.0);
    dense(rest, visits);
    for (auto one = order.rbegin(); one != order.rend(); ++one) {
      for (const auto& [from, p] : one->from) visits[one->place] += visits[from] * p;
      visits[one->place] /= one->leaves;
    }
    return visits;
  }

 private:
  /// Visits of the places in `rest` between two of the first of them, by a table.
  void dense(const std::vector<std::uint32_t>& rest, std::vector<double>& visits) const {
    const std::size_t n = rest.size();
    std::vector<std::size_t> at(out_.size(), n);
    for (std::size_t i = 0; i < n; ++i) at[rest[i]] = i;
    std::vector<double> a(n * n, 0.0), leaves(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (const auto& [to, p] : out_[rest[i]])
        if (at[to] < n) a[i * n + at[to]] = p;
    for (std::size_t last = n; last-- > 1;) {
      for (std::size_t j = 0; j < last; ++j) leaves[last] += a[last * n + j];
      for (std::size_t i = 0; i < last; ++i) {
        const double share = a[i * n + last] / leaves[last];
        if (share == 0.0) continue;
        for (std::size_t j = 0; j < last; ++j) a[i * n + j] += share * a[last * n + j];
      }
    }
    visits[rest[0]] = 1;
    for (std::size_t i = 1; i < n; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < i; ++j) sum += visits[rest[j]] * a[j * n + i];
      visits[rest[i]] = sum / leaves[i];
    }
  }

  std::vector<std::map<std::uint32_t, double>> out_;
  std::vector<std::set<std::uint32_t>> in_;
};

/// Adds up where those who leave the reference are after one step, two steps and so on, until they are back.
///
/// Nobody stays: how often is decided when all have been added up. With f(k) the visits in step k, f(k + 1) = f(k) Q,
/// and Q is nowhere negative; so once f(k + m) <= r f(k) at every place, all that comes later is at most f(k) r / (1 -
/// r) there. Twelve steps count together, for those who come to a place every second, third or fourth time only.
class StepByStep {
 public:
  StepByStep(const Routing& routing, std::size_t reference) : reference_(reference), leaves_(routing.places, 0.0) {
    for (const Routing::Way& way : routing.ways)
      if (way.from != way.to) leaves_[way.from] += way.probability;
    for (const Routing::Way& way : routing.ways) {
      if (way.from == way.to || way.probability == 0) continue;
      if (way.from == reference) first_.push_back(way);
      else if (way.to != reference) ways_.push_back({way.from, way.to, way.probability / leaves_[way.from]});
    }
  }
  /// As cycle_visits(); nothing where too many are still on their ways after all those steps.
  std::optional<std::vector<double>> visits() const {
    constexpr int most_rounds = 100, steps = 12;
    constexpr double rounding = 1e-16;
    std::vector<double> now(leaves_.size(), 0.0), next(now), all(now), before(now);
    for (const Routing::Way& way : first_) now[way.to] += way.probability;
    for (int round = 0; round < most_rounds; ++round) {
      std::vector<double> together(leaves_.size(), 0.0);
      for (int step = 0; step < steps; ++step) {
        for (std::size_t i = 0; i < now.size(); ++i) together[i] += now[i];
        std::fill(next.begin(), next.end(), 0.0);
        for (const Routing::Way& way : ways_) next[way.to] += now[way.from] * way.probability;
        now.swap(next);
      }
      double ratio = 0.0, part = 0.0;  // to those of the round before, and to all so far
      for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] += together[i];
        if (together[i] == 0.0) continue;
        ratio = std::max(ratio, before[i] > 0.0 ? together[i] / before[i] : infinity);
        part = std::max(part, together[i] / all[i]);
      }
      before.swap(together);
      if (part == 0.0 || (ratio < 1.0 && part * ratio / (1.0 - ratio) < rounding)) return divided(std::move(all));
    }
    return {};
  }

 private:
  std::vector<double> divided(std::vector<double> all) const {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] > 0.0) all[i] /= leaves_[i];
    all[reference_] = 1.0;
    return all;
  }

  std::size_t reference_;
  std::vector<double> leaves_;
  std::vector<Routing::Way> first_, ways_;
};

}  // namespace

std::vector<double> cycle_visits(const Routing& routing, std::size_t reference, const std::vector<bool>& of) {
  // No more than some times what the steps take at most. Small networks are always solved at once.
  const double most = 2e5 + 10.0 * static_cast<double>(routing.ways.size());
  if (auto found = Elimination(routing).visits(reference, of, most)) return *std::move(found);
  if (auto found = StepByStep(routing, reference).visits()) return *std::move(found);
  return *Elimination(routing).visits(reference, of, infinity);
}

}  // namespace ergode
