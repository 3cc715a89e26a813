#include "solvers/cluster/running/batch_part.h"
#include "solvers/cluster/running/flowing_rates.h"

#include <algorithm>

#include "solvers/cluster/running/batch_tables.h"
#include "solvers/cluster/running/failing_hosts.h"
#include "solvers/cluster/running/rows_left_out.h"
#include "solvers/cluster/running/running_batch.h"

namespace ergode {
namespace {

ResultTable table_of_accelerators(const BatchModel::Pool& pool, const DrawnDevices& drawn) {
  ResultTable out{.name = "devices", .title = "Accelerators of " + pool.name + " in the first history"};
  for (const char* column : {"accelerator", "host", "type", "slowdown"}) out.columns.push_back({column});
  const std::pair<const char*, const std::vector<double>*> known[] = {
      {"temperature_c", &drawn.temperature_c}, {"frequency_mhz", &drawn.frequency_mhz}, {"power_w", &drawn.power_w}};
  for (const auto& [column, values] : known)
    if (!values->empty()) out.columns.push_back({column});
  for (std::size_t d = 0; d < drawn.slowdowns[0].size(); ++d) {
    out.rows.push_back(
        {static_cast<double>(d), static_cast<double>(d / pool.devices_of_host()), pool.type, drawn.slowdowns[0][d]});
    for (const auto& [column, values] : known)
      if (!values->empty()) out.rows.back().emplace_back((*values)[d]);
  }
  out.note = "Slowdown: times slower than a median one; a job waits for the slowest of all on its hosts.";
  return out;
}

}  // namespace

std::unique_ptr<RunningPart> BatchPart::run(World& world, std::uint64_t seed) const {
  seed_.store(seed, std::memory_order_relaxed);
  return std::make_unique<RunningBatch>(model, world, seed, log_, jobs_, end_, starts_);
}

std::vector<LoweredPart::Thing> BatchPart::things() const {
  std::vector<Thing> out;
  for (const BatchModel::Pool& one : model.pools)
    out.push_back({one.element, "the pool of hosts \"" + one.name + "\""});
  for (const BatchModel::Service& one : model.services)
    out.push_back({one.element, "the provisioner \"" + one.name + "\""});
  return out;
}

void BatchPart::know_slots(const KnownSlots& known, Diagnostics& problems) {
  for (const BatchModel::Pool& one : model.pools)
    know_conditions(one.failures, "BAT010", one.element, one.name, known.flowing, problems);
  know_rates(model.streams, "BAT010", known.flowing, problems);
}

bool BatchPart::work_out_tables(const std::function<bool()>& give_up) const {
  // Schedules are whole ones; how much of them the run has seen is cut out of them.
  return tables_.work_out(give_up, 0.0, [this](const TablesOnce::Look& look) -> TablesOnce::Tables {
    return [this, made = batch_schedules(model, look)] { return batch_tables(model, made, end_.at_s()); };
  });
}

std::vector<ResultTable> BatchPart::tables(std::span<const MeanOverTime>, const std::string& solver) const {
  std::vector<ResultTable> out = tables_.of(solver);
  for (ResultTable& one : jobs_.tables(model, solver, end_.at_s())) out.push_back(std::move(one));
  for (const BatchModel::Pool& pool : model.pools) {
    if (!pool.variation.any()) continue;
    out.push_back(table_of_accelerators(pool, pool.devices(seed_.load(std::memory_order_relaxed), 0)));
    out.back().name += model.tables.suffix(pool.name);
    out.back().solver = solver;
  }
  const std::vector<CostRecord> records = log_.records();
  for (std::size_t p = 0; p < records.size(); ++p) {
    if (!records[p].begun) continue;
    out.push_back(table_of_costs(records[p], model.pools[p].name, "hosts"));
    out.back().name += model.tables.suffix(model.pools[p].name);
    out.back().solver = solver;
  }
  return out;
}

std::vector<LoweredPart::Stay> BatchPart::stays() const {
  std::vector<Stay> out;
  for (const BatchModel::Pool& one : model.pools) {
    const std::string name = "jobs at \"" + one.name + "\"";
    out.push_back({.streams = {one.response_time, one.slowdown, one.job_lost_work, one.job_restarts},
                   .come = one.submitted,
                   .present = one.jobs,
                   .element = one.element,
                   .name = name,
                   .refused = one.rejected,
                   .why_refused = "want more hosts than it has"});
    // Who has begun has been observed.
    out.push_back({.streams = {one.wait},
                   .come = one.submitted,
                   .present = one.waiting,
                   .element = one.element,
                   .name = name,
                   .left = "wait"});
  }
  return out;
}

Diagnostics BatchPart::told() const {
  Diagnostics out = rows_left_out(model.pools, jobs_, BatchJobLog::most_jobs);
  for (const BatchModel::Service& one : model.services)
    if (starts_ > one.starts)
      out.push_back(
          {.severity = Severity::warning,
           .code = "RUN049",
           .element = one.element,
           .pointer = "starts",
           .message = std::to_string(starts_) + " replications are the " + std::to_string(one.starts) +
                      " starts of \"" + one.name +
                      "\", some of them more than once: means weigh these more, and intervals are too narrow.",
           .hint = "Ask for as many replications as there are starts, or fewer."});
  return out;
}

std::vector<Program*> BatchPart::programs() {
  std::vector<Program*> out;
  for (BatchModel::Stream& one : model.streams) out.push_back(&one.rate);
  for (BatchModel::Pool& one : model.pools)
    for (Program& program : one.failures.up_while) out.push_back(&program);
  return out;
}

}  // namespace ergode
