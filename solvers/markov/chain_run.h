#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/study/exact_answers.h"
#include "core/study/solver.h"
#include "solvers/markov/markov_options.h"
#include "solvers/markov/state_space.h"
#include "solvers/model/analysis_model.h"

namespace ergode {

/// What the model of a chart that is too much for uniformisation may be asked instead: TransientQuestion::instead.
inline constexpr const char* instead_of_uniformisation =
    "The model is stiff: try --method cvode, or ctmc-steady-state for what it tends to, or replace its fastest rates.";

/// Adds the times at which the distribution of a time up to `end_s` [s] is worked out: both ends and those evenly
/// between, 201 together.
void append_distribution_times(double end_s, std::vector<double>& times_s);

/// What the Markov solvers share: the model, its chain, and the results that are being made. In this order: made;
/// unless failed(), generate(), or nothing where modules are solved instead; every measure is answered or said not to
/// be; take(), once. One thread.
class ChainRun {
 public:
  /// Takes the question's model. With failed() nothing else may be asked but take(); the results say why (the model's
  /// errors, those of chain_fits(), or MKV010 for more components than the memory allows). Time and memory of the
  /// budget begin here: the less of what the request and the control allow.
  /// @param solver, control  must outlive it
  ChainRun(const Solver& solver, const Question& question, RunControl& control);
  bool failed() const { return out_.status == RunStatus::failed; }
  /// Generates the states, at most so many. @returns false when the run has failed; with `refused` not for what it
  /// costs (MKV010, MKV011, MKV022, RUN003), which is written there: then it may be asked again, or answered in another
  /// way. Notes states, transitions, error bound and lumped arrays in the record of the run. See generate_states() for
  /// the cost.
  bool generate(std::uint64_t state_limit, Diagnostic* refused = nullptr);
  /// There are states of what is asked now.
  bool generated() const { return space_ != nullptr; }

  /// Only unless failed(). Measures are numbered as in here: after ask_only() in what is left of the model.
  const AnalysisModel& model() const { return *model_; }
  /// From now on the model is asked these measures alone, as if it had no others: what is alike, what matters and how
  /// large the chain is may be others then. Forgets the states. Answers stay, and what was noted of them: numbers in
  /// the record are summed up, of errors and sizes the greatest stays.
  /// @param measures  numbers in the whole model, ascending
  void ask_only(const std::vector<std::size_t>& measures);
  /// All of them again, and no states.
  void ask_all();
  /// What has been noted since the last ask_only() is no part of the record: it led to no answer.
  void forget_notes() { notes_.clear(); }
  /// Only after generate() has returned true; so are all functions below that look at states.
  const StateSpace& space() const { return *space_; }
  const Budget& budget() const { return budget_; }
  /// Error that may be made, per unit of reward, in (0, 1).
  double error_bound() const { return options_.error_bound; }
  const MarkovOptions& options() const { return options_; }

  /// A reason for which a measure cannot be answered at all; empty: it can.
  std::string why_not(std::size_t measure) const;
  /// Expected number of the events that a count counts, per second in each state [1/s]; at time zero: at_start(). Where
  /// a condition is counted, each transition from a state where it is false to one where it holds. O(transitions).
  std::vector<double> count_rates(std::size_t measure) const;
  double at_start(std::size_t measure) const;
  /// By state: where the condition of a measure holds is a target, all others are ordinary.
  std::vector<StateRole> targets(std::size_t measure) const;

  /// Adds an answer: value and bound on its error in SI, as ExactAnswers::answer(). The reference holds until the next
  /// answer.
  /// @param method  as the result names it: "uniformisation"
  MeasureResult& answer(std::size_t measure, double value, double error, const char* method);
  /// Adds that there is none, as ExactAnswers::no_answer().
  MeasureResult& no_answer(std::size_t measure, std::string why, const char* method);
  /// SOL002, a warning with the reason.
  void not_answered(std::size_t measure, const std::string& why);
  /// SOL005, a warning: every way costs too much.
  void too_dear(std::size_t measure, const Diagnostic& cost);
  /// Adds a curve over these times [s]; kind "curve" or "distribution". Values in SI, one for each time.
  void curve(std::size_t measure, const char* kind, const std::vector<double>& times_s, std::vector<double> values);
  /// Writes one fact into the record of the run; a later one of this name replaces it.
  void option(const std::string& name, std::string value) { notes_[name] = std::move(value); }
  /// The results as those of a failed run: `why` is the reason it stopped, the problem, unless empty, is added. As
  /// take().
  ResultSet fail(std::string why, Diagnostic problem = {});
  ResultSet fail(const std::string& why, const char* code) {
    return fail(why, Diagnostic{.code = code, .message = why});
  }
  /// The results, measures in the order of the model; those of a split are named in SOL003. Leaves nothing behind.
  ResultSet take();

 private:
  void note_failure(std::string why, Diagnostic problem = {});
  void keep_notes();
  const Solver& solver_;
  Budget budget_;
  MarkovOptions options_;
  std::shared_ptr<const AnalysisModel> whole_, model_;  ///< the second: what is asked now
  std::map<std::string, std::string> notes_;            ///< on the part of it that is asked now
  std::map<std::string, std::string> kept_notes_;       ///< on those before it
  std::unique_ptr<StateSpace> space_;
  ResultSet out_;
  ExactAnswers answers_;
};

/// Why the model is no Markov chain, or the solver has no such method (MKV021); for Solver::fits().
Diagnostics chain_fits(const Solver& solver, const Question& question);

}  // namespace ergode
