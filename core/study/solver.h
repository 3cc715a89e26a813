#pragma once
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

namespace ergode {

class Document;

/// How continuous variables are integrated between events.
struct OdeOptions {
  bool stiff = true;        ///< Backward differentiation with Newton's method, else Adams with functional iteration.
  double relative = 1e-8;   ///< Local error allowed, relative to each variable;
  double absolute = 1e-10;  ///< and absolute, in SI units.
};

/// What the user asks for besides the model. One table of options (see run_option_specs()) describes every field.
struct RunRequest {
  std::string solver = "simulation";
  std::string scenario;                          ///< Name of a scenario of the model; empty: base values.
  std::map<std::string, std::string> overrides;  ///< Parameter name -> expression text, after the scenario.
  std::optional<std::uint64_t> seed;             ///< Empty: the model's own.
  std::string model_path;                        ///< For provenance; may be empty.
  std::string folder;                            ///< Of the model file: files that the model names lie there or below.
  std::vector<std::string> allowed_folders;      ///< Where they may lie besides, because the user said so.
  std::optional<std::uint64_t> replications;     ///< Empty: the model's own number.
  unsigned threads = 0;                          ///< 0: all cores.
  std::optional<double> precision;    ///< Stop when every headline measure's relative half-width is below this.
  std::optional<double> wall_time_s;  ///< Stop after this long.
  double confidence = 0.95;
  OdeOptions ode;
  std::string method;                       ///< Of a solver that has several; empty: its own choice.
  double error_bound = 1e-12;               ///< Numerical error that Markov solvers may make, per unit of reward.
  std::uint64_t state_limit = 2000000;      ///< States at which Markov solvers give up.
  bool lumping = true;                      ///< Markov solvers count interchangeable components instead of naming them.
  std::string variance_reduction = "none";  ///< none, auto, failure-biasing, splitting
  double bias_probability = 0.5;  ///< Failure biasing: probability that the next of failures and repairs is a failure.
  std::string importance;         ///< Splitting: expression of the model that grows towards the rare event.
  std::vector<double> levels;     ///< Splitting: values of the importance, ascending; empty: found by a pilot run.
  std::uint64_t effort = 1000;    ///< Splitting: paths from each level.
};

/// What a running solver publishes; the front end reads a copy on its own timer. Never calls back.
struct Snapshot {
  std::uint64_t done = 0;    ///< replications merged so far
  std::uint64_t target = 0;  ///< 0: open-ended
  double elapsed_s = 0.0;
  double worst_relative_half_width = 0.0;  ///< over headline measures; infinity while nothing was seen
  ResultSet results;                       ///< estimates so far with curves and convergence
};

/// The thin thread between a run and whoever watches it: flags go down, snapshots come up.
class RunControl {
 public:
  std::stop_source stop;  ///< request_stop(): finish within 1 s and keep what is merged
  std::atomic<bool> pause{false};
  Limits limits;                     ///< what an exact solver may take; the simulation has its own rule
  std::function<double()> clock_s;   ///< optional: replaces the wall clock in tests
  double checkpoint_period_s = 0.0;  ///< > 0: how often a state from which the run can go on is offered
  std::string resume_from;           ///< such a state; empty: the run begins at its first replication

  RunControl* outer = nullptr;  ///< who waits for a run that is part of another: told in its stead

  /// Says at once what whoever waits should know before there is a result.
  void tell(Diagnostic what) {
    if (outer != nullptr) return outer->tell(std::move(what));
    const std::lock_guard lock(mutex_);
    told_.push_back(std::move(what));
  }
  /// All that was said so far.
  Diagnostics told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  /// Replaces the snapshot; called by the solver's merging thread.
  void publish(std::shared_ptr<const Snapshot> snapshot) {
    const std::lock_guard lock(mutex_);
    latest_ = std::move(snapshot);
  }
  std::shared_ptr<const Snapshot> latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
  }
  /// Replaces the state from which the run can go on; called by the solver's merging thread.
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
  std::shared_ptr<const std::string> checkpoint_;
  Diagnostics told_;
};

struct SolverSpec {
  std::string name;  ///< "simulation", "ccf-closed-form"
  std::string label;
  std::string description;  ///< One sentence.
  std::string reference;    ///< Author, title, year.
  bool exact = false;
  std::vector<std::string> methods = {};  ///< What RunRequest::method may be.
  bool long_run = false;                  ///< Answers what the measures tend to: not comparable with the mission's.
};

/// Answers a model's measures. Built in or from a plugin: the caller cannot tell.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual const SolverSpec& spec() const = 0;
  /// Why this solver cannot answer the model (one error per reason, with its element); empty: it can.
  /// A measure it cannot answer while it can answer others is a warning.
  virtual Diagnostics fits(const Document& document, const RunRequest& request) const = 0;
  /// Solves. Errors in the model come back as diagnostics with status failed; never throws for a bad model.
  virtual ResultSet solve(const Document& document, const RunRequest& request, RunControl& control) const = 0;
};

}  // namespace ergode
