#include "solvers/cluster/running/fleet_part.h"

#include <algorithm>
#include <limits>

#include "solvers/cluster/running/running_fleet.h"

namespace ergode {
namespace {

using DrawnFleet = FleetModel::Fleet;
constexpr std::size_t fleet_arrival = 4;  ///< column of jobs

ByClass<std::vector<double>> first_gpus(const DrawnFleet& fleet, std::uint64_t seed) {
  RandomStream stream(FleetDraws::key(seed, fleet.element, ".devices"), 0);
  return draw_fleet(fleet.variation, fleet.gpus(), stream);
}

ResultTable table_of_gpus(const DrawnFleet& fleet, const ByClass<std::vector<double>>& slowdowns,
                          const std::string& name) {
  ResultTable out{.name = name, .title = "GPUs of " + fleet.name + " in the first history"};
  for (const char* column : {"gpu", "node", "type", "slowdown_A", "slowdown_B", "slowdown_C", "slowdown_D", "score_A",
                             "score_B", "score_C", "score_D"})
    out.columns.push_back({column});
  const auto scores = binned_scores(slowdowns);
  for (std::uint32_t gpu = 0; gpu < fleet.gpus(); ++gpu) {
    out.rows.push_back({static_cast<double>(gpu), static_cast<double>(gpu / fleet.gpus_per_node), fleet.type});
    for (const auto* table : {&slowdowns, &scores})
      for (const auto& of_class : *table) out.rows.back().emplace_back(of_class[gpu]);
  }
  out.note =
      "Slowdown: times slower than a median GPU, by class of application; score: that of its bin, which placement "
      "sees.";
  return out;
}

ResultTable table_of_fleet_jobs(const FleetModel& model, const DrawnFleet& fleet, const FleetJobList& list,
                                const FleetRun& run, const std::string& name) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  ResultTable out{.name = name, .title = "Jobs of " + fleet.name + " in the first history"};
  for (const char* column : {"job", "stream", "class", "gpus", "arrival_s", "run_s", "start_s", "completion_s",
                             "wait_s", "jct_s", "slowdown", "nodes", "state", "cost_usd", "placed_on"})
    out.columns.push_back({column});
  for (std::size_t i = 0; i < list.jobs.size(); ++i) {
    const FleetJob& job = list.jobs[i];
    const FleetOutcome& end = run.jobs[i];
    std::string placed;
    for (const std::uint32_t gpu : end.gpus) placed += (placed.empty() ? "" : " ") + std::to_string(gpu);
    out.rows.push_back({list.names[i], model.streams[list.stream[i]].name, application_class_names[job.of_class],
                        static_cast<double>(job.gpus), job.submit_s, job.run_s, end.start_s, end.end_s,
                        end.start_s - job.submit_s, end.end_s - job.submit_s, end.slowdown,
                        static_cast<double>(end.nodes), "completed",
                        static_cast<double>(job.gpus) * (end.end_s - end.start_s) * fleet.price_per_s, placed});
  }
  for (const FleetJobList::Rejected& one : list.rejected)
    out.rows.push_back({one.name, model.streams[one.stream].name, application_class_names[one.job.of_class],
                        static_cast<double>(one.job.gpus), one.job.submit_s, one.job.run_s, none, none, none, none,
                        none, none, "rejected", 0.0, std::string()});
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const auto& a, const auto& b) {
    return std::get<double>(a[fleet_arrival]) < std::get<double>(b[fleet_arrival]);
  });
  out.note =
      "Times in s; run_s: on median GPUs of one node; cost_usd: of the GPUs while a job had them, which is a part of "
      "what all of them cost.";
  return out;
}

}  // namespace

std::unique_ptr<RunningPart> FleetPart::run(World& world, std::uint64_t seed) const {
  seed_.store(seed, std::memory_order_relaxed);
  return std::make_unique<RunningFleet>(model, world, seed, log_);
}

std::vector<LoweredPart::Thing> FleetPart::things() const {
  std::vector<Thing> out;
  for (const DrawnFleet& one : model.fleets) out.push_back({one.element, "the fleet of GPUs \"" + one.name + "\""});
  return out;
}

void FleetPart::know_flows(std::span<const std::uint32_t> flowing, std::span<const Range>, Diagnostics& problems) {
  for (const FleetModel::Stream& one : model.streams) {
    const auto slots = one.rate.slots();
    if (std::none_of(slots.begin(), slots.end(),
                     [&](std::uint32_t slot) { return std::binary_search(flowing.begin(), flowing.end(), slot); }))
      continue;
    problems.push_back({.code = "DEV018",
                        .element = one.element,
                        .pointer = "rate",
                        .message = "The rate of \"" + one.name +
                                   "\" may change at any time, because what is read there flows; wanted what changes "
                                   "at events.",
                        .hint = "Draw it as a chart with two states and when(...), and read which of them is active."});
  }
}

std::vector<ResultTable> FleetPart::tables(std::span<const MeanOverTime>, const std::string& solver) const {
  std::vector<ResultTable> out = fleet_tables(model, seed_.load(std::memory_order_relaxed));
  const std::vector<CostRecord> records = log_.records();
  for (std::size_t f = 0; f < records.size(); ++f) {
    if (!records[f].begun) continue;
    out.push_back(table_of_costs(records[f], model.fleets[f].name, "GPUs"));
    if (model.fleets.size() > 1) out.back().name += "_" + model.fleets[f].name;
  }
  for (ResultTable& table : out) table.solver = solver;
  return out;
}

std::vector<LoweredPart::Stay> FleetPart::stays() const {
  std::vector<Stay> out;
  for (const DrawnFleet& one : model.fleets) {
    const std::string name = "jobs at \"" + one.name + "\"";
    out.push_back({.streams = {one.response_time},
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

std::vector<Program*> FleetPart::programs() {
  std::vector<Program*> out;
  for (FleetModel::Stream& one : model.streams) out.push_back(&one.rate);
  return out;
}

std::vector<ResultTable> fleet_tables(const FleetModel& model, std::uint64_t seed) {
  constexpr std::size_t most_jobs = 100'000;
  std::vector<ResultTable> out;
  for (const DrawnFleet& fleet : model.fleets) {
    const std::string suffix = model.fleets.size() > 1 ? "_" + fleet.name : "";
    auto slowdowns = first_gpus(fleet, seed);
    out.push_back(table_of_gpus(fleet, slowdowns, "devices" + suffix));
    const auto list = fleet_job_list(model, fleet, seed, 0, most_jobs);
    if (!list || list->jobs.size() + list->rejected.size() == 0) continue;
    RandomStream placements(FleetDraws::key(seed, fleet.element, ".placements"), 0);
    const FleetRun run = run_fleet(list->jobs, fleet.scheduler(std::move(slowdowns)), placements);
    out.push_back(table_of_fleet_jobs(model, fleet, *list, run, "jobs" + suffix));
  }
  return out;
}

}  // namespace ergode
