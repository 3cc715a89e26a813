#include "core/study/runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "core/base/byte_archive.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/stats/most_counted.h"
#include "core/study/result_builder.h"

namespace ergode {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t largest_batch = 4096;
constexpr std::uint64_t growth = 32;  // A batch is this part of what came before it.
constexpr double convergence_step = 1.05;
constexpr std::size_t convergence_limit = 400;
constexpr double publish_period_s = 0.05;
constexpr double first_checkpoint_s = 0.5;
constexpr double patience_s = 3.0;           // with a first replication that does not end, and with what stays 0
constexpr std::uint64_t zero_patience = 10;  // times the fewest replications, with what cannot be told from 0
constexpr unsigned most_threads = 1024;
constexpr std::uint64_t checkpoint_format = 0x4552474f44450004ULL;  // "ERGODE", version 4; byte order shows as well
constexpr std::size_t digest_size = 64;

/// First replications of the growing batches; the last entry is the first batch of full size.
const std::vector<std::uint64_t>& growing_batches() {
  static const std::vector<std::uint64_t> starts = [] {
    std::vector<std::uint64_t> out{0};
    while (out.back() / growth < largest_batch)
      out.push_back(out.back() + std::max<std::uint64_t>(out.back() / growth, 1));
    return out;
  }();
  return starts;
}

std::uint64_t batch_start(std::uint64_t index) {
  const auto& starts = growing_batches();
  const std::uint64_t last = starts.size() - 1;
  return index <= last ? starts[index] : starts[last] + (index - last) * largest_batch;
}

/// One batch's tallies, on cache lines of its own.
struct alignas(128) Slot {
  Tallies tallies;
  bool done = false;      ///< Waits to be merged; guarded by the runner's mutex, as the rest is while it waits.
  bool complete = false;  ///< Every replication of the batch is in.
  std::string error;
};

class Runner {
 public:
  Runner(const ReplicationSource& source, const StoppingRule& rule, unsigned threads, RunControl& control,
         const std::function<ResultSet(const RunOutcome&)>& results)
      : source_(source),
        specs_(source.measures()),
        rule_(rule),
        control_(control),
        results_(results),
        threads_(threads_of(threads)),
        slots_(4 * static_cast<std::size_t>(threads_)) {
    for (Slot& slot : slots_) slot.tallies = Tallies(specs_, source.sums());
    outcome_.tallies = Tallies(specs_, source.sums());
    outcome_.convergence.resize(specs_.size());
  }

  RunOutcome run() {
    if (!control_.resume_from.empty()) take_up();
    const double begun = now();
    first_batch_ = merged_.load();
    {
      const std::stop_callback cancelled(control_.stop.get_token(), [this] { give_up_.store(true); });
      std::vector<std::jthread> workers;
      working_ = threads_;
      for (unsigned i = 0; i < threads_; ++i) workers.emplace_back([this] { work(); });
      watch(begun);
    }
    finish();
    return std::move(outcome_);
  }

 private:
  double now() const {
    if (control_.clock_s) return control_.clock_s();
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  /// Names what a run between two batches is to a ByteWriter or ByteReader.
  template <typename Archive>
  void archive_state(Archive& a) {
    std::uint64_t merged = merged_.load();
    double elapsed_s = elapsed_s_.load();
    a(merged, elapsed_s, next_record_, precise_since_);
    a.fixed(outcome_.convergence);
    outcome_.tallies.archive(a);
    merged_.store(merged), elapsed_s_.store(elapsed_s);
  }

  /// Sums of whole batches, with a line that led to them, after a time that a clock can show.
  bool possible() const {
    const std::uint64_t done = outcome_.tallies.replications, merged = merged_.load();
    const double elapsed_s = elapsed_s_.load();
    if (done > most_counted || merged > done || batch_start(merged) != done) return false;
    for (const auto& points : outcome_.convergence) {
      if (points.size() > convergence_limit) return false;
      for (std::size_t i = 0; i < points.size(); ++i)
        if (points[i].replications > done || (i > 0 && points[i].replications <= points[i - 1].replications))
          return false;
    }
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      const MeasureTally& tally = outcome_.tallies.measures[i];
      if (!tally.possible() || (specs_[i].proportion && tally.n() > done)) return false;
    }
    return precise_since_ <= done && elapsed_s >= 0.0 && std::isfinite(elapsed_s);
  }

  std::string identity() const {
    std::string out = source_.identity();
    for (const MeasureSpec& spec : specs_) out += ", " + spec.id + " (" + std::string(spec.kind->word) + ")";
    return out;
  }

  void offer_checkpoint() {
    if (control_.checkpoint_period_s <= 0.0) return;
    ByteWriter writer;
    writer(checkpoint_format, identity());
    archive_state(writer);
    std::string bytes = writer.take();
    bytes.insert(0, sha256_hex(bytes));
    control_.offer_checkpoint(std::make_shared<const std::string>(std::move(bytes)));
  }

  void take_up() {
    const std::string_view bytes = control_.resume_from;
    ByteReader reader(bytes.substr(std::min(digest_size, bytes.size())));
    std::uint64_t format = 0;
    std::string of;
    const bool whole =
        bytes.size() > digest_size && sha256_hex(bytes.substr(digest_size)) == bytes.substr(0, digest_size);
    if (whole) reader(format, of);
    if (!whole || format != checkpoint_format) {
      outside_error_ = "the saved state is damaged, or was made by another version";
    } else if (of != identity()) {
      outside_error_ = "the saved state is of another run: it was " + of + "; this is " + identity();
    } else {
      archive_state(reader);
      if (!reader.complete() || !possible()) outside_error_ = "the saved state is damaged";
    }
    if (!outside_error_.empty()) {
      outcome_ = {};
      outcome_.tallies = Tallies(specs_, source_.sums());
      outcome_.convergence.resize(specs_.size());
      merged_.store(0), elapsed_s_.store(0.0), next_record_ = 1, precise_since_ = 0;
      give_up_.store(true);
      return;
    }
    next_batch_.store(merged_.load());
  }

  /// The calling thread: keeps the time, asks for snapshots, waits for the workers.
  void watch(double last) {
    const double begun = elapsed_s_.load();
    // The first one early: a run of some seconds is worth going on with too.
    double since_publication = 0.0, since_checkpoint = std::max(0.0, control_.checkpoint_period_s - first_checkpoint_s);
    std::unique_lock lock(mutex_);
    while (working_ > 0) {
      ended_.wait_for(lock, 10ms);
      const double time = now();
      const double passed = time - last;
      last = time;
      if (!control_.pause.load(std::memory_order_relaxed)) elapsed_s_.store(elapsed_s_.load() + passed);
      if (rule_.wall_time_s && elapsed_s_.load() >= *rule_.wall_time_s && !give_up_.load()) {
        out_of_time_ = true;
        give_up_.store(true);
      }
      if (give_up_.load()) room_.notify_all();
      await_first(elapsed_s_.load() - begun);
      if ((since_publication += passed) >= publish_period_s) {
        since_publication = 0.0;
        publication_due_.store(true, std::memory_order_relaxed);
      }
      if (control_.checkpoint_period_s > 0.0 && (since_checkpoint += passed) >= control_.checkpoint_period_s) {
        since_checkpoint = 0.0;
        checkpoint_due_.store(true, std::memory_order_relaxed);
      }
    }
  }

  /// @param waited_s  for the first replication, without pauses
  void await_first(double waited_s) {
    if (first_ended_.load(std::memory_order_relaxed)) {
      if (shows_first_) control_.show_first(std::nullopt);
      shows_first_ = false;
      return;
    }
    // What is told last is of any of them.
    const bool overtaken = any_ended_.load(std::memory_order_relaxed);
    if (!overtaken) control_.show_first(FirstReplication::of(source_.share_under_way(), waited_s));
    if (late_ || waited_s < patience_s) return;
    late_ = overtaken ? overtaken_first(waited_s) : source_.late(waited_s);
    if (late_) control_.tell(*late_);
  }

  Diagnostic overtaken_first(double waited_s) const {
    return {.severity = Severity::warning,
            .code = "RUN031",
            .message = "Replication " + std::to_string(batch_start(first_batch_)) + " has not ended in " +
                       number_text(waited_s, 2) +
                       " s, though later ones have. They are counted in their order, so all wait for it.",
            .hint = "A limit of wall time, and stopping, end the run in the middle of a replication."};
  }

  void work() {
    try {
      const std::unique_ptr<ReplicationWorker> worker = source_.make_worker();
      while (work_on_a_batch(*worker)) {
      }
    } catch (const std::exception& e) {
      fail_outside(e.what());
    } catch (...) {
      fail_outside("unknown exception");
    }
    const std::lock_guard lock(mutex_);
    --working_;
    ended_.notify_all();
  }

  /// A worker could not be made, or a snapshot: no replication is to blame; what is merged is kept.
  void fail_outside(const std::string& what) {
    const std::lock_guard lock(mutex_);
    outside_error_ = "the run could not go on: " + what;
    give_up_.store(true);
    room_.notify_all();
  }

  bool work_on_a_batch(ReplicationWorker& worker) {
    const std::uint64_t index = next_batch_.fetch_add(1, std::memory_order_relaxed);
    const BatchBounds bounds = batch_bounds(index, rule_.max_replications);
    if (bounds.first >= bounds.end) return false;
    {
      std::unique_lock lock(mutex_);
      const auto useless = [&] { return give_up_.load() || index > last_batch_; };
      // Nobody runs further ahead of the merging than there are slots.
      room_.wait(lock, [&] { return useless() || index < merged_ + slots_.size(); });
      if (useless()) return false;
    }
    Slot& slot = slots_[index % slots_.size()];
    run_batch(worker, index, bounds, slot);
    deliver(index, slot);
    return true;
  }

  /// The hot loop. Leaves in `slot` the whole replications from the batch's first on.
  void run_batch(ReplicationWorker& worker, std::uint64_t index, const BatchBounds& bounds, Slot& slot) {
    slot.complete = false;
    slot.error.clear();
    slot.tallies.clear();
    std::uint64_t replication = bounds.first;
    try {
      for (; replication < bounds.end; ++replication) {
        if (control_.pause.load(std::memory_order_relaxed)) hold();
        if (give_up_.load(std::memory_order_relaxed)) break;
        if (publication_due_.load(std::memory_order_relaxed) && merged_.load(std::memory_order_relaxed) == index)
          publish_with(index, slot);
        if (worker.run(replication, slot.tallies, give_up_) == ReplicationEnd::given_up) {
          slot.tallies.clear();  // Half a replication is in there.
          return;
        }
        // Read by every replication, written twice.
        if (!any_ended_.load(std::memory_order_relaxed)) any_ended_.store(true, std::memory_order_relaxed);
        if (index == first_batch_ && !first_ended_.load(std::memory_order_relaxed))
          first_ended_.store(true, std::memory_order_relaxed);
        ++slot.tallies.replications;
        for (MeasureTally& tally : slot.tallies.measures) tally.end_replication(replication);
      }
      slot.complete = replication == bounds.end;
    } catch (const std::bad_alloc&) {
      slot.error = "replication " + std::to_string(replication) + " needs more memory than there is";
    } catch (const std::exception& e) {
      slot.error = "replication " + std::to_string(replication) + ": " + e.what();
    } catch (...) {
      slot.error = "replication " + std::to_string(replication) + ": unknown exception";
    }
    if (!slot.error.empty()) slot.tallies.clear();
  }

  void hold() const {
    while (control_.pause.load(std::memory_order_relaxed) && !give_up_.load(std::memory_order_relaxed))
      std::this_thread::sleep_for(5ms);
  }

  /// A batch of a slow model may take seconds: the worker whose batch is next in order shows how far it is. What is
  /// merged stays as it is.
  void publish_with(std::uint64_t index, const Slot& slot) {
    {
      const std::lock_guard lock(mutex_);
      if (merging_ || stopped_ || merged_ != index) return;
      merging_ = true;  // Others hand in and go on: nothing can be merged before this batch.
    }
    publication_due_.store(false, std::memory_order_relaxed);
    try {
      RunOutcome so_far = outcome_;
      so_far.tallies.merge(slot.tallies);
      publish(so_far);
    } catch (const std::exception& e) {
      fail_outside(e.what());
    }
    const std::lock_guard lock(mutex_);
    merging_ = false;
  }

  /// Hands a finished batch in; whoever finds no one merging merges all that is next in order.
  void deliver(std::uint64_t index, Slot& slot) {
    std::unique_lock lock(mutex_);
    slot.done = true;
    if (!slot.error.empty()) last_batch_ = std::min(last_batch_, index);
    if (merging_) return;
    merging_ = true;
    for (;;) {
      Slot& next = slots_[merged_ % slots_.size()];
      if (!next.done || stopped_) break;
      lock.unlock();
      const bool stop = merge(next);
      lock.lock();
      next.done = false;
      ++merged_;
      stopped_ = stop;
      if (stop) give_up_.store(true);
      room_.notify_all();
    }
    merging_ = false;
  }

  /// Merges one batch into the outcome and asks the rule. @returns whether the run ends here.
  bool merge(Slot& slot) {
    // Between whole batches only: what goes on from the middle of one would add up in another order.
    if (!slot.complete || checkpoint_due_.exchange(false, std::memory_order_relaxed)) offer_checkpoint();
    between_batches_ = slot.complete;
    // In the order of batches, whoever made them: sums come out with the same bits at any number of threads.
    outcome_.tallies.merge(slot.tallies);
    if (!slot.error.empty()) {
      outcome_.error = slot.error;
      return true;
    }
    if (!slot.complete) return true;
    const std::uint64_t done = outcome_.tallies.replications;
    if (done >= next_record_) record();
    if (rule_.max_replications != 0 && done >= rule_.max_replications) outcome_.stop_reason = "replications";
    else if (rule_.precision.any() && done >= rule_.min_replications && precise_for_good(done))
      outcome_.stop_reason = "precision";
    if (publication_due_.exchange(false, std::memory_order_relaxed)) publish(outcome_);
    return !outcome_.stop_reason.empty();
  }

  /// Precise now, and of few replications for long enough.
  bool precise_for_good(std::uint64_t done) {
    if (!precise() || !source_.trusted(outcome_.tallies)) return precise_since_ = 0, false;
    if (done >= rule_.enough_replications) return true;
    if (precise_since_ == 0) precise_since_ = done;
    constexpr double confirmation = 1.3;  // of replications: core/README.md says what it was chosen by
    return static_cast<double>(done) >= confirmation * static_cast<double>(precise_since_);
  }

  bool precise() {
    const auto awaited = awaited_precisions(outcome_.tallies, specs_, rule_.precision, rule_.confidence);
    if (all_precise(awaited)) return true;
    // Who has his answer before he would ask himself what is going on need not hear of it.
    const bool waited = elapsed_s_.load() >= patience_s;
    if (!told_of_zero_ && waited && outcome_.tallies.replications >= zero_patience * rule_.min_replications)
      for (Diagnostic& d : waits_for_zero(awaited)) told_of_zero_ = true, control_.tell(std::move(d));
    return false;
  }

  void record() {
    const std::uint64_t done = outcome_.tallies.replications;
    next_record_ = std::max(done + 1, static_cast<std::uint64_t>(static_cast<double>(done) * convergence_step));
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      auto& points = outcome_.convergence[i];
      if (!points.empty() && points.back().replications == done) continue;
      // Old points go first; steps of 5 % reach 10^8 replications in 400 points all the same.
      if (points.size() + 1 >= convergence_limit) points.erase(points.begin());
      const Estimate e = estimate(outcome_.tallies.measures[i], specs_[i], rule_.confidence);
      points.push_back({done, e.value, e.lower, e.upper});
    }
  }

  void publish(RunOutcome& so_far) {
    if (!results_) return;
    so_far.elapsed_s = elapsed_s_.load();
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->done = so_far.tallies.replications;
    snapshot->target = rule_.max_replications;
    snapshot->elapsed_s = so_far.elapsed_s;
    snapshot->worst_relative_half_width =
        worst_relative_half_width(so_far.tallies, specs_, rule_.precision, rule_.confidence);
    snapshot->results = results_(so_far);
    control_.publish(std::move(snapshot));
  }

  void finish() {
    control_.show_first(std::nullopt);
    if (outcome_.error.empty() && outcome_.stop_reason.empty()) outcome_.error = outside_error_;
    if (!outcome_.error.empty()) {
      outcome_.status = RunStatus::failed;
      outcome_.stop_reason = outcome_.error;
    } else if (outcome_.stop_reason.empty()) {
      outcome_.stop_reason = out_of_time_ ? "wall_time" : "cancelled";
      const bool answered = outcome_.tallies.replications > 0;
      outcome_.status = out_of_time_ && answered ? RunStatus::complete : RunStatus::partial;
    }
    if (outcome_.status == RunStatus::partial && outcome_.tallies.replications == 0) outcome_.late = late_;
    if (outcome_.status != RunStatus::complete && between_batches_) offer_checkpoint();
    if (outcome_.tallies.replications > 0) record();
    outcome_.elapsed_s = elapsed_s_.load();
    publish(outcome_);
  }

  const ReplicationSource& source_;
  const std::span<const MeasureSpec> specs_;
  const StoppingRule rule_;
  RunControl& control_;
  const std::function<ResultSet(const RunOutcome&)>& results_;
  const unsigned threads_;

  alignas(128) std::atomic<std::uint64_t> next_batch_{0};
  alignas(128) std::atomic<bool> give_up_{false};  // Read by every replication, written once.
  alignas(128) std::atomic<bool> publication_due_{false};
  std::atomic<bool> checkpoint_due_{false};
  std::atomic<bool> first_ended_{false}, any_ended_{false};  // of the replications of this run; in order, or at all
  std::uint64_t first_batch_ = 0;                            // Set before there are workers.
  std::atomic<double> elapsed_s_{0.0};

  std::mutex mutex_;  // Guards what follows; outcome_ belongs to the thread that set merging_.
  std::condition_variable room_, ended_;
  std::vector<Slot> slots_;
  std::atomic<std::uint64_t> merged_{0};  // Written under the mutex.
  std::uint64_t last_batch_ = ~std::uint64_t{0};
  unsigned working_ = 0;
  bool merging_ = false;
  bool stopped_ = false;
  bool out_of_time_ = false;
  bool between_batches_ = true;  ///< No part of a batch is merged.
  bool told_of_zero_ = false;
  std::string outside_error_;
  std::optional<Diagnostic> late_;  ///< of the calling thread, as the next
  bool shows_first_ = true;
  std::uint64_t next_record_ = 1;
  std::uint64_t precise_since_ = 0;  ///< replications made then; 0: it is not
  RunOutcome outcome_;
};

}  // namespace

StoppingRule stopping_rule(const RunRequest& request, std::span<const MeasureSpec> specs, std::uint64_t replications) {
  StoppingRule out;
  out.precision = precision_goals(specs, request);
  if (request.replications) out.max_replications = *request.replications;
  else if (!out.precision.any() && !request.wall_time_s) out.max_replications = replications;
  out.wall_time_s = request.wall_time_s, out.confidence = request.confidence;
  return out;
}

BatchBounds batch_bounds(std::uint64_t index, std::uint64_t target) {
  BatchBounds bounds{batch_start(index), batch_start(index + 1)};
  if (target == 0) return bounds;
  return {std::min(bounds.first, target), std::min(bounds.end, target)};
}

unsigned threads_of(unsigned asked) {
  return std::clamp(asked != 0 ? asked : std::thread::hardware_concurrency(), 1U, most_threads);
}

RunOutcome run_replications(const ReplicationSource& source, const StoppingRule& rule, unsigned threads,
                            RunControl& control, const std::function<ResultSet(const RunOutcome&)>& results) {
  return Runner(source, rule, threads, control, results).run();
}

}  // namespace ergode
