#include "solvers/cluster/gang/gang_simulation.h"

#include <algorithm>

namespace ergode {
namespace {

/// What is known of a job while it runs.
struct GangLedger {
  explicit GangLedger(std::size_t jobs) : since_s(jobs) {}
  std::vector<double> since_s;  ///< when each began to wait or to run

  void take(const GangEvent& event, double now_s, const GangScheduler& scheduler, GangSchedule& out) {
    GangOutcome& job = out.jobs[event.job];
    const double from_s = since_s[event.job];
    since_s[event.job] = now_s;
    if (event.what == GangEvent::What::starts) {
      job.waited_s += now_s - from_s;
      job.start_s = std::min(job.start_s, now_s);
      place.resize(std::max(place.size(), std::size_t{event.job} + 1));
      place[event.job] = scheduler.place(event.job);
      return;
    }
    if (event.job < place.size())
      for (const GangPiece& piece : place[event.job])
        out.stretches.push_back({piece.host, event.job, piece.gpus, from_s, now_s});
    if (event.what == GangEvent::What::stops) return;
    job.end_s = now_s;
    job.gpu_time_s = scheduler.gpu_time_s(event.job), job.preemptions = scheduler.preemptions(event.job);
  }
  std::vector<std::vector<GangPiece>> place;
};

}  // namespace

GangSchedule simulate_gang(const std::vector<GangJob>& jobs, const GangOptions& options) {
  GangSchedule out;
  out.jobs.resize(jobs.size());
  if (jobs.empty()) return out;
  GangScheduler scheduler(options);
  for (const GangJob& job : jobs)
    if (scheduler.can_ever_fit(job)) {
      out.begin_s = out.end_s = job.arrival_s;
      break;
    }
  scheduler.reset(out.begin_s);
  GangLedger ledger(jobs.size());
  std::vector<GangEvent> events;
  double before_s = out.begin_s, busy = 0.0, stranded = 0.0;
  for (std::uint32_t next = 0;;) {
    // Who never fits changes nothing, the times between which all is counted neither.
    while (next < jobs.size() && !scheduler.can_ever_fit(jobs[next])) ++next, ++out.events;
    const double arrival_s = next < jobs.size() ? jobs[next].arrival_s : GangOptions::unlimited;
    const double now_s = std::min(arrival_s, scheduler.next_s());
    if (now_s == GangOptions::unlimited) return out;
    out.busy_gpu_s += busy * (now_s - before_s), out.free_gpu_s += (options.gpus - busy) * (now_s - before_s);
    out.stranded_gpu_s += stranded * (now_s - before_s);
    before_s = out.end_s = now_s;
    events.clear();
    scheduler.pass(now_s, events);
    for (; next < jobs.size() && jobs[next].arrival_s <= now_s; ++next, ++out.events) {
      if (!scheduler.can_ever_fit(jobs[next])) continue;
      ledger.since_s[next] = now_s;
      if (options.policy == GangPolicy::equi) out.jobs[next].start_s = now_s;
      scheduler.submit(next, jobs[next], now_s);
    }
    scheduler.decide(now_s, events);
    for (const GangEvent& event : events) ledger.take(event, now_s, scheduler, out);
    out.events += events.size();
    busy = scheduler.busy_gpus(), stranded = scheduler.stranded_gpus();
  }
}

}  // namespace ergode
