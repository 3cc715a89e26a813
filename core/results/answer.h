#pragma once
#include <string>

#include "core/results/result_set.h"

namespace ergode {

/// What kind of number answers a measure. Each has its own word, colour and dash wherever it is shown
/// (core/drawing/result_style.h), because they must not be compared as if they were one.
enum class Answer {
  estimate,  ///< from samples, with a confidence interval
  exact,     ///< of the mission, from a closed form or a numerical solution
  bounds,    ///< of the mission, known to lie between two ends that a reader can tell apart
  long_run,  ///< the limit for a mission without end
};

/// Bounds: an exact answer whose error bound shows in the first four digits (ends apart by more than 1e-4 of the
/// estimate).
/// @param long_run  ResultSet::long_run of the results that it stands in
Answer answer_of(const MeasureResult& measure, bool long_run);
/// Whether the estimates are of one long run: whatever a measure asks, they estimate what it tends to in a mission
/// without end, not what it is in the mission of the model.
bool is_one_long_run(const ResultSet& run);
/// Whether it is what an estimate of the same measure estimates, and so must lie in its interval 95 times in 100: an
/// exact number, of the mission for a measure of the mission, of the long run for one of the long run and for whatever
/// one long run estimates.
/// @param long_run  as above
/// @param run       the results that the estimate stands in; one long run has nothing to compare with what is about a
///                  mission, which it leaves unanswered
bool comparable(const MeasureResult& answer, bool long_run, const ResultSet& run);
/// Whether the estimate has an interval: one replication of what has no variance to be told has none, approximations
/// neither. What is exact lies neither inside nor outside of none.
bool has_interval(const MeasureResult& estimate);
/// Whether an exact value lies in the interval of an estimate. Ends are included, and what is beyond one by no more
/// than 16 roundings: a sum over many stretches of time differs by as much from the same value worked out otherwise.
/// False where there is no interval.
bool interval_holds(const MeasureResult& estimate, double exact);
/// The first answer of a run's company to a measure that is comparable, or null; points into the company.
const MeasureResult* exact_beside(const ResultSet& run, const std::string& measure);
/// For people: "estimate", "exact", "between bounds", "long run". Static.
const char* to_text(Answer);
/// The name of a line or column: "exact (ctmc-transient)".
std::string answer_label(Answer answer, const std::string& solver);

/// What the axes of a plot show, in words: "Probability by time t", "Model time". Units are given apart.
struct AxisWords {
  std::string x, x_unit, y, y_unit;
};
/// For a series of this kind ("curve", "convergence", "distribution") of a measure. `time_unit`: of a curve's times,
/// and of a convergence over the length of one run; empty: over replications. A series of another kind than "curve" and
/// "distribution" is over replications; a measure of a kind that this version does not know shows a "Value".
AxisWords axis_words(const MeasureResult& measure, const std::string& series_kind, const std::string& time_unit);
/// "Model time [h]"; without a unit the words alone.
std::string axis_title(const std::string& words, const std::string& unit);

}  // namespace ergode
