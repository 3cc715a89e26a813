#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "solvers/cluster/batch/job_attempt.h"
#include "solvers/cluster/gang/elastic_shares.h"
#include "solvers/cluster/gang/gang_hosts.h"
#include "solvers/cluster/gang/gang_job.h"
#include "solvers/cluster/gang/gang_line.h"
#include "solvers/cluster/gang/host_fronts.h"

namespace ergode {

/// What happened to a job.
struct GangEvent {
  enum class What : std::uint8_t { starts, stops, ends, fails };  ///< fails: it has lost a host, and waits again
  std::uint32_t job = 0;
  What what = What::starts;
};

/// Runs jobs that need all their GPUs at once on one cluster. Whoever owns it says who comes, in the order of time, and
/// at each moment first passes to it, then submits, then asks for decisions:
///
///     scheduler.pass(now_s, events);            // who is done now
///     scheduler.submit(7, job, now_s);          // who comes now
///     scheduler.decide(now_s, events);          // who starts now, and who is stopped for them
///     // ... and again at scheduler.next_s(), if nobody comes before
///
/// Numbers of jobs are the owner's; one may be used again when its job has ended.
///
/// A decision of fifo and sjf starts jobs in the order of their rank until one does not fit. srtf and las go through
/// everybody in the order of rank as it is when the decision begins. Who waits takes free GPUs; where he does not fit,
/// running jobs that rank behind him are released, the last first, until he does; where he does not even so, nobody is.
/// Who was released goes on undisturbed if in his turn his old GPUs are still free, else he starts elsewhere if he
/// fits, having been stopped, or waits. backfill gives the first in line the earliest time at which he fits when those
/// who run end; who is done by then may pass him, and who leaves him what he needs: of consolidated jobs the place that
/// he would get then, else enough GPUs, CPUs and memory.
///
/// Where hosts fail, a job on one that does loses what it has done since its last checkpoint, gives its other GPUs back
/// and waits again; nobody knows when a host comes back, so that whoever wants more than is there is passed by backfill
/// meanwhile. Who is stopped by a decision loses nothing.
///
/// A decision costs O(numbers of GPUs that somebody wants) for each that starts or is stopped, O(log sorts) for each
/// sort that is short of CPUs or memory, and O(log jobs); jobs are of one sort that want the same. backfill keeps what
/// it has found out of the first in line until another one is, and looks through those who are short or narrow enough.
/// Whether whole hosts can be had for somebody is asked host by host (HostFronts), before anybody is released.
class GangScheduler {
 public:
  explicit GangScheduler(GangOptions options);
  void reset(double now_s);
  /// Whether it fits on the empty cluster; who does not may not be submitted.
  bool can_ever_fit(const GangJob& job) const;
  void submit(std::uint32_t number, const GangJob& job, double now_s);
  double next_s();
  void pass(double now_s, std::vector<GangEvent>& events);
  void decide(double now_s, std::vector<GangEvent>& events);
  /// @name With GangOptions::hosts_fail; after pass() of this moment and before decide()
  /// O(GPUs of a host), and of drf and backfill O(waiting) for each job.
  /// @{
  void host_fails(std::uint32_t host, double now_s, std::vector<GangEvent>& events);
  void host_comes(std::uint32_t host);
  /// @}

  const GangOptions& options() const { return options_; }
  std::size_t present() const { return present_; }
  std::size_t running() const { return running_; }
  std::size_t waiting() const { return present_ - running_; }
  /// GPUs that jobs hold.
  std::uint32_t busy_gpus() const;
  std::uint32_t free_gpus() const { return options_.gpus - busy_gpus() - away_gpus(); }
  std::uint32_t away_gpus() const { return hosts_.away(); }  ///< of hosts that have failed
  /// Free GPUs while somebody waits and nobody who waits fits on them; 0 otherwise. O(sorts).
  std::uint32_t stranded_gpus();
  /// Where a job runs; until it starts again or its number is used again, where it ran last. None with equi.
  const std::vector<GangPiece>& place(std::uint32_t number) const { return known_[number].place; }
  /// How often it was stopped, and the GPU time that it had until it was stopped or ended [GPU s].
  std::uint32_t preemptions(std::uint32_t number) const { return known_[number].preemptions; }
  double gpu_time_s(std::uint32_t number) const { return known_[number].gpu_time_s; }
  /// How often it has lost a host, and the work that it lost so [s].
  std::uint32_t failures(std::uint32_t number) const { return known_[number].failures; }
  double lost_s(std::uint32_t number) const { return known_[number].lost_s; }

  template <typename Archive>
  void archive(Archive& a) {
    a(now_s_, arrivals_, before_, starts_, known_, shares_, away_);
  }
  /// After archive() of a reader.
  void rebuild();

 private:
  static constexpr std::uint64_t not_begun = std::uint64_t{1} << 63U, first_order = std::uint64_t{1} << 62U;
  struct Known {
    GangJob job;
    double left_s = 0.0;       ///< when it last started, or now if it waits
    double since_s = 0.0;      ///< when it last started or was stopped
    double work_from_s = 0.0;  ///< when its restart is over
    double end_s = 0.0;
    double attained_s = 0.0;  ///< of las: worked since it was promoted, when it last started, or now if it waits
    double next_s = 0.0;      ///< when it runs: its end, or when its queue changes; when it waits: its promotion
    double gpu_time_s = 0.0, lost_s = 0.0;
    std::uint64_t order = 0, begun = not_begun;  ///< place among those who came, among those who began
    std::uint32_t sort = 0, queue = 0, stamp = 0, preemptions = 0, failures = 0;
    bool present = false, runs = false;
    bool released = false;  ///< while a decision is made
    std::vector<GangPiece> place;
    template <typename Archive>
    void archive(Archive& a) {
      a(job, left_s, since_s, work_from_s, end_s, attained_s, next_s, gpu_time_s, lost_s, order, begun, sort, queue,
        stamp, preemptions, failures, present, runs, place);
    }
  };
  /// Somebody in a heap; stale when his stamp has changed.
  struct Ranked {
    double key = 0.0;
    std::uint64_t order = 0;
    std::uint32_t job = 0, stamp = 0;
    friend bool operator<(const Ranked& a, const Ranked& b) {
      return a.key != b.key ? a.key < b.key : a.order < b.order;
    }
    friend bool operator>(const Ranked& a, const Ranked& b) { return b < a; }
    friend bool operator==(const Ranked&, const Ranked&) = default;
  };
  static constexpr std::uint32_t nobody = ~0U;
  using Heap = std::vector<Ranked>;
  struct Sort {
    std::uint32_t gpus = 1;
    double cpus = 0.0, memory = 0.0;
    std::size_t waiting = 0;
    Heap heap;  ///< who waits, the first on top; not of backfill and drf
    std::uint32_t lane = 0;
    Ranked listed = {.job = nobody};  ///< its entry in the lane
    bool aside = false;               ///< nobody of it can be had room for by this decision
  };
  /// Of a sort: who is first in it.
  struct Front {
    Ranked rank;
    std::uint32_t sort = 0;
    friend bool operator>(const Front& a, const Front& b) { return a.rank > b.rank; }
  };
  /// Sorts of one number of GPUs, so that whoever is short of GPUs is passed over with all as wide or wider at once.
  struct Lane {
    std::uint32_t gpus = 1;
    std::vector<Front> heap;  ///< of sorts, the first on top; stale where it is not what the sort has listed
  };
  /// Who wants as much of everything is refused, too.
  struct Refusal {
    std::uint32_t gpus = 1;
    double cpus = 0.0, memory = 0.0;
    bool covers(const Sort& sort) const { return sort.gpus >= gpus && sort.cpus >= cpus && sort.memory >= memory; }
  };
  struct User {
    double cpus = 0.0, memory = 0.0;
    std::uint64_t gpus = 0;
    std::vector<std::uint32_t> line;
    std::size_t first = 0;
    bool asked = false;
  };

  static void push_first(Heap& heap, Ranked one);
  static void push_last(Heap& heap, Ranked one);
  void drop_stale(Heap& heap, bool first_on_top);
  Ranked waiting_rank(std::uint32_t number) const;
  Ranked running_rank(std::uint32_t number) const;

  std::uint32_t sort_of(const GangJob& job);
  bool fits(const Sort& sort) const { return fits(sort, hosts_, free_cpus_, free_memory_); }
  bool fits(const Sort& sort, const GangHosts& hosts, double cpus, double memory) const;
  void hold(const Known& job, double sign);
  /// @param before_all  where the order of arrival decides
  void wait(std::uint32_t number, bool before_all = false);
  void wait_again(std::uint32_t number, double now_s, bool before_all);
  /// Of what is left, without a restart.
  JobAttempt attempt(const Known& one) const {
    return {.work_s = one.left_s, .period_s = options_.checkpoint_period_s, .cost_s = options_.checkpoint_cost_s};
  }
  /// That it needs when it starts now.
  double time_left_s(const Known& one) const {
    return attempt(one).time_s() + (one.begun != not_begun ? options_.restart_s : 0.0);
  }
  void watch(std::uint32_t number);
  void plan_next(std::uint32_t number);
  void start(std::uint32_t number, double now_s, std::vector<GangEvent>& events);
  void stop(std::uint32_t number, double now_s, std::vector<GangEvent>& events);
  void fail(std::uint32_t number, double now_s, std::vector<GangEvent>& events);
  void let_go(std::uint32_t number);
  /// He runs where he ran last. Precondition: that is free.
  void go_on(std::uint32_t number);
  /// He runs on hosts that have been taken for him.
  void settle_in(std::uint32_t number);

  void decide_in_order(double now_s, std::vector<GangEvent>& events);
  void decide_preempting(double now_s, std::vector<GangEvent>& events);
  bool make_room(const Sort& sort, const Ranked& rank, double now_s);
  void pass_over(const Sort& refused);
  bool is_passed(const Sort& sort) const;
  /// The sorts that were set aside are back in their lanes.
  void end_decision();
  static HostFronts::Rank front_of(const Ranked& one) { return {one.key, one.order}; }
  bool is_behind(const Ranked& rank, const HostFronts::Rank& runs, double now_s) const;
  bool may_have_hosts(const Sort& sort, const Ranked& rank, double now_s);
  void decide_backfill(double now_s, std::vector<GangEvent>& events);
  void plan_first(double now_s);
  void pass_first(double now_s, std::vector<GangEvent>& events);
  void decide_by_users(double now_s, std::vector<GangEvent>& events);
  Sort* first_sort();
  /// The sort whose first ranks first in a lane, of those who are not passed over; null: there is none.
  const Front* first_of(Lane& lane);
  void push_waiting(std::uint32_t sort, Ranked one);
  /// Its first is in its lane.
  void list(std::uint32_t sort);

  GangOptions options_;
  GangHosts hosts_;
  GangHosts empty_;  ///< as hosts_ when nobody is there
  ElasticShares shares_;
  double now_s_ = 0.0, free_cpus_ = 0.0, free_memory_ = 0.0;
  std::uint64_t arrivals_ = first_order, before_ = first_order, starts_ = 0;
  std::size_t present_ = 0, running_ = 0;
  std::vector<Known> known_;
  std::vector<Sort> sorts_;
  std::vector<Lane> lanes_;
  std::map<std::uint32_t, std::uint32_t> lane_number_;  ///< by GPUs
  std::map<std::tuple<std::uint32_t, double, double>, std::uint32_t> sort_number_;
  Heap due_;                                         ///< by next_s
  Heap last_;                                        ///< of preempting policies: who runs, the last in rank on top
  bool short_of_gpus_ = false;                       ///< why make_room() did not
  bool by_hosts_ = false;                            ///< consolidated and preempting:
  HostFronts fronts_;                                ///< who runs on which host
  GangLine line_;                                    ///< of backfill
  std::vector<User> users_;                          ///< of drf
  std::vector<char> away_;                           ///< by host
  std::vector<std::vector<std::uint32_t>> on_host_;  ///< who runs there, where hosts fail
  /// Of backfill: when the first in line can start, and what is free then without him.
  struct Plan {
    std::uint32_t job = ~0U, stamp = 0;
    double at_s = 0.0, cpus = 0.0, memory = 0.0;
    GangHosts hosts;
  };
  Plan plan_;
  /// Of a decision: who wants so many GPUs is refused, and who is refused for another reason.
  std::uint32_t refused_gpus_ = nobody;
  std::vector<Refusal> refusals_;
  std::vector<std::uint32_t> aside_;
  /// Room for a decision.
  std::vector<std::uint32_t> released_, freed_, kept_, ended_;
  std::vector<GangPiece> held_, promised_;
  Heap popped_;
};

}  // namespace ergode
