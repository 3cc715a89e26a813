// How much work comes to stations, and where that is more than they can do (QN010); what is asked of them in a circle.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/special_values.h"
#include "core/base/text.h"
#include "solvers/queueing/model/hindrances.h"
#include "solvers/queueing/model/station_limits.h"
#include "solvers/queueing/model/sure_loads.h"
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

/// Of a load that traffic equations find, relative to it: what is nearer to 1 may be 1.
constexpr double rounding_of_traffic = 1e-13;

/// "as much work as its servers can do", "1.55 times the work that its servers can do".
std::string amount(double share, const std::string& who) {
  if (share <= 1.0 + rounding_of_loads) return "as much work as " + who + " can do";
  std::string times = number_text(share, 4);
  if (times == "1") times = number_text(share, 10);
  return times + " times the work that " + who + " can do";
}
std::string amount(double share, const NetworkModel& model, const M::Node& node, const SureOverload* sure) {
  std::string who = "its servers";
  if (sure != nullptr && !std::isnan(sure->together))
    return amount(share, who + ", worth " + number_text(sure->together, 4) + " in the mean,");
  const bool in_mean = sure != nullptr && !std::isnan(sure->servers);
  if (in_mean) who += ", " + number_text(sure->servers, 4) + " in the mean,";
  else if (!node.servers.is_constant()) who = "the most servers it can have";
  if (sure != nullptr && !std::isnan(sure->speed)) who += " at a mean speed of " + number_text(sure->speed, 4);
  else if (node.rules != M::none && !model.rules[node.rules].speed.is_constant()) who += " at their fastest";
  if (sure != nullptr && sure->up < 1.0)
    who += std::string(sure->up_at_most ? ", up at most " : ", up ") + number_text(100.0 * sure->up, 4) +
           " % of the time,";
  if (sure != nullptr && sure->moves_on) who += " beside moving on";
  if (sure != nullptr && sure->begins_anew) who += " beside what they begin in vain";
  if (sure != nullptr && sure->last != M::none)
    who += ", held up on the line to \"" + model.nodes[sure->last].name + "\",";
  if (sure == nullptr && share < 1.0 - rounding_of_traffic)
    return "all but " + number_text(1.0 - share, 2) + " of the work that " + who + " can do";
  return amount(share, who);
}

std::string names(const NetworkModel& model, const std::vector<std::uint32_t>& nodes) {
  constexpr std::size_t most = 4;
  std::string out;
  for (std::size_t i = 0; i < nodes.size() && i < most; ++i) {
    const bool last = i + 1 == nodes.size();
    out += i == 0 ? "" : last ? " and " : ", ";
    out += '"' + model.nodes[nodes[i]].name + '"';
  }
  if (nodes.size() > most) out += " and " + std::to_string(nodes.size() - most) + " others";
  return out;
}

/// What is surely too much, by node where it is one station, of those of which traffic equations do not know all.
class SureLoads {
 public:
  SureLoads(const NetworkModel& model, const OfferedLoads& loads, const KnownSlots& known)
      : of_(model.nodes.size(), nullptr) {
    const StationLimits limits(model, known);
    const auto unknown = [&](std::size_t n) {
      const M::Node& node = model.nodes[n];
      return node.kind == Kind::station &&
             (loads.known[n] == 0 || loads.at_most[n] != 0 || node.capacity != M::unlimited || limits.changes(node) ||
              limits.moving_on_s(node) > 0.0 || StationLimits::begins_anew(node) || node.has(M::may_block));
    };
    std::size_t first = 0;
    while (first < of_.size() && !unknown(first)) ++first;
    if (first < of_.size() || !model.pools.empty()) all = sure_overloads(model, known);
    for (const SureOverload& one : all)
      if (one.chosen_at == M::none && one.pool == M::none && unknown(one.stations[0])) of_[one.stations[0]] = &one;
  }
  const SureOverload* of(std::size_t node) const { return of_[node]; }
  std::vector<SureOverload> all;

 private:
  std::vector<const SureOverload*> of_;
};

/// Whether so many customers at most are at a station because its region holds no more.
enum class Bounded : std::uint8_t { no, others_wait, others_are_lost };
Bounded bounded(const NetworkModel& model, const M::Node& node) {
  if (node.region == M::none) return Bounded::no;
  const M::Region& region = model.regions[node.region];
  Bounded out = Bounded::others_are_lost;
  for (std::uint32_t c = 0; c < node.ways.size(); ++c) {
    if (node.ways[c].target.empty()) continue;
    if (region.capacity == M::unlimited && region.capacity_of[c] == M::unlimited) return Bounded::no;
    if (region.loses[c] == 0) out = Bounded::others_wait;
  }
  return out;
}

constexpr const char* before_or_on_the_way = ": before it, or on the way to it, customers become ever more.";

/// What becomes of a station that gets too much, and whether that is sure.
/// @param region  that bounds it, before which others wait; null: there is none
/// @param nearly  it gets a little less than too much, as near to it as can be told
std::string then_what(const SureOverload* sure, bool certain, bool nearly, const Hindrances& may_be,
                      const std::string* region) {
  if (nearly && certain)
    return region != nullptr
               ? ": those who wait before \"" + *region + "\" become more for longer than anybody simulates."
               : ": its queue grows for longer than anybody simulates.";
  const std::string out = certain ? "" : std::string(", and less where customers are ") + may_be.to_whom();
  if (sure != nullptr && sure->over_mission && region == nullptr && !sure->on_the_way)
    return ": over the mission more come than it can serve.";
  if (sure != nullptr && sure->on_the_way)
    return region != nullptr ? ": those who wait before \"" + *region + "\", or on the way there, become ever more."
                             : before_or_on_the_way;
  if (region != nullptr)
    return out + ": those who wait before \"" + *region + "\" " + (certain ? "become" : "may become") + " ever more.";
  if (!certain) return out + ": its queue may grow without end.";
  return sure != nullptr && sure->tries_again ? ": those who try again become ever more."
                                              : ": its queue grows without end.";
}

Diagnostic without_mean(const M::Node& node) {
  return {.severity = Severity::warning,
          .code = "QN010",
          .element = node.element,
          .pointer = "service",
          .message = "Service times at \"" + node.name + "\" have no finite mean: its queue grows without end.",
          .hint = "A law with a lighter tail (pareto: a shape above 1, or a limit), or a capacity."};
}

Diagnostic without_end(const M::Node& node) {
  return {.severity = Severity::warning,
          .code = "QN010",
          .element = node.element,
          .pointer = "interruption",
          .message = "Services at \"" + node.name +
                     "\" that begin anew whenever they are interrupted have no finite mean in all: its queue grows "
                     "without end.",
          .hint = "Services that go on where they stopped, rarer interruptions, or a law with a lighter tail."};
}
Diagnostic never_served(const M::Node& node) {
  return {.severity = Severity::warning,
          .code = "QN010",
          .element = node.element,
          .pointer = "servers",
          .message = "There is never a server at \"" + node.name + "\" that works: its queue grows without end.",
          .hint = "A number of servers and a speed that are above 0 for some of the time."};
}
Diagnostic too_few_units(const M::Pool& pool, double share) {
  if (share == infinity)
    return {.severity = Severity::warning,
            .code = "QN010",
            .element = pool.element,
            .pointer = "units",
            .message = "There is never a unit of \"" + pool.name +
                       "\", and customers wait for some: before it, or on the way to it, they become ever more.",
            .hint = "One unit at least."};
  const std::string need =
      too_much(share - 2.0 * rounding_of_loads) ? number_text(share, 4) + " times as many as" : "as many as";
  return {.severity = Severity::warning,
          .code = "QN010",
          .element = pool.element,
          .pointer = "units",
          .message = "Of \"" + pool.name + "\" customers hold at least " + need +
                     " there are, if all go on: before it, or on the way to it, they become ever more.",
          .hint = "More units, shorter stays with them, or fewer customers."};
}

constexpr const char* less_work = "More or faster servers, fewer customers, or a capacity.";

}  // namespace

OfferedLoads offered_loads(const NetworkModel& model, const KnownSlots& known, ClosedVisits closed) {
  return Loads(model, known, closed).look();
}

ToldOverloads overloads(const NetworkModel& model, const KnownSlots& known, const OfferedLoads& loads) {
  ToldOverloads found;
  Diagnostics& out = found.sure;
  const SureLoads sure(model, loads, known);
  double heaviest = 0.0;
  for (std::size_t n = 0; n < loads.share.size(); ++n)
    heaviest = std::max({heaviest, loads.share[n], sure.of(n) != nullptr ? sure.of(n)->share : 0.0});
  for (std::size_t n = 0; n < loads.share.size(); ++n) {
    const M::Node& node = model.nodes[n];
    const SureOverload* const least = sure.of(n);
    const double share = least != nullptr ? least->share : loads.share[n];
    // A hair below one is one: queues would grow for longer than anybody simulates.
    if (least == nullptr && (!(share >= 1.0 - rounding_of_loads) || node.capacity != M::unlimited)) continue;
    const Bounded by_region = bounded(model, node);
    if (by_region == Bounded::others_are_lost) continue;
    const bool endless = std::any_of(node.time.begin(), node.time.end(),
                                     [](const M::Duration& time) { return time.mean_s == infinity; });
    if (endless && share == infinity) {
      out.push_back(without_mean(node));
      continue;
    }
    if (least != nullptr && least->begins_anew && share == infinity && !least->on_the_way) {
      out.push_back(without_end(node));
      continue;
    }
    if (share == infinity) {
      out.push_back(never_served(node));
      continue;
    }
    const bool certain = least != nullptr || loads.at_most[n] == 0;
    constexpr std::uint32_t held_up = M::may_block | M::holds_before | M::in_regions | M::lets_in | M::loses_units;
    const bool exactly = least != nullptr ? least->exactly : !node.has(held_up);
    const std::string bound = !certain ? "at most " : exactly ? "" : "at least ";
    Diagnostics& said = certain ? found.sure : found.unsure;
    said.push_back({.severity = Severity::warning,
                    .code = "QN010",
                    .element = node.element,
                    .pointer = "servers",
                    .message = "\"" + node.name + "\" gets " + bound + amount(share, model, node, least) +
                               (share == heaviest ? ", the most of all stations" : "") +
                               then_what(least, certain, least == nullptr && share < 1.0 - rounding_of_traffic,
                                         Hindrances(model, loads.share, n),
                                         by_region == Bounded::no ? nullptr : &model.regions[node.region].name),
                    .hint = less_work});
  }
  for (const SureOverload& one : sure.all) {
    if (one.pool != M::none) out.push_back(too_few_units(model.pools[one.pool], one.share));
    if (one.chosen_at == M::none) continue;
    const M::Node& node = model.nodes[one.chosen_at];
    out.push_back({.severity = Severity::warning,
                   .code = "QN010",
                   .element = node.element,
                   .message = names(model, one.stations) + ", among which customers choose at \"" + node.name +
                              "\", together get at least " + amount(one.share, "their servers") +
                              (one.on_the_way ? ": before them, or on the way to them, customers become ever more."
                                              : ": their queues grow without end."),
                   .hint = less_work});
  }
  for (std::size_t r = 0; r < loads.region.size(); ++r) {
    if (!(loads.region[r] >= 1.0 - rounding_of_loads)) continue;
    // Who waits or is held up inside takes room besides.
    const bool waits = std::any_of(model.nodes.begin(), model.nodes.end(),
                                   [&](const M::Node& node) { return node.region == r && node.kind == Kind::station; });
    const std::string room = loads.region[r] <= 1.0 + rounding_of_loads
                                 ? "as many customers as it has room for"
                                 : number_text(loads.region[r], 4) + " times the customers that it has room for";
    Diagnostics& said = loads.region_at_most ? found.unsure : found.sure;
    said.push_back({.severity = Severity::warning,
                    .code = "QN010",
                    .element = model.regions[r].element,
                    .pointer = "capacity",
                    .message = "\"" + model.regions[r].name + "\" gets " +
                               (loads.region_at_most ? "at most "
                                : waits              ? "at least "
                                                     : "") +
                               room + ": those who wait before it " + (loads.region_at_most ? "may become" : "become") +
                               " ever more.",
                    .hint = "More room, faster servers in it, or fewer customers."});
  }
  return found;
}

}  // namespace ergode
