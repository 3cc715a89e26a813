#pragma once
#include <functional>
#include <mutex>
#include <vector>

#include "core/des/running_part.h"
#include "solvers/cluster/model/round_model.h"
#include "solvers/cluster/rounds/fairness.h"
#include "solvers/cluster/rounds/shockwave_planner.h"
#include "solvers/cluster/running/cost_log.h"
#include "solvers/cluster/running/history_end.h"

namespace ergode {

/// What one scheduler made of its trace.
struct ScheduledTrace {
  RoundRun run;
  Fairness fairness;
  std::vector<double>
      held_gpu_s;  ///< by job: GPU time of the rounds in which it ran, restores and waits within included
  PlanLog plans;   ///< of RoundPolicy::shockwave
};

/// All round schedulers drawn in a model, as it keeps them among its parts (AnalysisModel::others). Nothing is random
/// and nothing else of a model can change a schedule, so it is worked out once, by whoever asks first, and every
/// history plays it.
class RoundPart : public LoweredPart {
 public:
  RoundModel model;

  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override;
  /// `jobs`, `rounds`, `gantt` and `schedule` of each (round_tables.h); none before there are schedules. Of those that
  /// cost or draw anything also `spend`, of the first history.
  std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const override;
  /// By number of the scheduler. As long as run_rounds() takes, the first time; Shockwave's plans may take seconds.
  /// They stay where they are from then on.
  /// @param give_up  asked between rounds and within plans; empty: nobody asks
  /// @throws GivenUp where it says so; whoever asks next begins anew
  const std::vector<ScheduledTrace>& schedules(const std::function<bool()>& give_up = {}) const;

 private:
  mutable CostLog log_;
  mutable HistoryEnd end_;
  mutable std::mutex working_;
  mutable bool worked_out_ = false;
  mutable std::vector<ScheduledTrace> schedules_;
};

/// Of one scheduler and what it made: one row a job, one a round, one of all, and one a stretch of rounds of a job.
/// Names end with `suffix`.
/// @param end_s  of the run [s]: `jobs` are as they were then, those who come later left out; the others have the whole
///               schedule
std::vector<ResultTable> round_tables(const RoundModel::Scheduler& scheduler, const ScheduledTrace& made, double end_s,
                                      const std::string& suffix);

}  // namespace ergode
