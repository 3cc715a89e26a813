// Where more work comes to stations than they can do, in words (QN010).
#include <algorithm>
#include <cmath>

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
