#include "solvers/cluster/running/gang_part.h"
#include "solvers/cluster/running/flowing_rates.h"

#include <algorithm>

#include "solvers/cluster/running/failing_hosts.h"
#include "solvers/cluster/running/gang_tables.h"
#include "solvers/cluster/running/rows_left_out.h"
#include "solvers/cluster/running/running_gangs.h"

namespace ergode {

std::unique_ptr<RunningPart> GangPart::run(World& world, std::uint64_t seed) const {
  return std::make_unique<RunningGangs>(model, world, seed, log_, end_);
}

std::vector<LoweredPart::Thing> GangPart::things() const {
  std::vector<Thing> out;
  for (const GangModel::Cluster& one : model.clusters)
    out.push_back({one.element, "the GPU cluster \"" + one.name + "\""});
  for (const GangModel::Stream& one : model.streams)
    if (one.passes()) out.push_back({one.element, "the job stream \"" + one.name + "\""});
  return out;
}

void GangPart::know_slots(const KnownSlots& known, Diagnostics& problems) {
  for (const GangModel::Cluster& one : model.clusters)
    know_conditions(one.failures, "GNG009", one.element, one.name, known.flowing, problems);
  know_rates(model.streams, "GNG009", known.flowing, problems);
}

bool GangPart::work_out_tables(const std::function<bool()>& give_up) const {
  const double end_s = end_.at_s();
  return tables_.work_out(give_up, end_s, [this, end_s](const TablesOnce::Look& look) -> TablesOnce::Tables {
    return [this, made = traced_schedules(model, end_s, look)] { return gang_tables(model, made); };
  });
}

std::vector<ResultTable> GangPart::tables(std::span<const MeanOverTime>, const std::string& solver) const {
  std::vector<ResultTable> out = tables_.of(solver);
  for (ResultTable& table : gang_history_tables(model, log_.records())) {
    table.solver = solver;
    out.push_back(std::move(table));
  }
  return out;
}

std::vector<LoweredPart::Stay> GangPart::stays() const {
  std::vector<Stay> out;
  for (const GangModel::Cluster& one : model.clusters)
    out.push_back(
        {.streams = {one.response_time, one.wait, one.slowdown, one.cost, one.job_lost_work, one.job_restarts},
         .come = one.submitted,
         .present = one.jobs,
         .element = one.element,
         .name = "jobs at \"" + one.name + "\"",
         .refused = one.rejected,
         .why_refused = "want more than it has"});
  return out;
}

Diagnostics GangPart::told() const { return rows_left_out(model.clusters, log_, GangRecord::most_jobs); }

std::vector<Program*> GangPart::programs() {
  std::vector<Program*> out;
  for (GangModel::Stream& one : model.streams) out.push_back(&one.rate);
  for (GangModel::Cluster& one : model.clusters)
    for (Program& program : one.failures.up_while) out.push_back(&program);
  return out;
}

}  // namespace ergode
