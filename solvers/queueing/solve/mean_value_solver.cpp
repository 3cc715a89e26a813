#include "solvers/queueing/solve/mean_value_solver.h"

#include <cmath>
#include <string>

#include "solvers/queueing/exact/approximate_mva.h"
#include "solvers/queueing/exact/mean_value_analysis.h"
#include "solvers/queueing/exact/normalising_constant.h"
#include "solvers/queueing/solve/network_answers.h"
#include "solvers/queueing/solve/network_bounds.h"
#include "solvers/queueing/solve/product_form.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using Discipline = NetworkModel::Discipline;

struct MvaSettings {
  std::string method = "exact";
};

const OptionTable<MvaSettings>& mva_options() {
  static const OptionTable<MvaSettings> made = [] {
    OptionTable<MvaSettings> t;
    t.word({"mva-method", "NAME", "exact",
            "How mva solves: exact (mean value analysis, or convolution where a station has several servers), "
            "convolution, for great populations schweitzer or linearizer, which are approximations, or bounds."},
           &MvaSettings::method, {"exact", "convolution", "schweitzer", "linearizer", "bounds"});
    t.only_for("--solver mva or all", [](const RunRequest& r) { return r.solver == "mva" || r.solver == "all"; });
    return t;
  }();
  return made;
}

// Who waits: a sum of positive terms where the algorithm knows one, else a difference where that says something.
double waiting(const NetworkResult& result, std::size_t at, double busy) {
  if (!result.waiting.empty() && !std::isnan(result.waiting[at])) return result.waiting[at];
  if (std::isnan(busy)) return busy;
  constexpr double digits = 1e-13, wanted = 1e-9;
  const double number = result.number[at];
  return number - busy > (number + busy) * (digits / wanted) ? number - busy : NetworkMeans::lost_digits;
}

// Means by station as means by node.
NetworkMeans means_of(const NetworkModel& model, const ProductForm& form, const NetworkResult& result) {
  NetworkMeans out(model);
  for (std::size_t n = 0; n < model.nodes.size(); ++n) {
    const NetworkModel::Node& node = model.nodes[n];
    for (std::size_t c = 0; c < model.classes.size(); ++c) {
      PlaceMeans& here = out.at(n, c);
      if (node.kind == Kind::sink) here.served = form.arrivals[c][n];
      if (form.station[n] == NetworkModel::none) continue;
      const std::size_t k = form.network.at(form.station[n], c);
      here.number = result.number[k], here.served = result.throughput[k], here.response_s = result.response_s[k];
      if (node.kind != Kind::station) continue;
      here.busy = result.utilisation[k] * node.servers.value();
      // Of a speed that depends on the number present only the time in which somebody is there is known.
      if (form.network.stations[form.station[n]].kind == StationKind::load_dependent && node.servers.value() > 1.0)
        here.busy = NetworkMeans::none;
      // Servers that are shared are waited for by nobody.
      if (node.discipline == Discipline::ps) continue;
      here.waiting = waiting(result, k, here.busy);
      // Whoever is served at once may wait later.
      if (node.discipline == Discipline::lcfs_pr)
        here.waiting_s = node.servers.value() > 1.0 ? NetworkMeans::none : 0.0;
      else if (here.served > 0.0) here.waiting_s = here.waiting / here.served;
    }
  }
  return out;
}

}  // namespace

const SolverSpec& MeanValueSolver::spec() const {
  static const SolverSpec spec{
      .name = "mva",
      .label = "Mean value analysis",
      .description =
          "Exact means of queueing networks with a product form, open, closed or mixed, in the long run; speeds may "
          "depend on the number present, classes may change.",
      .reference =
          "Reiser and Lavenberg, Mean-value analysis of closed multichain queuing networks, 1980; Baskett, "
          "Chandy, Muntz and Palacios, Open, closed, and mixed networks of queues, 1975",
      .exact = true,
      .long_run = true};
  return spec;
}

std::vector<RunOption> MeanValueSolver::options() const { return mva_options().options(); }

const KnownElements& MeanValueSolver::known() const {
  static const KnownElements all{
      .disciplines = blind_disciplines | bit_of(Discipline::ps) | bit_of(Discipline::lcfs_pr),
      .features = NetworkModel::varies_speed,
      .class_changes = true};
  return all;
}

void MeanValueSolver::reasons(const NetworkModel& networks, const RunRequest& request, Diagnostics& out) const {
  const ProductForm form = product_form_of(networks, out);
  if (has_errors(out)) return;
  const std::string method = mva_options().read(request).method;
  const bool approximates = method != "exact" && method != "convolution";
  for (std::size_t k = 0; approximates && k < form.node.size(); ++k)
    if (form.network.stations[k].kind == StationKind::load_dependent)
      refuse(out, networks.nodes[form.node[k]].element,
             "The speed at \"" + form.network.stations[k].name + "\" depends on the number of customers there; \"" +
                 method + "\" is for constant ones.");
  for (std::size_t c = 0; method == "bounds" && c < networks.classes.size(); ++c)
    for (std::size_t d = 0; d < c; ++d)
      if (form.chains.chain[c] == form.chains.chain[d])
        refuse(
            out, networks.classes[c].element,
            "Customers of class \"" + networks.classes[c].name + "\" become others; bounds are for classes that stay.");
  if (has_errors(out)) return;
  for (Diagnostic& d : check_network(form.merged())) {
    for (std::size_t k = 0; d.code == "QUE103" && k < form.node.size() && !d.element; ++k)
      if (form.network.stations[k].kind == StationKind::queue &&
          form.network.open_load(k) >= form.network.stations[k].servers)
        d.element = networks.nodes[form.node[k]].element;
      else if (form.network.stations[k].kind == StationKind::load_dependent &&
               form.network.open_load(k) >= form.network.stations[k].rate_multipliers.back())
        d.element = networks.nodes[form.node[k]].element;
    out.push_back(std::move(d));
  }
}

std::optional<Diagnostic> MeanValueSolver::answer(const Task& task) const {
  Diagnostics none;
  const ProductForm form = product_form_of(task.networks, none);
  const std::string method = mva_options().read(task.request).method;
  if (method == "bounds") {
    for (const Measure& measure : task.model.measures)
      task.answers.not_answered(measure.spec, "there are bounds only, of throughput and response time of a class");
    task.out.stop_reason = "bounds";
    return answer_bounds(task.networks, form, task.answers);
  }
  AnswerMarks style{.method = "mean value analysis"};
  const QueueingNetwork network = form.merged();
  constexpr const char* cheaper =
      "mva-method = linearizer approximates any population, to about a percent; bounds takes no time. --wall-time says "
      "how long you want to wait.";
  const auto solve = [&]() -> Solved<NetworkResult> {
    if (method == "convolution") return style.method = "convolution", convolution(network, task.budget);
    if (method == "schweitzer")
      return style = {.method = "Bard-Schweitzer", .approximate = true}, schweitzer_bard(network);
    if (method == "linearizer") return style = {.method = "Linearizer", .approximate = true}, linearizer(network);
    return mean_value_analysis(network, task.budget);
  };
  std::optional<Solved<NetworkResult>> done;
  try {
    done = solve();
  } catch (OverBudget& cost) {
    if (cost.diagnostic.code == "QUE104") cost.diagnostic.hint = cheaper;
    throw;
  }
  Solved<NetworkResult>& solved = *done;
  if (auto* problem = std::get_if<Diagnostic>(&solved)) {
    if (problem->code == "QUE104") problem->hint = cheaper;
    return *problem;
  }
  if (style.approximate) task.out.stop_reason = "approximation";
  answer_networks(task.model, task.networks,
                  means_of(task.networks, form, form.split(std::get<NetworkResult>(std::move(solved)))), style,
                  task.answers, task.out);
  return {};
}

}  // namespace ergode
