#pragma once
#include <memory>
#include <string>

#include "core/study/exact_answers.h"
#include "core/study/solver.h"
#include "solvers/markov/markov_options.h"
#include "solvers/markov/state_space.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// What the Markov solvers share: the model, its chain, and the results that are being made.
class ChainRun {
 public:
  /// Takes the question's model. With failed() nothing else may be asked; the results say why.
  ChainRun(const Solver& solver, const Question& question, RunControl& control);
  bool failed() const { return out_.status == RunStatus::failed; }
  /// Generates the states, at most so many. @returns false when the run has failed; where it is not needed also when
  /// there are more states: then it may be asked again, or answered in another way.
  bool generate(std::uint64_t state_limit, bool needed = true);

  const AnalysisModel& model() const { return *model_; }
  const StateSpace& space() const { return *space_; }
  const Budget& budget() const { return budget_; }
  double error_bound() const { return options_.error_bound; }
  const MarkovOptions& options() const { return options_; }

  /// A reason for which a measure cannot be answered at all; empty: it can.
  std::string why_not(std::size_t measure) const;
  /// Expected number of the events that a count counts, per second in each state; at time zero: at_start().
  std::vector<double> count_rates(std::size_t measure) const;
  double at_start(std::size_t measure) const;
  /// By state: where the condition of a measure holds is a target.
  std::vector<StateRole> targets(std::size_t measure) const;

  /// Adds an answer: value and bound on its error in SI.
  MeasureResult& answer(std::size_t measure, double value, double error, const char* method);
  void not_answered(std::size_t measure, const std::string& why);
  /// Adds a curve over these times [s]; kind "curve" or "distribution".
  void curve(std::size_t measure, const char* kind, const std::vector<double>& times_s, std::vector<double> values);
  void option(const std::string& name, std::string value) { out_.provenance.options[name] = std::move(value); }
  /// The results as those of a failed run.
  ResultSet fail(std::string why, Diagnostic problem = {});
  ResultSet fail(const std::string& why, const char* code) {
    return fail(why, Diagnostic{.code = code, .message = why});
  }
  /// The results, measures in the order of the model.
  ResultSet take();

 private:
  void note_failure(std::string why, Diagnostic problem = {});
  const Solver& solver_;
  Budget budget_;
  MarkovOptions options_;
  std::shared_ptr<const AnalysisModel> model_;
  std::unique_ptr<StateSpace> space_;
  ResultSet out_;
  ExactAnswers answers_;
};

/// Why the model is no Markov chain, or the solver has no such method (MKV021); for Solver::fits().
Diagnostics chain_fits(const Solver& solver, const Question& question);

}  // namespace ergode
