#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/des/running_part.h"
#include "core/random/random_stream.h"
#include "solvers/cluster/gang/gang_hosts.h"
#include "solvers/cluster/model/round_model.h"
#include "solvers/cluster/rounds/round_stepper.h"
#include "solvers/cluster/rounds/shockwave_planner.h"
#include "solvers/cluster/running/cost_log.h"
#include "solvers/cluster/running/failing_hosts.h"
#include "solvers/cluster/running/history_end.h"
#include "solvers/cluster/running/round_log.h"

namespace ergode {

/// Round schedulers to which jobs come that nobody knows before, or whose hosts fail, while they run: all that are not
/// played(). A timer for each stream of jobs (the next that comes), and for each scheduler one at which a job of its
/// own trace comes, one at which a job of the round is done, one at which a host fails or is repaired, and last one at
/// which a round ends and the next begins: whatever happens at one moment has happened by then.
///
/// Where hosts fail, who runs has a place on them: where it was in the round before, else as GangHosts has it, in the
/// order in which jobs are taken.
///
/// Gaps, sizes and GPUs are drawn from streams of their own for each stream of jobs, so that policies see the same
/// jobs. At most `most_jobs` at one time (RUN002).
class LiveRounds : public RunningPart {
 public:
  static constexpr std::size_t most_jobs = 1'000'000;

  LiveRounds(const RoundModel& model, World& world, std::uint64_t seed, RoundLog& log, CostLog& costs,
             HistoryEnd& history_end);
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t replication) override;
  void fire(std::uint32_t timer) override;
  void woken(std::uint32_t reader) override;
  bool settle() override;
  void end(double end_s) override;
  void heed(const std::function<bool()>& give_up) override;
  void save(ByteWriter& into) const override;
  void restore(ByteReader& from, std::uint64_t path) override;
  void waiting(std::vector<Waiting>& out) const override;
  void active(std::set<ElementId>& out) const override;

 private:
  using Stream = RoundModel::Stream;
  using Scheduler = RoundModel::Scheduler;
  struct Job {
    RoundJob job;
    double exclusive_s = 0.0, born_s = 0.0;
    double present_s = 0.0;  ///< State::present_s when it came
    double held_gpu_s = 0.0;
    std::uint32_t stream = RoundModel::none;
    bool done = false;
    std::uint32_t restarts = 0;
    double lost_s = 0.0;           ///< work, so far
    std::vector<GangPiece> place;  ///< where hosts fail: in this round
    template <typename Archive>
    void archive(Archive& a) {
      a(job, exclusive_s, born_s, present_s, held_gpu_s, stream, done, restarts, lost_s, place);
    }
  };
  struct End {
    double at_s = 0.0;
    std::uint32_t number = 0;
    template <typename Archive>
    void archive(Archive& a) {
      a(at_s, number);
    }
  };
  struct State {
    State(const Scheduler& one, std::uint64_t seed);
    std::unique_ptr<ShockwavePlanner> planner;  ///< null: shares decide
    RoundStepper stepper;
    FailingHosts hosts;
    GangHosts places;                    ///< of those who run, where hosts fail
    std::map<std::uint32_t, Job> jobs;   ///< by number, until the round is over in which they are done
    std::vector<std::uint32_t> pending;  ///< who came since the last round began
    std::vector<std::uint32_t> round;    ///< who has GPUs in this round
    std::vector<End> ends;               ///< of jobs in this round, the next last
    std::uint32_t came = 0;
    double first_s = -1.0;                     ///< arrival
    double present_s = 0.0, present_at = 0.0;  ///< jobs present times time until then
    bool in_round = false;
    void leave(Job& job) {
      places.release(job.place);
      job.place.clear();
    }
    void clear(std::size_t logged);
    void save(ByteWriter& into) const;
    void restore(ByteReader& from, const Throughputs& speeds);
  };
  struct Draws {
    RandomStream gaps, sizes, gpus;
  };

  std::uint32_t trace_timer(std::uint32_t scheduler) const;
  std::uint32_t end_timer(std::uint32_t scheduler) const;
  std::uint32_t host_timer(std::uint32_t scheduler) const;
  std::uint32_t round_timer(std::uint32_t scheduler) const;
  void restart_draws(std::uint64_t replication);
  void await_job(std::uint32_t stream);
  void await_traced(std::uint32_t scheduler);
  RoundJob next_job(std::uint32_t stream, const double* customer);
  RoundJob drawn_job(const Stream& one, Draws& draws, const double* customer) const;
  void job_comes(std::uint32_t stream, const double* customer = nullptr);
  void traced_job_comes(std::uint32_t scheduler);
  void comes(std::uint32_t scheduler, std::uint32_t stream, RoundJob job, std::uint32_t place, double born_s);
  void jobs_end(std::uint32_t scheduler);
  void job_ends(std::uint32_t scheduler, std::uint32_t number);
  void await_end(std::uint32_t scheduler);
  void begin_hosts(std::uint32_t scheduler);
  void await_host(std::uint32_t scheduler);
  void host_changes(std::uint32_t scheduler, std::uint32_t host);
  void host_goes(std::uint32_t scheduler, std::uint32_t host);
  void job_loses_host(std::uint32_t scheduler, std::uint32_t number);
  void take_places(std::uint32_t scheduler);
  void turn(std::uint32_t scheduler);
  void round_ends(std::uint32_t scheduler);
  void round_begins(std::uint32_t scheduler);
  /// What those of the round have now.
  void use(std::uint32_t scheduler);
  void pay(std::uint32_t scheduler, std::uint32_t number, Job& job, double until_s);
  void count_present(State& state, std::uint32_t scheduler) const;
  void add(std::uint32_t slot, double more) { world_.set(slot, world_.slots()[slot] + more); }
  std::uint32_t class_of(const Job& job) const {
    return job.stream == RoundModel::none ? 0 : model_.streams[job.stream].of_class;
  }

  const RoundModel& model_;
  World& world_;
  std::uint32_t first_;
  std::vector<std::uint64_t> keys_;  ///< three for each stream of jobs
  std::vector<Draws> draws_;
  std::vector<std::size_t> next_, next_traced_;  ///< place in the trace of a stream, of a scheduler
  RoundLog& log_;
  CostLog& costs_;
  HistoryEnd& end_;
  bool logs_ = false;  ///< the first history is written down; one that is resumed from a saved state is not
  std::vector<std::unique_ptr<State>> states_;  ///< by scheduler; null: it is played
  HostConditions conditions_;
  bool begun_ = false;
  std::function<bool()> give_up_;
  std::vector<double> handed_;  ///< room for those who are handed over
};

}  // namespace ergode
