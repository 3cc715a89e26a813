#pragma once
#include "solvers/cluster/running/round_part.h"

namespace ergode {

/// Schedules while they are played, of those that are (Scheduler::played()): a timer for each scheduler, which goes off
/// whenever a job comes or ends or a round begins or ends. Without memory but the place in each.
class RunningRounds : public RunningPart {
 public:
  /// @param log  what the first replication spends is told to it; outlives this
  RunningRounds(const RoundPart& part, World& world, CostLog& log, HistoryEnd& history_end);
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t replication) override;
  bool settle() override;
  void end(double end_s) override {
    if (logs_) end_.reach(this, end_s), log_.end(this, end_s);
  }
  void fire(std::uint32_t timer) override;
  void heed(const std::function<bool()>& give_up) override { give_up_ = give_up; }
  void save(ByteWriter& into) const override { into(next_, begun_); }
  void restore(ByteReader& from, std::uint64_t) override;
  void waiting(std::vector<Waiting>& out) const override;
  void active(std::set<ElementId>& out) const override;

 private:
  enum class What : std::uint8_t { round_ends, job_ends, job_comes, round_begins };  ///< in this order at one moment
  struct Step {
    double at_s = 0.0;
    What what = What::round_ends;
    std::uint32_t number = 0;  ///< of the job or the round
  };
  /// Schedules are worked out by the first history that begins. @throws GivenUp
  void make_schedules();
  std::vector<Step> steps_of(std::uint32_t scheduler) const;
  void take(std::uint32_t scheduler, const Step& step);
  void job_ends(std::uint32_t scheduler, std::uint32_t job);
  void round_ends(std::uint32_t scheduler, std::uint32_t round);
  /// So many GPUs are in a round from now on.
  void use(std::uint32_t scheduler, double gpus, double jobs);

  const RoundPart& part_;
  World& world_;
  CostLog& log_;
  HistoryEnd& end_;
  bool logs_ = false;  ///< this replication
  std::uint32_t first_;
  bool begun_ = false;
  std::function<bool()> give_up_;
  const std::vector<ScheduledTrace>* made_ = nullptr;  ///< null: nothing has begun
  std::vector<std::vector<Step>> steps_;               ///< by scheduler
  std::vector<std::vector<double>> busy_gpu_s_;        ///< by scheduler and round: GPU time of all rounds until its end
  std::vector<std::uint64_t> next_;                    ///< of these
};

}  // namespace ergode
