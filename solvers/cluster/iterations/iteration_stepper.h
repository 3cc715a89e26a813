#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "solvers/cluster/iterations/iteration_schedule.h"

namespace ergode {

/// What becomes of a job.
struct IterationEvent {
  enum class What : std::uint8_t { ends, loses_gpus };
  What what = What::ends;
  std::uint32_t job = 0;  ///< number
  double lost_s = 0.0;    ///< what it had computed since it saved last, as time of an iteration of one worker
};

/// Runs iterations moment by moment: jobs come and GPUs go when its owner says so.
///
///     jobs.submit(number, job, row, now_s);             // whoever comes now
///     jobs.pass(now_s, events), jobs.decide(now_s);     // what is due, then who computes
///     next = jobs.next_s();                             // at which to do both again
///
/// A job whose GPU goes loses the iteration that it is in and what it has done since it saved last, leaves its other
/// GPUs and waits again. Pieces of others that were packed behind its own keep their time. It saves after the iteration
/// by which it has worked for `checkpoint_period_s` (of full iterations): until that is written it computes nothing; of
/// jobs that have GPUs alone these stand, others may compute there. What is interrupted while it is written does not
/// count. Where it has GPUs again it restarts for `restart_s`, likewise. A job that has GPUs alone until it is done
/// (fifo_gang) keeps them before those who lost theirs.
///
/// Ends are sums of iterations and have their rounding: one that ends by it alone after its GPUs go has ended.
///
/// Numbers of jobs that ended may be given again. One thread. pass() and decide() cost O(k log k + jobs) an iteration.
class IterationStepper {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  explicit IterationStepper(const IterationOptions& options);
  /// Nobody is here, all GPUs are.
  void reset();
  /// @param number  from 0, of nobody who is here
  /// @param row     by which its pieces are told
  void submit(std::uint32_t number, const IterationJob& job, std::uint32_t row, double now_s);
  /// Iterations that end now do so. Moments must not be left out.
  void pass(double now_s, std::vector<IterationEvent>& events);
  void decide(double now_s);
  /// When something is due next; never: nothing is.
  double next_s() const;
  /// GPUs from `first` on go, or come back. Precondition: they are there, or not.
  void gpus_go(std::uint32_t first, std::uint32_t count, double now_s, std::vector<IterationEvent>& events);
  void gpus_come(std::uint32_t first, std::uint32_t count, double now_s);

  /// What a job has had until now; of one that ended, whose number was not given again, in all.
  IterationOutcome outcome(std::uint32_t number, double now_s) const;
  /// GPUs that a job who is here has: shared ones until it ends, others while it computes or pauses on them.
  std::uint32_t gpus_of(std::uint32_t number) const {
    const Job& one = state_[number];
    return shares_gpus() || one.busy != Busy::no ? static_cast<std::uint32_t>(one.gpus.size()) : 0U;
  }
  /// GPU time that all jobs together have computed until now [s]. O(pieces that were begun).
  double gpu_s(double now_s) const;
  /// GPUs that compute now.
  std::uint32_t computing(double now_s) const;
  double bytes() const { return bytes_; }  ///< gradients of iterations that ended
  double peak_memory_bytes() const { return peak_memory_bytes_; }
  std::uint64_t iterations() const { return iterations_; }
  std::vector<IterationSpan>& spans() { return spans_; }

  template <typename Archive>
  void archive(Archive& a) {
    a(state_, free_s_, down_, resident_, waiting_, present_, ends_, freed_, now_s_, order_, gpu_s_, bytes_,
      peak_memory_bytes_, iterations_);
  }

 private:
  /// A piece of the iteration that a job is in.
  struct Piece {
    std::uint32_t gpu = 0;
    double start_s = 0.0, end_s = 0.0, bytes = 0.0;
    double held_s = 0.0;  ///< until when its GPU does nothing else
    template <typename Archive>
    void archive(Archive& a) {
      a(gpu, start_s, end_s, bytes, held_s);
    }
  };
  enum class Busy : std::uint8_t { no, iteration, saving, restarting };
  struct Job {
    IterationJob its;
    std::uint32_t row = 0;
    std::uint64_t order = 0;                         ///< among all who came
    std::vector<double> phi;                         ///< of worker 0 ... k - 1 in iteration 0
    std::vector<std::uint32_t> gpus;                 ///< those that it may use, or had; empty: it waits
    std::vector<Piece> pieces;                       ///< of the iteration that it is in
    std::uint64_t done = 0, saved = 0, save_at = 0;  ///< iterations; save_at: so many more after `saved`
    Busy busy = Busy::no;
    double due_s = 0.0;       ///< when its iteration ends
    std::uint32_t stamp = 0;  ///< of what it does
    bool begun = false, ended = false, again = false;
    double attained_s = 0.0;  ///< GPU time, also of what is still to come of an iteration
    IterationOutcome outcome;
    template <typename Archive>
    void archive(Archive& a) {
      auto doing = static_cast<std::uint8_t>(busy);
      a(its, row, order, phi, gpus, pieces, done, saved, save_at, doing, due_s, stamp, begun, ended, again, attained_s,
        outcome);
      busy = static_cast<Busy>(doing);
    }
  };
  struct Due {
    double at_s = 0.0;
    std::uint32_t job = 0, stamp = 0;
    friend bool operator>(const Due& a, const Due& b) { return a.at_s != b.at_s ? a.at_s > b.at_s : a.job > b.job; }
    template <typename Archive>
    void archive(Archive& a) {
      a(at_s, job, stamp);
    }
  };
  /// How an iteration would lie: its pieces and what they leave idle.
  struct Packing {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces;  ///< worker and GPU
    double idle_s = 0.0;
  };

  bool shares_gpus() const {
    return options_.policy == IterationPolicy::jigsaw || options_.policy == IterationPolicy::time_slicing;
  }
  bool partial() const { return options_.partial && options_.policy == IterationPolicy::jigsaw; }
  bool free_now(std::uint32_t gpu) const { return down_[gpu] == 0 && free_s_[gpu] <= now_s_; }
  double share(const Job& one, std::uint32_t worker) const {
    const auto k = static_cast<std::uint64_t>(one.phi.size());
    return options_.rotate ? one.phi[(worker + one.done) % k] : one.phi[worker];
  }
  bool fits(std::uint32_t gpu, std::uint32_t job) const;
  void pack(std::uint32_t job, Packing& out);
  void admit();
  void accept(std::uint32_t job, const Packing& packing);
  void dispatch_shared();
  void dispatch_exclusive();
  /// It computes nothing for a time; GPUs that it has alone stand.
  void pause(std::uint32_t job, Busy why, double time_s);
  void iteration_ends(std::uint32_t job, std::vector<IterationEvent>& events);
  bool ends_now(const Job& one) const;
  void settle_pieces(Job& one, double now_s);
  void loses_gpus(std::uint32_t job, std::vector<IterationEvent>& events);
  void wait_again(std::uint32_t job);
  double held_by_others_s(std::uint32_t gpu) const;

  IterationOptions options_;
  std::vector<Job> state_;                            ///< by number
  std::vector<double> free_s_;                        ///< by GPU
  std::vector<std::uint8_t> down_;                    ///< by GPU
  std::vector<std::vector<std::uint32_t>> resident_;  ///< by GPU: jobs
  std::vector<std::uint32_t> waiting_, present_;      ///< not let in yet; let in, in the order of arrival
  std::vector<Due> ends_;                             ///< heaps, the earliest first
  std::vector<double> freed_;
  double now_s_ = 0.0;
  std::uint64_t order_ = 0;
  double gpu_s_ = 0.0, bytes_ = 0.0, peak_memory_bytes_ = 0.0;
  std::uint64_t iterations_ = 0;
  std::vector<IterationSpan> spans_;
  // Room for a decision.
  std::vector<std::uint32_t> candidates_, workers_, gpus_;
  std::vector<Packing> packings_;
};

}  // namespace ergode
