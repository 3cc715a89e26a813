#include "solvers/cluster/rounds/round_simulation.h"

#include "solvers/cluster/rounds/round_stepper.h"

namespace ergode {

RoundRun run_rounds(const std::vector<RoundJob>& jobs, const Throughputs& speeds, const RoundOptions& options,
                    RoundPlanner* planner, RoundWatch* watch) {
  RoundRun out;
  out.jobs.resize(jobs.size());
  if (jobs.empty()) return out;
  RoundStepper stepper(options, planner);
  double now_s = out.begin_s = jobs.front().arrival_s;
  std::size_t next = 0, finished = 0;
  for (;;) {
    const bool ran = stepper.running();
    stepper.end_round();
    if (ran) out.rounds.push_back(stepper.round());
    for (const RoundStepper::Gone& one : stepper.gone()) out.jobs[one.number] = one.outcome, ++finished;
    for (; next < jobs.size() && jobs[next].arrival_s <= now_s; ++next)
      stepper.admit(static_cast<std::uint32_t>(next), jobs[next], speeds, now_s);
    if (stepper.empty() && next == jobs.size()) break;
    if (watch != nullptr && !watch->go_on(static_cast<double>(finished) / static_cast<double>(jobs.size()))) {
      out.stopped = true;
      for (const RoundStepper::Gone& one : stepper.outcomes()) out.jobs[one.number] = one.outcome;
      break;
    }
    now_s = stepper.begin_round(now_s, next < jobs.size() ? jobs[next].arrival_s : RoundStepper::never);
  }
  out.end_s = now_s, out.busy_gpu_s = stepper.busy_gpu_s();
  return out;
}

}  // namespace ergode
