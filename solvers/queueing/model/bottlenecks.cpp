#include "solvers/queueing/model/bottlenecks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text.h"
#include "solvers/queueing/model/hindrances.h"
#include "solvers/queueing/model/traffic.h"

namespace ergode {
namespace {

constexpr double not_known = StationUse::none;
constexpr double hair_apart = 1e-9;  // relative: equal but for rounding

/// One way of telling stations apart: a number of each, with its ends.
struct Yardstick {
  std::vector<StationUse> of;  ///< by place among the stations
  std::size_t known() const {
    return static_cast<std::size_t>(
        std::count_if(of.begin(), of.end(), [](const StationUse& use) { return !std::isnan(use.share); }));
  }
  bool complete() const { return known() == of.size(); }
};

/// Who is ahead by it: one, or those who cannot be told from him.
struct Ahead {
  std::vector<std::size_t> who;  ///< the greatest first; empty: nothing is known
  bool overlap = false;          ///< by their intervals only
};

Ahead ahead(const Yardstick& by) {
  Ahead out;
  std::size_t best = by.of.size();
  for (std::size_t s = 0; s < by.of.size(); ++s)
    if (!std::isnan(by.of[s].share) && (best == by.of.size() || by.of[s].share > by.of[best].share)) best = s;
  if (best == by.of.size()) return out;
  out.who.push_back(best);
  const StationUse& most = by.of[best];
  for (std::size_t s = 0; s < by.of.size(); ++s) {
    const StationUse& one = by.of[s];
    if (s == best || std::isnan(one.share)) continue;
    const bool equal = one.share >= most.share * (1.0 - hair_apart);
    // Without ends nothing tells how far a number may be from what it stands for.
    const bool open = std::isnan(most.lower) || std::isnan(one.upper);
    if (!equal && !open && one.upper < most.lower) continue;
    out.who.push_back(s);
    if (!equal) out.overlap = true;
  }
  return out;
}

/// What keeps servers from customers who wait.
constexpr std::uint32_t holding = NetworkModel::sets_up | NetworkModel::vacates | NetworkModel::breaks_down |
                                  NetworkModel::polls | NetworkModel::may_block | NetworkModel::holds_before |
                                  NetworkModel::in_regions | NetworkModel::lets_in;

const char* in_words(const Hindrances& what) {
  return what.loses && what.holds_up ? "of which some may be lost, or held up before it comes"
         : what.loses                ? "of which some may be lost"
                                     : "if nothing is held up before it comes";
}

/// Everything about the stations of one network.
class Stations {
 public:
  Stations(const NetworkModel& model, const std::vector<StationUse>& uses, const KnownSlots& known) : model_(model) {
    const OfferedLoads loads = offered_loads(model, known);
    for (std::size_t n = 0; n < model.nodes.size(); ++n) {
      if (model.nodes[n].kind != NetworkModel::Kind::station) continue;
      nodes_.push_back(n);
      used_.of.push_back(uses.empty() ? StationUse{} : uses[n]);
      const auto exact = [](double x) { return StationUse{x, x, x}; };
      offered_.of.push_back(loads.known[n] != 0 ? exact(loads.share[n]) : StationUse{});
      asked_.of.push_back(loads.asked.empty() ? StationUse{} : exact(loads.asked[n]));
      at_most_ = at_most_ || (loads.known[n] != 0 && loads.at_most[n] != 0);
      held_.push_back(model.nodes[n].has(holding) ? 1 : 0);
      lost_.push_back(loads.at_most[n] != 0 || model.nodes[n].capacity != NetworkModel::unlimited);
    }
  }
  std::size_t size() const { return nodes_.size(); }
  bool anything() const { return used_.known() + offered_.known() + asked_.known() > 0; }

  void fill(ResultTable& table) const {
    const Yardstick* decides = &yardstick();
    Ahead first = ahead(*decides);
    // Who is asked as much as another is no bottleneck because a mission fills it first.
    if (decides == &used_ && first.who.size() == 1 && offered_.complete()) {
      const Ahead asked_most = ahead(offered_);
      const bool among = std::find(asked_most.who.begin(), asked_most.who.end(), first.who[0]) != asked_most.who.end();
      const bool sure = std::all_of(asked_most.who.begin(), asked_most.who.end(),
                                    [this](std::size_t s) { return lost_[s] == 0 && held_[s] == 0; });
      if (among && sure && asked_most.who.size() > 1) decides = &offered_, first = asked_most;
    }
    const Yardstick& by = *decides;
    const bool offered = offered_.known() > 0, asked = asked_.known() > 0, used = used_.known() > 0;
    const bool ends =
        std::any_of(used_.of.begin(), used_.of.end(), [](const StationUse& use) { return use.upper > use.lower; });
    table.columns = {{"Station"}, {"Servers"}};
    if (offered) table.columns.push_back({"Offered load per server"});
    if (asked) table.columns.push_back({"Asked per server, relative"});
    if (used) table.columns.push_back({"Utilisation"});
    if (ends) table.columns.push_back({"Lower"}), table.columns.push_back({"Upper"});
    table.columns.push_back({"Bottleneck"});
    std::vector<std::uint8_t> is(nodes_.size(), 0);
    for (const std::size_t s : first.who) is[s] = 1;
    for (const std::size_t s : order()) {
      const NetworkModel::Node& node = model_.nodes[nodes_[s]];
      auto& row = table.rows.emplace_back();
      row.emplace_back(node.name);
      row.emplace_back(node.servers.is_constant() ? node.servers.value() : not_known);
      if (offered) row.emplace_back(offered_.of[s].share);
      if (asked) row.emplace_back(asked_.of[s].share);
      if (used) row.emplace_back(used_.of[s].share);
      if (ends) row.emplace_back(used_.of[s].lower), row.emplace_back(used_.of[s].upper);
      row.emplace_back(is[s] == 0                                                                ? ""
                       : !by.complete() || doubted(by, first) || !held_beside(by, first).empty() ? "may be"
                       : first.who.size() == 1                                                   ? "yes"
                       : first.overlap                                                           ? "may be"
                                                                                                 : "with others");
    }
    table.note = sentence(by, first);
    if (offered && at_most_)
      table.note += std::string(" Offered loads are less where customers are ") + Hindrances(model_).to_whom() + ".";
  }

 private:
  /// What decides: what was seen of all, else what equations say of all, else what knows most.
  const Yardstick& yardstick() const {
    const Yardstick* best = &used_;
    for (const Yardstick* one : {&used_, &offered_, &asked_}) {
      if (one->complete()) return *one;
      if (one->known() > best->known()) best = one;
    }
    return *best;
  }
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> out(nodes_.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    const auto key = [&](std::size_t s) {
      for (const Yardstick* by : {&used_, &offered_, &asked_})
        if (!std::isnan(by->of[s].share)) return by->of[s].share;
      return -1.0;
    };
    std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
    return out;
  }

  /// Where everybody may wait though it is busy for little of its time, beside the busiest station: at others whose
  /// servers fail, switch over, are set up or away, or wait for room; for units of pools; before regions. Empty:
  /// nowhere.
  std::string held_beside(const Yardstick& by, const Ahead& first) const {
    if (&by != &used_ || first.who.size() != 1) return {};
    std::vector<std::size_t> held;
    for (std::size_t s = 0; s < nodes_.size(); ++s)
      if (s != first.who[0] && held_[s] != 0) held.push_back(s);
    if (!held.empty()) return "at " + names(held) + ", whose servers are also away or wait for others";
    if (!model_.pools.empty()) return "for units of a pool";
    return model_.regions.empty() ? "" : "before a region";
  }
  /// Whether what is offered decides and not all of it may be served there: others can be busier then.
  bool doubted(const Yardstick& by, const Ahead& first) const { return &by == &offered_ && lost_[first.who[0]] != 0; }

  /// "a", "b" and "c"; of many the first.
  std::string names(const std::vector<std::size_t>& who) const {
    constexpr std::size_t most = 5;
    std::string out;
    for (std::size_t i = 0; i < std::min(most, who.size()); ++i)
      out += (i == 0 ? "" : i + 1 == who.size() ? " and " : ", ") + ("\"" + model_.nodes[nodes_[who[i]]].name + "\"");
    return who.size() > most ? out + " and " + std::to_string(who.size() - most) + " others" : out;
  }
  std::string amount(const Yardstick& by, std::size_t s) const {
    const StationUse& use = by.of[s];
    const auto text = [](double x) { return number_text(x, 4); };
    if (&by == &asked_) return "a passage asks most of its servers";
    if (&by == &offered_) return text(use.share) + " times what its servers can do is offered to it";
    const bool ends = use.upper > use.lower;
    if (!model_.nodes[nodes_[s]].servers.is_constant())
      return "on average " + text(use.share) + " of the servers it has are busy" +
             (ends ? " (" + text(use.lower) + " to " + text(use.upper) + ")" : "");
    return "its servers are busy " + text(use.share) + " of their time" +
           (ends ? " (" + text(use.lower) + " to " + text(use.upper) + ")" : "");
  }
  std::string alike(const Yardstick& by, const std::vector<std::size_t>& who) const {
    return names(who) + (&by == &used_ ? " are busy alike" : " are asked alike");
  }
  std::string sentence(const Yardstick& by, const Ahead& first) const {
    std::string out;
    // One of which nothing is known may be ahead of all.
    if (first.who.size() == 1 && !by.complete())
      out = "Among the stations that are known " + names(first.who) + " is ahead: " + amount(by, first.who[0]) + ".";
    else if (doubted(by, first))
      out = "Most is offered to " + names(first.who) + ", " + number_text(by.of[first.who[0]].share, 4) +
            " times what its servers can do, " + in_words(Hindrances(model_)) +
            ": measure utilisations to see which station is the bottleneck.";
    else if (const std::string held = held_beside(by, first); !held.empty())
      out = "Busiest is " + names(first.who) + ": " + amount(by, first.who[0]) +
            ". No bottleneck is told: customers may wait " + held + ", which is not counted as busy.";
    else if (first.who.size() == 1)
      out = "The bottleneck is " + names(first.who) + ": " + amount(by, first.who[0]) + ".";
    else if (!first.overlap) out = "No single bottleneck: " + alike(by, first.who) + ".";
    else out = "No single bottleneck is told: the intervals of " + names(first.who) + " are not apart.";
    if (&by == &used_ && first.who.size() > 1)
      for (const Yardstick* other : {&offered_, &asked_}) {
        if (!other->complete()) continue;
        const Ahead theirs = ahead(*other);
        out += " By the traffic equations " +
               (theirs.who.size() == 1 ? "it is " + names(theirs.who) : alike(*other, theirs.who)) + ".";
        break;
      }
    std::vector<std::size_t> unknown;
    for (std::size_t s = 0; s < by.of.size(); ++s)
      if (std::isnan(by.of[s].share)) unknown.push_back(s);
    if (!unknown.empty())
      out += " It is not known how busy " + names(unknown) + (unknown.size() > 1 ? " are." : " is.");
    return out;
  }

  const NetworkModel& model_;
  std::vector<std::size_t> nodes_;  ///< those that are stations
  Yardstick used_, offered_, asked_;
  std::vector<std::uint8_t> lost_;  ///< by place: some of what is offered may be lost or held up there or before
  std::vector<std::uint8_t> held_;  ///< by place: its servers are not always there for who comes
  bool at_most_ = false;
};

}  // namespace

ResultTable utilisation_table(const NetworkModel& model, const std::vector<StationUse>& uses, const std::string& solver,
                              const KnownSlots& known) {
  ResultTable out;
  out.name = "utilisation", out.title = "Stations by utilisation", out.solver = solver;
  const Stations stations(model, uses, known);
  if (stations.size() >= 2 && stations.anything()) stations.fill(out);
  return out;
}

}  // namespace ergode
