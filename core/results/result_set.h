#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/results/result_table.h"
#include "core/results/split.h"
#include "core/stats/interval.h"

namespace ergode {

/// One answered measure. Values are in `unit`; where there is no estimate, estimate, lower and upper are NaN and
/// `not_available` says why. NaN is also an end that nothing bounds.
///
///     estimate 0.0123, lower 0.0119, upper 0.0127   simulated, method "wilson"
///     estimate 0.0123, lower 0.0123 - 1e-12, ...    exact, method "uniformisation": ends are error bounds
///     not_available "the event never occurred"      estimate, lower and upper are NaN
struct MeasureResult {
  std::string id;     ///< Stable name: `failed_4`.
  std::string label;  ///< Sentence for people.
  std::string kind;   ///< MeasureKind::word, or a word of a newer version.
  std::string unit;   ///< "" when dimensionless.
  ElementId element;  ///< The measure in the document it answers.
  double estimate = 0.0;
  double lower = 0.0;  ///< Ends of the confidence interval; when exact, of the numerical error bound: NaN where the
  double upper = 0.0;  ///< method controls its error and does not bound it (cvode).
  double confidence = 0.95;        ///< level of [lower, upper]; 1 when exact
  bool exact = false;              ///< From a closed form or a numerical solution, not from samples.
  std::uint64_t replications = 0;  ///< Samples behind the estimate; for time_to: those in which the event occurred.
  std::string solver;              ///< SolverSpec::name of what answered
  /// How the interval was made: "wilson", "clopper-pearson", a MeanInterval::method, "exact", or a numerical method.
  std::string method;
  double standard_error = 0.0;  ///< of the estimate, in `unit`; NaN with fewer than two observations, 0 when exact
  /// Of weighted observations x: (sum x)^2 / sum x^2, as many equal ones would be worth the same; 0: not weighted.
  double effective_samples = 0.0;
  double warm_up = 0.0;       ///< Share of each replication that was left out before the long run; 0: nothing was.
  std::string not_available;  ///< Why there is no estimate ("the event never occurred"); estimate is then NaN.
  /// Whether there is a finite estimate.
  bool answered() const noexcept { return not_available.empty() && std::isfinite(estimate); }
  /// Shares of the estimate by Split::Part::name, same unit; they add up to the estimate. None: it is not split.
  std::optional<std::map<std::string, double>> shares;
  /// Quantiles of the distribution of what was observed: probability -> value in `unit`.
  std::map<double, double> quantiles;
  /// Their confidence intervals; an end that nothing bounds is NaN.
  std::map<double, Interval> quantile_intervals;
  /// Variance of the same distribution [unit^2] (divisor n); NaN: not told.
  double variance = std::numeric_limits<double>::quiet_NaN();
  Interval variance_interval = {variance, variance};  ///< An end that nothing bounds is NaN.
};

/// A curve or histogram belonging to a measure: points in the order of x, lists of one length (or empty, where stated).
///
///     curve          x: time [x_unit], y: value of the measure at that time
///     convergence    x: replications, y: the estimate after so many
///     distribution   x: value [x_unit], y: share of the observations that are at most x
struct Series {
  std::string measure;  ///< id of the measure
  std::string kind;     ///< "curve" (over model time), "convergence" (over replications), "distribution" (ECDF)
  std::string label;
  std::string x_label, x_unit, y_label, y_unit;
  std::vector<double> x, y, lower, upper;  ///< in x_unit and y_unit; lower and upper: empty when the curve is exact
  bool exact = false;
  std::string solver;
};

/// Who made these numbers, from what and how. `made` holds what differs between two equal runs (time, host, threads);
/// everything else is the same whenever seed, model and options are.
/// Whoever has the model with this semantic hash, the data files and this version gets the same numbers again by
/// `command`.
///
/// Two equal runs differ in `run_id` as well; hashes are 64 hexadecimal digits. The seed is that of the streams
/// (core/random/random_stream.h), whatever the model says.
struct Provenance {
  std::string run_id;                  ///< 16 hexadecimal digits
  std::string version;                 ///< of Ergode
  std::string model_name, model_path;  ///< the name; of a model without one that of its file, or "Untitled"
  std::string semantic_hash;           ///< sha256 of the model without its layout
  std::string file_hash;               ///< sha256 of the canonical file
  /// Data files that the model reads, as it names them -> sha256 of what they held.
  std::map<std::string, std::string> data_files;
  std::string solver;
  std::uint64_t seed = 0;   ///< The seed actually used.
  std::string generator;    ///< "Philox4x32-10"
  std::string stream_rule;  ///< How streams are named.
  std::string scenario;
  std::map<std::string, std::string> overrides;   ///< As given by the user.
  std::map<std::string, std::string> parameters;  ///< Every parameter as resolved, with its unit.
  std::map<std::string, std::string> options;     ///< Every option as resolved, with defaults.
  std::string command;                            ///< The command line that makes this run again.
  struct Made {
    std::string started_utc, finished_utc, host, compiler;  ///< times as 2026-01-31T12:00:00Z
    double elapsed_s = 0.0;                                 ///< of the wall clock, without pauses
    unsigned threads = 1;                                   ///< that it worked on
    std::string resumed;  ///< of a run that was interrupted: "ID after N replications"; else empty
  } made;
};

/// complete: its rule said enough; partial: cancelled or interrupted, what it has is sound; failed: `stop_reason` is
/// the error, and what it has was merged before it.
enum class RunStatus { complete, partial, failed };
/// "complete", "partial", "failed": as in files. Static.
const char* to_text(RunStatus);

struct ResultSet;
/// Results of the solvers asked beside a run.
using CompanyResults = std::vector<std::shared_ptr<const ResultSet>>;

/// A solver that was asked beside a run and gave no answer; shown with its reasons so that nobody waits for it.
struct Declined {
  std::string solver;
  Diagnostics reasons;  ///< at least one error
  bool fits = false;    ///< It can answer such a model, and would have cost too much, or failed.
};

/// One run as it is kept: what it found and what stood beside it when it ended.
struct ResultSet {
  Provenance provenance;
  RunStatus status = RunStatus::complete;
  std::string stop_reason;  ///< "replications", "precision", "wall_time", "cancelled", "exact", or the error text
  std::uint64_t replications = 0;
  std::uint64_t events = 0;  ///< Events executed, of charts and of all other parts, over all replications.
  std::string fingerprint;   ///< Integer hash over event order and state changes: equal at any number of threads.
  std::vector<MeasureResult> measures;
  std::vector<Series> series;
  std::vector<ResultTable> tables;  ///< What a solver knows besides the measures.
  Split split;                      ///< Of the measures that have shares.
  Diagnostics diagnostics;          ///< Warnings met while solving.
  /// Answers about a mission without end: limits, not comparable with the estimates of a mission.
  bool long_run = false;
  CompanyResults company;          ///< Exact solvers asked beside this run; never null, without company of their own.
  std::vector<Declined> declined;  ///< Those that gave no answer.

  /// By id, of this set alone and not of its company; null: it has none. Valid until `measures` changes. O(measures).
  const MeasureResult* measure(const std::string& id) const;
  /// The parts of `split` that tables and plots show, in their order: Split::shown(), and last the first part where a
  /// measure has a share of it; without it the others would not add up to the measure. O(measures).
  std::vector<SplitPart> split_parts() const;
  /// What tables conclude in a sentence, for whoever has room for no table: "Precision", which measure decided when the
  /// run ended; "Bottleneck", which station it is. The notes of those tables; empty: there are none. O(tables).
  struct Conclusion {
    std::string about, sentence;
  };
  std::vector<Conclusion> conclusions() const;
};

}  // namespace ergode
