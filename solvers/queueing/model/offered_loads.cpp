// How much work comes to stations; what is asked of them in a circle.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/special_values.h"
#include "solvers/queueing/model/station_limits.h"
#include "solvers/queueing/model/traffic.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using M = NetworkModel;

/// How often open customers come where, at most: what is lost, given up or held up on the way is not taken off, but for
/// what stations that have more than enough to do can let pass.
class Loads {
 public:
  Loads(const NetworkModel& model, const KnownSlots& known, ClosedVisits closed)
      : model_(model), limits_(model, known), closed_(closed), found_(traffic(model, closed)) {}

  OfferedLoads look() {
    OfferedLoads out{.share = std::vector<double>(model_.nodes.size(), 0.0),
                     .known = std::vector<std::uint8_t>(model_.nodes.size(), 0),
                     .at_most = std::vector<std::uint8_t>(model_.nodes.size(), 0),
                     .utilised = std::vector<std::uint8_t>(model_.nodes.size(), 0),
                     .region = std::vector<double>(model_.regions.size(), 0.0)};
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c)
      if (found_.closed[c] == 0 && !found_.why_not[c].empty()) return out;
    if (closed_ == ClosedVisits::counted) out.asked = asked();
    add_up(out.share);
    // Without saturated stations everybody comes through, and the traffic equations have said how many.
    if (*std::max_element(out.share.begin(), out.share.end()) > 1.0) {
      const auto all = found_.arrivals;
      let_pass(M::none), add_up(out.share);
      // Those who come back to it are as many as if it kept up: what keeps them away is what is told of it.
      std::vector<double> own = out.share, share(own.size());
      int told = 0;
      for (std::uint32_t n = 0; n < own.size() && told < most_told; ++n) {
        if (!(out.share[n] > 1.0)) continue;
        auto passed = std::exchange(found_.arrivals, all);
        let_pass(n), add_up(share);
        own[n] = share[n], ++told;
        found_.arrivals = std::move(passed);
      }
      out.share = std::move(own);
    }
    doubt(out);
    regions(out);
    const std::vector<std::uint8_t> more = more_come();
    for (std::size_t n = 0; n < out.share.size(); ++n) {
      const bool all = model_.nodes[n].kind == Kind::station && !closed_come(n) && more[n] == 0;
      if (!known(n)) out.share[n] = 0.0;
      else out.known[n] = all && !over_again(model_.nodes[n]) && exactly(model_.nodes[n]) ? 1 : 0;
    }
    if (gaps_have_variances())
      for (std::size_t n = 0; n < out.share.size(); ++n)
        out.utilised[n] = out.known[n] != 0 && out.at_most[n] == 0 && utilised(n, out.share[n]) ? 1 : 0;
    return out;
  }

 private:
  static constexpr int most_told = 20;  // each costs as much as all before
  bool known(std::size_t n) const {
    const M::Node& node = model_.nodes[n];
    return node.kind != Kind::station || (!node.has(M::patient | M::balks) && limited(n));
  }
  /// Whether it is known what its servers can do.
  bool limited(std::size_t n) const {
    const M::Node& node = model_.nodes[n];
    if (node.has(M::varies_speed | M::batches | M::own_servers) || limits_.may_take_less(node)) return false;
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c)
      if (comes(n, c) && !(node.time[c].mean_known() && servers(node) < infinity)) return false;
    return true;
  }
  bool comes(std::size_t n, std::uint32_t c) const { return found_.closed[c] == 0 && found_.arrivals[c][n] > 0.0; }
  /// Whether somebody of a closed class comes, or it is not known.
  bool closed_come(std::size_t n) const {
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c)
      if (found_.closed[c] != 0 && (!found_.why_not[c].empty() || found_.arrivals[c][n] > 0.0)) return true;
    return false;
  }
  /// Whether services that begin again ask for more than those who come.
  static bool over_again(const M::Node& node) {
    return node.has(M::preempts) &&
           (node.interruption == M::Interruption::repeat || node.interruption == M::Interruption::resample);
  }
  /// Nodes to which also those come who were turned away or gave up, of whom the traffic equations know nothing.
  std::vector<std::uint8_t> more_come() const {
    std::vector<std::uint8_t> out(model_.nodes.size(), 0);
    std::vector<std::uint32_t> reached;
    const auto reach = [&](const std::vector<M::Ways>& ways) {
      for (const M::Ways& of_class : ways)
        for (const std::uint32_t to : of_class.target)
          if (out[to] == 0) out[to] = 1, reached.push_back(to);
    };
    for (const M::Node& node : model_.nodes) reach(node.refused), reach(node.reneged);
    while (!reached.empty()) {
      const std::uint32_t n = reached.back();
      reached.pop_back();
      reach(model_.nodes[n].ways);
    }
    return out;
  }
  /// Whether its servers are busy for as long as the services of those who come take, neither more nor less.
  bool plain(const M::Node& node) const {
    constexpr std::uint32_t others = M::patient | M::sets_up | M::vacates | M::breaks_down | M::varies_speed |
                                     M::batches | M::polls | M::balks | M::own_servers | M::may_block |
                                     M::holds_before | M::in_regions | M::lets_in | M::loses_units | M::takes_away;
    return !node.has(others) && !over_again(node) && node.servers.is_constant() && node.servers.value() > 0.0;
  }
  bool utilised(std::size_t n, double share) const {
    const M::Node& node = model_.nodes[n];
    if (!plain(node) || node.capacity != M::unlimited || !(share > 0.0 && share < 1.0)) return false;
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c)
      if (comes(n, c) && !(node.time[c].drawn && std::isfinite(node.time[c].law.variance()))) return false;
    return true;
  }
  bool gaps_have_variances() const {
    return std::none_of(model_.nodes.begin(), model_.nodes.end(), [](const M::Node& one) {
      return one.kind == Kind::source && !one.time.empty() && one.time[0].drawn &&
             !std::isfinite(one.time[0].law.variance());
    });
  }
  std::vector<double> asked() const {
    std::vector<double> out(model_.nodes.size(), 0.0);
    std::size_t chain = found_.chains;
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c) {
      const std::vector<double>& arrivals = found_.arrivals[c];
      const bool anybody = std::any_of(arrivals.begin(), arrivals.end(), [](double a) { return a > 0.0; });
      if (found_.closed[c] != 0 && !found_.why_not[c].empty()) return {};
      if (!anybody) continue;
      if (found_.closed[c] == 0 || (chain != found_.chains && chain != found_.chain[c])) return {};
      chain = found_.chain[c];
      for (std::size_t n = 0; n < out.size(); ++n) {
        const M::Node& node = model_.nodes[n];
        if (node.kind != Kind::station || arrivals[n] == 0.0) continue;
        if (!plain(node) || !node.time[c].drawn) return {};
        out[n] += arrivals[n] * node.time[c].mean_s / node.servers.value();
      }
    }
    const double most = *std::max_element(out.begin(), out.end());
    if (!(most > 0.0 && std::isfinite(most))) return {};
    for (double& one : out) one /= most;
    return out;
  }
  /// As many as work in the mean, at most.
  double servers(const M::Node& node) const { return limits_.able(node).work; }
  /// Whether they do, exactly.
  bool exactly(const M::Node& node) const { return !limits_.able(node).greatest && !limits_.able(node).at_most; }
  void add_up(std::vector<double>& share) const {
    std::fill(share.begin(), share.end(), 0.0);
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c)
      for (std::size_t n = 0; n < share.size(); ++n) {
        const M::Node& node = model_.nodes[n];
        if (node.kind != Kind::station || !comes(n, c) || !limited(n)) continue;
        const double all = servers(node);
        if (all <= 0.0) share[n] = infinity;
        else share[n] += found_.arrivals[c][n] * node.time[c].mean_s / all;
      }
  }
  /// Customers per second of a class that a station can serve.
  double most(std::size_t n, std::uint32_t c) const {
    const M::Node& node = model_.nodes[n];
    if (node.kind != Kind::station || !limited(n)) return infinity;
    const double time_s = node.time[c].mean_s;
    return time_s > 0.0 ? std::max(0.0, servers(node)) / time_s : infinity;
  }
  // From what comes if everybody passes downwards: whatever the number of rounds, no less than what comes.
  /// @param keeps_up  lets all pass
  void let_pass(std::uint32_t keeps_up) {
    const std::size_t classes = model_.classes.size();
    std::vector<double> next(model_.nodes.size() * classes);
    constexpr int most_rounds = 1000;
    for (int round = 0; round < most_rounds; ++round) {
      std::fill(next.begin(), next.end(), 0.0);
      for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
        const M::Node& node = model_.nodes[n];
        for (std::uint32_t c = 0; c < classes; ++c) {
          if (node.kind == Kind::source && node.emits == c) next[n * classes + c] += rate_of(node).value_or(0.0);
          if (!comes(n, c) || node.ways.size() <= c) continue;
          const double leave = n == keeps_up ? found_.arrivals[c][n] : std::min(found_.arrivals[c][n], most(n, c));
          const M::Ways& ways = node.ways[c];
          double before = 0.0;
          for (std::size_t w = 0; w < ways.upto.size(); ++w) {
            next[ways.target[w] * classes + ways.becomes[w]] += leave * (ways.upto[w] - before);
            before = ways.upto[w];
          }
        }
      }
      double change = 0.0;
      for (std::uint32_t c = 0; c < classes; ++c)
        for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
          double& now = found_.arrivals[c][n];
          const double then = std::min(now, next[n * classes + c]);
          if (found_.closed[c] != 0 || now == 0.0) continue;
          change = std::max(change, (now - then) / now);
          now = then;
        }
      if (change < 1e-14) return;
    }
  }
  /// Whether fewer may leave than come, and not just as many as can be served.
  bool may_keep(std::uint32_t n, double share) const {
    const M::Node& node = model_.nodes[n];
    if (node.kind == Kind::station && !known(n)) return true;
    if (node.has(M::patient | M::balks | M::sets_up | M::vacates | M::breaks_down | M::polls | M::may_block))
      return true;
    if (node.kind == Kind::station && node.capacity != M::unlimited && node.when_full == M::WhenFull::lose) return true;
    if (node.region != M::none || (node.kind == Kind::station && !exactly(node))) return true;
    if (share <= 1.0) return false;
    int who = 0;
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c) who += comes(n, c) || found_.arrivals[c][n] > 0.0 ? 1 : 0;
    return who > 1;  // which of them is served depends on the order
  }
  void doubt(OfferedLoads& out) const {
    std::vector<std::uint32_t> reached;
    const auto reach = [&](std::uint32_t n) {
      if (out.at_most[n] == 0) out.at_most[n] = 1, reached.push_back(n);
    };
    const auto onwards = [&](std::uint32_t n) {
      for (std::uint32_t c = 0; c < model_.classes.size() && c < model_.nodes[n].ways.size(); ++c)
        if (comes(n, c))
          for (const std::uint32_t to : model_.nodes[n].ways[c].target) reach(to);
    };
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
      const M::Node& node = model_.nodes[n];
      if (may_keep(n, out.share[n])) onwards(n);
      if (node.region != M::none) reach(n);
    }
    while (!reached.empty()) {
      const std::uint32_t n = reached.back();
      reached.pop_back();
      onwards(n);
    }
  }

  void regions(OfferedLoads& out) const {
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
      if (model_.nodes[n].region == M::none && may_keep(n, out.share[n])) out.region_at_most = true;
    for (std::uint32_t r = 0; r < model_.regions.size(); ++r) {
      const M::Region& region = model_.regions[r];
      double all = 0.0;
      for (std::uint32_t c = 0; c < model_.classes.size(); ++c) {
        if (region.loses[c] != 0) continue;
        double own = 0.0;
        for (std::size_t n = 0; n < model_.nodes.size(); ++n)
          if (model_.nodes[n].region == r && comes(n, c) && model_.nodes[n].time[c].mean_known())
            own += found_.arrivals[c][n] * model_.nodes[n].time[c].mean_s;
        all += own;
        if (region.capacity_of[c] != M::unlimited)
          out.region[r] = std::max(out.region[r], own / std::max(1.0, static_cast<double>(region.capacity_of[c])));
      }
      if (region.capacity != M::unlimited)
        out.region[r] = std::max(out.region[r], all / std::max(1.0, static_cast<double>(region.capacity)));
    }
  }

  const NetworkModel& model_;
  StationLimits limits_;
  ClosedVisits closed_;
  Traffic found_;
};

}  // namespace

OfferedLoads offered_loads(const NetworkModel& model, const KnownSlots& known, ClosedVisits closed) {
  return Loads(model, known, closed).look();
}

}  // namespace ergode
