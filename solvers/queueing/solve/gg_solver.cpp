#include "solvers/queueing/solve/gg_solver.h"

#include <cmath>

#include "core/base/text.h"
#include "solvers/queueing/exact/decomposition.h"
#include "solvers/queueing/exact/general_service_stations.h"
#include "solvers/queueing/exact/heavy_traffic.h"
#include "solvers/queueing/model/traffic.h"
#include "solvers/queueing/solve/network_answers.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using Discipline = NetworkModel::Discipline;
using M = NetworkModel;

struct GgSettings {
  std::string formula = "kraemer-langenbach-belz";
};

const OptionTable<GgSettings>& gg_options() {
  static const OptionTable<GgSettings> made = [] {
    OptionTable<GgSettings> t;
    t.word({"gg-formula", "NAME", "kraemer-langenbach-belz",
            "How gg-approximation has customers wait: kraemer-langenbach-belz or allen-cunneen, station by station, or "
            "brownian, the limit of heavy traffic: Kingman's at single servers, Halfin and Whitt's at many."},
           &GgSettings::formula, {"kraemer-langenbach-belz", "allen-cunneen", "brownian"});
    t.only_for("--solver gg-approximation", [](const RunRequest& r) { return r.solver == "gg-approximation"; });
    return t;
  }();
  return made;
}

/// An open network by means and variabilities; with reasons it means nothing.
class Decomposition {
 public:
  Decomposition(const NetworkModel& model, const std::string& formula, Diagnostics& reasons)
      : model_(model), formula_(formula), reasons_(reasons), means_(model), arrivals_(means_.places.size(), 0.0) {}

  NetworkMeans solve() {
    look();
    if (has_errors(reasons_)) return std::move(means_);
    if (formula_ == "brownian") {
      auto near_saturation = heavy_traffic(stations_, outside_, inside_);
      if (const auto* problem = std::get_if<Diagnostic>(&near_saturation)) refuse(reasons_, {}, problem->message);
      else diffusion = std::get<HeavyTraffic>(std::move(near_saturation)), settle(diffusion->waiting_s);
      return std::move(means_);
    }
    auto found = decompose(stations_, outside_, inside_);
    if (const auto* problem = std::get_if<Diagnostic>(&found)) refuse(reasons_, {}, problem->message);
    else wait(std::get<std::vector<StationArrivals>>(found));
    return std::move(means_);
  }

  std::optional<HeavyTraffic> diffusion;  ///< where that was asked for

  /// Station, load and variability of all that comes and is served.
  ResultTable table() const {
    ResultTable out;
    out.name = "heavy_traffic", out.title = "Stations in the limit of heavy traffic", out.exact = false;
    out.columns = {{"Station"}, {"Load"}, {"Variability"}};
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      if (stations_[k].servers == 0) continue;
      double work = 0.0;
      for (std::size_t c = 0; c < classes(); ++c)
        work += arrivals_[nodes_[k] * classes() + c] * model_.nodes[nodes_[k]].time[c].mean_s;
      auto& row = out.rows.emplace_back();
      row.reserve(out.columns.size());
      row.emplace_back(model_.nodes[nodes_[k]].name);
      for (const double value : {work / stations_[k].servers, diffusion->variability[k]}) row.emplace_back(value);
    }
    return out;
  }

 private:
  std::size_t classes() const { return model_.classes.size(); }

  void look() {
    number_.assign(model_.nodes.size(), M::none);
    const Traffic found = traffic(model_);
    for (std::uint32_t c = 0; c < classes(); ++c) {
      const M::JobClass& one = model_.classes[c];
      const std::string of = one.name.empty() ? "" : " of class \"" + one.name + "\"";
      if (one.population > 0) refuse(reasons_, one.element, "Customers" + of + " stay in the network.");
      if (!found.why_not[c].empty())
        refuse(reasons_, one.element,
               "How often customers" + of + " come to each station is not fixed: " + found.why_not[c] + ".");
      for (std::size_t n = 0; n < model_.nodes.size(); ++n) arrivals_[n * classes() + c] = found.arrivals[c][n];
    }
    if (has_errors(reasons_)) return;
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) station(n);
    if (nodes_.empty() && reasons_.empty()) refuse(reasons_, {}, "Nobody ever comes to a station.");
    if (!has_errors(reasons_)) flows();
  }

  void station(std::uint32_t n) {
    const M::Node& node = model_.nodes[n];
    const std::string name = "\"" + node.name + "\"";
    if (node.kind == Kind::sink)
      for (std::size_t c = 0; c < classes(); ++c) means_.at(n, c).served = arrivals_[n * classes() + c];
    if (node.kind != Kind::station && node.kind != Kind::delay) return;
    double rate = 0.0, work = 0.0, moment = 0.0;
    for (std::size_t c = 0; c < classes(); ++c) {
      const double of_class = arrivals_[n * classes() + c];
      if (of_class == 0.0) continue;
      const M::Duration& time = node.time[c];
      if (!time.drawn) return refuse(reasons_, node.element, "Times at " + name + " change while the model runs.");
      const double variance = time.law.variance();
      if (!std::isfinite(variance)) refuse(reasons_, node.element, "Times at " + name + " have no finite variance.");
      rate += of_class, work += of_class * time.mean_s, moment += of_class * (variance + time.mean_s * time.mean_s);
    }
    if (rate == 0.0) return;
    if (!(work > 0.0)) return refuse(reasons_, node.element, "Times at " + name + " are 0 s.");
    OpenStation made{.servers = 0, .mean_s = work / rate, .service_variability = 0.0};
    made.service_variability = std::max(0.0, moment / rate / (made.mean_s * made.mean_s) - 1);
    if (node.kind == Kind::station) {
      if (refused(reasons_, node.element)) return;
      if (!node.servers.is_constant())
        return refuse(reasons_, node.element, "The servers of " + name + " change while the model runs.");
      made.servers = static_cast<int>(node.servers.value());
      if (!(work < made.servers))
        return refuse(
            reasons_, node.element,
            name + " gets " + number_text(work / made.servers, 4) + " times the work that its servers can do.");
    }
    number_[n] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(n), stations_.push_back(made);
  }

  // Between stations, through routers.
  void flows() {
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
      const M::Node& node = model_.nodes[n];
      const bool source = node.kind == Kind::source;
      if (!source && number_[n] == M::none) continue;
      std::vector<double> onto(arrivals_.size(), 0.0);
      double variability = 1.0, sent = 0.0;
      if (source) {
        sent = node.process == M::none ? rate_of(node).value_or(0.0) : 0.0;  // refused where it has memory
        if (sent == 0.0) continue;
        if (!node.has_rate) variability = node.time[0].law.variance() * sent * sent;
        if (!std::isfinite(variability))
          refuse(reasons_, node.element,
                 "Times between two customers of \"" + node.name + "\" have no finite variance.");
        spread(model_, n, node.emits, sent, onto);
      }
      for (std::uint32_t c = 0; !source && c < classes(); ++c)
        if (arrivals_[n * classes() + c] > 0.0) spread(model_, n, c, arrivals_[n * classes() + c], onto);
      std::vector<double> by_node(model_.nodes.size(), 0.0);
      for (std::size_t place = 0; place < onto.size(); ++place) by_node[place / classes()] += onto[place];
      for (std::size_t to = 0; to < by_node.size(); ++to) {
        if (by_node[to] == 0.0 || number_[to] == M::none) continue;
        if (source) outside_.push_back({number_[to], by_node[to], std::min(1.0, by_node[to] / sent), variability, n});
        else inside_.push_back({number_[n], number_[to], by_node[to]});
      }
    }
  }

  void wait(const std::vector<StationArrivals>& found) {
    std::vector<double> all(nodes_.size(), 0.0);
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const M::Node& node = model_.nodes[nodes_[k]];
      if (node.kind == Kind::station) {
        const GeneralArrivals asked{found[k].rate, found[k].variability, 1 / stations_[k].mean_s,
                                    stations_[k].service_variability, stations_[k].servers};
        const auto m = formula_ == "allen-cunneen" ? allen_cunneen(asked) : kraemer_langenbach_belz(asked);
        if (const auto* problem = std::get_if<Diagnostic>(&m)) {
          refuse(reasons_, node.element, problem->message);
          continue;
        }
        all[k] = std::get<StationMeans>(m).waiting_s;
      }
    }
    settle(all);
  }
  // Who waits how long, by station, as means.
  void settle(const std::vector<double>& all_waiting_s) {
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const M::Node& node = model_.nodes[nodes_[k]];
      const double waiting_s = all_waiting_s[k];
      for (std::size_t c = 0; c < classes(); ++c) {
        const double rate = arrivals_[nodes_[k] * classes() + c];
        if (rate == 0.0) continue;
        const double mean = node.time[c].mean_s;
        means_.at(nodes_[k], c) = {.number = rate * (waiting_s + mean),
                                   .waiting = rate * waiting_s,
                                   .busy = node.kind == Kind::station ? rate * mean : 0.0,
                                   .served = rate,
                                   .response_s = waiting_s + mean,
                                   .waiting_s = waiting_s};
      }
    }
  }

  const NetworkModel& model_;
  const std::string formula_;
  Diagnostics& reasons_;
  NetworkMeans means_;
  std::vector<double> arrivals_;               ///< [node * classes + class] [1/s]
  std::vector<std::uint32_t> number_, nodes_;  ///< station of a node, node of a station
  std::vector<OpenStation> stations_;
  std::vector<OutsideArrivals> outside_;
  std::vector<InsideFlow> inside_;
};

}  // namespace

const SolverSpec& GgSolver::spec() const {
  static const SolverSpec spec{
      .name = "gg-approximation",
      .label = "The approximation by means and variances",
      .description =
          "Approximate means of open networks with any times between arrivals and of service, from their "
          "means and variances.",
      .reference =
          "Whitt, The queueing network analyzer, 1983; Kraemer and Langenbach-Belz, Approximate formulae for "
          "the delay in the queueing system GI/G/1, 1976; Allen, Probability, statistics and queueing theory, "
          "1978; Harrison and Nguyen, The QNET method for two-moment analysis of open queueing networks, 1990; Halfin "
          "and Whitt, Heavy-traffic limits for queues with many exponential servers, 1981",
      .exact = false,
      .long_run = true,
      .takes_long = false};
  return spec;
}

std::vector<RunOption> GgSolver::options() const { return gg_options().options(); }

const KnownElements& GgSolver::known() const {
  static const KnownElements all{.disciplines = blind_disciplines, .class_changes = true};
  return all;
}

void GgSolver::reasons(const NetworkModel& networks, const RunRequest& request, Diagnostics& out) const {
  Decomposition(networks, gg_options().read(request).formula, out).solve();
}

std::optional<Diagnostic> GgSolver::answer(const Task& task) const {
  const std::string formula = gg_options().read(task.request).formula;
  Diagnostics none;
  Decomposition decomposition(task.networks, formula, none);
  const NetworkMeans means = decomposition.solve();
  task.out.stop_reason = "approximation";
  answer_networks(task.model, task.networks, means,
                  {.method = formula == "allen-cunneen" ? "Allen-Cunneen"
                             : formula == "brownian"    ? "reflected Brownian motion"
                                                        : "Kraemer-Langenbach-Belz",
                   .approximate = true},
                  task.answers, task.out);
  if (!decomposition.diffusion) return {};
  task.out.provenance.options["product_form_gap"] = number_text(decomposition.diffusion->product_form_gap, 3);
  task.answers.table(decomposition.table());
  task.out.tables.back().exact = false;
  return {};
}

}  // namespace ergode
