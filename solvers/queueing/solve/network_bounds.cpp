#include "solvers/queueing/solve/network_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/catalogue/measure_kinds.h"
#include "solvers/queueing/exact/bounds.h"
#include "solvers/queueing/exact/saturation_sectors.h"

namespace ergode {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct BoundsRow {
  std::size_t of_class;
  const char* name;
  ThroughputBounds bounds;
};

/// Adds what a function says of every class; the first error stops.
class Collector {
 public:
  std::vector<BoundsRow> rows;
  std::optional<Diagnostic> problem;

  template <class Bounds>
  void add(const char* name, const Solved<Bounds>& found) {
    if (const auto* bad = std::get_if<Diagnostic>(&found)) {
      if (!problem) problem = *bad;
      return;
    }
    if constexpr (std::is_same_v<Bounds, std::vector<ThroughputBounds>>)
      for (std::size_t c = 0; c < std::get<Bounds>(found).size(); ++c)
        rows.push_back({c, name, std::get<Bounds>(found)[c]});
    else rows.push_back({0, name, std::get<Bounds>(found)});
  }
};

/// Of one class: demands of its servers, and its thinking with all delays.
ClosedDemands demands_of(const QueueingNetwork& network) {
  ClosedDemands out{.demand_s = {}, .think_s = network.classes[0].think_s, .population = network.classes[0].population};
  for (std::size_t k = 0; k < network.stations.size(); ++k)
    if (network.stations[k].kind == StationKind::delay) out.think_s += network.demand_s(k, 0);
    else out.demand_s.push_back(network.demand_s(k, 0));
  return out;
}

Collector collect(const QueueingNetwork& network) {
  Collector out;
  for (const NetworkStation& station : network.stations)
    if (station.kind == StationKind::queue && station.servers > 1) {
      out.problem = queueing_error("QUE105", "\"" + station.name + "\" has " + std::to_string(station.servers) +
                                                 " servers; bounds are known for single ones.");
      return out;
    }
  const bool open = std::any_of(network.classes.begin(), network.classes.end(), [](const auto& c) { return c.open; });
  if (network.classes.size() == 1 && open) {
    const ClosedDemands demands = demands_of(network);
    const double rate = network.classes[0].arrival_rate;
    out.add("asymptotic", open_asymptotic_bounds(rate, demands.demand_s));
    out.add("balanced job", open_balanced_bounds(rate, demands.demand_s));
  } else if (network.classes.size() == 1) {
    const ClosedDemands demands = demands_of(network);
    out.add("asymptotic", asymptotic_bounds(demands));
    out.add("balanced job", balanced_job_bounds(demands));
    out.add("proportional", proportional_bounds(demands));
    if (auto geometric = geometric_bounds(demands); std::holds_alternative<GeometricBounds>(geometric))
      out.rows.push_back({0, "geometric", std::get<GeometricBounds>(geometric)});
  } else if (open) {
    out.problem = queueing_error("QUE105",
                                 "There are open classes beside others; bounds are known for closed ones, "
                                 "or for a single open one.");
  } else {
    out.add("asymptotic", multiclass_asymptotic_bounds(network));
    out.add("composite", multiclass_composite_bounds(network));
  }
  return out;
}

void tell(const NetworkClass& of_class, ElementId element, const char* name, const char* label, const char* unit,
          double lower, double upper, ExactAnswers& answers) {
  static const MeasureKind* const average = [] {
    const auto& kinds = measure_kinds();
    return &*std::find_if(kinds.begin(), kinds.end(),
                          [](const MeasureKind& kind) { return kind.meaning == MeasureKind::Meaning::long_run; });
  }();
  if (!std::isfinite(upper)) return;
  const MeasureSpec spec{.id = name + (of_class.name.empty() ? "" : "/" + of_class.name),
                         .label = label + (of_class.name.empty() ? "" : ", " + of_class.name),
                         .kind = average,
                         .element = element,
                         .unit = unit};
  MeasureResult& between = answers.answer(spec, (lower + upper) / 2, (upper - lower) / 2, "bounds");
  // Sure to lie between the ends, but nobody is to take the middle of them for the answer.
  if (upper > lower) between.exact = false;
}

/// Of two closed classes.
ResultTable bottlenecks(const QueueingNetwork& network) {
  ResultTable out;
  out.name = "bottlenecks";
  out.title = "Which stations saturate at which mix of the classes";
  out.columns = {{"Share of " + network.classes[0].name + " from"}, {"to"}, {"Saturated stations"}, {"This model"}};
  std::vector<std::array<double, 2>> demand;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < network.stations.size(); ++k) {
    if (network.stations[k].kind == StationKind::delay) continue;
    demand.push_back({network.demand_s(k, 0), network.demand_s(k, 1)});
    names.push_back(network.stations[k].name);
  }
  const double first = network.classes[0].population, all = first + network.classes[1].population;
  for (const SaturationSector& sector : saturation_sectors(demand)) {
    std::string saturated;
    for (const std::size_t k : sector.stations) saturated += (saturated.empty() ? "" : ", ") + names[k];
    // Of a mix on a border the sector below.
    const bool here = first <= sector.to * all && (first > sector.from * all || sector.from == 0.0);
    out.rows.push_back({sector.from, sector.to, saturated, here ? "yes" : ""});
  }
  out.note = "When the numbers of customers of both classes grow in this proportion.";
  return out;
}

}  // namespace

std::optional<Diagnostic> answer_bounds(const NetworkModel& model, const ProductForm& form, ExactAnswers& answers) {
  const QueueingNetwork& network = form.network;
  Collector found = collect(network);
  if (found.problem) return found.problem;
  // To the algorithms all delays are thinking; a passage is over only at the reference.
  for (BoundsRow& row : found.rows)
    for (std::size_t k = 0; k < network.stations.size(); ++k) {
      const NetworkModel::JobClass& one = model.classes[row.of_class];
      if (network.stations[k].kind != StationKind::delay || (one.population > 0 && form.node[k] == one.reference))
        continue;
      row.bounds.response_lower_s += network.demand_s(k, row.of_class);
      row.bounds.response_upper_s += network.demand_s(k, row.of_class);
    }
  ResultTable table;
  table.name = "bounds";
  table.title = "Between what throughput and response time lie";
  table.columns = {
      {"Class"},       {"Bound"}, {"Throughput at least", "/s"}, {"at most", "/s"}, {"Response time at least", "s"},
      {"at most", "s"}};
  for (const BoundsRow& row : found.rows)
    table.rows.push_back({network.classes[row.of_class].name, row.name, row.bounds.throughput_lower,
                          row.bounds.throughput_upper, row.bounds.response_lower_s, row.bounds.response_upper_s});
  answers.table(std::move(table));
  for (std::size_t c = 0; c < network.classes.size(); ++c) {
    ThroughputBounds best{0.0, std::numeric_limits<double>::infinity(), 0.0, std::numeric_limits<double>::infinity()};
    for (const BoundsRow& row : found.rows) {
      if (row.of_class != c) continue;
      best.throughput_lower = std::max(best.throughput_lower, row.bounds.throughput_lower);
      best.throughput_upper = std::min(best.throughput_upper, row.bounds.throughput_upper);
      best.response_lower_s = std::max(best.response_lower_s, row.bounds.response_lower_s);
      best.response_upper_s = std::min(best.response_upper_s, row.bounds.response_upper_s);
    }
    const NetworkClass& one = network.classes[c];
    // Of an open class the throughput is what arrives; its bound says what could.
    if (!one.open)
      tell(one, model.classes[c].element, "system_throughput", "Throughput", "/s", best.throughput_lower,
           best.throughput_upper, answers);
    tell(one, model.classes[c].element, "system_response_time", "Response time", "s", best.response_lower_s,
         best.response_upper_s, answers);
  }
  ResultTable demands;
  demands.name = "demands";
  demands.title = "What a passage asks of every station";
  demands.columns = {{"Station"}, {"Class"}, {"Demand", "s"}, {"Bottleneck"}, {"Saturated from population"}};
  for (std::size_t c = 0; c < network.classes.size(); ++c) {
    double most = 0.0, all = network.classes[c].think_s;
    for (std::size_t k = 0; k < network.stations.size(); ++k) {
      all += network.demand_s(k, c);
      if (network.stations[k].kind != StationKind::delay) most = std::max(most, network.demand_s(k, c));
    }
    for (std::size_t k = 0; k < network.stations.size(); ++k) {
      const double demand = network.demand_s(k, c);
      if (demand == 0.0) continue;
      const bool is = network.stations[k].kind != StationKind::delay && demand == most;
      demands.rows.push_back({network.stations[k].name, network.classes[c].name, demand, is ? "yes" : "",
                              is && !network.classes[c].open ? all / most : none});
    }
  }
  answers.table(std::move(demands));
  if (network.classes.size() == 2 && !network.classes[0].open && !network.classes[1].open)
    answers.table(bottlenecks(network));
  return {};
}

}  // namespace ergode
