#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/des/running_part.h"
#include "core/random/random_stream.h"
#include "solvers/cluster/budget/cluster_shares.h"
#include "solvers/cluster/model/rental_model.h"
#include "solvers/cluster/running/blended_price.h"
#include "solvers/cluster/running/gpu_hold.h"
#include "solvers/cluster/running/job_progress.h"
#include "solvers/cluster/running/rental_job_log.h"
#include "solvers/cluster/running/spend_log.h"

namespace ergode {

/// Rentals while they run. One timer for each stream of jobs (the next that comes), then one for each rental (what
/// happens next to one of its jobs).
///
/// Each job of a rental with fixed widths waits for what happens to it next in a heap, O(log jobs) an event. Where a
/// cluster is shared, all jobs there are looked at whenever one comes, goes, or is looked at itself: O(jobs) an event,
/// and O(jobs log jobs) with hesrpt, whose ranks hold until then.
///
/// Spot GPUs of a job are called back at random or by a law; a rate that changes is looked up for all jobs, O(jobs log
/// jobs). A job whose GPUs are taken waits, and asks anew for as many.
///
/// Arrivals, sizes, widths, failures, interruptions and waits are drawn from streams of their own for each stream of
/// jobs, so that policies, budgets, contracts and failures see the same jobs (common random numbers).
///
/// At most `most_jobs` at one time (RUN002): an overloaded cluster is noticed before memory is.
class RunningRentals : public RunningPart {
 public:
  static constexpr std::size_t most_jobs = 1'000'000;

  /// @param log, jobs  what the first replication spends, and its jobs, are told to them; outlive this
  RunningRentals(const RentalModel& model, World& world, std::uint64_t seed, SpendLog& log, RentalJobLog& jobs);
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t replication) override;
  void fire(std::uint32_t timer) override;
  void woken(std::uint32_t reader) override;
  bool settle() override;
  void end(double end_s) override;
  void save(ByteWriter& into) const override;
  void restore(ByteReader& from, std::uint64_t path) override;
  void waiting(std::vector<Waiting>& out) const override;
  void active(std::set<ElementId>& out) const override;

 private:
  using Stream = RentalModel::Stream;
  using Rental = RentalModel::Rental;
  struct Job {
    JobProgress progress;
    GpuHold hold;  ///< of a width of its own
    double came_s = 0.0, width = 0.0;
    double paid = 0.0;     ///< for what it has given back [USD]
    double lost_s = 0.0;   ///< work, as its time on one GPU
    double alone_s = 0.0;  ///< that its work takes on its GPUs, or on all of a cluster
    std::uint32_t stream = 0, interruptions = 0, failures = 0;
    bool hold_is_next = false;                 ///< what happens next happens to its GPUs
    std::uint32_t row = RentalJobLog::no_row;  ///< of the table; not of a saved state
    template <typename Archive>
    void archive(Archive& a) {
      a(progress, hold, came_s, width, paid, lost_s, alone_s, stream, interruptions, failures, hold_is_next);
    }
  };
  /// What happens next to a job with a width of its own; of equal times the job that came first.
  struct Due {
    double at_s = 0.0;
    std::uint64_t order = 0;
    std::uint32_t job = 0;
    template <typename Archive>
    void archive(Archive& a) {
      a(at_s, order, job);
    }
    friend bool operator>(const Due& a, const Due& b) { return a.at_s != b.at_s ? a.at_s > b.at_s : a.order > b.order; }
  };
  struct State {
    std::vector<Job> jobs;            ///< of fixed widths with gaps; of a cluster in the order in which they came
    std::vector<std::uint32_t> gaps;  ///< places in `jobs` that are free
    std::vector<Due> due;             ///< heap, the earliest first
    std::uint64_t came = 0;
    std::uint32_t next = 0;               ///< of a cluster: the job to which something happens next
    std::uint64_t holders = 0;            ///< jobs of fixed widths that have GPUs,
    double reserved = 0.0, beyond = 0.0;  ///< and these, by what each of them was given
    BlendedPrice price;                   ///< of a GPU in use, where reserved ones are a matter of the bill
    template <typename Archive>
    void archive(Archive& a) {
      a(jobs, gaps, due, came, next, holders, reserved, beyond, price);
    }
  };
  /// Draws of one stream of jobs.
  struct Draws {
    RandomStream gaps, sizes, widths, failures, interruptions, waits;
  };

  void restart_draws(std::uint64_t replication);
  void await_job(std::uint32_t stream);
  void job_comes(std::uint32_t stream);
  void something_happens(std::uint32_t rental);
  void happens(std::uint32_t rental, Job& job, JobProgress::Happens what);
  void leaves(std::uint32_t rental, const Job& job);
  /// What it has had and paid so far; its progress was worked out until now. @param now_s  [s]
  RentalJobLog::Done so_far(std::uint32_t rental, const Job& job, double now_s) const;
  void await_event(std::uint32_t rental);
  double width_of(std::uint32_t stream);
  void add(std::uint32_t slot, double more) { world_.set(slot, world_.slots()[slot] + more); }
  void add_due(std::uint32_t rental, std::uint32_t place);
  double next_s(std::uint32_t rental, Job& job) const;
  /// @param in_use  GPUs that jobs have
  void note_spend(std::uint32_t rental, double in_use);

  /// @name GPUs of one job (contract_jobs.cpp)
  /// @{
  /// Asks for them. @returns how long they take to start up [s]
  double take_gpus(std::uint32_t rental, Job& job);
  void give_gpus_back(std::uint32_t rental, Job& job);
  void count_gpus(std::uint32_t rental, std::uint32_t stream, double more);
  /// What it has come to since the job got them [USD]. @param now_s  [s]
  double cost_of(std::uint32_t rental, const GpuHold& hold, double now_s) const;
  double hazard(const Rental& rental, const Job& job) const;
  void hold_changes(std::uint32_t rental, Job& job);
  void gpus_are_taken(std::uint32_t rental, Job& job);
  void follow_rate(std::uint32_t rental);
  /// @}

  /// @name Where a cluster is shared
  /// @{
  void pass_all(std::uint32_t rental);
  void divide(std::uint32_t rental);
  void divide_by_size(const Rental& rental, State& state);
  void divide_greedily(const Rental& rental, State& state);
  /// @}

  const RentalModel& model_;
  World& world_;
  std::uint32_t first_;
  SpendLog& log_;
  RentalJobLog& job_log_;
  bool logs_ = false;                ///< this replication
  std::vector<std::uint64_t> keys_;  ///< six for each stream of jobs
  std::vector<Draws> draws_;
  std::vector<JobRules> rules_;  ///< by rental
  std::vector<State> states_;
  std::vector<std::uint64_t> holders_;  ///< by stream: jobs that have GPUs of their own
  bool begun_ = false;
  // Room for a division; nothing is kept here.
  std::vector<std::uint32_t> ranked_;
  std::vector<double> shares_;
  std::vector<AlikeJobs> alike_;
};

}  // namespace ergode
