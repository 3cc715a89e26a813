#pragma once
#include <optional>

#include "core/study/budget.h"
#include "core/study/exact_answers.h"
#include "core/study/solver.h"
#include "solvers/model/analysis_model.h"
#include "solvers/queueing/model/known_elements.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// What all solvers of drawn networks do alike: the model is built and must hold networks only; what the solver itself
/// cannot do it says with an element; then it answers.
class NetworkSolver : public Solver {
 public:
  using Solver::fits, Solver::solve;
  /// SOL001 for each element that prevents it.
  Diagnostics fits(const Question& question) const final;
  ResultSet solve(const Question& question, RunControl& control) const final;

 protected:
  /// One run; all of it outlives the call.
  struct Task {
    const AnalysisModel& model;
    const NetworkModel& networks;
    const RunRequest& request;
    const Budget& budget;  ///< what control and request allow
    ExactAnswers& answers;
    ResultSet& out;
  };
  /// What it takes of all that may be drawn; everything else is refused before `reasons` is asked.
  virtual const KnownElements& known() const = 0;
  /// Adds why else it cannot answer: errors, each with its element.
  virtual void reasons(const NetworkModel& networks, const RunRequest& request, Diagnostics& found) const = 0;
  /// Answers a network for which there were no reasons against it.
  /// @returns what went wrong all the same.
  /// @throws OverBudget  where it cost more than the budget, or was stopped.
  virtual std::optional<Diagnostic> answer(const Task& task) const = 0;

  /// Operations that it does when neither work nor time is limited; none: as many as it takes.
  virtual std::optional<double> most_operations() const { return {}; }

 private:
  /// The networks of the model, where it holds nothing else; and why they are not answered.
  const NetworkModel* look(const AnalysisModel& model, const RunRequest& request, Diagnostics& found) const;
};

}  // namespace ergode
