#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "solvers/markov/chain_run.h"
#include "solvers/markov/ctmc_solver.h"
#include "solvers/markov/long_run.h"

namespace ergode {
namespace {

class SteadyRun {
 public:
  SteadyRun(ChainRun& run, const std::string& method) : run_(run), chain_(run.space().generator) {
    options_.method = method == "direct"      ? LinearMethod::direct
                      : method == "iterative" ? LinearMethod::iterative
                                              : LinearMethod::automatic;
    options_.error = run.error_bound();
    options_.budget = run.budget();
  }

  std::string solve() {
    auto solved = solve_long_run(chain_, run_.space().initial, options_);
    // Whether and when something first happens is another question: it may have its answer without the limit.
    const auto* const no_limit = std::get_if<std::string>(&solved);
    const LongRun* const limit = std::get_if<LongRun>(&solved);
    std::vector<std::pair<std::size_t, std::string>> missing;
    bool any = false;
    for (std::size_t m = 0; m < run_.model().measures.size(); ++m) {
      if (const std::string why = run_.why_not(m); !why.empty()) {
        run_.not_answered(m, why);
        continue;
      }
      if (run_.budget().stop_requested()) return "cancelled";
      const bool first = run_.model().measures[m].spec.kind->first_passage();
      std::string why = first ? ever(m) : limit != nullptr ? answer(m, *limit) : *no_limit;
      if (why.empty()) any = true;
      else missing.emplace_back(m, std::move(why));
    }
    if (!any && !missing.empty()) return missing.front().second;
    for (auto& [m, why] : missing) {
      why.pop_back();  // of a sentence
      run_.not_answered(m, "MKV020: " + why);
    }
    if (limit != nullptr) {
      note(limit->report);
      run_.option("bottom_classes", std::to_string(limit->bottom_classes));
      run_.option("transient_states", std::to_string(limit->transient_states));
    }
    run_.option("method", report_.used == LinearMethod::direct ? "direct" : "iterative");
    run_.option("residual", number_text(report_.residual, 3));
    if (report_.sweeps > 0) run_.option("sweeps", std::to_string(report_.sweeps));
    return {};
  }

 private:
  const char* name(const LinearReport& report) const {
    return report.used == LinearMethod::direct ? "state reduction" : "gauss-seidel";
  }
  void note(const LinearReport& report) {
    if (report.used == LinearMethod::iterative) report_.used = report.used;
    report_.sweeps += report.sweeps;
    report_.residual = std::max(report_.residual, report.residual);
  }

  std::string answer(std::size_t m, const LongRun& limit) {
    const MeasureSpec& spec = run_.model().measures[m].spec;
    std::vector<double> reward;
    const bool counts = spec.kind->meaning == MeasureKind::Meaning::events;
    if (counts) reward = run_.count_rates(m);
    else reward = run_.space().values[m];
    double sum = 0.0, size = 0.0;
    for (std::size_t i = 0; i < reward.size(); ++i) {
      const double x = spec.proportion ? (reward[i] != 0.0 ? 1.0 : 0.0) : reward[i];
      sum += limit.distribution[i] * x;
      size += limit.distribution[i] * std::fabs(x);
    }
    if (counts) {
      // Events per unit of the model's time.
      sum *= spec.time_scale, size *= spec.time_scale;
      MeasureResult& result = run_.answer(m, sum, limit.report.error * size, name(limit.report));
      result.unit += "/" + spec.time_unit;
    } else {
      run_.answer(m, sum, limit.report.error * size, name(limit.report));
    }
    return {};
  }

  // Probability of ever, or the unconditional mean time.
  std::string ever(std::size_t m) {
    const MeasureSpec& spec = run_.model().measures[m].spec;
    const std::vector<StateRole> roles = run_.targets(m);
    auto solved = solve_absorption(chain_, run_.space().initial, roles, options_);
    if (auto* why = std::get_if<std::string>(&solved)) return std::move(*why);
    const Absorption& end = std::get<Absorption>(solved);
    note(end.report);
    if (spec.kind->meaning == MeasureKind::Meaning::by_time) {
      run_.answer(m, end.probability, end.certain ? 0.0 : end.report.error * end.probability, name(end.report));
      return {};
    }
    double mean = 0.0;
    for (const double t : end.time_s) mean += t;
    if (end.certain) {
      run_.answer(m, mean, end.report.error * mean, name(end.report));
      return {};
    }
    run_.no_answer(m, "the event need not ever occur: its probability is " + number_text(end.probability, 6),
                   name(end.report));
    return {};
  }

  ChainRun& run_;
  const SparseGenerator& chain_;
  LinearOptions options_;
  LinearReport report_;
};

}  // namespace

const SolverSpec& CtmcSteadyStateSolver::spec() const {
  static const SolverSpec spec{
      .name = "ctmc-steady-state",
      .label = "Markov chain in the long run",
      .description =
          "Limits of a mission without end: availability, frequencies, probabilities of ever, mean times to events.",
      .reference =
          "Grassmann, Taksar and Heyman, Regenerative Analysis and Steady State Distributions, 1985; Stewart, "
          "Introduction to the Numerical Solution of Markov Chains, 1994",
      .exact = true,
      .methods = {"direct", "iterative"},
      .long_run = true};
  return spec;
}

std::vector<RunOption> CtmcSteadyStateSolver::options() const { return markov_options().options(); }

Diagnostics CtmcSteadyStateSolver::fits(const Question& question) const { return chain_fits(*this, question); }

ResultSet CtmcSteadyStateSolver::solve(const Question& question, RunControl& control) const {
  ChainRun run(*this, question, control);
  if (run.failed() || !run.generate(run.options().state_limit)) return run.take();
  try {
    if (std::string why = SteadyRun(run, run.options().method).solve(); !why.empty()) return run.fail(why, "MKV020");
    return run.take();
  } catch (const OverBudget& cost) {
    return run.fail(cost.diagnostic.message, cost.diagnostic);
  }
}

}  // namespace ergode
