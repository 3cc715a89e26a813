#include "solvers/queueing/solve/ctmc_network_solver.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "core/stats/quantiles.h"
#include "core/study/result_builder.h"
#include "solvers/markov/markov_options.h"
#include "solvers/queueing/chain/network_space.h"
#include "solvers/queueing/model/traffic.h"
#include "solvers/queueing/solve/network_answers.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using Discipline = NetworkModel::Discipline;
using M = NetworkModel;

/// Means of numbers and flows as means of times, by Little's law.
NetworkMeans means_of(const NetworkModel& model, const NetworkLongRun& found) {
  NetworkMeans out(model);
  const std::size_t classes = model.classes.size();
  for (std::size_t place = 0; place < out.places.size(); ++place) {
    const M::Node& node = model.nodes[place / classes];
    PlaceMeans& here = out.places[place];
    here.served = found.flows.served[place], here.lost = found.flows.lost[place];
    here.gave_up = found.flows.gave_up[place];
    if (node.kind != Kind::station && node.kind != Kind::delay && node.kind != Kind::place) continue;
    here.number = found.numbers.present[place], here.waiting = found.numbers.waiting[place];
    here.busy = node.kind == Kind::station ? found.numbers.busy[place] : 0.0;
    // Those who gave up were there too: how long those who did not were is not known from numbers.
    here.response_s = here.gave_up > 0.0 ? NetworkMeans::none : here.number / here.served;
    here.waiting_s = here.gave_up > 0.0 || node.has(M::preempts) ? NetworkMeans::none : here.waiting / here.served;
    const bool at_once = node.discipline == Discipline::lcfs_pr && node.servers.is_constant() &&
                         node.servers.value() == 1.0 && node.priorities == M::Priorities::ignored;
    if (at_once) here.waiting_s = 0.0;
  }
  return out;
}

/// Means over all customers, which Little's law gives, are not those of the customers who are served.
Diagnostic starved(const NetworkModel& model, const std::vector<std::uint32_t>& places) {
  const M::Node& node = model.nodes[places.front() / model.classes.size()];
  std::string who;
  for (const std::uint32_t place : places) {
    const std::string& name = model.classes[place % model.classes.size()].name;
    if (place / model.classes.size() != places.front() / model.classes.size() || name.empty()) continue;
    who += (who.empty() ? " of class \"" : ", \"") + name + "\"";
  }
  return {
      .code = "MKV020",
      .element = node.element,
      .message = "Customers" + who + " may wait at \"" + node.name +
                 "\" for ever, because others who come back always go before them: there is no mean of their times.",
      .hint = "Another discipline, or a way that leads elsewhere before it comes back."};
}

/// Customers beyond the limit may do what those below it do not.
Diagnostic estimated(const NetworkLongRun& found) {
  return {
      .severity = Severity::warning,
      .code = "MKV023",
      .message = "Answers are estimates, of at most " + std::to_string(found.limit) +
                 " customers: from one limit to the next means changed by " + number_text(found.truncation, 2) +
                 " of their value at most. That is no bound of their error: " + found.why_unbounded + ".",
      .hint =
          "More states (--state-limit) may show one, capacities make the network finite; a simulation tells whether "
          "means agree."};
}

/// Shares of the time, their variance, and the least values up to which lie as much as quantiles want.
void add_distribution(const MeasureSpec& spec, const std::map<double, double>& shares, double error,
                      MeasureResult& result, ResultSet& out) {
  const double scale = spec.factor / spec.unit_scale;
  Series series = distribution_of(spec, result.solver);
  double all = 0.0, mean = 0.0, squares = 0.0;
  for (const auto& [value, share] : shares) {
    series.x.push_back(scale * value), series.y.push_back(all += share);
    mean += share * value;
  }
  mean /= all;
  for (const auto& [value, share] : shares) squares += share * (value - mean) * (value - mean);
  result.variance = scale * scale * squares / all;
  // Where just that much lies up to a value rounding does not decide which it is.
  const double off = std::max(1e-9, error);
  for (const double p : told_levels)
    for (std::size_t i = 0; i < series.x.size() && !result.quantiles.contains(p); ++i)
      if (series.y[i] >= p * all - off) result.quantiles[p] = series.x[i];
  series.exact = result.exact;
  out.series.push_back(std::move(series));
}

bool averages(const Measure& measure) {
  using Meaning = MeasureKind::Meaning;
  const Meaning asked = measure.spec.kind->meaning;
  return measure.stream < 0 &&
         (asked == Meaning::long_run || asked == Meaning::regenerative || asked == Meaning::average);
}

}  // namespace

const SolverSpec& CtmcNetworkSolver::spec() const {
  static const SolverSpec spec{
      .name = "ctmc-network",
      .label = "The Markov chain of the network",
      .description =
          "Networks whose times are exponential or phases, state by state, in the long run: any discipline "
          "that small states tell, priorities, losses, choices, places and transitions, regions.",
      .reference =
          "Stewart, Introduction to the numerical solution of Markov chains, 1994; Bolch, Greiner, de Meer and "
          "Trivedi, Queueing networks and Markov chains, 2nd edition, 2006",
      .exact = true,
      .long_run = true};
  return spec;
}

std::vector<RunOption> CtmcNetworkSolver::options() const { return markov_options().options(); }

const KnownElements& CtmcNetworkSolver::known() const { return NetworkChain::known(); }

void CtmcNetworkSolver::reasons(const NetworkModel& networks, const RunRequest&, Diagnostics& out) const {
  const NetworkChain chain(networks, out);
  const OfferedLoads loads = offered_loads(networks);
  for (std::size_t n = 0; n < loads.share.size(); ++n) {
    const M::Node& node = networks.nodes[n];
    if (loads.share[n] >= 1.0 && loads.at_most[n] == 0 && node.capacity == M::unlimited)
      refuse(out, node.element,
             "\"" + node.name + "\" gets " + number_text(loads.share[n], 4) +
                 " times the work that its servers can do: it settles at nothing.");
  }
}

std::optional<Diagnostic> CtmcNetworkSolver::answer(const Task& task) const {
  Diagnostics none;
  NetworkChain chain(task.networks, none);
  chain.heed(task.budget);
  const MarkovOptions options = markov_options().read(task.request);
  std::vector<const Program*> programs;
  std::vector<std::uint8_t> spread;
  std::map<const Measure*, std::size_t> place;
  for (const Measure& measure : task.model.measures)
    if (averages(measure) && !measure.program.is_constant() && chain.knows(measure.program)) {
      place[&measure] = programs.size();
      programs.push_back(&measure.program);
      spread.push_back(measure.spec.lasting ? 1 : 0);
    }
  try {
    auto solved =
        long_run_of(chain, programs, spread, std::max(options.error_bound, 1e-9), options.state_limit, task.budget);
    if (auto* why = std::get_if<std::string>(&solved)) return Diagnostic{.code = "MKV020", .message = std::move(*why)};
    const NetworkLongRun& found = std::get<NetworkLongRun>(solved);
    if (!found.starving.empty()) return starved(task.networks, found.starving);
    const double error = found.truncation + found.rounding, nothing = found.nothing;
    const AnswerMarks style{
        .method = found.limit > 0 ? "truncated chain" : "chain",
        .approximate = !found.bounded,
        .error = [error, nothing](double value) { return value != 0.0 ? error * std::fabs(value) : nothing; }};
    if (!found.bounded) task.out.diagnostics.push_back(estimated(found));
    auto& record = task.out.provenance.options;
    record["states"] = std::to_string(found.states), record["transitions"] = std::to_string(found.transitions);
    if (found.limit > 0) {
      record["customers_at_most"] = std::to_string(found.limit);
      record[found.bounded ? "truncation" : "last_change"] = number_text(found.truncation, 3);
    }
    const NetworkMeans means = means_of(task.networks, found);
    const auto known = [&](const Measure& measure) {
      const auto at = place.find(&measure);
      if (at == place.end()) return false;
      const double value = found.values[at->second];
      if (!std::isfinite(value)) {
        task.answers.not_answered(measure.spec, "its value in states with many customers is beyond all numbers");
        return true;
      }
      const double cut = found.limit > 0 && found.bounded ? found.value_error[at->second] : 0.0;
      MeasureResult& result = task.answers.answer(
          measure.spec, value, found.bounded ? cut + found.rounding * std::fabs(value) : NetworkMeans::none,
          style.method);
      if (!found.bounded) result.exact = false;
      if (spread[at->second] != 0) add_distribution(measure.spec, found.shares[at->second], error, result, task.out);
      return true;
    };
    answer_networks(task.model, task.networks, means, style, task.answers, task.out, known);
    return {};
  } catch (const OutOfRange& bad) {
    return bad.diagnostic;
  }
}

}  // namespace ergode
