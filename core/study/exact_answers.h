#pragma once
#include <string>
#include <vector>

#include "core/results/result_set.h"
#include "core/study/measure_spec.h"

namespace ergode {

/// Fills in the answers of one exact solver: in the units of the measures, with words and marks of an exact answer.
///
/// Takes values in SI and divides by the measure's unit, as estimates are. The result set's status, stop_reason and
/// provenance are the solver's to fill in. One thread.
///
///     ExactAnswers answers(out, "ctmc-transient", "ctmc-transient");
///     answers.answer(spec, probability, error_bound, "uniformisation");
///     answers.not_answered(other, "it counts events");
class ExactAnswers {
 public:
  /// @param out     gets the answers; outlives this.
  /// @param solver  its name, for results.
  /// @param called  what sentences call it: "ctmc-transient", "The closed form".
  ExactAnswers(ResultSet& out, std::string solver, std::string called)
      : out_(out), solver_(std::move(solver)), called_(std::move(called)) {}

  /// Adds an answer, whose ends are value -+ error, but not beyond the range of the measure.
  /// A value that is not finite, in SI or in its unit, is no answer: RUN028 (warning) says so, as of simulations.
  /// @param value   in SI
  /// @param error   bound on its numerical error [SI], >= 0; NaN where it is controlled but not bounded: the answer has
  ///                no ends then.
  /// @param method  how it was found: "uniformisation", "exact".
  /// @returns it; good until the next answer.
  MeasureResult& answer(const MeasureSpec& spec, double value, double error, const char* method);
  /// Adds that there is no value: the question has no answer in this model.
  /// @param why  half a sentence, as in MeasureResult::not_available
  MeasureResult& no_answer(const MeasureSpec& spec, std::string why, const char* method);
  /// SOL002 (warning): the solver does not answer the measure.
  /// @param why  half a sentence, without a full stop.
  void not_answered(const MeasureSpec& spec, const std::string& why) { leave_out(spec, why, "SOL002"); }
  /// SOL005 (warning): it could, and that would cost too much.
  void too_dear(const MeasureSpec& spec, const std::string& why) { leave_out(spec, why, "SOL005"); }
  /// Adds a curve over these times [s], of one measure; it has no band.
  /// @param kind    "curve", with values in SI, or "distribution", with shares.
  /// @param values  as many as times
  void curve(const MeasureSpec& spec, const char* kind, const std::vector<double>& times_s, std::vector<double> values);
  /// Adds a table; its solver and `exact` are filled in.
  /// Name and columns are the solver's; names must differ within a result set, because files are called by them.
  void table(ResultTable table);

 private:
  MeasureResult about(const MeasureSpec& spec, const char* method) const;
  void leave_out(const MeasureSpec& spec, const std::string& why, const char* code);
  ResultSet& out_;
  std::string solver_, called_;
};

}  // namespace ergode
