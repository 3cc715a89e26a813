#include "solvers/queueing/solve/gg_solver.h"

#include <cmath>

#include "core/base/text.h"
#include "solvers/queueing/exact/decomposition.h"
#include "solvers/queueing/exact/general_service_stations.h"
#include "solvers/queueing/model/traffic.h"
#include "solvers/queueing/solve/network_answers.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using Discipline = NetworkModel::Discipline;
using M = NetworkModel;

struct Settings {
  std::string formula = "kraemer-langenbach-belz";
};

const OptionTable<Settings>& table() {
  static const OptionTable<Settings> made = [] {
    OptionTable<Settings> t;
    t.word({"gg-formula", "NAME", "kraemer-langenbach-belz",
            "How gg-approximation has customers wait: kraemer-langenbach-belz or allen-cunneen."},
           &Settings::formula, {"kraemer-langenbach-belz", "allen-cunneen"});
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
    auto found = decompose(stations_, outside_, inside_);
    if (const auto* problem = std::get_if<Diagnostic>(&found)) refuse(reasons_, {}, problem->message);
    else wait(std::get<std::vector<StationArrivals>>(found));
    return std::move(means_);
  }

 private:
  std::size_t classes() const { return model_.classes.size(); }

  void look() {
    number_.assign(model_.nodes.size(), M::none);
    for (std::uint32_t c = 0; c < classes(); ++c) {
      const M::JobClass& one = model_.classes[c];
      const std::string of = one.name.empty() ? "" : " of class \"" + one.name + "\"";
      if (one.population > 0) refuse(reasons_, one.element, "Customers" + of + " stay in the network.");
      const auto found = traffic(model_, c);
      if (const auto* why = std::get_if<std::string>(&found)) {
        refuse(reasons_, one.element, "How often customers" + of + " come to each station is not fixed: " + *why + ".");
        continue;
      }
      const auto& visits = std::get<std::vector<double>>(found);
      for (std::size_t n = 0; n < visits.size(); ++n) arrivals_[n * classes() + c] = visits[n];
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
      rules(node, name);
      if (!node.servers.is_constant())
        return refuse(reasons_, node.element, "The servers of " + name + " change while the model runs.");
      made.servers = static_cast<int>(std::min(node.servers.value(), 1e9));
      if (!(work < made.servers))
        return refuse(
            reasons_, node.element,
            name + " gets " + number_text(work / made.servers, 4) + " times the work that its servers can do.");
    }
    number_[n] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(n), stations_.push_back(made);
  }

  void rules(const M::Node& node, const std::string& name) {
    constexpr std::pair<std::uint32_t, const char*> words[] = {{M::patient, "Customers give up"},
                                                               {M::balks, "Customers may turn round"},
                                                               {M::sets_up, "Servers are set up"},
                                                               {M::vacates, "Servers take vacations"},
                                                               {M::breaks_down, "Servers fail"},
                                                               {M::own_servers, "Servers differ"},
                                                               {M::varies_speed, "The speed of the servers is given"},
                                                               {M::batches, "Customers are served in batches"},
                                                               {M::prioritises, "Classes have priorities"}};
    for (const auto& [feature, what] : words)
      if (node.has(feature)) refuse(reasons_, node.element, std::string(what) + " at " + name + ".");
    if (node.capacity != M::unlimited) refuse(reasons_, node.element, name + " has a limited capacity.");
    if (node.discipline != Discipline::fcfs && node.discipline != Discipline::lcfs &&
        node.discipline != Discipline::siro)
      refuse(reasons_, node.element, "Who is served at " + name + " is not decided by order or chance alone.");
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
        sent = rate_of(node).value_or(0.0);
        if (node.process != M::none)
          refuse(reasons_, node.element,
                 "Gaps between customers of \"" + node.name + "\" have memory, which two moments do not tell.");
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
        if (source) outside_.push_back({number_[to], by_node[to], std::min(1.0, by_node[to] / sent), variability});
        else inside_.push_back({number_[n], number_[to], by_node[to]});
      }
    }
  }

  void wait(const std::vector<StationArrivals>& found) {
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const M::Node& node = model_.nodes[nodes_[k]];
      double waiting_s = 0.0;
      if (node.kind == Kind::station) {
        const GeneralArrivals asked{found[k].rate, found[k].variability, 1 / stations_[k].mean_s,
                                    stations_[k].service_variability, stations_[k].servers};
        const auto m = formula_ == "allen-cunneen" ? allen_cunneen(asked) : kraemer_langenbach_belz(asked);
        if (const auto* problem = std::get_if<Diagnostic>(&m)) {
          refuse(reasons_, node.element, problem->message);
          continue;
        }
        waiting_s = std::get<StationMeans>(m).waiting_s;
      }
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
          "1978",
      .exact = false,
      .long_run = true,
      .takes_long = false};
  return spec;
}

std::vector<RunOption> GgSolver::options() const { return table().options(); }

Diagnostics GgSolver::reasons(const NetworkModel& networks, const RunRequest& request) const {
  Diagnostics out;
  Decomposition(networks, table().read(request).formula, out).solve();
  return out;
}

std::optional<Diagnostic> GgSolver::answer(const Task& task) const {
  const std::string formula = table().read(task.request).formula;
  Diagnostics none;
  const NetworkMeans means = Decomposition(task.networks, formula, none).solve();
  task.out.stop_reason = "approximation";
  answer_networks(
      task.model, task.networks, means,
      {.method = formula == "allen-cunneen" ? "Allen-Cunneen" : "Kraemer-Langenbach-Belz", .approximate = true},
      task.answers, task.out);
  return {};
}

}  // namespace ergode
