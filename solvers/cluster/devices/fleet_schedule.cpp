#include "solvers/cluster/devices/fleet_schedule.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace ergode {

void FleetScheduler::dispatch(RandomStream& stream, std::vector<Started>& out) {
  std::size_t kept = 0, at = 0;
  std::vector<std::uint32_t> gpus;
  for (; at < line_.size() && placer_.free_gpus() > 0; ++at) {
    const FleetJob& job = line_[at].job;
    if (!placer_.place(job.gpus, job.of_class, job.penalty, stream, gpus)) {
      if (order_ == FleetOrder::fifo) break;
      if (kept != at) line_[kept] = line_[at];
      ++kept;
      continue;
    }
    Started started{.job = line_[at].number, .nodes = placer_.nodes_of(gpus)};
    started.slowdown = job_slowdown(gpus, slowdowns_[job.of_class], started.nodes, job.penalty);
    started.gpus = gpus;
    out.push_back(std::move(started));
  }
  line_.erase(line_.begin() + static_cast<std::ptrdiff_t>(kept), line_.begin() + static_cast<std::ptrdiff_t>(at));
}

FleetRun run_fleet(std::span<const FleetJob> jobs, FleetScheduler scheduler, RandomStream& placements) {
  FleetRun out;
  out.jobs.resize(jobs.size());
  using End = std::pair<double, std::uint32_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  std::vector<FleetScheduler::Started> started;
  std::size_t next = 0;
  double gpu_s = 0.0, last_s = 0.0;
  while (next < jobs.size() || !ends.empty()) {
    const double now_s = ends.empty() || (next < jobs.size() && jobs[next].submit_s < ends.top().first)
                             ? jobs[next].submit_s
                             : ends.top().first;
    for (; !ends.empty() && ends.top().first <= now_s; ends.pop()) {
      scheduler.ended(out.jobs[ends.top().second].gpus);
      last_s = now_s;
    }
    for (; next < jobs.size() && jobs[next].submit_s <= now_s; ++next)
      scheduler.submit(static_cast<std::uint32_t>(next), jobs[next]);
    started.clear();
    scheduler.dispatch(placements, started);
    for (FleetScheduler::Started& one : started) {
      FleetOutcome& job = out.jobs[one.job];
      job.start_s = now_s, job.slowdown = one.slowdown, job.nodes = one.nodes, job.gpus = std::move(one.gpus);
      job.end_s = now_s + jobs[one.job].run_s * one.slowdown;
      gpu_s += (job.end_s - now_s) * static_cast<double>(job.gpus.size());
      ends.emplace(job.end_s, one.job);
    }
  }
  if (jobs.empty()) return out;
  out.makespan_s = last_s - jobs.front().submit_s;
  double jct_s = 0.0, slow = 0.0;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    jct_s += out.jobs[i].end_s - jobs[i].submit_s, slow += out.jobs[i].slowdown;
  const auto n = static_cast<double>(jobs.size());
  out.mean_jct_s = jct_s / n, out.mean_slowdown = slow / n;
  out.utilisation = gpu_s / (out.makespan_s * scheduler.placer().gpus());
  return out;
}

}  // namespace ergode
