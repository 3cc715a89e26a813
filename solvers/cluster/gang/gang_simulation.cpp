#include "solvers/cluster/gang/gang_simulation.h"

#include <algorithm>

#include "solvers/cluster/gang/gang_ledger.h"

namespace ergode {
GangSchedule simulate_gang(const std::vector<GangJob>& jobs, const GangOptions& options,
                           const std::function<void()>& look, double until_s) {
  constexpr std::uint64_t moments_between_looks = 64;
  std::uint64_t moments = 0;
  if (jobs.empty()) return {};
  GangScheduler scheduler(options);
  const auto first =
      std::find_if(jobs.begin(), jobs.end(), [&](const GangJob& job) { return scheduler.can_ever_fit(job); });
  GangLedger ledger;
  ledger.begin(first == jobs.end() ? 0.0 : first->arrival_s);
  scheduler.reset(ledger.made.begin_s);
  std::vector<GangEvent> events;
  for (std::uint32_t next = 0;;) {
    if (look && ++moments % moments_between_looks == 0) look();
    // Who never fits changes nothing, the times between which all is counted neither.
    for (; next < jobs.size() && jobs[next].arrival_s <= until_s && !scheduler.can_ever_fit(jobs[next]);
         ++next, ++ledger.made.events)
      ledger.come(jobs[next].arrival_s, false, options.policy);
    const double arrival_s = next < jobs.size() ? jobs[next].arrival_s : GangOptions::unlimited;
    const double now_s = std::min(arrival_s, scheduler.next_s());
    if (now_s == GangOptions::unlimited) return std::move(ledger.made);
    if (now_s > until_s) {
      if (scheduler.present() > 0) ledger.pass(until_s);
      return ledger.so_far();
    }
    ledger.pass(now_s);
    events.clear();
    scheduler.pass(now_s, events);
    for (; next < jobs.size() && jobs[next].arrival_s <= now_s; ++next, ++ledger.made.events) {
      const bool let_in = scheduler.can_ever_fit(jobs[next]);
      ledger.come(now_s, let_in, options.policy);
      if (let_in) scheduler.submit(next, jobs[next], now_s);
    }
    scheduler.decide(now_s, events);
    for (const GangEvent& event : events) ledger.take(event, event.job, now_s, scheduler);
    ledger.made.events += events.size();
    ledger.see(scheduler);
  }
}

}  // namespace ergode
