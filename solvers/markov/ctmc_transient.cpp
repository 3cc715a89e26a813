#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/base/text.h"
#include "solvers/markov/chain_run.h"
#include "solvers/markov/ctmc_solver.h"
#include "solvers/markov/cvode_transient.h"
#include "solvers/markov/routes.h"

namespace ergode {
namespace {

class TransientRun {
 public:
  TransientRun(ChainRun& run, const std::string& method)
      : run_(run),
        model_(run.model()),
        chain_(run.space().generator),
        incoming_(chain_.incoming()),
        cvode_(method == "cvode"),
        name_(cvode_ ? "cvode" : "uniformisation") {}

  /// Empty: done; else what went wrong.
  std::string solve() {
    std::vector<std::size_t> together, first_passages;
    for (std::size_t m = 0; m < model_.measures.size(); ++m) {
      if (const std::string why = run_.why_not(m); !why.empty()) run_.not_answered(m, why);
      else if (measure(m).spec.kind->first_passage()) first_passages.push_back(m);
      else together.push_back(m);
    }
    if (std::string why = all_at_once(together); !why.empty()) return why;
    for (const std::size_t m : first_passages)
      if (std::string why = first_passage(m); !why.empty()) return why;
    run_.option("method", name_);
    run_.option(cvode_ ? "integration_steps" : "matrix_products", std::to_string(steps_));
    if (!cvode_) run_.option("truncation_error", number_text(truncation_, 3));
    return {};
  }

 private:
  using Meaning = MeasureKind::Meaning;
  const Measure& measure(std::size_t m) const { return model_.measures[m]; }

  /// The least of what is asked for, per unit of reward; 0 where something is 0.
  using Smallest = std::function<double(const TransientAnswer&)>;

  // Small answers are to be known to so many digits whatever the bound: a longer sweep costs little more.
  static constexpr double least_accuracy = 1e-6;
  void sharpen(TransientQuestion& question, TransientAnswer& answer, const Smallest& smallest) {
    const double asked = question.error;
    // Only what is cut off becomes sharper; waiting longer for a steady state could cost all products.
    question.early_end = asked;
    // What was cut off may be most of an answer, so the first one says only where to look.
    for (int again = 0; again < 3 && !answer.stopped; ++again) {
      const double least = smallest(answer);
      if (least > 0.0 && answer.truncation <= least_accuracy * least) return;
      if (!(least > 0.0) && again > 0) return;  // it is zero
      // What is zero may only have been cut off.
      question.error = least > 0.0 ? std::max(std::min(asked, 1e-3 * least_accuracy * least), 1e-250) : 1e-40 * asked;
      TransientAnswer sharper;
      try {
        sharper = solve_transient(chain_, incoming_, question);
      } catch (const OverBudget&) {
        return;  // the first answer stands, with its wider interval
      }
      if (sharper.stopped) return;
      steps_ += sharper.steps;
      answer = std::move(sharper);
      if (answer.steady) return;  // what that loses stays
    }
  }

  std::string ask(TransientQuestion& question, TransientAnswer& answer, const Smallest& smallest) {
    question.initial = run_.space().initial;
    question.error = run_.error_bound();
    question.budget = run_.budget();
    question.instead = instead_of_uniformisation;
    if (cvode_) {
      const CvodeTolerances tolerances{.relative = std::clamp(run_.error_bound(), 1e-12, 1e-6),
                                       .absolute = std::max(run_.error_bound() * 1e-4, 1e-18)};
      auto solved = solve_transient_cvode(chain_, question, tolerances);
      if (auto* why = std::get_if<std::string>(&solved)) return std::move(*why);
      answer = std::get<TransientAnswer>(std::move(solved));
    } else {
      answer = solve_transient(chain_, incoming_, question);
      steps_ += answer.steps;
      sharpen(question, answer, smallest);
    }
    if (answer.stopped) return "cancelled";
    if (cvode_) steps_ += answer.steps;
    truncation_ = std::max(truncation_, answer.truncation);
    return {};
  }

  // Bound on the error of a value: what was cut off, per unit of reward, and rounding of sums of terms >= 0.
  double bound(const TransientAnswer& answer, double lost, double value, double largest, bool positive) const {
    return cvode_ ? std::numeric_limits<double>::quiet_NaN()
                  : lost * largest + answer.rounding * (positive ? std::fabs(value) : largest);
  }
  static double lost_at(const TransientAnswer& answer, std::size_t time) {
    return time < answer.lost_at.size() ? answer.lost_at[time] : 0.0;
  }
  static double lost_integral(const TransientAnswer& answer, std::size_t time) {
    return time < answer.lost_integral.size() ? answer.lost_integral[time] : 0.0;
  }
  static double largest_of(const std::vector<double>& reward) {
    double largest = 0.0;
    for (const double x : reward) largest = std::max(largest, std::fabs(x));
    return largest;
  }

  std::vector<double> times_of(const std::vector<std::size_t>& measures) const {
    std::vector<double> times = {model_.horizon_s};
    for (const std::size_t m : measures) {
      times.push_back(measure(m).at_s);
      times.insert(times.end(), measure(m).spec.grid_s.begin(), measure(m).spec.grid_s.end());
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
  }
  static std::size_t place(const std::vector<double>& times, double t) {
    return static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), t) - times.begin());
  }
  static std::vector<double> picked(const std::vector<double>& times, const std::vector<double>& values,
                                    const std::vector<double>& grid) {
    std::vector<double> out;
    for (const double t : grid) out.push_back(values[place(times, t)]);
    return out;
  }

  std::string all_at_once(const std::vector<std::size_t>& measures) {
    if (measures.empty()) return {};
    std::vector<std::vector<double>> rewards;
    for (const std::size_t m : measures) {
      if (measure(m).spec.kind->meaning == Meaning::events) rewards.push_back(run_.count_rates(m));
      else rewards.push_back(run_.space().values[m]);
      if (measure(m).spec.proportion)
        for (double& x : rewards.back()) x = x != 0.0 ? 1.0 : 0.0;
    }
    TransientQuestion question;
    for (const std::vector<double>& reward : rewards) question.rewards.emplace_back(reward);
    const std::vector<double> times = times_of(measures);
    question.times_s = times;
    const auto smallest = [&](const TransientAnswer& of) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < measures.size(); ++i) {
        const double found = std::fabs(asked_value(measures[i], i, times, of)), largest = largest_of(rewards[i]);
        if (largest > 0.0) least = std::min(least, found / largest);
      }
      return least;
    };
    TransientAnswer answer;
    if (std::string why = ask(question, answer, smallest); !why.empty()) return why;
    for (std::size_t i = 0; i < measures.size(); ++i) value(measures[i], rewards[i], i, times, answer);
    return {};
  }

  /// What a measure asks for: an expected reward, or its average over the mission.
  double asked_value(std::size_t m, std::size_t i, const std::vector<double>& times,
                     const TransientAnswer& answer) const {
    const Meaning meaning = measure(m).spec.kind->meaning;
    const double end = model_.horizon_s;
    if (meaning == Meaning::events || meaning == Meaning::average) return answer.integral[i][place(times, end)] / end;
    return answer.at[i][place(times, measure(m).at_s)];
  }

  void value(std::size_t m, const std::vector<double>& reward, std::size_t i, const std::vector<double>& times,
             const TransientAnswer& answer) {
    const MeasureSpec& spec = measure(m).spec;
    const double end = model_.horizon_s;
    const double largest = largest_of(reward);
    const bool positive = std::all_of(reward.begin(), reward.end(), [](double x) { return x >= 0.0; });
    const double of_mission = lost_integral(answer, place(times, end));
    if (spec.kind->meaning == Meaning::events) {
      const double counted = answer.integral[i][place(times, end)];
      run_.answer(m, run_.at_start(m) + counted, bound(answer, of_mission, counted, largest * end, true), name_);
    } else if (spec.kind->meaning == Meaning::average) {
      const double mean = answer.integral[i][place(times, end)] / end;
      run_.answer(m, mean, bound(answer, of_mission, mean, largest, positive), name_);
    } else {
      const std::size_t moment = place(times, measure(m).at_s);
      const double at = answer.at[i][moment];
      run_.answer(m, at, bound(answer, lost_at(answer, moment), at, largest, positive), name_);
    }
    if (!spec.grid_s.empty()) run_.curve(m, "curve", spec.grid_s, picked(times, answer.at[i], spec.grid_s));
  }

  std::string first_passage(std::size_t m) {
    const MeasureSpec& spec = measure(m).spec;
    const bool waits = spec.kind->meaning == Meaning::first_time;
    std::vector<double> times = times_of({m});
    const double end = model_.horizon_s;
    if (waits) append_distribution_times(end, times);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    const std::vector<StateRole> roles = run_.targets(m);
    TransientQuestion question;
    question.roles = roles;
    question.times_s = times;
    TransientAnswer answer;
    const std::size_t last = place(times, end), moment = waits ? last : place(times, measure(m).at_s);
    const auto smallest = [&](const TransientAnswer& of) { return of.reached[moment]; };
    if (std::string why = ask(question, answer, smallest); !why.empty()) return why;
    if (!waits) {
      const double reached = answer.reached[moment];
      run_.answer(m, reached, bound(answer, lost_at(answer, moment), reached, 1.0, true), name_);
      if (!spec.grid_s.empty()) run_.curve(m, "curve", spec.grid_s, picked(times, answer.reached, spec.grid_s));
      return {};
    }
    // Mean of the time given that it comes within the mission, as a simulation sees it.
    const double reached = answer.reached[last];
    if (!(reached > 0.0)) {
      run_.no_answer(m, "the event cannot occur within the mission", name_);
      return {};
    }
    // E[T; T <= end] = end P(T <= end) - integral of P(T <= t) from 0 to end.
    const double mean = end - answer.reached_integral[last] / reached;
    // The integral and the probability that it is divided by err by as much each.
    const double rest = bound(answer, lost_integral(answer, last), reached, 1.0, true) / reached;
    run_.answer(m, mean, 2.0 * end * rest, name_);
    std::vector<double> share = answer.reached;
    for (double& p : share) p /= reached;
    run_.curve(m, "distribution", times, std::move(share));
    return {};
  }

  ChainRun& run_;
  const AnalysisModel& model_;
  const SparseGenerator& chain_;
  RateRows incoming_;
  bool cvode_;
  const char* name_;
  std::uint64_t steps_ = 0;
  double truncation_ = 0.0;
};

}  // namespace

const SolverSpec& CtmcTransientSolver::spec() const {
  static const SolverSpec spec{
      .name = "ctmc-transient",
      .label = "Markov chain over the mission",
      .description =
          "Exact probabilities, averages, counts and times of models whose delays are exponential or phases.",
      .reference =
          "Jensen, Markoff chains as an aid in the study of Markoff processes, 1953; Hindmarsh et al., "
          "SUNDIALS, 2005",
      .exact = true,
      .methods = {"uniformisation", "cvode"}};
  return spec;
}

std::vector<RunOption> CtmcTransientSolver::options() const { return markov_options().options(); }

Diagnostics CtmcTransientSolver::fits(const Question& question) const { return chain_fits(*this, question); }

ResultSet CtmcTransientSolver::solve(const Question& question, RunControl& control) const {
  ChainRun run(*this, question, control);
  if (run.failed()) return run.take();
  try {
    return answer_measures(run, [&run] { return TransientRun(run, run.options().method).solve(); });
  } catch (const OverBudget& cost) {
    return run.fail(cost.diagnostic.message, cost.diagnostic);
  }
}

}  // namespace ergode
