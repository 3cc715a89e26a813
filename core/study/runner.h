#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/results/result_set.h"
#include "core/study/measure_spec.h"
#include "core/study/precision_goals.h"
#include "core/study/solver.h"
#include "core/study/tallies.h"

namespace ergode {

/// How a worker's replication ended.
enum class ReplicationEnd {
  whole,     ///< Counted.
  given_up,  ///< `give_up` was set; what it tallied is thrown away with its batch.
};

/// Runs replications one after the other on one thread; owns everything that moves. Made on the thread that uses it.
/// Between two calls of run() it may keep memory and tables, but no state that a result depends on.
class ReplicationWorker {
 public:
  virtual ~ReplicationWorker() = default;
  /// Runs one whole replication and adds it to `into`. What it does must depend on `replication` alone, never on what
  /// ran before it on this worker.
  ///
  /// A replication that may take longer than about 0.2 s polls `give_up` (a relaxed load, say every 1,000 events) and
  /// returns given_up once it is set. An exception ends the run as failed.
  /// `into.replications` is the runner's to count.
  virtual ReplicationEnd run(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) = 0;
};

/// A compiled model and its measures: const, shared by all threads, outlives the run.
///
///     class Coins : public ReplicationSource {
///       std::unique_ptr<ReplicationWorker> make_worker() const override { return std::make_unique<CoinWorker>(); }
///       std::span<const MeasureSpec> measures() const override { return specs_; }
///       std::string identity() const override { return "coins, seed " + std::to_string(seed_); }
///     };
///     RunControl control;
///     const RunOutcome outcome = run_replications(coins, {.max_replications = 10000}, 0, control, nullptr);
class ReplicationSource {
 public:
  virtual ~ReplicationSource() = default;
  /// A worker for the calling thread; called by several threads at once. An exception ends the run as failed.
  virtual std::unique_ptr<ReplicationWorker> make_worker() const = 0;
  /// In the order of Tallies::measures; the same whenever asked.
  virtual std::span<const MeasureSpec> measures() const = 0;
  /// How many sums beside the measures a worker adds to (Tallies::sums).
  virtual std::size_t sums() const { return 0; }
  /// Whether intervals made of these tallies can be trusted: no run ends by its precision before that.
  virtual bool trusted(const Tallies&) const { return true; }
  /// What to say to somebody who has waited so long [s] for the first replication to end; nothing: that it goes on, or
  /// ends soon. Asked again until there is something.
  virtual std::optional<Diagnostic> late(double) const { return std::nullopt; }
  /// How much of its mission the replication under way has behind it, 0 to 1; NaN: not known.
  virtual double share_under_way() const { return std::numeric_limits<double>::quiet_NaN(); }
  /// Everything beside the model that replications depend on: method, seed, its settings. Two sources of one model with
  /// one identity make the same replications, so that a saved state of one is continued by the other.
  virtual std::string identity() const = 0;
};

/// When enough replications were made. Whichever comes first; a run without any limit goes on until it is cancelled.
/// Asked between batches, in their order, never within one.
struct StoppingRule {
  std::uint64_t max_replications = 0;  ///< 0: no limit.
  /// Stop when every measure that is waited for is so precise (awaited_precisions()). Asked from `min_replications` on;
  /// below `enough_replications` they must be precise, go on to be so for 30 % more replications, and are precise
  /// still, as in one long run (SequentialPrecision): who stops at the first look that is good enough stops more often
  /// while an interval is narrow by chance, and few replications make that likely. So models whose replications are
  /// long need not make a thousand. A measure never seen (estimate 0) keeps the run going (unchanged_is_known()); where
  /// it alone does so, RunControl::tell() gets RUN042 after ten times `min_replications` and 3 s, once.
  PrecisionGoals precision = {};
  std::optional<double> wall_time_s = {};  ///< Time paused does not count. Not repeatable, as the machine decides.
  double confidence = 0.95;                ///< in (0, 1), of the intervals whose widths are compared
  std::uint64_t min_replications = 30;
  std::uint64_t enough_replications = 1000;
};

/// The rule that a request stands for. A precision, of the request or of a measure of the model, or a time limit alone
/// leaves the number of replications open; whoever gives a number means it.
/// @param specs         of the measures that will be answered
/// @param replications  made when nothing limits the run
StoppingRule stopping_rule(const RunRequest& request, std::span<const MeasureSpec> specs, std::uint64_t replications);

/// The estimate of one measure in its unit after so many replications.
struct ConvergencePoint {
  std::uint64_t replications = 0;
  double estimate = 0.0, lower = 0.0, upper = 0.0;

  template <typename Archive>
  void archive(Archive& a) {
    a(replications, estimate, lower, upper);
  }
};

/// What a run has come to, between two merges or at its end.
struct RunOutcome {
  Tallies tallies;          ///< Of replications 0 ... tallies.replications - 1, every one of them whole.
  std::string stop_reason;  ///< "replications", "precision", "wall_time", "cancelled", or the error text.
  RunStatus status = RunStatus::complete;  ///< partial: cancelled; failed: a worker threw.
  std::optional<Diagnostic> late;          ///< What was told while the first replication did not end.
  std::string error;                       ///< What was thrown, with the number of the replication; else empty.
  std::vector<std::vector<ConvergencePoint>> convergence;  ///< Per measure, at most 400 points, the last at the end.
  double elapsed_s = 0.0;                                  ///< Without pauses.
};

/// On how many threads run_replications() works when so many are asked for: 0 are all cores, at most 1,024.
unsigned threads_of(unsigned asked);

/// Runs replications 0, 1, 2, ... on `threads` threads (0: all cores; at most 1,024) until the rule, the control or an
/// error says stop.
///
/// Same bits at any number of threads: replications come in batches whose bounds depend on the target alone, each
/// batch has its own tallies, batches are merged strictly in order, and the rule is asked only between merges.
/// Batch sizes grow with what is done (1/32 of it, at most 4096), so slow models show results at once and fast ones pay
/// nothing. Memory: 4 tallies a thread. No lock is taken within a batch.
///
/// While the first replication has not ended control.first() is how far it is. After a few seconds control.tell() gets
/// what the source says to that (late()), or, where later ones have ended and wait for it, that they do; once.
///
/// Cancelling (control.stop) keeps the contiguous prefix of whole replications merged in order, and returns as soon as
/// each worker has finished or given up its replication. control.pause holds workers between replications.
///
/// Taking up again: with control.checkpoint_period_s the state between two batches is offered as bytes that often, for
/// the first time after half a second, and once more when the run is cancelled or fails. A run given them as
/// control.resume_from goes on after those batches and ends with the bits of one that was never interrupted. Bytes that
/// are damaged, say what no run comes to (though their digest is right), or are of a source with another identity, end
/// the run as failed before its first replication.
///
/// @param results  Makes the result set of a snapshot from the replications so far; called by one worker at a time, at
///                 most about 20 times a second, at least five times when a replication takes less than 0.1 s, and
///                 once at the end; may be empty: no snapshots.
/// @throws  what `results` throws when it is asked for the last snapshot; what it throws before ends the run as failed.
/// What a state between two batches holds: a digest over the rest, a version, the source's identity with the measures,
/// and the sums so far, in the machine's own byte order (byte_archive.h).
RunOutcome run_replications(const ReplicationSource& source, const StoppingRule& rule, unsigned threads,
                            RunControl& control, const std::function<ResultSet(const RunOutcome&)>& results);

/// The bounds [first, end) of batch `index` in a run of `target` replications (0: open-ended); empty past the target.
/// O(1). A pure function: what bits a run has hangs on it.
struct BatchBounds {
  std::uint64_t first = 0, end = 0;
};
BatchBounds batch_bounds(std::uint64_t index, std::uint64_t target);

}  // namespace ergode
