#include "solvers/queueing/model/unsettled_places.h"

#include <algorithm>
#include <cmath>
#include <map>
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

  UnsettledPlaces look(const ToldOverloads& told) {
    UnsettledPlaces nothing;
    nothing.otherwise = out_.otherwise = told.unsure;
    if (!model_.plugins.empty() || !sources()) return nothing;
    find_told(told.sure);
    for (const M::JobClass& one : model_.classes)
      if (one.population > 0 && one.reference != M::none) inside_[part_[one.reference]] += one.population;
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) inside_[part_[n]] += model_.nodes[n].tokens;
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
      const M::Node& node = model_.nodes[n];
      if (node.kind == Kind::station && limits_.judged(node) && !settled(n)) add_station(n);
      if (node.kind == Kind::seize) add(n, node.number, node.wait);
    }
    for (const M::Region& region : model_.regions)
      if (const std::uint32_t n = inside(region); n != M::none) add(n, region.waiting, region.wait);
    if (out_.places.empty()) return nothing;
    for (const M::Node& node : model_.nodes)
      // Others count who has come or gone.
      if (node.kind != Kind::source && node.kind != Kind::sink && node.kind != Kind::logger &&
          node.kind != Kind::transition && node.number != 0)
        out_.numbers.push_back(node.number);
    follow();
    return std::move(out_);
  }

 private:
  /// @returns false: customers come, or are served, in a way of which a trial says little, or never come from outside
  bool sources() {
    constexpr std::size_t longest_list = 500;  // a part of a longer one may be unlike the whole
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
      if (node.kind == Kind::station && elements.contains(node.element)) told_stations_.insert(n);
      else note(n, node.element);
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
    if (!told_.contains(part_[n])) out_.places.push_back({number, passed, inside_[part_[n]]});
  }
  void add_station(std::uint32_t n) {
    const M::Node& node = model_.nodes[n];
    if (told_.contains(part_[n]) || told_stations_.contains(n)) return;
    add(n, node.number, node.response);
    UnsettledPlaces::Place& place = out_.places.back();
    const double at_once = node.rules == M::none ? 1.0 : std::max(1U, model_.rules[node.rules].batch);
    if (const double servers = limits_.upper(node.servers); servers < infinity) place.harmless += servers * at_once;
    if (node.of_class == M::none) return;
    std::vector<double> work_s;
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c) {
      const bool comes = c < node.ways.size() && !node.ways[c].target.empty();
      if (comes && !(node.time[c].mean_known() && node.time[c].mean_s > 0.0)) return;
      work_s.push_back(comes ? node.time[c].mean_s : 0.0);
    }
    place.work_s = std::move(work_s), place.of_class = node.of_class;
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
  /// How long it lasts in the mean, or stays in one phase.
  void see_often(const M::Duration& time) {
    if (time.process != M::none) see_often(model_.processes[time.process]);
    else if (time.drawn && std::isfinite(time.mean_s)) out_.longest_s = std::max(out_.longest_s, time.mean_s);
  }
  void see_often(const ArrivalProcess& process) {
    if (process.burst)
      for (const Distribution& length : process.burst->length) out_.longest_s = std::max(out_.longest_s, length.mean());
    if (!process.markovian) return;
    const std::size_t phases = process.markovian->phases();
    for (std::size_t i = 0; i < phases && phases > 1; ++i) {
      double leaves = 0.0;
      for (std::size_t j = 0; j < phases; ++j)
        if (j != i) leaves += process.markovian->without()[i * phases + j] + process.markovian->with()[i * phases + j];
      if (leaves > 0.0) out_.longest_s = std::max(out_.longest_s, 1.0 / leaves);
    }
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
      if (node.process != M::none) see_often(model_.processes[node.process]);
      if (node.kind == Kind::station || node.kind == Kind::delay)
        for (const M::Duration& time : node.time) see_often(time);
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
        follow(*time), see_often(*time);
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
  std::set<std::uint32_t> told_, told_stations_;  ///< parts and stations of which something was said
  std::map<std::uint32_t, double> inside_;        ///< by part: customers who are there all the time
  UnsettledPlaces out_;
};

/// "3.2 h": at least in the model's unit, and in one in which it is no more than some hundred.
std::string length_of(double length_s, const Unit& least) {
  Unit unit = least;
  for (const char* symbol : {"s", "min", "h", "d", "yr"})
    if (const Unit larger = *parse_unit(symbol); larger.scale > unit.scale && length_s >= larger.scale) unit = larger;
  return number_text(unit.from_si(length_s), 3) + " " + unit.symbol;
}

}  // namespace

UnsettledPlaces unsettled_places(const NetworkModel& model, const KnownSlots& known, const OfferedLoads& loads,
                                 const ToldOverloads& told) {
  return Unsettled(model, known, loads).look(told);
}

Diagnostics grown(const NetworkModel& model, const UnsettledPlaces& places, std::span<const SeenToGrow> seen) {
  double most = 0.0;
  for (const SeenToGrow& one : seen) most = std::max(most, one.times);
  Diagnostics out;
  const auto say = [&](const SeenToGrow& one, ElementId element, const char* property, const std::string& before,
                       const std::string& after, const std::string& then, const char* hint) {
    out.push_back({.severity = Severity::warning,
                   .code = "QN010",
                   .element = element,
                   .pointer = property,
                   .message = before + "about " + number_text(one.times, 3) + " times " + after +
                              (one.times == most && seen.size() > 1 ? ", the most of all places" : "") +
                              ", as a trial of " + length_of(one.length_s, model.time_unit) + " shows: " + then,
                   .hint = hint});
  };
  for (const SeenToGrow& one : seen) {
    const std::uint32_t number = places.places[one.place].number;
    for (const M::Node& node : model.nodes) {
      if (node.number != number) continue;
      if (node.kind == Kind::station)
        say(one, node.element, "servers", '"' + node.name + "\" gets ", "the work that it gets done",
            "its queue grows without end.",
            "More or faster servers that are there for more of the time, fewer customers, or a capacity.");
      if (node.kind == Kind::seize)
        say(one, node.element, "pool", "To \"" + node.name + "\" come ", "as many customers as get units",
            "those who wait become ever more.", "More units, shorter stays with them, or fewer customers.");
    }
    for (const M::Region& region : model.regions)
      if (region.waiting == number)
        say(one, region.element, "capacity", "Before \"" + region.name + "\" come ", "as many customers as get in",
            "those who wait become ever more.", "More room, faster servers in it, or fewer customers.");
  }
  return out;
}

}  // namespace ergode
