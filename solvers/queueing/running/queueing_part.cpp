#include "solvers/queueing/running/queueing_part.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/plugin/plugin_properties.h"
#include "core/plugin/plugin_simulator.h"
#include "solvers/queueing/model/bottlenecks.h"
#include "solvers/queueing/model/heavy_tails.h"
#include "solvers/queueing/model/traffic.h"
#include "solvers/queueing/model/unsettled_places.h"
#include "solvers/queueing/running/running_network.h"

namespace ergode {

std::unique_ptr<RunningPart> QueueingPart::run(World& world, std::uint64_t seed) const {
  for (const NetworkModel::Plugin& one : model.plugins) one.record->begin(seed);
  return std::make_unique<RunningNetwork>(model, world, seed);
}

std::vector<LoweredPart::Thing> QueueingPart::things() const {
  std::vector<Thing> out;
  for (const NetworkModel::Diagram& diagram : model.diagrams)
    out.push_back({diagram.element, "the queueing network \"" + diagram.name + "\""});
  return out;
}

void QueueingPart::know_slots(const KnownSlots& known, Diagnostics& problems) {
  const auto flows = [&](const Program& program) {
    const auto slots = program.slots();
    return std::any_of(slots.begin(), slots.end(), [&](std::uint32_t slot) {
      return std::binary_search(known.flowing.begin(), known.flowing.end(), slot);
    });
  };
  const auto refuse = [&](const NetworkModel::Node& node, const char* property, const char* what, const char* hint) {
    problems.push_back({.code = "QN012",
                        .element = node.element,
                        .pointer = property,
                        .message = std::string(what) + " \"" + node.name +
                                   "\" may change at any time, because what is read there flows; wanted what "
                                   "changes at events.",
                        .hint = hint});
  };
  const bool any_change = std::any_of(model.nodes.begin(), model.nodes.end(), [](const NetworkModel::Node& node) {
    return node.kind == NetworkModel::Kind::station && !node.servers.is_constant();
  });
  if (any_change) ranges_.assign(known.ranges.begin(), known.ranges.end());
  for (const NetworkModel::Node& node : model.nodes)
    if (node.kind == NetworkModel::Kind::station)
      if (const LongRunValue* const value = known.in_the_long_run(node.servers))
        long_run_.emplace(&node.servers, *value);
  if (!has_errors(problems)) {
    const OfferedLoads loads = offered_loads(model, known, ClosedVisits::found);
    const ToldOverloads told = overloads(model, known, loads);
    unsettled_ = unsettled_places(model, known, loads, told);
    problems.insert(problems.end(), told.sure.begin(), told.sure.end());
  }
  constexpr const char* draw = "Draw it as a chart with two states and when(...), and read which of them is active.";
  for (NetworkModel::Node& node : model.nodes) {
    if (node.kind == NetworkModel::Kind::transition && flows(node.servers))
      refuse(node, "servers", "The number of servers of", draw);
    if (node.kind == NetworkModel::Kind::plugin && flows(model.plugins[node.plugin].up))
      refuse(node, "up", "The condition \"up\" of", draw);
    if (node.kind == NetworkModel::Kind::station) {
      if (flows(node.servers)) refuse(node, "servers", "The number of servers of", draw);
      if (node.rules != NetworkModel::none && flows(model.rules[node.rules].speed))
        refuse(node, "speed", "The speed of the servers of", draw);
    }
    if (!node.has_rate || !flows(node.rate)) continue;
    node.rate_bound = node.rate.range(known.ranges).upper;
    if (!(node.rate_bound <= std::numeric_limits<double>::max()))
      refuse(node, "rate", "Nothing bounds the rate of", "Bound it: min(..., 10 /s).");
  }
}

namespace {

/// Finds the station whose busy servers an expression counts: times a factor, or as a share of those there are.
class BusyServers {
 public:
  explicit BusyServers(const NetworkModel& model) : model_(model) {
    std::uint32_t last = 0;
    for (std::size_t n = 0; n < model.nodes.size(); ++n) {
      const NetworkModel::Node& node = model.nodes[n];
      if (node.kind != NetworkModel::Kind::station) continue;
      if (node.servers.is_constant() && !(node.servers.value() > 0.0)) continue;
      of_slot_[node.busy] = n, last = std::max(last, node.busy);
      if (!node.servers.is_constant()) last = std::max(last, node.servers_now);
      for (const std::uint32_t slot : node.servers.slots()) last = std::max(last, slot);
    }
    slots_.assign(last + std::size_t{1}, 0.0);
  }
  struct Found {
    std::size_t node;
    double full;  ///< what the expression is when all servers work
  };
  std::optional<Found> in(const Program& program) {
    const auto slots = program.slots();
    const auto first = std::find_if(slots.begin(), slots.end(), [&](std::uint32_t s) { return of_slot_.contains(s); });
    if (first == slots.end()) return std::nullopt;
    const auto [busy, node] = *of_slot_.find(*first);
    if (!model_.nodes[node].servers.is_constant())
      return is_share(program, busy, model_.nodes[node]) ? std::optional(Found{node, 1.0}) : std::nullopt;
    if (slots.size() != 1) return std::nullopt;
    return times_a_factor(program, busy, node);
  }

 private:
  std::optional<Found> times_a_factor(const Program& program, std::uint32_t slot, std::size_t node) {
    const double servers = model_.nodes[node].servers.value();
    const auto at = [&](double busy) {
      slots_[slot] = busy;
      const double value = program.evaluate(slots_.data());
      slots_[slot] = 0.0;
      return value;
    };
    const double each = at(1.0);
    if (!(each > 0.0) || at(0.0) != 0.0) return std::nullopt;
    // Enough of them to tell a proportion from anything else that people write.
    constexpr double most = 64.0;
    for (double busy = 2.0; busy <= std::min(most, servers); ++busy)
      if (std::fabs(at(busy) - busy * each) > 1e-9 * busy * each) return std::nullopt;
    if (std::fabs(at(servers) - servers * each) > 1e-9 * servers * each) return std::nullopt;
    return Found{node, servers * each};
  }
  /// Whether it is busy / servers, or busy / max(1, servers), or the lesser of that and 1, where the number of servers
  /// changes: tried at numbers that what is read there may have, among them some that give different numbers of
  /// servers.
  bool is_share(const Program& program, std::uint32_t busy, const NetworkModel::Node& node) {
    const Program& servers = node.servers;
    const auto read = servers.slots();
    const auto known = [&](std::uint32_t s) {
      return s == busy || s == node.servers_now || std::find(read.begin(), read.end(), s) != read.end();
    };
    const auto slots = program.slots();
    if (!std::all_of(slots.begin(), slots.end(), known)) return false;
    bool is = true;
    std::set<double> seen;
    for (int round = 0; round < 64 && is; ++round) {
      // The first all alike, then all combinations of the first few.
      for (std::size_t i = 0; i < read.size(); ++i)
        slots_[read[i]] = round < 16 ? round : (static_cast<std::size_t>(round) >> (i % 6)) & 1U;
      const double all = servers.evaluate(slots_.data());
      if (!(all >= 1.0) || !(all < 1e9)) continue;
      seen.insert(all);
      slots_[node.servers_now] = all;
      for (const double some : {0.0, 1.0, all}) {
        slots_[busy] = some;
        is = is && std::fabs(program.evaluate(slots_.data()) - some / all) <= 1e-9;
      }
    }
    slots_[busy] = slots_[node.servers_now] = 0.0;
    for (const std::uint32_t slot : read) slots_[slot] = 0.0;
    return is && seen.size() > 1;
  }

  const NetworkModel& model_;
  std::unordered_map<std::uint32_t, std::size_t> of_slot_;
  std::vector<double> slots_;
};

}  // namespace

std::vector<ResultTable> QueueingPart::tables(std::span<const MeanOverTime> means, const std::string& solver) const {
  std::vector<StationUse> uses(model.nodes.size());
  BusyServers busy(model);
  for (const MeanOverTime& mean : means) {
    const auto found = busy.in(*mean.program);
    if (!found || std::isnan(mean.value)) continue;
    uses[found->node] = {mean.value / found->full, mean.lower / found->full, mean.upper / found->full};
  }
  std::vector<ResultTable> out = {utilisation_table(model, uses, solver, servers_known())};
  if (out.back().rows.empty()) out.clear();
  for (const NetworkModel::Node& node : model.nodes) {
    if (node.kind != NetworkModel::Kind::plugin) continue;
    const NetworkModel::Plugin& plugin = model.plugins[node.plugin];
    const PluginRows rows = plugin.record->rows();
    const auto& tables = plugin.what->manifest.station->tables;
    for (std::size_t t = 0; t < rows.kept.size(); ++t) {
      if (rows.told[t] == 0) continue;
      out.push_back(table_of_plugin(plugin.what->manifest, tables, t, rows, node.name + "_" + tables[t].name,
                                    ": " + node.name + ", in the first replication"));
      out.back().solver = solver;
    }
  }
  return out;
}

KnownSlots QueueingPart::servers_known() const {
  return {.ranges = ranges_, .long_run = [this](const Program& program) {
            const auto found = long_run_.find(&program);
            return found != long_run_.end() ? &found->second : nullptr;
          }};
}

Diagnostics QueueingPart::told_of_growth(std::span<const SeenToGrow> seen) const {
  return grown(model, unsettled_, seen);
}

std::vector<LoweredPart::KnownMean> QueueingPart::known_means() const {
  constexpr std::size_t most_nodes = 2000;
  if (model.nodes.size() > most_nodes) return {};
  const OfferedLoads loads = offered_loads(model);
  std::vector<std::uint32_t> order;
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n)
    if (loads.utilised[n] != 0) order.push_back(n);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return loads.share[a] > loads.share[b]; });
  std::vector<KnownMean> out;
  for (const std::uint32_t n : order) {
    const NetworkModel::Node& node = model.nodes[n];
    out.push_back({node.busy, loads.share[n] * node.servers.value(), node.element, node.name + ".busy"});
  }
  return out;
}

Diagnostics QueueingPart::told() const {
  Diagnostics out;
  for (const NetworkModel::Node& node : model.nodes) {
    if (node.kind != NetworkModel::Kind::plugin) continue;
    const NetworkModel::Plugin& plugin = model.plugins[node.plugin];
    for (Diagnostic& one : told_at(node.element, plugin.what->manifest, plugin.record->told()))
      out.push_back(std::move(one));
  }
  return out;
}

Diagnostics QueueingPart::long_run_doubts() const { return heavy_tails(model); }

std::vector<Program*> QueueingPart::programs() {
  std::vector<Program*> out;
  for (NetworkModel::JobClass& one : model.classes) out.insert(out.end(), {&one.due.value, &one.rank});
  for (NetworkModel::AttributeLaw& law : model.attribute_laws) out.push_back(&law.value.value);
  for (NetworkModel::Node& node : model.nodes) {
    out.insert(out.end(), {&node.servers, &node.rate, &node.batch.value, &node.units_by, &node.value});
    for (NetworkModel::Duration& time : node.time) out.push_back(&time.value);
    for (auto* all : {&node.ways, &node.refused, &node.reneged})
      for (NetworkModel::Ways& ways : *all)
        for (Program& p : ways.probability) out.push_back(&p);
  }
  for (NetworkModel::Pool& pool : model.pools) out.push_back(&pool.units);
  for (NetworkModel::Plugin& plugin : model.plugins) out.push_back(&plugin.up);
  for (NetworkModel::Rules& rules : model.rules) {
    out.insert(out.end(), {&rules.speed, &rules.balking});
    for (NetworkModel::Duration* one :
         {&rules.setup, &rules.vacation, &rules.switchover, &rules.retry_after, &rules.to_failure, &rules.to_repair})
      out.push_back(&one->value);
    for (NetworkModel::Duration& one : rules.patience) out.push_back(&one.value);
  }
  return out;
}

}  // namespace ergode
