#include "solvers/cluster/model/fleet_model.h"

#include <algorithm>
#include <cmath>

namespace ergode {

void FleetModel::Stream::complete(FleetJob& job) const {
  if (job.of_class == FleetTrace::no_class) job.of_class = of_class;
  if (std::isnan(job.penalty)) job.penalty = penalty.value_or(published_locality_penalties[job.of_class]);
}

FleetScheduler FleetModel::Fleet::scheduler(PlacementPolicy policy, ByClass<std::vector<double>> slowdowns) const {
  GpuPlacer placer(policy, nodes, gpus_per_node, binned_scores(slowdowns));
  return {order, std::move(placer), std::move(slowdowns)};
}

DrawnDevices FleetModel::Fleet::devices(std::uint64_t seed, std::uint64_t replication) const {
  RandomStream speeds(FleetDraws::key(seed, element, ".devices"), replication),
      heat(FleetDraws::key(seed, element, ".heat"), replication);
  return draw_fleet(variation, gpus(), speeds, heat);
}

FleetJob FleetModel::Fleet::here(FleetJob job) const {
  job.run_s /= speed;
  return job;
}

std::uint64_t FleetDraws::key(std::uint64_t seed, ElementId element, const char* purpose) {
  return stream_key(seed, element.text() + purpose);
}

void FleetDraws::restart(std::uint64_t seed, const FleetModel::Stream& stream, std::uint64_t replication) {
  gaps.restart(key(seed, stream.element, ".gaps"), replication);
  sizes.restart(key(seed, stream.element, ".sizes"), replication);
  gpus.restart(key(seed, stream.element, ".gpus"), replication);
}

FleetJob FleetDraws::next(const FleetModel::Stream& stream, const double* slots, const double* customer) {
  constexpr double most = 1e9;
  FleetJob out{.of_class = FleetTrace::no_class, .penalty = std::nan("")};
  const auto brought = [&](std::size_t word, const char* what, auto draw) {
    const double* value = stream.handed.of(customer, word);
    return value == nullptr ? draw() : checked_of_customer(*value, 0.0, what, stream.element, stream.name);
  };
  out.run_s = brought(0, "size", [&] { return stream.size.sample(slots, sizes); });
  // Whole GPUs: what is drawn is rounded up, and at least one.
  const double wide = brought(1, "number of GPUs", [&] { return stream.gpus.sample(gpus); });
  out.gpus = static_cast<std::uint32_t>(std::clamp(std::ceil(wide), 1.0, most));
  stream.complete(out);
  return out;
}

std::optional<FleetJobList> fleet_job_list(const FleetModel& model, const FleetModel::Fleet& fleet, std::uint64_t seed,
                                           std::uint64_t replication, const double* slots, std::size_t most) {
  FleetJobList all;
  for (const std::uint32_t s : fleet.streams) {
    const FleetModel::Stream& stream = model.streams[s];
    if (!stream.ends() || all.jobs.size() + (stream.trace ? stream.trace->jobs.size() : stream.most_jobs) > most)
      return std::nullopt;
    const std::size_t count = stream.trace ? stream.trace->jobs.size() : stream.most_jobs;
    FleetDraws draws;
    draws.restart(seed, stream, replication);
    double now_s = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      FleetJob job;
      if (stream.trace) {
        job = stream.trace->jobs[i];
        stream.complete(job);
      } else {
        now_s += stream.gap.sample(slots, draws.gaps);
        job = draws.next(stream, slots), job.submit_s = now_s;
      }
      if (job.gpus <= fleet.gpus()) all.jobs.push_back(fleet.here(job));
    }
  }
  std::stable_sort(all.jobs.begin(), all.jobs.end(),
                   [](const FleetJob& a, const FleetJob& b) { return a.submit_s < b.submit_s; });
  return all;
}

}  // namespace ergode
