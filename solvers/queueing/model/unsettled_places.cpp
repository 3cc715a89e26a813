#include "solvers/queueing/model/unsettled_places.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/special_values.h"
#include "core/base/text.h"
#include "solvers/queueing/model/connected_parts.h"
#include "solvers/queueing/model/station_limits.h"
#include "solvers/queueing/model/sure_loads.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using M = NetworkModel;

/// Whether its servers work whenever somebody waits, or are away for no more than is counted in what they can do.
bool works_off(const M& model, const M::Node& node) {
  constexpr std::uint32_t others = M::may_block | M::holds_before | M::in_regions | M::lets_in | M::loses_units |
                                   M::batches | M::varies_speed | M::own_servers;
  const bool limited = node.has(M::polls) && model.rules[node.rules].visit == M::Visit::limited;
  return !node.has(others) && !limited && node.region == M::none && !StationLimits::begins_anew(node);
}

class Unsettled {
 public:
  Unsettled(const NetworkModel& model, const KnownSlots& known, const OfferedLoads& loads)
      : model_(model), known_(known), limits_(model, known), loads_(loads), part_(connected_parts(model)) {}

  UnsettledPlaces look(const Diagnostics& told) {
    if (!model_.plugins.empty() || !sources()) return {};
    find_told(told);
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
      const M::Node& node = model_.nodes[n];
      if (node.kind == Kind::station && limits_.judged(node) && !settled(n)) add(n, node.number, node.response);
      if (node.kind == Kind::seize) add(n, node.number, node.wait);
    }
    for (const M::Region& region : model_.regions)
      if (const std::uint32_t n = inside(region); n != M::none) add(n, region.waiting, region.wait);
    if (out_.places.empty()) return {};
    for (const M::JobClass& one : model_.classes) out_.inside_already += one.population;
    for (const M::Node& node : model_.nodes) {
      out_.inside_already += node.tokens;
      // Others count who has come or gone.
      if (node.kind != Kind::source && node.kind != Kind::sink && node.kind != Kind::logger &&
          node.kind != Kind::transition && node.number != 0)
        out_.numbers.push_back(node.number);
    }
    follow();
    return std::move(out_);
  }

 private:
  /// @returns false: customers come, or are served, in a way of which a trial says little, or never come from outside
  bool sources() {
    constexpr std::size_t longest_list = 10'000;  // a part of a longer one may be unlike the whole
    for (const M::List& list : model_.lists)
      if (list.time_s.size() > longest_list) return false;
    bool any = false;
    for (const M::Node& node : model_.nodes) {
      any = any || node.kind == Kind::source || node.kind == Kind::transition;
      if (node.kind != Kind::source) continue;
      if (!node.time.empty() && node.time[0].drawn && !std::isfinite(node.time[0].law.variance())) return false;
      // Several at once: so many times as often.
      const double at_once = !node.batched ? 1.0 : node.batch.drawn ? node.batch.mean_s : nan;
      if (const auto gaps = rate_of(node); gaps && *gaps * at_once > 0.0)
        out_.sources.push_back({node.number, *gaps * at_once});
    }
    return any;
  }
  void find_told(const Diagnostics& told) {
    std::set<ElementId> elements;
    for (const Diagnostic& one : told) elements.insert(one.element);
    const auto note = [&](std::uint32_t n, ElementId element) {
      if (n != M::none && elements.contains(element)) told_.insert(part_[n]);
    };
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
      const M::Node& node = model_.nodes[n];
      note(n, node.element);
      if (node.region != M::none) note(n, model_.regions[node.region].element);
      if (node.pool != M::none) note(n, model_.pools[node.pool].element);
    }
  }
  /// A station in a region before which customers wait.
  std::uint32_t inside(const M::Region& region) const {
    if (std::none_of(region.loses.begin(), region.loses.end(), [](std::uint8_t loses) { return loses == 0; }))
      return M::none;
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
      if (model_.nodes[n].region != M::none && &model_.regions[model_.nodes[n].region] == &region) return n;
    return M::none;
  }
  bool settled(std::uint32_t n) const {
    const M::Node& node = model_.nodes[n];
    return loads_.known[n] != 0 && !too_much(loads_.share[n]) && works_off(model_, node);
  }
  void add(std::uint32_t n, std::uint32_t number, std::uint32_t passed) {
    if (!told_.contains(part_[n])) out_.places.push_back({number, passed});
  }
  bool of_customers(std::uint32_t slot) const {
    return slot >= model_.attribute_slot && slot < model_.attribute_slot + model_.attributes.size();
  }
  /// Each slot by itself where the whole means something for one customer only.
  template <class Slots>
  void follow_slots(const Slots& slots) {
    for (const std::uint32_t slot : slots)
      if (!of_customers(slot)) out_.followed.push_back({Program::load(slot), nan});
  }
  void follow(const Program& program) {
    if (program.is_constant()) return;
    const auto slots = program.slots();
    if (std::any_of(slots.begin(), slots.end(), [&](std::uint32_t slot) { return of_customers(slot); }))
      return follow_slots(slots);
    const LongRunValue* const value = known_.in_the_long_run(program);
    out_.followed.push_back({program, value != nullptr ? value->mean : nan});
  }
  void follow(const M::Duration& time) {
    if (time.varying != M::none) follow_slots(model_.varying[time.varying].slots());
    else if (!time.mean_known()) follow(time.value);
  }
  void follow(const std::vector<M::Duration>& times) {
    for (const M::Duration& time : times) follow(time);
  }
  void follow() {
    bool sizes = false;
    for (const M::Node& node : model_.nodes) {
      if (node.kind == Kind::station || node.kind == Kind::transition) follow(node.servers);
      if (node.has_rate) follow(node.rate);
      if (node.batched) follow(node.batch);
      follow(node.time);
      follow(node.units_by);
      for (const M::Leaving how : {M::Leaving::done, M::Leaving::refused, M::Leaving::reneged})
        for (const M::Ways& ways : node.ways_of(how))
          for (const Program& probability : ways.probability) follow(probability);
      sizes = sizes || (node.reads & (M::reads_in_times | M::reads_in_ways | M::reads_in_units)) != 0;
    }
    for (const M::Rules& rules : model_.rules) {
      follow(rules.speed), follow(rules.balking), follow(rules.patience);
      for (const M::Duration* time :
           {&rules.setup, &rules.vacation, &rules.switchover, &rules.retry_after, &rules.to_failure, &rules.to_repair})
        follow(*time);
    }
    for (const M::Pool& pool : model_.pools) follow(pool.units);
    if (sizes)
      for (const M::AttributeLaw& law : model_.attribute_laws) follow(law.value);
  }

  const NetworkModel& model_;
  const KnownSlots& known_;
  StationLimits limits_;
  const OfferedLoads& loads_;
  std::vector<std::uint32_t> part_;
  std::set<std::uint32_t> told_;  ///< parts of which something was said
  UnsettledPlaces out_;
};

}  // namespace

UnsettledPlaces unsettled_places(const NetworkModel& model, const KnownSlots& known, const OfferedLoads& loads,
                                 const Diagnostics& told) {
  return Unsettled(model, known, loads).look(told);
}

Diagnostics grown(const NetworkModel& model, const UnsettledPlaces& places, std::span<const SeenToGrow> seen) {
  double most = 0.0;
  for (const SeenToGrow& one : seen) most = std::max(most, one.times);
  const auto diagnostic = [&](const SeenToGrow& one, const std::string& where, ElementId element, const char* property,
                              const char* hint) {
    const std::string trial = "In a trial of " + number_text(model.time_unit.from_si(one.length_s), 3) + " " +
                              model.time_unit.symbol + " before the run ";
    const std::string times = one.times == infinity ? "customers came " + where + " and none went on"
                                                    : "about " + number_text(one.times, 3) +
                                                          " times as many customers came " + where + " as went on";
    return Diagnostic{.severity = Severity::warning,
                      .code = "QN010",
                      .element = element,
                      .pointer = property,
                      .message = trial + times +
                                 (one.times == most && seen.size() > 1 ? ", the most of all places" : "") +
                                 ": they become ever more.",
                      .hint = hint};
  };
  Diagnostics out;
  for (const SeenToGrow& one : seen) {
    const std::uint32_t number = places.places[one.place].number;
    for (const M::Node& node : model.nodes)
      if ((node.kind == Kind::station || node.kind == Kind::seize) && node.number == number)
        out.push_back(node.kind == Kind::seize
                          ? diagnostic(one, "to \"" + node.name + "\"", node.element, "pool",
                                       "More units, shorter stays with them, or fewer customers.")
                          : diagnostic(one, "to \"" + node.name + "\"", node.element, "servers",
                                       "More or faster servers there or behind it, fewer customers, or a capacity."));
    for (const M::Region& region : model.regions)
      if (region.waiting == number)
        out.push_back(diagnostic(one, "before \"" + region.name + "\"", region.element, "capacity",
                                 "More room, faster servers in it, or fewer customers."));
  }
  return out;
}

}  // namespace ergode
