#include "solvers/queueing/solve/ctmc_network_transient.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "solvers/markov/markov_options.h"
#include "solvers/markov/uniformisation.h"
#include "solvers/queueing/chain/network_space.h"
#include "solvers/queueing/solve/network_answers.h"

namespace ergode {
namespace {

using Meaning = MeasureKind::Meaning;

/// Why a measure is not answered, half a sentence; empty: it is.
std::string why_not(const NetworkChain& chain, const Measure& measure) {
  const Meaning asked = measure.spec.kind->meaning;
  if (measure.stream >= 0) return "it asks for observations of single customers, which states do not tell";
  if (asked != Meaning::at_time && asked != Meaning::by_time && asked != Meaning::average && asked != Meaning::at_end)
    return "it is no value or average of the mission";
  if (measure.counts_event) return "it counts events";
  if (!chain.knows(measure.program)) return "it asks for more than numbers at stations";
  return {};
}

class NetworkTransientRun {
 public:
  NetworkTransientRun(const NetworkChain& chain, const AnalysisModel& model, const MarkovOptions& options,
                      const Budget& budget)
      : chain_(chain), model_(model), options_(options), budget_(budget) {}

  /// Explores as far as histories get. @returns why that is not enough, a sentence.
  std::string reach() {
    if (std::string why = surely_too_many(); !why.empty()) return why;
    for (std::uint64_t limit = chain_.finite() ? ~std::uint64_t{0} : first_limit;; limit += limit / 2) {
      auto fresh = explore(chain_, limit, options_.state_limit, budget_, limit_ > 0 && cut_ <= useful);
      if (!fresh) {
        if (budget_.stop_requested()) return "cancelled";
        if (limit_ > 0 && cut_ <= useful) return {};
        return "There are more than " + std::to_string(options_.state_limit) + " states" +
               (limit_ > 0 ? ", and with " + std::to_string(limit_) + " customers at most still " +
                                 number_text(cut_, 2) + " of all histories have more."
                           : ".");
      }
      space_ = std::move(*fresh), incoming_ = space_.generator.incoming(), limit_ = limit;
      if (!space_.cut) return cut_ = 0.0, std::string();
      std::vector<double> cuts;
      NetworkState here = chain_.blank();
      for (const std::u32string& key : space_.states) {
        here.read(key);
        NetworkChain::Flows flows{std::vector<double>(chain_.places()), std::vector<double>(chain_.places()),
                                  std::vector<double>(chain_.places())};
        chain_.moves(
            here, limit, [](const NetworkState&, double) {}, &flows);
        cuts.push_back(flows.cut);
      }
      const double end[] = {model_.horizon_s};
      const TransientAnswer lost = ask({cuts}, end, {});
      if (lost.stopped) return "cancelled";
      cut_ = lost.integral[0][0] + lost.truncation * *std::max_element(cuts.begin(), cuts.end()) * model_.horizon_s;
      // What the series leaves out no limit makes smaller.
      if (lost.integral[0][0] <= std::max(options_.error_bound, 1e-11)) return {};
    }
  }

  std::string answer(const Measure& measure, ExactAnswers& answers) {
    const MeasureSpec& spec = measure.spec;
    const Meaning asked = spec.kind->meaning;
    std::vector<double> reward, slots, times = spec.grid_s;
    NetworkState here = chain_.blank();
    double largest = 0.0;
    for (const std::u32string& key : space_.states) {
      here.read(key);
      const double x = measure.program.is_constant() ? measure.program.value()
                                                     : measure.program.evaluate(chain_.slots(here, slots).data());
      reward.push_back(spec.proportion ? (x != 0.0 ? 1.0 : 0.0) : x);
      largest = std::max(largest, std::fabs(reward.back()));
    }
    const double moment = asked == Meaning::at_time || asked == Meaning::by_time ? measure.at_s : model_.horizon_s;
    times.push_back(moment);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    std::vector<StateRole> roles;
    if (asked == Meaning::by_time)
      for (const double x : reward) roles.push_back(x != 0.0 ? StateRole::target : StateRole::ordinary);
    const TransientAnswer found = ask({reward}, times, roles);
    if (found.stopped) return "cancelled";
    const auto at = [&](double t) {
      return static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), t) - times.begin());
    };
    const std::vector<double>& over_time = asked == Meaning::by_time ? found.reached : found.at[0];
    const bool mean = asked == Meaning::average;
    const double value = mean ? found.integral[0][at(moment)] / model_.horizon_s : over_time[at(moment)];
    const std::vector<double>& lost_by = mean ? found.lost_integral : found.lost_at;
    const double lost = at(moment) < lost_by.size() ? lost_by[at(moment)] : 0.0;
    answers.answer(spec, value, (lost + cut_ + found.rounding) * largest, "uniformisation");
    if (!spec.grid_s.empty()) {
      std::vector<double> curve;
      for (const double t : spec.grid_s) curve.push_back(over_time[at(t)]);
      answers.curve(spec, "curve", spec.grid_s, std::move(curve));
    }
    return {};
  }
  void record(std::map<std::string, std::string>& options) const {
    options["states"] = std::to_string(space_.states.size());
    options["transitions"] = std::to_string(space_.generator.transitions());
    if (!space_.cut) return;
    options["customers_at_most"] = std::to_string(limit_), options["cut_histories"] = number_text(cut_, 3);
  }

 private:
  /// Known from numbers alone, before a state is made: how many customers the states leave room for, and how probable
  /// it is that at the end of the mission there are more.
  std::string surely_too_many() const {
    if (chain_.finite()) return {};  // explore() finds it at once
    const auto states = static_cast<double>(options_.state_limit);
    std::uint64_t room = first_limit;
    if (chain_.least_states(room) > states) return {};  // likewise
    while (chain_.least_states(room + room / 2) <= states && room < options_.state_limit) room += room / 2;
    const double mean = chain_.least_customers(model_.horizon_s);
    double fewer = 0.0;
    for (std::uint64_t n = 0; n <= room && mean > 0.0; ++n) {
      const auto k = static_cast<double>(n);
      fewer += std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
    }
    if (mean == 0.0 || 1.0 - fewer <= useful) return {};
    return "There are more than " + std::to_string(options_.state_limit) + " states as soon as more than " +
           std::to_string(room) + " customers count, and at the end of the mission there are at least " +
           number_text(mean, 3) + " in the mean.";
  }
  TransientAnswer ask(const std::vector<std::vector<double>>& rewards, std::span<const double> times,
                      std::span<const StateRole> roles) const {
    TransientQuestion question{.initial = space_.initial};
    for (const auto& reward : rewards) question.rewards.emplace_back(reward);
    question.roles = roles, question.times_s = times, question.error = options_.error_bound, question.budget = budget_;
    question.instead =
        "Its fastest rate is great beside the mission: simulate, ask ctmc-network for what the network tends to, or "
        "replace its fastest rates.";
    return solve_transient(space_.generator, incoming_, question);
  }

  static constexpr std::uint64_t first_limit = 16;  ///< customers
  static constexpr double useful = 1e-3;            ///< of histories that get beyond the limit: what is answered still
  const NetworkChain& chain_;
  const AnalysisModel& model_;
  const MarkovOptions& options_;
  const Budget& budget_;
  NetworkSpace space_;
  RateRows incoming_;
  std::uint64_t limit_ = 0;
  double cut_ = 0.0;  ///< bound on the probability that the limit mattered within the mission
};

}  // namespace

const SolverSpec& CtmcNetworkTransientSolver::spec() const {
  static const SolverSpec spec{
      .name = "ctmc-network-transient",
      .label = "The Markov chain of the network over the mission",
      .description =
          "Networks whose times are exponential or phases, state by state, within the mission: probabilities, "
          "numbers and averages over time.",
      .reference =
          "Jensen, Markoff chains as an aid in the study of Markoff processes, 1953; Stewart, Introduction to "
          "the numerical solution of Markov chains, 1994",
      .exact = true};
  return spec;
}

std::vector<RunOption> CtmcNetworkTransientSolver::options() const { return markov_options().options(); }

const KnownElements& CtmcNetworkTransientSolver::known() const { return NetworkChain::known(); }

void CtmcNetworkTransientSolver::reasons(const NetworkModel& networks, const RunRequest&, Diagnostics& out) const {
  const NetworkChain chain(networks, out);
}

std::optional<Diagnostic> CtmcNetworkTransientSolver::answer(const Task& task) const {
  Diagnostics none;
  NetworkChain chain(task.networks, none);
  chain.heed(task.budget);
  const MarkovOptions options = markov_options().read(task.request);
  const auto failed = [](std::string why) { return Diagnostic{.code = "MKV020", .message = std::move(why)}; };
  try {
    // What nobody asks is not made: a mission of many customers has states without end.
    std::vector<std::string> unknown;
    for (const Measure& measure : task.model.measures) unknown.push_back(why_not(chain, measure));
    const bool asked = std::any_of(unknown.begin(), unknown.end(), [](const std::string& why) { return why.empty(); });
    NetworkTransientRun run(chain, task.model, options, task.budget);
    if (std::string why = asked ? run.reach() : std::string(); !why.empty()) return failed(std::move(why));
    for (std::size_t m = 0; m < unknown.size(); ++m) {
      const Measure& measure = task.model.measures[m];
      if (!unknown[m].empty()) {
        task.answers.not_answered(measure.spec, unknown[m]);
        continue;
      }
      if (std::string why = run.answer(measure, task.answers); !why.empty()) return failed(std::move(why));
    }
    if (!asked) return {};
    run.record(task.out.provenance.options);
    return {};
  } catch (const OutOfRange& bad) {
    return bad.diagnostic;
  }
}

}  // namespace ergode
