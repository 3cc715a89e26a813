#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/results/result_set.h"
#include "core/study/budget.h"
#include "core/study/question.h"
#include "core/study/run_option.h"

namespace ergode {

/// What a running solver publishes; the front end reads a copy on its own timer. Never calls back. Const once
/// published.
/// While it is made nothing goes on in the batch that it shows; a front end may keep it as long as it wants.
struct Snapshot {
  std::uint64_t done = 0;    ///< replications so far, those of the batch that is being shown included
  std::uint64_t target = 0;  ///< 0: open-ended
  double elapsed_s = 0.0;    ///< without pauses
  /// Of the measures that the run waits for, else of headline ones; infinity while nothing was seen.
  double worst_relative_half_width = 0.0;
  ResultSet results;  ///< estimates so far with curves and convergence
};

/// How far the replication is that everybody waits for while none has ended.
struct FirstReplication {
  double share = 0.0;   ///< of its mission, in (0, 1]
  double left_s = 0.0;  ///< so long it would take at the pace so far [s]
  /// After so many seconds of work. Nothing where the share is not known, or 0.
  static std::optional<FirstReplication> of(double share, double worked_s) {
    if (!(share > 0.0)) return std::nullopt;
    return FirstReplication{std::min(share, 1.0), worked_s / share * std::max(0.0, 1.0 - share)};
  }
};

/// The thin thread between a run and whoever watches it: flags go down, snapshots come up. Whoever watches owns it, and
/// it outlives the run. What is not atomic or behind a function is set before the run begins.
///
/// What whoever watches does, and when:
///
///     control.limits, clock_s, checkpoint_period_s, resume_from, outer   before the run begins, never later
///     control.stop.request_stop()                                         any thread, once
///     control.pause = true or false                                       any thread, as often as wanted
///     control.latest(), first(), told(), checkpoint()                     any thread, as often as wanted
///
/// and the solver polls stop and pause, and publishes. A pause is for simulations; exact solvers take no notice of it.
class RunControl {
 public:
  std::stop_source stop;              ///< request_stop(): finish within 1 s and keep what is merged
  std::atomic<bool> pause{false};     ///< true: hold between replications until it is false
  std::atomic<double> paused_s{0.0};  ///< how long that was so far [s]; written by whoever sets `pause`
  Limits limits;                      ///< what an exact solver may take; the simulation has its own rule
  std::function<double()> clock_s;    ///< [s], rising; optional: replaces the wall clock in tests
  double checkpoint_period_s = 0.0;   ///< [s], > 0: how often a state from which the run can go on is offered
  std::string resume_from;            ///< such a state; empty: the run begins at its first replication

  RunControl* outer = nullptr;  ///< who waits for a run that is part of another: told in its stead

  /// Says at once what whoever waits should know before there is a result. Any thread.
  void tell(Diagnostic what) {
    if (outer != nullptr) return outer->tell(std::move(what));
    const std::lock_guard lock(mutex_);
    told_.push_back(std::move(what));
  }
  /// A copy of all that was said so far. Any thread.
  Diagnostics told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  /// Replaces the snapshot; called by the solver's merging thread, read by any.
  void publish(std::shared_ptr<const Snapshot> snapshot) {
    const std::lock_guard lock(mutex_);
    latest_ = std::move(snapshot);
  }
  /// The last one, null before the first. Any thread; O(1).
  std::shared_ptr<const Snapshot> latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
  }
  /// Replaces what is known of the first replication, for whoever waits for it; nothing: it has ended, or tells
  /// nothing.
  void show_first(std::optional<FirstReplication> first) {
    const std::lock_guard lock(mutex_);
    first_ = first;
  }
  std::optional<FirstReplication> first() const {
    const std::lock_guard lock(mutex_);
    return first_;
  }
  /// Replaces the state from which the run can go on; called by the solver's merging thread.
  /// Bytes are kept as long as anybody holds them; the one before is dropped.
  void offer_checkpoint(std::shared_ptr<const std::string> bytes) {
    const std::lock_guard lock(mutex_);
    checkpoint_ = std::move(bytes);
  }
  /// The latest of them; null before the first.
  std::shared_ptr<const std::string> checkpoint() const {
    const std::lock_guard lock(mutex_);
    return checkpoint_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> latest_;
  std::optional<FirstReplication> first_;
  std::shared_ptr<const std::string> checkpoint_;
  Diagnostics told_;
};

/// What is known of a solver without asking it.
/// Read by lists, forms, the manual and the rule that chooses who is asked beside a run; `exact` and `long_run` decide
/// with what an answer may be compared.
struct SolverSpec {
  std::string name;                       ///< "simulation", "ccf-closed-form"
  std::string label;                      ///< for people, in lists
  std::string description;                ///< One sentence.
  std::string reference;                  ///< Author, title, year.
  bool exact = false;                     ///< answers carry bounds on numerical errors in place of confidence intervals
  std::vector<std::string> methods = {};  ///< What its option `method` may be.
  bool long_run = false;                  ///< Answers what the measures tend to: not comparable with the mission's.
  bool takes_long = true;                 ///< May work so long that a limit on its time means something.
};

/// Answers a model's measures. Built in or from a plugin: the caller cannot tell. Const and without state of its own:
/// one solver serves any number of runs at once, each with a RunControl of its own.
///
///     const Diagnostics reasons = solver.fits(question);
///     if (has_errors(reasons)) return reasons;            // it has no answer
///     const ResultSet results = solver.solve(question, control);
class Solver {
 public:
  virtual ~Solver() = default;
  /// The same whenever asked; lives as long as the solver.
  virtual const SolverSpec& spec() const = 0;
  /// Its own options, beside those that every run has (OptionTable::options()).
  virtual std::vector<RunOption> options() const { return {}; }
  /// Why this solver cannot answer the model (one error per reason, with its element); empty: it can. A measure it
  /// cannot answer while it can answer others is a warning. May be asked by any thread, at any time.
  virtual Diagnostics fits(const Question& question) const = 0;
  /// Solves on the calling thread, which may wait long; others reach it through `control` only. Errors in the model
  /// come back as diagnostics with status failed; never throws for a bad model. On control.stop it comes back within
  /// about a second, simulations with what they have (status partial).
  virtual ResultSet solve(const Question& question, RunControl& control) const = 0;

  /// The same for a model that is asked only once.
  Diagnostics fits(const Document& document, const RunRequest& request) const {
    return fits(Question::of(document, request));
  }
  ResultSet solve(const Document& document, const RunRequest& request, RunControl& control) const {
    return solve(Question::of(document, request), control);
  }
};

}  // namespace ergode
