#include "solvers/cluster/running/fleet_part.h"
#include "solvers/cluster/running/flowing_rates.h"

#include <algorithm>

#include "solvers/cluster/running/failing_hosts.h"
#include "solvers/cluster/running/rows_left_out.h"
#include "solvers/cluster/running/running_fleet.h"

namespace ergode {
namespace {

using DrawnFleet = FleetModel::Fleet;

ResultTable table_of_gpus(const DrawnFleet& fleet, const DrawnDevices& devices, const std::string& name) {
  const ByClass<std::vector<double>>& slowdowns = devices.slowdowns;
  ResultTable out{.name = name, .title = "GPUs of " + fleet.name + " in the first history"};
  for (const char* column : {"gpu", "node", "type", "slowdown_A", "slowdown_B", "slowdown_C", "slowdown_D", "score_A",
                             "score_B", "score_C", "score_D"})
    out.columns.push_back({column});
  const std::pair<const char*, const std::vector<double>*> known[] = {{"temperature_c", &devices.temperature_c},
                                                                      {"frequency_mhz", &devices.frequency_mhz},
                                                                      {"power_w", &devices.power_w}};
  bool any = false;
  for (const auto& [column, values] : known)
    if (!values->empty()) out.columns.push_back({column}), any = true;
  const auto scores = binned_scores(slowdowns);
  for (std::uint32_t gpu = 0; gpu < fleet.gpus(); ++gpu) {
    out.rows.push_back({static_cast<double>(gpu), static_cast<double>(gpu / fleet.gpus_per_node), fleet.type});
    for (const auto* table : {&slowdowns, &scores})
      for (const auto& of_class : *table) out.rows.back().emplace_back(of_class[gpu]);
    for (const auto& [column, values] : known)
      if (!values->empty()) out.rows.back().emplace_back((*values)[gpu]);
  }
  out.note =
      "Slowdown: times slower than a median GPU, by class of application; score: that of its bin, which placement "
      "sees.";
  if (any) out.note += " Temperature, frequency and power: at work for class A.";
  return out;
}

}  // namespace

std::unique_ptr<RunningPart> FleetPart::run(World& world, std::uint64_t seed) const {
  seed_.store(seed, std::memory_order_relaxed);
  return std::make_unique<RunningFleet>(model, world, seed, log_, jobs_, end_);
}

std::vector<LoweredPart::Thing> FleetPart::things() const {
  std::vector<Thing> out;
  for (const DrawnFleet& one : model.fleets) out.push_back({one.element, "the fleet of GPUs \"" + one.name + "\""});
  return out;
}

void FleetPart::know_slots(const KnownSlots& known, Diagnostics& problems) {
  for (const DrawnFleet& one : model.fleets)
    know_conditions(one.failures, "DEV018", one.element, one.name, known.flowing, problems);
  know_rates(model.streams, "DEV018", known.flowing, problems);
}

std::vector<ResultTable> FleetPart::tables(std::span<const MeanOverTime>, const std::string& solver) const {
  std::vector<ResultTable> out;
  for (const DrawnFleet& fleet : model.fleets) {
    const std::string suffix = model.tables.suffix(fleet.name);
    out.push_back(table_of_gpus(fleet, fleet.devices(seed_.load(std::memory_order_relaxed), 0), "devices" + suffix));
  }
  for (ResultTable& one : jobs_.tables(model, solver, end_.at_s())) out.push_back(std::move(one));
  const std::vector<CostRecord> records = log_.records();
  for (std::size_t f = 0; f < records.size(); ++f) {
    if (!records[f].begun) continue;
    out.push_back(table_of_costs(records[f], model.fleets[f].name, "GPUs"));
    out.back().name += model.tables.suffix(model.fleets[f].name);
  }
  for (ResultTable& table : out) table.solver = solver;
  return out;
}

std::vector<LoweredPart::Stay> FleetPart::stays() const {
  std::vector<Stay> out;
  for (const DrawnFleet& one : model.fleets) {
    const std::string name = "jobs at \"" + one.name + "\"";
    out.push_back({.streams = {one.response_time, one.job_lost_work, one.job_restarts},
                   .come = one.submitted,
                   .present = one.jobs,
                   .element = one.element,
                   .name = name,
                   .refused = one.rejected,
                   .why_refused = "want more GPUs than it has"});
    out.push_back({.streams = {one.wait, one.slowdown},
                   .come = one.submitted,
                   .present = one.waiting,
                   .element = one.element,
                   .name = name,
                   .left = "wait"});
  }
  return out;
}

Diagnostics FleetPart::told() const { return rows_left_out(model.fleets, jobs_, FleetJobLog::most_jobs); }

std::vector<Program*> FleetPart::programs() {
  std::vector<Program*> out;
  for (FleetModel::Stream& one : model.streams) out.push_back(&one.rate);
  for (DrawnFleet& one : model.fleets)
    for (Program& program : one.failures.up_while) out.push_back(&program);
  return out;
}

}  // namespace ergode
