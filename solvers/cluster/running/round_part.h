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
#include "solvers/cluster/running/round_log.h"

namespace ergode {

/// What one scheduler made of its trace.
struct ScheduledTrace {
  RoundRun run;
  Fairness fairness;
  std::vector<double>
      held_gpu_s;  ///< by job: GPU time of the rounds in which it ran, restores and waits within included
  PlanLog plans;   ///< of RoundPolicy::shockwave
};

/// All round schedulers drawn in a model, as it keeps them among its parts (AnalysisModel::others). Of one that runs a
/// trace alone nothing is random and nothing else of a model can change its schedule, so it is worked out once, by
/// whoever asks first, and every history plays it (RunningRounds); the others are run history by history (LiveRounds).
class RoundPart : public LoweredPart {
 public:
  RoundModel model;

  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override;
  /// RND009: a rate at which jobs come, and whether hosts are up, must announce their changes.
  void know_slots(const KnownSlots& known, Diagnostics& problems) override;
  std::vector<Stay> stays() const override;
  /// `jobs`, `rounds`, `gantt` and `schedule` of each (round_tables.h); none before there are schedules. Of those that
  /// cost or draw anything also `spend`, of the first history.
  std::vector<ResultTable> tables(std::span<const MeanOverTime> means, const std::string& solver) const override;
  /// RUN046: more jobs came in the first history than their table has rows.
  Diagnostics told() const override;
  std::vector<Program*> programs() override;
  /// By number of the scheduler; of those that are not played nothing. As long as run_rounds() takes, the first time;
  /// Shockwave's plans may take seconds. They stay where they are from then on.
  /// @param give_up  asked between rounds and within plans; empty: nobody asks
  /// @throws GivenUp where it says so; whoever asks next begins anew
  const std::vector<ScheduledTrace>& schedules(const std::function<bool()>& give_up = {}) const;

 private:
  mutable RoundLog log_;
  mutable CostLog costs_, played_costs_;  ///< the latter where some are played and some are not
  mutable HistoryEnd end_, played_end_;
  mutable std::mutex working_;
  mutable bool worked_out_ = false;
  mutable std::vector<ScheduledTrace> schedules_;
};

}  // namespace ergode
