#pragma once
#include "solvers/cluster/running/iteration_part.h"

namespace ergode {

/// Schedules of iterations while they are played: a timer for each scheduler, which goes off whenever a job comes or
/// ends. Without memory but the place in each.
class RunningIterations : public RunningPart {
 public:
  RunningIterations(const IterationPart& part, World& world, HistoryEnd& history_end);
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t replication) override;
  void fire(std::uint32_t timer) override;
  void end(double end_s) override {
    if (logs_) end_.reach(this, end_s);
  }
  void save(ByteWriter& into) const override { into(next_, sum_s_); }
  void restore(ByteReader& from, std::uint64_t) override { from(next_, sum_s_), logs_ = false; }
  void waiting(std::vector<Waiting>& out) const override;
  void active(std::set<ElementId>& out) const override;

 private:
  struct Step {
    double at_s = 0.0;
    bool ends = false;
    std::uint32_t job = 0;
  };
  void take(std::uint32_t scheduler, const Step& step);

  const IterationPart& part_;
  HistoryEnd& end_;
  bool logs_ = false;  ///< this replication
  World& world_;
  std::uint32_t first_;
  std::vector<std::vector<Step>> steps_;  ///< by scheduler
  std::vector<std::uint64_t> next_;       ///< of these
  std::vector<double> sum_s_;             ///< of the completion times of the jobs done
};

}  // namespace ergode
