#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/des/running_part.h"
#include "solvers/cluster/model/fleet_model.h"
#include "solvers/cluster/running/cost_log.h"
#include "solvers/cluster/running/fleet_job_log.h"
#include "solvers/cluster/running/history_end.h"

namespace ergode {

/// Fleets of GPUs while they run. One timer for each stream of jobs (the next that comes), one for each fleet (the next
/// job that leaves its GPUs), and last one for each fleet at which jobs are placed: whatever happens at one moment has
/// happened by then. A replication draws the GPUs anew, from a stream of their own, so that policies see the same GPUs
/// and the same jobs.
///
/// At most `most_jobs` at one time (RUN002).
class RunningFleet : public RunningPart {
 public:
  static constexpr std::size_t most_jobs = 1'000'000;

  RunningFleet(const FleetModel& model, World& world, std::uint64_t seed, CostLog& log, FleetJobLog& jobs,
               HistoryEnd& history_end);
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t replication) override;
  void fire(std::uint32_t timer) override;
  void woken(std::uint32_t reader) override;
  bool settle() override;
  void end(double end_s) override {
    if (logs_) end_.reach(this, end_s), log_.end(this, end_s);
  }
  void save(ByteWriter& into) const override;
  void restore(ByteReader& from, std::uint64_t path) override;
  void waiting(std::vector<Waiting>& out) const override;
  void active(std::set<ElementId>& out) const override;

 private:
  using Stream = FleetModel::Stream;
  using Fleet = FleetModel::Fleet;
  struct Job {
    double submit_s = 0.0, run_s = 0.0, slowdown = 1.0;
    std::uint32_t stream = 0;
    std::vector<std::uint32_t> gpus;          ///< empty while it waits
    double born_s = 0.0;                      ///< when it became part of the model
    std::uint32_t row = FleetJobLog::no_row;  ///< of the table; not of a saved state
    template <typename Archive>
    void archive(Archive& a) {
      a(submit_s, run_s, slowdown, stream, gpus, born_s);
    }
  };
  /// When a job leaves; of equal times in the order of their starts.
  struct End {
    double at_s = 0.0;
    std::uint64_t order = 0;
    std::uint32_t job = 0;
    template <typename Archive>
    void archive(Archive& a) {
      a(at_s, order, job);
    }
    friend bool operator>(const End& a, const End& b) { return a.at_s != b.at_s ? a.at_s > b.at_s : a.order > b.order; }
  };
  struct State {
    std::optional<FleetScheduler> scheduler;
    std::vector<Job> jobs;            ///< by number; with gaps
    std::vector<std::uint32_t> gaps;  ///< numbers that are free
    std::vector<End> ends;            ///< heap, the earliest first
    std::uint64_t started = 0;
    double first_s = -1.0;                    ///< of the first arrival; below 0: none yet
    double gpu_s = 0.0, since_s = 0.0;        ///< GPU time that jobs had until `since`
    double response_s = 0.0, slowdown = 0.0;  ///< sums over the jobs done
    template <typename Archive>
    void archive(Archive& a) {
      a(jobs, gaps, ends, started, first_s, gpu_s, since_s, response_s, slowdown);
    }
  };

  std::uint32_t end_timer(std::uint32_t fleet) const;
  std::uint32_t ask_timer(std::uint32_t fleet) const;
  void run_baseline(std::uint32_t fleet);
  void await_job(std::uint32_t stream);
  /// @param customer  what is handed over of him; null: he comes by the stream's own law
  void job_comes(std::uint32_t stream, const double* customer = nullptr);
  bool take_customers();
  void jobs_leave(std::uint32_t fleet);
  void job_done(std::uint32_t fleet, std::uint32_t number);
  void ask(std::uint32_t fleet);
  void add(std::uint32_t slot, double more) { world_.set(slot, world_.slots()[slot] + more); }
  void take_gpus(std::uint32_t fleet, const Stream& stream, double gpus);
  void note_costs(std::uint32_t fleet);

  const FleetModel& model_;
  World& world_;
  std::uint64_t seed_;
  std::uint32_t first_;
  std::vector<FleetDraws> draws_;
  std::vector<RandomStream> placements_;  ///< by fleet
  std::vector<std::uint64_t> next_;       ///< by stream: jobs that have come
  std::vector<State> states_;
  std::uint64_t replication_ = 0;
  bool begun_ = false;
  CostLog& log_;
  FleetJobLog& job_log_;
  HistoryEnd& end_;
  bool logs_ = false;                             ///< the first history is written down; one that is resumed is not
  std::vector<FleetScheduler::Started> started_;  ///< room for a dispatch
  std::vector<double> handed_;                    ///< room for those who are handed over
};

}  // namespace ergode
